// The CA and the identity folders it writes, and what loading one refuses.
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '#base/process.ts';
import { readCertificate } from '#codec/x509.ts';
import { initAuthority } from '#mtls/authority.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { HANG_MS } from '../until-written.ts';
import { ca, clock, DAY_MS, dir, issue, NOW_MS } from './authority-bed.ts';

test('issues what OpenSSL accepts by the letter of RFC 5280 [TS-24] [CARD-11]', async () => {
  await issue('pe1', { dnsNames: ['pe1.lab.example'], addresses: ['198.18.0.1', 'fd00::1'] });
  for (const purpose of ['sslserver', 'sslclient']) {
    const files = ['-CAfile', join(dir, 'pe1', 'ca.pem'), join(dir, 'pe1', 'chain.pem')];
    const args = [
      'verify',
      '-x509_strict',
      '-attime',
      String(Math.floor(NOW_MS / 1_000)),
      '-purpose',
      purpose,
      ...files,
    ];
    const checked = await run('openssl', args, { timeoutMs: HANG_MS });
    assert.deepEqual([checked.exitCode, checked.stderr], [0, '']);
  }
  const leaf = new X509Certificate(await readFile(join(dir, 'pe1', 'chain.pem')));
  assert.equal(
    leaf.subjectAltName,
    'URI:parley://lab.example/pe1, DNS:pe1.lab.example, IP Address:198.18.0.1, IP Address:FD00:0:0:0:0:0:0:1',
  );
  assert.deepEqual(
    [leaf.publicKey.asymmetricKeyType, leaf.publicKey.asymmetricKeyDetails?.namedCurve],
    ['ec', 'prime256v1'],
  );
  assert.deepEqual([leaf.validFrom, leaf.validTo], ['Nov 21 11:55:00 2026 GMT', 'Nov 28 12:00:00 2026 GMT']);
});

test('keys are readable by their owner only, and differ', async () => {
  await issue('modes');
  for (const path of ['ca/ca-key.pem', 'modes/key.pem', 'modes/signing-key.pem']) {
    assert.equal((await stat(join(dir, path))).mode & 0o777, 0o600, path);
  }
  assert.notEqual(
    await readFile(join(dir, 'modes', 'key.pem'), 'utf8'),
    await readFile(join(dir, 'ca', 'ca-key.pem'), 'utf8'),
  );
});

test('names nodes, operators and controllers by URI [TS-24]', async () => {
  const uris: Record<string, string> = {};
  for (const kind of ['node', 'operator', 'controller'] as const) {
    const name = `a-${kind}`;
    const { party } = await issue(name, { kind });
    assert.deepEqual([party.kind, party.domain, party.name], [kind, 'lab.example', name]);
    uris[kind] = new X509Certificate(await readFile(join(dir, name, 'chain.pem'))).subjectAltName ?? '';
  }
  assert.deepEqual(uris, {
    node: 'URI:parley://lab.example/a-node, DNS:a-node.lab.example',
    operator: 'URI:parley://lab.example/operator/a-operator',
    controller: 'URI:parley://lab.example/controller/a-controller',
  });
});

test('loads what it wrote: chain, keys and thumbprint belong together [TS-13]', async () => {
  const { thumbprint } = await issue('p2');
  const identity = await loadIdentity(join(dir, 'p2'), clock);
  const leaf = new X509Certificate(await readFile(join(dir, 'p2', 'chain.pem')));
  assert.equal(identity.thumbprint, leaf.fingerprint256.replaceAll(':', '').toLowerCase());
  assert.equal(thumbprint, identity.thumbprint);
  assert.deepEqual(identity.chain, [leaf.raw.toString('base64')]);
  assert.equal(identity.signingKey.asymmetricKeyType, 'ed25519');
  assert.equal(identity.party.signingKey?.length, 64);
  assert.deepEqual([identity.notBeforeMs, identity.notAfterMs], [NOW_MS - 500 - 300_000, NOW_MS - 500 + 7 * DAY_MS]);
});

