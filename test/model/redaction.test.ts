// The one redaction: every form of secret that the network's own words announce, in text, data and logs; and nothing that is no secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '#base/log.ts';
import {
  isRedacted,
  isSecretLeaf,
  REDACTED_MARK,
  redactConfiguration,
  redactData,
  redactLine,
  redactText,
} from '#model/redaction.ts';
import { processorMsOf } from '../processor-time.ts';

const SECRETS: readonly (readonly [string, string])[] = [
  [' isis password md5 s3cret', ' isis password md5 <redacted>'],
  [' area-password clear s3cret', ' area-password clear <redacted>'],
  [' neighbor 192.0.2.1 password s3cret', ' neighbor 192.0.2.1 password <redacted>'],
  [' ip ospf message-digest-key 1 md5 s3cret', ' ip ospf message-digest-key 1 md5 <redacted>'],
  [' ip ospf authentication-key s3cret', ' ip ospf authentication-key <redacted>'],
  [' ip rip authentication string s3cret', ' ip rip authentication string <redacted>'],
  [' psk s3cret', ' psk <redacted>'],
  [' hexadecimal-string 0a0b', ' hexadecimal-string <redacted>'],
  ['agentx s3cret', 'agentx <redacted>'],
  ['credential=s3cret', 'credential=<redacted>'],
  ['<md5>s3cret</md5>', '<md5><redacted></md5>'],
  ['snmp_community=s3cret', 'snmp_community=<redacted>'],
  ['informsink 192.0.2.1 s3cret', 'informsink 192.0.2.1 <redacted>'],
  [' key-string 7 s3cret', ' key-string 7 <redacted>'],
  ['snmp-server community s3cret RO', 'snmp-server community <redacted> RO'],
  ['rocommunity s3cret default', 'rocommunity <redacted>'],
  ['enable password 8 s3cret', 'enable password 8 <redacted>'],
  ['username ann privilege 15 secret 5 s3cret', 'username ann privilege 15 secret 5 <redacted>'],
  ['crypto isakmp key pre-shared-key s3cret', 'crypto isakmp key pre-shared-key <redacted>'],
  ['line 3: % Unknown command: isis passphrase s3cret', 'line 3: % Unknown command: isis passphrase <redacted>'],
  ['snmp-server host 192.0.2.1 version 2c s3cret', 'snmp-server host 192.0.2.1 version 2c <redacted>'],
  ['snmp-server host 192.0.2.1 traps s3cret bgp', 'snmp-server host 192.0.2.1 traps <redacted> bgp'],
  ['snmp-server user u g v3 auth sha s3cret priv aes s3cret', 'snmp-server user u g v3 auth sha <redacted>'],
  ['createUser u SHA "s3cret" AES "s3cret"', 'createUser u SHA <redacted>'],
  ['com2sec ro default s3cret', 'com2sec ro default <redacted>'],
  ['trap2sink 192.0.2.1 s3cret', 'trap2sink 192.0.2.1 <redacted>'],
  ['tacacs-server key 7 s3cret', 'tacacs-server key 7 <redacted>'],
  ['radius-server host 192.0.2.1 key s3cret', 'radius-server host 192.0.2.1 key <redacted>'],
  [' key 7 s3cret', ' key 7 <redacted>'],
  [' key s3cret', ' key <redacted>'],
  [' ip nhrp authentication s3cret', ' ip nhrp authentication <redacted>'],
  ['crypto isakmp key s3cret address 192.0.2.1', 'crypto isakmp key <redacted> address 192.0.2.1'],
  [' keystring s3cret', ' keystring <redacted>'],
  [' secret-key s3cret', ' secret-key <redacted>'],
  [' password encryption-s3cret', ' password <redacted>'],
  ['login failed password=s3cret user=ann', 'login failed password=<redacted> user=ann'],
  ['password: s3cret', 'password: <redacted>'],
  ['GET /x Authorization: Bearer s3cret.s3cret', 'GET /x Authorization: Bearer <redacted>'],
  [`curl -H "authorization: Basic czNjcmV0" https://a`, `curl -H "authorization: Basic <redacted>" https://a`],
  ['{"Proxy-Authorization": "Digest username=ann, s3cret"}', '{"Proxy-Authorization": "Digest <redacted>"}'],
  ['access_token=s3cret&n=1', 'access_token=<redacted>&n=1'],
  ['<token>s3cret</token>', '<token><redacted></token>'],
  [' crypt-key s3cret', ' crypt-key <redacted>'],
  ['{"auth_key":"s3\\"cret","password": "s3cret","n":1}', '{"auth_key":"<redacted>","password": "<redacted>","n":1}'],
  ['<c:shared-secret>s3cret</c:shared-secret>', '<c:shared-secret><redacted></c:shared-secret>'],
];

test('takes out what follows the words that announce a secret, and keeps the rest of the line [NET-18]', () => {
  for (const [line, expected] of SECRETS) {
    assert.equal(redactLine(line), expected);
    assert.equal(redactText(`interface eth1\n${line}\n!`), `interface eth1\n${expected}\n!`);
  }
});

test('keeps lines that only speak of secrets [NET-18]', () => {
  const kept = ['service password-encryption', ' isis authentication send-only'];
  assert.equal(redactLine(kept[0]!), kept[0]);
  assert.equal(redactLine(kept[1]!), kept[1]);
  for (const line of [
    ' password encryption',
    'key chain core',
    ' key 1',
    ' isis authentication key-chain core',
    '      Community: 65000:1 65000:2',
    ' neighbor 192.0.2.1 send-community both',
    'snmp-server host 192.0.2.1 version 2c',
    'snmp-server location hall 3',
    'tacacs-server host 192.0.2.1 timeout 3',
    'aaa secret=true',
    'qdisc tbf token bucket 1500',
    'authorization: enabled',
    'Authorization: Bearer',
    'ip ssh public-key: abc',
    'router isis 1',
  ])
    assert.equal(redactLine(line), line);
  assert.equal(redactConfiguration('hostname a\n'), 'hostname a\n');
  assert.equal(isRedacted('hostname a'), false);
});

