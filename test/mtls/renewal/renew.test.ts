// A registrar renews what it is shown and nothing else: attacks by holders of certificates, and of stolen ones.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { bad } from '#base/result.ts';
import { readCertificate } from '#codec/x509.ts';
import type { CertificateChain } from '#model/identity.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { buildRequest } from '#mtls/enrol/request.ts';
import { type Identity, loadIdentity } from '#mtls/identity.ts';
import { enrolledAtMs, issuedAtMs, lifeMs } from '#mtls/lifetime/life.ts';
import { installRenewal, prepareRenewal } from '#mtls/renewal/prepare.ts';
import { createRenewals, type Renewals } from '#mtls/renewal/renew.ts';
import { deniedBy, indexOf } from '#mtls/revocation/denied.ts';
import type { Revoked } from '#mtls/revocation/trust-list.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { generateSigningKey, importSigningKey } from '#sign/signer.ts';
import { createDomain, type Domain, systemClock } from '../domain.ts';

const HOUR = 3_600_000;
let domain: Domain;
let dir: string;
let aheadMs = 0;
let revoked: Revoked[] = [];
const nowMs = () => systemClock.nowMs() + aheadMs;

before(async () => {
  domain = await createDomain();
  dir = await mkdtemp(join(tmpdir(), 'parley-renew-'));
  const shared = { dir: join(domain.dir, 'ca'), clock: systemClock };
  await makeRegistrar({ ...shared, name: 'r1', out: join(dir, 'r1') });
  await makeRegistrar({ ...shared, name: 'r2', out: join(dir, 'r2'), operators: true });
});
after(async () => {
  await domain?.remove();
  await rm(dir, { recursive: true, force: true });
});

function renewalsOf(name = 'r1', monotonicMs = () => 0): Renewals {
  const verify = (chain: CertificateChain) => {
    const denied = deniedBy(indexOf({ revoked }), chain);
    return denied === undefined ? verifyChain(chain, domain.caPem, nowMs()) : bad(denied);
  };
  return createRenewals({ dir: join(dir, name), random: systemRandom, nowMs, monotonicMs, verify });
}