test('a second CA is never written over the first', async () => {
  await assert.rejects(initAuthority({ dir: ca, domain: 'lab.example', clock }), { code: 'caller/authority-exists' });
  await assert.rejects(initAuthority({ dir: join(dir, 'x'), domain: 'Lab_Example/', clock }), {
    code: 'caller/bad-domain',
  });
});

test('issuing again says what exists; after the end it renews and keeps the signing key', async () => {
  const first = await issue('again');
  const second = await issue('again');
  assert.deepEqual([first.outcome, second.outcome], ['issued', 'exists']);
  assert.equal(second.thumbprint, first.thumbprint);
  const third = await issue('again', { clock: { nowMs: () => NOW_MS + 8 * DAY_MS } });
  assert.equal(third.outcome, 'renewed');
  assert.notEqual(third.thumbprint, first.thumbprint);
  assert.equal(third.party.signingKey, first.party.signingKey);
});

test('never overwrites another party, and refuses names that read alike', async () => {
  await issue('pe3');
  await assert.rejects(issue('pe4', { out: join(dir, 'pe3') }), {
    code: 'caller/identity-exists',
    message: /parley:\/\/lab\.example\/pe3/,
  });
  await assert.rejects(issue('pe-3'), { code: 'caller/name-taken', message: /pe-3 reads like pe3/ });
});

test('refuses names that are none, and a folder without a CA', async () => {
  for (const name of ['PE-1', 'a/b', '', '../x', 'pe1 '])
    await assert.rejects(issue(name), { code: 'caller/bad-name' }, name);
  // `operator/local` in the audit trail is whoever came over the Unix socket.
  await assert.rejects(issue('local', { kind: 'operator' }), { code: 'caller/bad-name' });
  assert.equal((await issue('local')).party.name, 'local', 'a node may be called so');
  await assert.rejects(issue('ok', { dnsNames: ['no space'] }), { code: 'caller/bad-name' });
  await assert.rejects(issue('ok', { addresses: ['198.18.0.256'] }), { code: 'caller/bad-name' });
  await assert.rejects(issue('ok', { dir: join(dir, 'nothing') }), {
    code: 'caller/no-authority',
    message: /parley ca init/,
  });
});

test('loading says what is wrong and what to do', async () => {
  await issue('one');
  await issue('two');
  const later = { nowMs: () => NOW_MS + 8 * DAY_MS };
  const earlier = { nowMs: () => NOW_MS - DAY_MS };
  const remedy = /run "parley ca issue/;
  await assert.rejects(loadIdentity(join(dir, 'none'), clock), { code: 'caller/identity-missing', message: remedy });
  await assert.rejects(loadIdentity(join(dir, 'one'), later), { code: 'caller/identity-expired', message: remedy });
  await assert.rejects(loadIdentity(join(dir, 'one'), earlier), {
    code: 'caller/identity-invalid',
    message: /valid from/,
  });
  const swapped: [string, RegExp][] = [
    ['key.pem', /key\.pem is not the key of the certificate/],
    ['signing-key.pem', /signing-key\.pem is not the key that the certificate binds/],
  ];
  for (const [file, message] of swapped) {
    const out = join(dir, `mixed-${file}`);
    await issue('one', { out });
    await copyFile(join(dir, 'two', file), join(out, file));
    await assert.rejects(loadIdentity(out, clock), { code: 'caller/identity-invalid', message });
  }
  const strange = join(dir, 'strange');
  await initAuthority({ dir: strange, domain: 'lab.example', clock });
  await copyFile(join(strange, 'ca.pem'), join(dir, 'two', 'ca.pem'));
  await assert.rejects(loadIdentity(join(dir, 'two'), clock), {
    code: 'caller/identity-invalid',
    message: /does not verify|was not issued/,
  });
});

test('a certificate never outlives its CA', async () => {
  const short = join(dir, 'short');
  const made = await initAuthority({ dir: short, domain: 'lab.example', lifetimeDays: 2, clock });
  const { notAfterMs } = await issue('brief', { dir: short });
  assert.equal(notAfterMs, made.notAfterMs);
});

