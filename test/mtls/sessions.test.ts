// Sessions that come to be: who both ends are, TLS version, ALPN, tickets, rotation, the end of a certificate.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Identity } from '#mtls/identity.ts';
import { until } from '../fakes/clock.ts';
import { closed, createDomain, type Domain, dialTo, receive, startListener, type TestListener } from './domain.ts';

let domain: Domain;
let pe1: Identity;
let p2: Identity;
let listener: TestListener;

before(async () => {
  domain = await createDomain();
  [pe1, p2] = [await domain.identity('pe1'), await domain.identity('p2')];
  listener = await startListener(pe1);
});

after(async () => {
  await listener.close();
  await domain.remove();
});

test('both ends know each other by certificate over TLS 1.3 [TS-10] [TS-14] [TS-23] [CARD-3]', async () => {
  const session = await dialTo(listener, p2, { expectedNode: 'pe1' });
  assert.equal(session.socket.getProtocol(), 'TLSv1.3');
  assert.equal(session.party.name, 'pe1');
  assert.equal(session.party.kind, 'node');
  assert.equal(session.party.domain, 'lab.example');
  assert.equal(session.party.thumbprint, pe1.thumbprint);
  assert.deepEqual(session.chain, pe1.chain);
  assert.equal(session.address, '127.0.0.1');
  assert.equal(await receive(session.socket, 1), '!');
  const seen = listener.sessions.at(-1);
  assert.deepEqual([seen?.party.name, seen?.party.thumbprint, seen?.alpn], ['p2', p2.thumbprint, 'mcp']);
  assert.equal(seen?.party.signingKey, p2.party.signingKey);
  session.socket.destroy();
});

test('one port hands each ALPN to its own speaker [TS-23]', async () => {
  for (const alpn of ['mcp', 'h2', 'http/1.1'] as const) {
    const session = await dialTo(listener, p2, { alpn });
    await receive(session.socket, 1);
    assert.equal(listener.sessions.at(-1)?.alpn, alpn);
    session.socket.destroy();
  }
});