/** A request with keys that the test chooses; the identity's own signing key unless told otherwise. */
function requestOf(
  identity: Identity,
  over: { readonly name?: string; readonly signs?: boolean; readonly keyPem?: string },
) {
  const made = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = made.privateKey;
  const signingKey =
    over.signs === false
      ? generateSigningKey()
      : importSigningKey(identity.signingKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  const { kind } = identity.party;
  return buildRequest({
    ...{ kind: kind === 'operator' ? 'operator' : 'node', name: over.name ?? identity.party.name },
    ...{ publicKey: made.publicKey, privateKey, signingKey },
  });
}

const renew = (identity: Identity, text = requestOf(identity, {}), renewals = renewalsOf()) =>
  renewals.renew(identity.party, identity.chain, text);
const refusal = { code: 'caller/renewal-refused' };
const fieldsOf = (chain: CertificateChain) => {
  const fields = readCertificate(Buffer.from(chain[0]!, 'base64'));
  assert.ok(fields.ok);
  return fields.value;
};

test('a renewed certificate has the names, rights and life of the one before, and another TLS key [TS-24]', async () => {
  const was = await domain.identity('pe1', { dnsNames: ['pe1.lab.example'], lifetimeMs: 2 * HOUR });
  const out = join(domain.dir, 'pe1');
  const { text } = await prepareRenewal(out, was);
  const { grant, outcome, isSecond } = await renew(was, text);
  assert.deepEqual([outcome, isSecond], ['renewed', false]);
  const now = await installRenewal(out, grant, was, systemClock);
  assert.deepEqual(now.dnsNames, ['pe1.lab.example']);
  assert.equal(now.party.signingKey, was.party.signingKey);
  assert.equal(lifeMs(now), 2 * HOUR);
  assert.notEqual(now.keyPem, was.keyPem);
  assert.equal(enrolledAtMs(fieldsOf(now.chain)), issuedAtMs(was), 'it says since when the party is enrolled');
  const record = JSON.parse(await readFile(join(dir, 'r1', 'issued', 'node.pe1.json'), 'utf8'));
  assert.deepEqual([record.renewal.of, record.renewal.count], [fieldsOf(was.chain).serialHex, 1]);
  assert.equal((await loadIdentity(out)).thumbprint, now.thumbprint);
});

test('the same request gets the same certificate again; another one for the same certificate is told apart [TS-24]', async () => {
  const identity = await domain.identity('twice');
  const text = requestOf(identity, {});
  const [first, again] = [await renew(identity, text), await renew(identity, text)];
  assert.deepEqual([again.outcome, again.thumbprint], ['repeated', first.thumbprint]);
  assert.deepEqual(again.grant.chain, first.grant.chain);
  const second = await renew(identity, requestOf(identity, {}));
  assert.deepEqual([second.outcome, second.isSecond], ['renewed', true]);
});

test('a renewal for another name, or another signing key, is refused [TS-24]', async () => {
  const identity = await domain.identity('pe3');
  const other = renew(identity, requestOf(identity, { name: 'pe1' }));
  await assert.rejects(other, { ...refusal, message: /request is for node pe1, the certificate is of node pe3/ });
  const key = renew(identity, requestOf(identity, { signs: false }));
  await assert.rejects(key, { ...refusal, message: /another signing key/ });
  await assert.rejects(renew(identity, 'x'), refusal);
  const operator = await domain.identity('alice', { kind: 'operator' });
  const asNode = requestOf({ ...identity, party: { ...identity.party, name: 'alice' } } as Identity, {});
  await assert.rejects(renew(operator, asNode, renewalsOf('r2')), { ...refusal, message: /request is for node alice/ });
});

test('a registrar for nodes renews no operator, and an operator keeps its role [TS-24, NET-16]', async () => {
  const bob = await domain.identity('bob', { kind: 'operator', role: 'observer' });
  await assert.rejects(renew(bob), { ...refusal, message: /certifies no operators/ });
  const { grant } = await renew(bob, requestOf(bob, {}), renewalsOf('r2'));
  const party = verifyChain(grant.chain, domain.caPem, nowMs());
  assert.ok(party.ok);
  assert.deepEqual([party.value.kind, party.value.name, party.value.role], ['operator', 'bob', 'observer']);
  const controller = await domain.identity('c1', { kind: 'controller' });
  await assert.rejects(renew(controller, requestOf(controller, {}), renewalsOf('r2')), refusal);
});

test('a request that asks for more rights than a signing key is refused [TS-24]', async () => {
  const identity = await domain.identity('pe4');
  const body = JSON.parse(requestOf(identity, {}));
  for (const more of [{ role: 'admin' }, { dnsNames: ['x.example'] }, { lifetimeMs: 1e12 }])
    await assert.rejects(renew(identity, JSON.stringify({ ...body, ...more })), refusal);
  const { grant } = await renew(identity);
  const leaf = new X509Certificate(Buffer.from(grant.chain[0]!, 'base64'));
  assert.equal(leaf.subjectAltName, 'URI:parley://lab.example/pe4, DNS:pe4.lab.example');
});

test('a stolen certificate that has ended is not renewed, also on a session that is still open [TS-24]', async () => {
  const identity = await domain.identity('pe5', { lifetimeMs: HOUR });
  aheadMs = HOUR + 1_000;
  await assert.rejects(renew(identity), { ...refusal, message: /does not hold now: .* ended at/ });
  aheadMs = 0;
  await renew(identity);
});

test('a revoked one is not renewed, and what was renewed from it before is revoked with it [TS-24]', async () => {
  const identity = await domain.identity('pe6');
  const { grant } = await renew(identity);
  const at = new Date(nowMs()).toISOString();
  const before = new Date(nowMs() + 1_000).toISOString();
  revoked = [{ party: 'node/pe6', before, reason: 'stolen', at }];
  await assert.rejects(renew(identity), { ...refusal, message: /revoked on .*: stolen/ });
  // A thief who renews it for hours at a registrar that has not heard keeps the time of the enrolment.
  revoked = [];
  aheadMs = 2 * HOUR;
  const thief = { party: identity.party, chain: grant.chain };
  const late = await renewalsOf().renew(thief.party, thief.chain, requestOf(identity, {}));
  aheadMs = 0;
  revoked = [{ party: 'node/pe6', before, reason: 'stolen', at }];
  assert.match(deniedBy(indexOf({ revoked }), late.grant.chain) ?? '', /stolen/);
  // One that was enrolled anew afterwards is not meant.
  const enrolled = await domain.identity('pe6', { folder: 'pe6-again', clock: { nowMs: () => nowMs() + 5_000 } });
  assert.equal(deniedBy(indexOf({ revoked }), enrolled.chain), undefined);
  revoked = [];
});

test('a registrar that is revoked renews nothing', async () => {
  const identity = await domain.identity('pe7');
  const before = new Date(nowMs() + 1_000).toISOString();
  revoked = [{ party: 'registrar/r1', before, reason: 'lost', at: before }];
  await assert.rejects(renew(identity), { ...refusal, message: /what this registrar certifies does not hold: .*lost/ });
  revoked = [];
});

test('renewals of one party are bounded in a minute, those of others are not', async () => {
  const [one, other] = [await domain.identity('busy'), await domain.identity('calm')];
  let time = 0;
  const renewals = renewalsOf('r1', () => time);
  const text = requestOf(one, {});
  for (let turn = 0; turn < 120; turn++) await renew(one, text, renewals);
  await assert.rejects(renew(one, text, renewals), { ...refusal, message: /at most 120 renewals/ });
  await renew(other, requestOf(other, {}), renewals);
  time = 60_000;
  await renew(one, text, renewals);
});

test('a renewal that is cut at any step leaves the old identity or the new one, and ends with one certificate [TS-24]', async () => {
  for (let cutAt = 1; cutAt <= 9; cutAt++) {
    const name = `cut-${cutAt}`;
    const was = await domain.identity(name);
    const out = join(domain.dir, name);
    const { text, sha256 } = await prepareRenewal(out, was);
    const { grant } = await renew(was, text);
    let steps = 0;
    const cut = installRenewal(out, grant, was, systemClock, () => {
      steps += 1;
      if (steps === cutAt) throw new Error('power cut');
    });
    await assert.rejects(cut, /power cut/);
    const found = await loadIdentity(out);
    const isNew = found.thumbprint !== was.thumbprint;
    assert.equal(isNew, cutAt >= 5, 'from the switch on the new one counts');
    const resumed = await prepareRenewal(out, found);
    assert.equal(
      resumed.sha256 === sha256,
      !isNew,
      'the same request until it is certified and installed, then a new one',
    );
    const again = await renew(found, resumed.text);
    const now = await installRenewal(out, again.grant, found, systemClock);
    if (isNew) assert.notDeepEqual([again.outcome, now.chain], ['repeated', grant.chain], 'renewed once more');
    else assert.deepEqual([again.outcome, now.chain], ['repeated', grant.chain]);
  }
});

test('a certificate that the registrar gives for other keys, another name or of another CA is not installed', async () => {
  const [was, other] = [await domain.identity('pe8'), await domain.identity('pe9')];
  const out = join(domain.dir, 'pe8');
  const { text, sha256 } = await prepareRenewal(out, was);
  const { grant } = await renew(was, text);
  const foreign = await createDomain();
  const wrong = [
    { ...grant, chain: [...was.chain] },
    { ...grant, chain: [...other.chain] },
    { ...grant, requestSha256: 'ab'.repeat(32) },
  ];
  for (const each of wrong)
    await assert.rejects(installRenewal(out, each, was, systemClock), { code: 'peer/bad-certificate' });
  await assert.rejects(installRenewal(out, grant, { caPem: foreign.caPem }, systemClock), {
    code: 'peer/bad-certificate',
  });
  await foreign.remove();
  assert.equal((await loadIdentity(out)).thumbprint, was.thumbprint);
  assert.equal((await prepareRenewal(out, was)).sha256, sha256);
});