test('serial numbers count, and the register holds the last certificate of each party', async () => {
  const home = join(dir, 'counted');
  const made = await initAuthority({ dir: home, domain: 'lab.example', clock });
  const serialOf = async (...path: string[]) =>
    new X509Certificate(await readFile(join(...path), 'utf8')).serialNumber.toLowerCase();
  assert.match(await serialOf(home, 'ca.pem'), /^5000000000[0-9a-f]{22}$/);
  const first = await issue('n1', { dir: home, out: join(dir, 'n1') });
  assert.match(await serialOf(dir, 'n1', 'chain.pem'), /^5000000001[0-9a-f]{22}$/);
  await issue('o1', { dir: home, out: join(dir, 'o1'), kind: 'operator' });
  assert.match(await serialOf(dir, 'o1', 'chain.pem'), /^5000000002[0-9a-f]{22}$/);
  const register = JSON.parse(await readFile(join(home, 'register.json'), 'utf8'));
  assert.deepEqual(
    [register.schemaVersion, register.domain, register.counter, Object.keys(register.issued)],
    [1, 'lab.example', 3, ['node/n1', 'operator/o1']],
  );
  assert.deepEqual(register.issued['node/n1'], {
    serial: await serialOf(dir, 'n1', 'chain.pem'),
    thumbprint: first.thumbprint,
    notAfter: '2026-11-28T12:00:00.000Z',
  });
  const ca = new X509Certificate(made.caPem);
  assert.deepEqual(
    [ca.subject, ca.issuer, ca.ca],
    ['CN=Parley CA of lab.example', 'CN=Parley CA of lab.example', true],
  );
  assert.deepEqual([ca.validFrom, ca.validTo], ['Nov 21 11:55:00 2026 GMT', 'Nov 18 12:00:00 2036 GMT']);
  assert.equal(made.notAfterMs, Date.parse('2036-11-18T12:00:00Z'));
  for (const path of [join(home, 'register.json'), join(dir, 'n1', 'signing-key.pem')])
    assert.equal((await stat(path)).mode & 0o777, 0o600, path);
  for (const path of [join(home, 'ca.pem'), join(dir, 'n1', 'ca.pem'), join(dir, 'n1', 'chain.pem')])
    assert.equal((await stat(path)).mode & 0o777, 0o644, path);
});

test('the random part of a serial number is that of the given source', async () => {
  const random = { bytes: (byteCount: number) => new Uint8Array(byteCount).fill(0xab) };
  const home = join(dir, 'drawn');
  const { caPem } = await initAuthority({ dir: home, domain: 'lab.example', clock, random });
  assert.equal(new X509Certificate(caPem).serialNumber, `5000000000${'AB'.repeat(11)}`);
  await issue('drawn-1', { dir: home, out: join(dir, 'drawn-1'), random });
  const leaf = new X509Certificate(await readFile(join(dir, 'drawn-1', 'chain.pem')));
  assert.equal(leaf.serialNumber, `5000000001${'AB'.repeat(11)}`);
});

test('a folder whose CA and register do not belong together is no CA', async () => {
  const home = join(dir, 'torn');
  await initAuthority({ dir: home, domain: 'lab.example', clock });
  const file = join(home, 'register.json');
  const register = JSON.parse(await readFile(file, 'utf8'));
  const refused = async (text: string, message: RegExp) => {
    await writeFile(file, text);
    await assert.rejects(issue('torn', { dir: home }), { code: 'caller/no-authority', message });
  };
  await refused(
    JSON.stringify({ ...register, domain: 'other.example' }),
    /is of lab\.example, register of other\.example/,
  );
  const version = /expected a register of schema version 1/;
  for (const over of [{ schemaVersion: 2 }, { issued: [] }, { counter: '1' }, { counter: 1.5 }])
    await refused(JSON.stringify({ ...register, ...over }), version);
  await refused('[]', version);
  await writeFile(file, JSON.stringify(register));
  await copyFile(join(ca, '..', 'n1', 'chain.pem'), join(home, 'ca.pem'));
  await assert.rejects(issue('torn', { dir: home }), {
    code: 'caller/no-authority',
    message: /another form|another name/,
  });
  await writeFile(join(home, 'ca.pem'), 'x');
  await assert.rejects(issue('torn', { dir: home }), { code: 'caller/no-authority' });
});

