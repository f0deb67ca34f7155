// Sessions that come to be: who both ends are, TLS version, ALPN, tickets, rotation, the end of a certificate.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Identity } from '#mtls/identity.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
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

test('a peer that has a route to an address of ours alone is dialled from it', async () => {
  const strict = createServer((socket) => {
    socket.on('error', () => {});
    if (socket.remoteAddress !== '127.0.0.9') return socket.destroy();
    const onward = connectTcp(listener.port, '127.0.0.1').on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  await once(strict.listen(0, '127.0.0.1'), 'listening');
  const { port } = strict.address() as AddressInfo;
  await assert.rejects(dialTo({ port }, p2, { expectedNode: 'pe1' }), { code: 'peer/unreachable' });
  // Of another family, an address of ours is of no use.
  await assert.rejects(dialTo({ port }, p2, { localAddresses: ['::1'] }), { code: 'peer/unreachable' });
  const session = await dialTo({ port }, p2, { expectedNode: 'pe1', localAddresses: ['127.0.0.9'] });
  assert.equal(await receive(session.socket, 1), '!');
  session.socket.destroy();
  strict.close();
});

test('one port hands each ALPN to its own speaker [TS-23]', async () => {
  for (const alpn of ['mcp', 'h2', 'http/1.1'] as const) {
    const session = await dialTo(listener, p2, { alpn });
    await receive(session.socket, 1);
    assert.equal(listener.sessions.at(-1)?.alpn, alpn);
    session.socket.destroy();
  }
});

test('a client without ALPN gets HTTP/1.1', async () => {
  const socket = connectTls({
    host: '127.0.0.1',
    port: listener.port,
    cert: p2.certPem,
    key: p2.keyPem,
    ca: p2.caPem,
    checkServerIdentity: () => undefined,
  });
  await receive(socket, 1);
  assert.equal(listener.sessions.at(-1)?.alpn, 'http/1.1');
  socket.destroy();
});

test('operators and controllers are told apart from nodes by their certificates [TS-14]', async () => {
  for (const kind of ['operator', 'controller'] as const) {
    const session = await dialTo(listener, await domain.identity(`one-${kind}`, { kind }));
    await receive(session.socket, 1);
    assert.deepEqual(listener.sessions.at(-1)?.party.kind, kind);
    session.socket.destroy();
  }
});

/** Gets whatever session state the listener hands out, then offers it back. */
async function isResumable(end: Pick<TestListener, 'port'>): Promise<boolean> {
  const options = {
    host: '127.0.0.1',
    port: end.port,
    cert: p2.certPem,
    key: p2.keyPem,
    ca: p2.caPem,
    checkServerIdentity: () => undefined,
  };
  let session: Buffer | undefined;
  const first = connectTls(options);
  first.on('session', (state) => {
    session = state;
  });
  await receive(first, 1);
  await until(() => session !== undefined, 'OpenSSL hands out a session, which must be worth nothing');
  first.destroy();
  const second = connectTls({ ...options, ...(session === undefined ? {} : { session }) });
  await receive(second, 1);
  const reused = second.isSessionReused();
  second.destroy();
  return reused;
}

test('no session is ever resumed: it would outlive its certificate [TS-24]', async () => {
  assert.equal(await isResumable(listener), false);
  const session = await dialTo(listener, p2);
  assert.equal(session.socket.isSessionReused(), false);
  session.socket.destroy();
});

test("cuts the session on both sides when the peer's certificate ends [TS-24]", async () => {
  for (const short of ['listener', 'dialler'] as const) {
    const brief = await domain.identity(`brief-${short}`, { lifetimeMs: 150_000 });
    // After the certificate, whose life began by the real clock: it ends at 150 s of this one or before.
    const clock = createFakeClock({ nowMs: Date.now() });
    const end = await startListener(short === 'listener' ? brief : pe1, { clock });
    const session = await dialTo(end, short === 'listener' ? p2 : brief, { clock });
    await receive(session.socket, 1);
    await clock.advance(130_000);
    assert.equal(session.socket.destroyed, false, `${short}: alive until the end`);
    await clock.advance(20_000);
    await until(() => session.socket.destroyed && end.sessionCount === 0, `${short}: cut at the end`);
    await end.close();
  }
});

test('a clock that is set forward past the end cuts the session within a minute [TS-24]', async () => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const end = await startListener(pe1, { clock });
  const session = await dialTo(end, p2);
  await receive(session.socket, 1);
  clock.setWall(Date.now() + 8 * 86_400_000);
  await clock.advance(60_000);
  await closed(session.socket);
  await end.close();
});

test('leaves no timer behind when a session closes', async () => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const end = await startListener(pe1, { clock });
  const session = await dialTo(end, p2);
  await receive(session.socket, 1);
  assert.equal(clock.sleepers, 1);
  session.socket.destroy();
  await until(() => clock.sleepers === 0, 'the watch on the certificate is gone');
  await end.close();
});

test('rotates under 200 calls and drops none [TS-24]', async () => {
  const identities = [
    await domain.identity('pe9', { folder: 'pe9-a' }),
    await domain.identity('pe9', { folder: 'pe9-b' }),
  ];
  const end = await startListener(identities[0]!);
  const standing = await dialTo(end, p2, { expectedNode: 'pe9' });
  await receive(standing.socket, 1);
  const shown = new Set<string>();
  let calls = 0;
  const caller = async () => {
    while (calls < 200) {
      calls += 1;
      if (calls % 10 === 0) end.rotate(identities[(calls / 10) % 2]!);
      const session = await dialTo(end, p2, { expectedNode: 'pe9' });
      shown.add(session.party.thumbprint ?? '');
      session.socket.write('call');
      assert.equal(await receive(session.socket, 5), '!call');
      session.socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  assert.equal(calls >= 200, true);
  assert.deepEqual(shown, new Set([identities[0]?.thumbprint, identities[1]?.thumbprint]));
  standing.socket.write('still here');
  assert.equal(await receive(standing.socket, 10), 'still here');
  await end.close();
});

test('keeps TLS 1.3, client certificates and no resumption after a rotation [TS-23]', async () => {
  const end = await startListener(pe1);
  end.rotate(pe1);
  const old = connectTls({
    host: '127.0.0.1',
    port: end.port,
    cert: p2.certPem,
    key: p2.keyPem,
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.2',
  });
  old.on('error', () => {});
  await closed(old);
  assert.equal(end.refused[0]?.reason, 'TLS version below 1.3');
  const nobody = connectTls({ host: '127.0.0.1', port: end.port, rejectUnauthorized: false });
  nobody.on('error', () => {});
  await closed(nobody);
  await until(() => end.refused.length === 2, 'the second refusal is reported');
  assert.equal(end.refused[1]?.reason, 'no client certificate');
  assert.equal(await isResumable(end), false);
  await end.close();
});

test('an error of a connection is heard at both ends from the start, and ends no process', async () => {
  const end = await startListener(pe1);
  const { socket } = await dialTo(end, p2);
  await receive(socket, 1);
  const served = end.sessions[0]!.socket as TLSSocket & { readonly _parent: Socket };
  // An error without a listener would be thrown here.
  for (const each of [socket, served, served._parent])
    assert.equal(each.emit('error', new Error('read ECONNRESET')), true);
  socket.destroy();
  await end.close();
});

test('closing ends every session and frees the port', async () => {
  const end = await startListener(pe1);
  const session = await dialTo(end, p2);
  await receive(session.socket, 1);
  await end.close();
  await closed(session.socket);
  await assert.rejects(dialTo(end, p2), { code: 'peer/unreachable' });
});
