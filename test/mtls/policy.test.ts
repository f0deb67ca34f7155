// The one TLS policy, and that its context is made once for an identity and its groups.
import assert from 'node:assert/strict';
import { constants } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Identity } from '#mtls/identity.ts';
import { alpnOf, secureContextOf, secureContextOptions } from '#mtls/policy.ts';
import { createDomain, type Domain, dialTo, startListener } from './domain.ts';

let domain: Domain;
let pe1: Identity;
before(async () => {
  domain = await createDomain();
  pe1 = await domain.identity('pe1');
});
after(() => domain.remove());

test('TLS 1.3 alone, without session tickets, groups only where they were set [TS-23]', () => {
  const { keyPem: key, certPem: cert, caPem: ca } = pe1;
  const options = { key, cert, ca, minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' };
  assert.deepEqual(secureContextOptions(pe1), { ...options, secureOptions: constants.SSL_OP_NO_TICKET });
  assert.equal(secureContextOptions(pe1, { groups: 'X25519' }).ecdhCurve, 'X25519');
});

test('an identity has one context for each choice of groups', () => {
  const plain = secureContextOf(pe1);
  assert.equal(secureContextOf(pe1), plain);
  assert.equal(secureContextOf(pe1, {}), plain);
  const grouped = secureContextOf(pe1, { groups: 'X25519' });
  assert.notEqual(grouped, plain);
  assert.equal(secureContextOf(pe1, { groups: 'X25519' }), grouped);
  assert.notEqual(secureContextOf({ ...pe1 }), plain);
});

test('an open connection keeps the octets of its protocol, and nothing around them', async () => {
  assert.deepEqual(new Uint8Array(alpnOf('mcp').buffer), Uint8Array.of(3, 0x6d, 0x63, 0x70));
  const { socket } = await dialTo(await startListener(pe1), await domain.identity('p2'));
  // Where node:tls keeps what it was given; it documents neither.
  const kept = (socket as unknown as { readonly _tlsOptions: { readonly ALPNProtocols: Buffer } })._tlsOptions;
  assert.equal(kept.ALPNProtocols.buffer.byteLength, 4);
});