test('names are refused with what is wrong with them, and twins are sought among nodes only', async () => {
  const message = (name: string, options = {}) =>
    issue(name, { out: join(dir, 'unused'), ...options }).then(
      () => 'issued',
      (error: Error) => error.message.replace(/^expected names .* plain form, got /, ''),
    );
  assert.equal(await message('A'), 'name A');
  assert.equal(await message('loopback', { kind: 'controller' }), 'name loopback');
  assert.equal(await message('ok', { dnsNames: ['a.example', 'B'] }), 'DNS name B');
  assert.equal(await message('ok', { addresses: ['fd00::1', 'x'] }), 'address x');
  assert.equal(
    await message('ok', { kind: 'controller', role: 'admin' }),
    'expected a role for an operator only, got one for a controller',
  );
  await issue('tw-in', { kind: 'operator', out: join(dir, 'tw-in') });
  await issue('twin', { out: join(dir, 'twin') });
  await issue('t-win', { kind: 'operator', out: join(dir, 't-win') });
  assert.match(await message('t.win'), /^t\.win reads like twin, /);
});

test('loading names the part that is broken, and keeps to the ends of the certificate', async () => {
  const out = join(dir, 'parts');
  const { notAfterMs } = await issue('parts', { out });
  const loaded = (nowMs: number) =>
    loadIdentity(out, { nowMs: () => nowMs }).then(
      () => 'loaded',
      (error: { code: string; message: string }) => `${error.code} ${error.message}`,
    );
  const first = await loadIdentity(out, clock);
  assert.equal(await loaded(notAfterMs - 1), 'loaded');
  assert.match(
    await loaded(notAfterMs),
    /^caller\/identity-expired certificate of parts in .* ended at 2026-11-28T12:00:00\.000Z, it is/,
  );
  assert.equal(await loaded(first.notBeforeMs), 'loaded');
  assert.match(
    await loaded(first.notBeforeMs - 1),
    /^caller\/identity-invalid .* valid from 2026-11-21T11:55:00\.000Z, it is .*: set the clock; run "parley ca issue NAME --out/,
  );
  const broken = async (file: string, text: string) => {
    const whole = await readFile(join(out, file), 'utf8');
    await writeFile(join(out, file), text);
    const said = await loaded(NOW_MS);
    await writeFile(join(out, file), whole);
    return said;
  };
  assert.match(
    await broken('key.pem', 'x'),
    /^caller\/identity-invalid .* key\.pem: expected a private key in PEM, got something else; run/,
  );
  assert.match(await broken('chain.pem', ''), /^caller\/identity-invalid .* chain\.pem: (?!undefined)\S/);
  assert.match(
    await broken('chain.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    /^caller\/identity-invalid .* chain\.pem: /,
  );
  assert.match(await broken('ca.pem', 'x'), /^caller\/identity-invalid .*: CA certificate: /);
  await rm(join(out, 'signing-key.pem'));
  assert.match(await loaded(NOW_MS), /^caller\/identity-missing no identity in .*, cannot read signing-key\.pem \(/);
  const again = await issue('parts', { out });
  assert.equal(again.outcome, 'renewed', 'without its signing key it gets another');
  assert.notEqual(again.party.signingKey, first.party.signingKey);
});

test('certificates have these extensions, and these of them critical [TS-24]', async () => {
  const fieldsOf = (pem: string) => {
    const fields = readCertificate(new X509Certificate(pem).raw);
    assert.ok(fields.ok);
    return fields.value;
  };
  await issue('critical', { kind: 'operator', role: 'admin' });
  const leaf = fieldsOf(await readFile(join(dir, 'critical', 'chain.pem'), 'utf8'));
  const authority = fieldsOf(await readFile(join(ca, 'ca.pem'), 'utf8'));
  // Basic constraints and key usage.
  for (const fields of [leaf, authority]) assert.deepEqual([...fields.criticalOids].sort(), ['2.5.29.15', '2.5.29.19']);
  const common = ['2.5.29.14', '2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.35'];
  assert.deepEqual([...authority.extensions.keys()].sort(), common);
  const known = [...leaf.extensions.keys()].filter((oid) => oid.startsWith('2.5.')).sort();
  assert.deepEqual([known, leaf.extensions.size], [[...common, '2.5.29.37'].sort(), 8]);
  assert.deepEqual([leaf.basicConstraints?.ca, authority.basicConstraints], [false, { ca: true, pathLength: 1 }]);
  assert.deepEqual([leaf.keyUsage, [...authority.keyUsage].sort()], [['digitalSignature'], ['cRLSign', 'keyCertSign']]);
  assert.deepEqual([leaf.extKeyUsage.length, authority.extKeyUsage.length], [2, 0]);
  const keyId = (fields: typeof leaf) => Buffer.from(fields.extensions.get('2.5.29.14')!).toString('hex');
  // RFC 7093 §2 method 1: the first 20 octets of SHA-256 over the uncompressed point.
  const point = (fields: typeof leaf) => Buffer.from(fields.spki).subarray(-65);
  const expected = (fields: typeof leaf) =>
    `0414${createHash('sha256').update(point(fields)).digest('hex').slice(0, 40)}`;
  assert.deepEqual([keyId(leaf), keyId(authority)], [expected(leaf), expected(authority)]);
  const issuerKey = Buffer.from(leaf.extensions.get('2.5.29.35')!).toString('hex');
  assert.equal(issuerKey, `30168014${expected(authority).slice(4)}`);
});

test('a node’s certificate carries its name in the domain for browsers, and an operator’s none [TS-24]', async () => {
  await issue('pe8');
  const leaf = new X509Certificate(await readFile(join(dir, 'pe8', 'chain.pem')));
  assert.equal(leaf.subjectAltName, 'URI:parley://lab.example/pe8, DNS:pe8.lab.example');
  assert.equal(leaf.checkHost('pe8.lab.example'), 'pe8.lab.example');
  await issue('dora', { kind: 'operator' });
  const other = new X509Certificate(await readFile(join(dir, 'dora', 'chain.pem')));
  assert.equal(other.subjectAltName, 'URI:parley://lab.example/operator/dora');
});

test('renewing keeps signing key, names, addresses and role, and gives another certificate for as long again [TS-24]', async () => {
  await issue('pe9', { dnsNames: ['nine.example'], addresses: ['198.18.0.9'] });
  const before = await loadIdentity(join(dir, 'pe9'), clock);
  assert.equal((await issue('pe9')).outcome, 'exists');
  const later = { nowMs: () => NOW_MS + DAY_MS };
  const renewed = await issue('pe9', { renew: true, clock: later });
  assert.equal(renewed.outcome, 'renewed');
  const after = await loadIdentity(join(dir, 'pe9'), later);
  assert.notEqual(after.thumbprint, before.thumbprint);
  assert.equal(after.party.signingKey, before.party.signingKey);
  assert.equal(after.notAfterMs - before.notAfterMs, DAY_MS);
  const leaf = new X509Certificate(after.certPem);
  assert.equal(leaf.subjectAltName, 'URI:parley://lab.example/pe9, DNS:nine.example, IP Address:198.18.0.9');
  await issue('otto', { kind: 'operator', role: 'admin' });
  await issue('otto', { kind: 'operator', renew: true });
  assert.equal((await loadIdentity(join(dir, 'otto'), clock)).party.role, 'admin');
});
