// A registrar's intermediate CA: what OpenSSL and we accept below it, and what it may not certify.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { encodePem } from '#codec/pem.ts';
import { readCertificate } from '#codec/x509.ts';
import { issueFromRegistrar, makeRegistrar, openRegistrarCa, type RegistrarCa } from '#mtls/enrol/registrar-ca.ts';
import type { Identity } from '#mtls/identity.ts';
import { domainOf, partyOf } from '#mtls/party.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { generateSigningKey } from '#sign/signer.ts';
import { closed, createDomain, type Domain, dialTo, receive, startListener, systemClock } from '../domain.ts';
import { upRegistrar } from './enrol-bed.ts';

let domain: Domain;
let dir: string;
before(async () => {
  domain = await createDomain();
  dir = await mkdtemp(join(tmpdir(), 'parley-registrar-ca-'));
});
after(async () => {
  await domain?.remove();
  await rm(dir, { recursive: true, force: true });
});

const make = (name: string, more = {}) =>
  makeRegistrar({ dir: join(domain.dir, 'ca'), name, out: join(dir, name), clock: systemClock, ...more });

async function issue(registrar: string, kind: 'node' | 'operator' | 'controller') {
  const ca = await openRegistrarCa(join(dir, registrar));
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = generateSigningKey().publicKeyRaw;
  const subject = { kind, name: 'someone', ...(kind === 'operator' ? { role: 'admin' as const } : {}) };
  return issueFromRegistrar(ca, { ...subject, publicKey, signingKey, nowMs: Date.now() }, systemRandom);
}

const verified = (chain: readonly string[], caPem = domain.caPem) => {
  const party = verifyChain(chain, caPem, Date.now());
  return party.ok ? `${party.value.kind} ${party.value.name}` : party.reason;
};

