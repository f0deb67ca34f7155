// Secrets that are known by their own form, in text, in data and in logs, whatever they are called; and ordinary values, which are left as they are [NET-18].
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { redactConfiguration, redactData, redactText } from '#model/redaction.ts';
import { redactForms } from '#model/secrets/secret-forms.ts';

const BASE64_KEY = 'yAnz5TF0lXXJte14tji3zlMNq0hd2rYUIgJBgB3fBmk=';

/** Values of leaves with any name, and what is left of them. */
const FORMS: readonly (readonly [string, string])[] = [
  ['$1$mERr$hx5rVt7rPNoS4wqbXKX7m0', '<redacted>'],
  ['$5$rounds=80000$wnsT7Yr92oJoP28r$cKhJImk5mfuSKV9b3mumNzlbstFUplKtQXXMo4G6Ep5', '<redacted>'],
  ['$6$Z3oJnbPq$kT3nPdHc8vC9Zz1gkRq0Yw8Ue7b2aF1H.x/9sQmWvLr5DpKjNfTgYbXcVaSdEwRq', '<redacted>'],
  ['$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7', '<redacted>'],
  ['$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW', '<redacted>'],
  ['$8$dsYGNam3K1SIJO$7nv/35M/qr6t.dVc7UY9zrJDWRVqncHub1PE9UlMQFs', '<redacted>'],
  ['$9$2MJBozw/9R3UsU$2lFhcKvpghcyw8deP25GOfyZaagyUOGBymkryvOdfo6', '<redacted>'],
  ['$9$LbHX-wg4Z7-VwYgJDi.PfT6CtOIEcrKM', '<redacted>'],
  ['user 5 {crypt}$6$saltsalt$abcdefghijkl', 'user 5 {crypt}<redacted>'],
  ['ip ospf message-digest-key 1 md5 0123456789abcdef', 'ip ospf message-digest-key 1 md5 <redacted>'],
  ['isis password md5 0123456789abcdef0123456789abcdef', 'isis password md5 <redacted>'],
  ['ip rip authentication mode md5 0123456789abcdef', 'ip rip authentication mode md5 <redacted>'],
  ['secret 0x0123456789abcdef', 'secret <redacted>'],
  [`key ${BASE64_KEY}`, 'key <redacted>'],
  [`{"key": "${BASE64_KEY}"}`, '{"key": "<redacted>"}'],
  ['psk=0011223344556677889900aabbccddee,next', 'psk=<redacted>,next'],
  ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjF9.MEUCIQDx1y2z3a4b5c6d7e8f9', '<redacted>'],
];

test('a password hash, an encoded password, a token or a named key is taken out of a leaf with any name [NET-18]', () => {
  for (const [value, expected] of FORMS) {
    assert.equal(redactForms(value), expected, value);
    assert.deepEqual(redactData({ 'vendor:value': [{ note: value }] }), { 'vendor:value': [{ note: expected }] });
  }
});

test('type 7 is taken out where it decodes to text, and a number of the same form is not [NET-18]', () => {
  // "Tr0ub4dor" with the salt 08, "core-key" with the salt 02.
  assert.equal(redactForms('login 7 08155E1E1C1B51131D19'), 'login 7 <redacted>');
  assert.equal(redactForms('some-leaf 7 "02050B490E4B042455"'), 'some-leaf 7 "<redacted>"');
  for (const other of ['port 7 001122334455', 'vlan 7 00FFAA1122', '7 1234', '17 08155E1E1C1B51131D19'])
    assert.equal(redactForms(other), other);
});

test('lines with words that no table of words has lose the secret and keep the rest [NET-18]', () => {
  assert.equal(
    redactText(' user ann role admin hash $6$saltsalt$0123456789abcdef enabled'),
    ' user ann role admin hash <redacted> enabled',
  );
  assert.equal(redactText('PrivateKey = s3cret'), 'PrivateKey <redacted>');
  assert.equal(redactText('PresharedKey = s3cret'), 'PresharedKey <redacted>');
  assert.match(redactConfiguration('banner 7 08155E1E1C1B51131D19\n'), /^! <redacted>: secrets are missing/);
});

test('a private key in a leaf with any name is taken out [NET-18]', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const text = JSON.stringify(redactData({ blob: pem }));
  assert.equal(text.includes(pem.split('\n')[1]!), false);
  assert.match(text, /<redacted>/);
});

test('the keys of authentication statements are taken out, which look like checksums [NET-18]', () => {
  const key = '0123456789abcdef0123456789abcdef';
  for (const statement of [
    ' neighbor 192.0.2.1 password',
    ' ip ospf message-digest-key 1 md5',
    ' isis password md5',
    ' area-password md5',
    '  key-string',
  ])
    assert.equal(redactText(`${statement} ${key}`), `${statement} <redacted>`);
});

test('no text takes longer than its length asks for, whatever form it only begins [NET-18]', () => {
  const forms = new URL('./long-texts.ts', import.meta.url).pathname;
  // No measure of time: the forms need seconds for all of these texts, and the square of a length would need an hour.
  const { status, stdout } = spawnSync(process.execPath, ['--conditions=parley-source', forms], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.deepEqual([status, stdout.trim().split('\n').at(-1)], [0, 'all were read']);
});

test('addresses, digests, identifiers, fingerprints and certificates are left as they are [NET-18]', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const digest = createHash('sha256').update('x').digest('hex');
  const ordinary = [
    '192.0.2.1',
    '2001:db8:0:1::192.0.2.1/64',
    'fe80::1%eth0',
    '02:00:5e:10:00:01',
    '0200.5e10.0001',
    '0000.0000.0002.00-00',
    digest,
    `sha256 ${digest}`,
    `certificate ${digest}`,
    `report urn:ietf:params:xml:ns:yang:ietf-mcp/report/${digest.slice(0, 16)}`,
    `{"requestSha256":"${digest}","previous":"${digest}","nonce":"${digest.slice(0, 32)}","boot":"12"}`,
    `host key SHA256:${randomBytes(32).toString('base64').slice(0, 43)}`,
    `ssh-ed25519 ${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')} ann@example`,
    `public key: ${BASE64_KEY}`,
    publicKey.export({ type: 'spki', format: 'pem' }) as string,
    randomBytes(600).toString('base64'),
    `signature ${randomBytes(64).toString('base64')}`,
    'key chain core',
    'key 1',
    'keyboard-interactive',
    '/etc/parley/identity/key.pem',
    'key /etc/parley/identity9/Server/with/a/long/path',
    'echo $1 $2 costs $5 or $6',
    'community 65000:100 65000:200',
    'passed 1234567890123456 packets',
    'eth0.100',
    'v2.1.0-7-g0123456789abcdef',
    'seq 7 deny any',
    'MD5 d41d8cd98f00b204e9800998ecf8427e  frr.deb',
    'md5: d41d8cd98f00b204e9800998ecf8427e',
    'MD5 (frr.deb) = d41d8cd98f00b204e9800998ecf8427e',
    `sha256: ${digest}`,
    'key 3f2504e04f8911d39a0c0305e82c3301',
    'session key 0123456789abcdef',
    `key=${digest}`,
    'Key: abcDEF0123456789abcdEF',
  ];
  for (const value of ordinary) {
    assert.equal(redactForms(value), value);
    assert.equal(redactText(value), value);
    assert.deepEqual(redactData({ value }), { value });
  }
});