test('a configuration that lost something says so in its first line, and is recognised as no configuration [NET-18]', () => {
  const redacted = redactConfiguration('hostname a\npassword s3cret\n');
  assert.equal(redacted, `${REDACTED_MARK}\nhostname a\npassword <redacted>\n`);
  for (const text of [redacted, 'password <removed by NMS>', 'password ********']) assert.equal(isRedacted(text), true);
});

test('leaves of data are known by their names, at any depth [NET-18]', () => {
  assert.deepEqual(
    redactData({ isis: [{ 'frr-isisd:password': 's3cret', 'auth-password': 's3cret', metric: 10 }], 'key-string': 7 }),
    {
      isis: [{ 'frr-isisd:password': '<redacted>', 'auth-password': '<redacted>', metric: 10 }],
      'key-string': '<redacted>',
    },
  );
});

test('the names that common modules give to secrets, leaf-lists too, and none that only look like them [NET-18]', () => {
  const secret =
    'secret-key keystring ietf-key-chain:hexadecimal-string authentication-key pre-shared-key password-hash password-hashed cleartext-key cleartext-private-key key text-name shared-secret read-community community priv-key token access-token oc-sys:credential credentials crypt-key md5';
  for (const name of secret.split(' ')) assert.equal(isSecretLeaf(name), true, name);
  const open =
    'token-count tokenized key-id key-chain public-key name send-community community-member password-encryption ext-community secret-count';
  for (const name of open.split(' ')) assert.equal(isSecretLeaf(name), false, name);
  assert.deepEqual(
    redactData({
      password: ['s3cret', 7],
      key: [{ 'key-id': 1, keystring: 's3cret' }],
      priv: { aes: { key: 's3cret' } },
      community: ['65000:1'],
      secret: true,
      'secret-key': null,
    }),
    {
      password: ['<redacted>', '<redacted>'],
      key: [{ 'key-id': 1, keystring: '<redacted>' }],
      priv: { aes: { key: '<redacted>' } },
      community: ['65000:1'],
      secret: true,
      'secret-key': null,
    },
  );
});

test('no secret reaches a log, however deep it stands in a field [NET-18]', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', sink: (line) => lines.push(line), now: () => 0, redact: redactText });
  log
    .child({ node: 'a' })
    .warn('refused', { reason: 'line 1: isis password md5 s3cret', deep: { more: ['password s3cret'] } });
  assert.equal(
    lines[0],
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"refused","node":"a","reason":"line 1: isis password md5 <redacted>","deep":{"more":["password <redacted>"]}}',
  );
});

const KEY_BODY = ['MC4CAQAwBQYDK2VwBCIEIB', 'c3RhbmRzIGZvciBhIGtleQ=='];
const begin = (label: string) => `-----BEGIN ${label}-----`;
const end = (label: string) => `-----END ${label}-----`;

test('private keys are taken out of any text, whole or cut, and certificates stay [NET-18]', () => {
  for (const label of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY']) {
    const pem = [begin(label), ...KEY_BODY, end(label)];
    assert.equal(
      redactText(['hostname a', ...pem, 'interface eth0'].join('\n')),
      `hostname a\n${begin(label)} <redacted> ${end(label)}\ninterface eth0`,
    );
    assert.equal(redactData(pem.join('\n')), `${begin(label)} <redacted> ${end(label)}`);
    assert.equal(
      redactText(JSON.stringify({ key: `${pem.join('\n')}\n`, name: 'a' })),
      `{"key":"${begin(label)} <redacted> ${end(label)}\\n","name":"a"}`,
    );
  }
  const encrypted = [begin('RSA PRIVATE KEY'), 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00', '', ...KEY_BODY];
  assert.doesNotMatch(redactText([...encrypted, end('RSA PRIVATE KEY')].join('\n')), /MC4C|c3Rh|DEK/);
  // Cut where the text was cut: all that may be of the key goes.
  assert.doesNotMatch(redactText([begin('PRIVATE KEY'), ...KEY_BODY].join('\n')), /MC4C|c3Rh/);
  const certificate = [begin('CERTIFICATE'), ...KEY_BODY, end('CERTIFICATE')].join('\n');
  assert.equal(redactText(certificate), certificate);
  // No time is lost on what only begins like keys.
  const tookMs = processorMsOf(() => {
    redactText(`${begin('PRIVATE KEY')} `.repeat(5_000));
    redactText('a://'.repeat(20_000) + ':'.repeat(20_000));
  });
  assert.ok(tookMs < 2_000);
});

test('passwords in URLs are taken out of text and data; URLs without one stay [NET-18]', () => {
  for (const [text, expected] of [
    ['fetch https://ann:s3cret@192.0.2.1/a failed', 'fetch https://ann:<redacted>@192.0.2.1/a failed'],
    ['ftp://ann:s3c:r@et@host.example:21/', 'ftp://ann:<redacted>@host.example:21/'],
    ['{"url":"amqp://:s3cret@[fd00::1]:5672"}', '{"url":"amqp://:<redacted>@[fd00::1]:5672"}'],
  ] as const) {
    assert.equal(redactText(text), expected);
    assert.deepEqual(redactData({ note: [text] }), { note: [expected] });
  }
  for (const text of [
    'https://192.0.2.1:9514/a@b',
    'https://ann@host/',
    'ssh://[fd00::1]:830',
    'mcp://pe1/a:b',
    'to ann:b@c',
  ])
    assert.equal(redactText(text), text);
});