test('a registrar is an intermediate of path length 0 that is neither a party nor the domain’s CA [TS-24]', async () => {
  await make('r1');
  const pem = await readFile(join(dir, 'r1', 'chain.pem'), 'utf8');
  const { raw } = new X509Certificate(pem);
  const fields = readCertificate(raw);
  assert.ok(fields.ok);
  assert.deepEqual(fields.value.basicConstraints, { ca: true, pathLength: 0 });
  assert.deepEqual(fields.value.sanUris, ['parley://lab.example/registrar/r1']);
  assert.equal(domainOf(fields.value).ok, false);
  assert.equal(partyOf(raw).ok, false);
  assert.equal((await stat(join(dir, 'r1', 'ca-key.pem'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(dir, 'r1'))).mode & 0o777, 0o700);
  await assert.rejects(make('r1'), { code: 'caller/authority-exists' });
  await assert.rejects(make('R 1'), { code: 'caller/bad-name' });
});

test('a registrar for nodes certifies no operator and no controller that counts [NET-16] [TS-24]', async () => {
  await make('r2');
  assert.equal(verified((await issue('r2', 'node')).chain), 'node someone');
  assert.match(verified((await issue('r2', 'operator')).chain), /^expected an operator certified by the domain's CA/);
  assert.match(
    verified((await issue('r2', 'controller')).chain),
    /^expected a controller certified by the domain's CA/,
  );
  await make('r3', { operators: true });
  assert.equal(verified((await issue('r3', 'operator')).chain), 'operator someone');
  assert.match(verified((await issue('r3', 'controller')).chain), /^expected a controller certified/);
});

test('a TLS listener refuses an operator of a registrar for nodes, and takes one of a registrar that may', async () => {
  for (const operators of [false, true]) {
    const bed = await upRegistrar({ operators });
    try {
      const listener = await startListener(await bed.domain.identity('pe1'));
      const [made] = await bed.codes([{ kind: 'operator', name: 'alice', role: 'admin' }]);
      const enrolled = bed.enrol(made!.code, { kind: 'operator', name: 'alice' });
      if (!operators) {
        // The registrar's own commands refuse to make such a code; one that was taken over does not ask them.
        await assert.rejects(enrolled, /expected an operator certified by the domain's CA/);
        continue;
      }
      const { identity } = await enrolled;
      const dialled = await dialTo(listener, identity!, { expectedNode: 'pe1' });
      await receive(dialled.socket, 1);
      assert.deepEqual(
        listener.sessions.map(({ party }) => [party.kind, party.name, party.role]),
        [['operator', 'alice', 'admin']],
      );
    } finally {
      await bed.down();
    }
  }
});

test('a TLS listener sees the registrar above a client: an operator that one for nodes made is refused, however it hides that [TS-24]', async () => {
  await make('r7');
  await make('r8', { operators: true });
  const listener = await startListener(await domain.identity('pe1'));
  const [thief, may] = [await openRegistrarCa(join(dir, 'r7')), await openRegistrarCa(join(dir, 'r8'))];
  const { intermediateDer: _held, ...bare } = thief;
  // As a registrar certifies, without its own certificate in it, and with another one's.
  const forgers = [thief, bare, { ...thief, intermediateDer: may.intermediateDer! }];
  for (const ca of forgers) {
    const identity = await identityOf(ca, 'operator');
    const { socket } = await dialTo(listener, identity, { expectedNode: 'pe1' });
    socket.resume();
    await closed(socket);
  }
  assert.equal(listener.sessions.length, 0);
  const reasons = listener.refused.map(({ reason }) => reason);
  assert.match(reasons[0]!, /^expected an operator certified by the domain's CA/);
  assert.match(reasons[1]!, /was not issued by the next one|^expected an operator certified/);
  assert.match(reasons[2]!, /was not issued by the next one|^expected an operator certified/);
  for (const [ca, kind] of [
    [thief, 'node'],
    [may, 'operator'],
  ] as const) {
    const { socket } = await dialTo(listener, await identityOf(ca, kind), { expectedNode: 'pe1' });
    await receive(socket, 1);
  }
  assert.equal(listener.sessions.length, 2);
});

async function identityOf(ca: RegistrarCa, kind: 'node' | 'operator'): Promise<Identity> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = generateSigningKey();
  const role = kind === 'operator' ? { role: 'admin' as const } : {};
  const asked = { kind, name: 'mallory', ...role, publicKey: keys.publicKey, signingKey: signingKey.publicKeyRaw };
  const { chain } = issueFromRegistrar(ca, { ...asked, nowMs: Date.now() }, systemRandom);
  const model = await domain.identity('model');
  const certPem = chain.map((each) => encodePem(Buffer.from(each, 'base64'), 'CERTIFICATE')).join('');
  return { ...model, certPem, chain, keyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

test('a certificate of a registrar ends with it, and each has a serial number of its own', async () => {
  await make('r4', { days: 1 });
  const [one, other] = [await issue('r4', 'node'), await issue('r4', 'node')];
  const ends = one.notAfterMs - Date.now();
  assert.ok(ends > 0 && ends <= 86_400_000);
  const serials = [one, other].map(({ chain }) => new X509Certificate(Buffer.from(chain[0]!, 'base64')).serialNumber);
  assert.match(serials[0]!, /^50[0-9A-F]{30}$/);
  assert.notEqual(serials[0], serials[1]);
});

test('a folder whose parts do not belong together is no registrar', async () => {
  await make('r5');
  await make('r6');
  for (const file of ['ca-key.pem', 'chain.pem', 'ca.pem']) {
    const broken = join(dir, `broken-${file}`);
    await cp(join(dir, 'r5'), broken, { recursive: true });
    const foreign = file === 'ca.pem' ? '' : await readFile(join(dir, 'r6', file), 'utf8');
    await writeFile(join(broken, file), foreign);
    await assert.rejects(openRegistrarCa(broken), { code: 'caller/no-registrar' });
  }
  await assert.rejects(openRegistrarCa(join(dir, 'none')), /run "parley ca registrar NAME --out /);
});
