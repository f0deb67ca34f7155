// Offline verification of chains, as reports need it.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readCertificate } from '#codec/x509.ts';
import { buildCertificate } from '#mtls/certificate.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { generateSigningKey } from '#sign/signer.ts';
import { createDomain, type Domain } from './domain.ts';
import { oddIdentity } from './odd-certificates.ts';

const now = Date.now();
let domain: Domain;
let stranger: Domain;
let pe1: Identity;

before(async () => {
  [domain, stranger] = [await createDomain(), await createDomain()];
  pe1 = await domain.identity('pe1');
});

after(() => Promise.all([domain.remove(), stranger.remove()]));

function reason(chain: readonly string[], caPem = domain.caPem, atMs = now): string {
  const verified = verifyChain(chain, caPem, atMs);
  return verified.ok ? `verified ${verified.value.name}` : verified.reason;
}

/** Intermediates below the domain's CA, then a leaf: leaf first. `depth` 0 is a leaf of the CA itself. */
async function chainOf(depth: number, pathLength: number): Promise<string[]> {
  const caKey = createPrivateKey(await readFile(join(domain.dir, 'ca', 'ca-key.pem'), 'utf8'));
  let issuer = { commonName: 'Parley CA of lab.example', privateKey: caKey, publicKey: createPublicKey(caKey) };
  const chain: string[] = [];
  for (let level = 0; level <= depth; level++) {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const isLeaf = level === depth;
    const commonName = isLeaf ? 'pe7' : `registrar ${level}`;
    const der = buildCertificate({
      subject: {
        commonName,
        uris: isLeaf ? ['parley://lab.example/pe7'] : [],
        dnsNames: ['x'],
        addresses: [],
        publicKey: keys.publicKey,
      },
      issuer,
      serial: `500000000${level + 1}`,
      notBeforeMs: now - 60_000,
      notAfterMs: now + 3_600_000,
      use: isLeaf
        ? { kind: 'party', signingKey: generateSigningKey().publicKeyRaw }
        : { kind: 'authority', pathLength },
    });
    chain.unshift(Buffer.from(der).toString('base64'));
    issuer = { commonName, ...keys };
  }
  return chain;
}

test('verifies a chain and names its party [TS-24]', async () => {
  const verified = verifyChain(pe1.chain, domain.caPem, now);
  assert.deepEqual(verified, { ok: true, value: pe1.party });
  assert.equal(reason(await chainOf(1, 0)), 'verified pe7');
});

test('judges validity at the time it is asked for [TS-24]', () => {
  assert.match(reason(pe1.chain, domain.caPem, pe1.notAfterMs - 1), /^verified pe1$/);
  assert.match(reason(pe1.chain, domain.caPem, pe1.notAfterMs), /^certificate pe1 ended at /);
  assert.match(reason(pe1.chain, domain.caPem, pe1.notBeforeMs - 1), /^certificate pe1 is valid from /);
  const ca = readCertificate(new X509Certificate(domain.caPem).raw);
  const fromMs = Math.max(pe1.notBeforeMs, ca.ok ? ca.value.notBeforeMs : 0);
  assert.equal(reason(pe1.chain, domain.caPem, fromMs), 'verified pe1');
});

test('refuses a foreign CA, also one of the same name', () => {
  assert.match(reason(pe1.chain, stranger.caPem), /does not verify|was not issued by/);
  assert.match(reason(pe1.chain, 'no PEM'), /^CA certificate: /);
});

test('refuses a chain that is truncated, too long, doubled or out of order [TS-24]', async () => {
  const [leaf = '', registrar = ''] = await chainOf(1, 0);
  assert.match(reason([leaf]), /^certificate pe7 was not issued by/);
  assert.match(reason([registrar, leaf]), /was not issued by/);
  assert.match(reason([leaf, registrar, registrar]), /was not issued by/);
  assert.equal(reason([]), 'expected a chain of 1 to 4 certificates, got 0');
  assert.equal(reason([leaf, leaf, leaf, leaf, leaf]), 'expected a chain of 1 to 4 certificates, got 5');
});

test('refuses more intermediates than a path length allows', async () => {
  assert.match(reason(await chainOf(2, 0)), /^certificate chain is longer than /);
  // The domain's CA allows one intermediate whatever the intermediates say of themselves.
  assert.equal(reason(await chainOf(2, 5)), 'certificate chain is longer than Parley CA of lab.example allows');
});

test('refuses a certificate that a mere party issued', async () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const peKey = createPrivateKey(pe1.keyPem);
  const der = buildCertificate({
    subject: {
      commonName: 'pe9',
      uris: ['parley://lab.example/pe9'],
      dnsNames: [],
      addresses: [],
      publicKey: keys.publicKey,
    },
    issuer: { commonName: 'pe1', privateKey: peKey, publicKey: createPublicKey(peKey) },
    serial: '5000000009',
    notBeforeMs: now - 60_000,
    notAfterMs: now + 60_000,
    use: { kind: 'party', signingKey: generateSigningKey().publicKeyRaw },
  });
  assert.match(
    reason([Buffer.from(der).toString('base64'), ...pe1.chain]),
    /^certificate pe9 was (not issued|issued by one that is no CA)/,
  );
});

test('refuses what a CA issued whose key is not for certificates', async () => {
  const issuedBy = async (swap: Partial<Parameters<typeof oddIdentity>[1]>) => {
    const use = { kind: 'authority', pathLength: 0 } as const;
    const registrar = await oddIdentity(domain, { uris: [], dnsNames: ['x'], use, ...swap }, pe1);
    const privateKey = createPrivateKey(registrar.keyPem);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const der = buildCertificate({
      subject: { commonName: 'pe7', uris: ['parley://lab.example/pe7'], dnsNames: [], addresses: [], publicKey },
      issuer: { commonName: 'odd', privateKey, publicKey: createPublicKey(privateKey) },
      serial: '5000000009',
      notBeforeMs: now - 60_000,
      notAfterMs: now + 60_000,
      use: { kind: 'party', signingKey: generateSigningKey().publicKeyRaw },
    });
    return reason([Buffer.from(der).toString('base64'), ...registrar.chain]);
  };
  assert.equal(await issuedBy({}), 'verified pe7');
  // Key usage becomes 2.5.29.99, which says nothing of certificates.
  assert.equal(
    await issuedBy({ swap: ['0603551d0f', '0603551d63'] }),
    'certificate pe7 was issued by one that is no CA',
  );
});

test('refuses a CA certificate in the place of a party, and a party of another domain', async () => {
  const authority = await oddIdentity(
    domain,
    { uris: ['parley://lab.example/pe1'], use: { kind: 'authority', pathLength: 0 } },
    pe1,
  );
  assert.equal(reason(authority.chain), "expected a party's certificate, got a CA's");
  const other = await oddIdentity(domain, { uris: ['parley://other.example/pe1'] }, pe1);
  assert.equal(reason(other.chain), 'expected a party of domain lab.example, got one of other.example');
});

test('refuses every single changed byte', () => {
  const der = Buffer.from(pe1.chain[0] ?? '', 'base64');
  for (let at = 0; at < der.length; at++) {
    const changed = Buffer.from(der);
    changed[at] = (changed[at] ?? 0) ^ 0x01;
    assert.doesNotMatch(reason([changed.toString('base64')]), /^verified/, `byte ${at}`);
  }
  assert.doesNotMatch(reason([der.subarray(0, -1).toString('base64')]), /^verified/);
  assert.doesNotMatch(reason(['!!!']), /^verified/);
});
