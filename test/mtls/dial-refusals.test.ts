// What a dial refuses, with its stable code, and what it only remarks on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { Identity } from '#mtls/identity.ts';
import { createTrust } from '#mtls/trust.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { createDomain, type Domain, dialTo, receive, startListener, systemClock, type TestListener } from './domain.ts';
import { oddIdentity } from './odd-certificates.ts';

let domain: Domain;
let stranger: Domain;
let pe1: Identity;
let p2: Identity;
let listener: TestListener;

before(async () => {
  [domain, stranger] = [await createDomain(), await createDomain()];
  [pe1, p2] = [await domain.identity('pe1'), await domain.identity('p2')];
  listener = await startListener(pe1);
});

after(async () => {
  await listener.close();
  await Promise.all([domain.remove(), stranger.remove()]);
});

async function withListener(identity: Identity, use: (other: TestListener) => Promise<void>): Promise<void> {
  const other = await startListener(identity);
  try {
    await use(other);
  } finally {
    await other.close();
  }
}

/** Binds a free port of 127.0.0.1 for as long as `use` runs. */
async function withServer(server: Server, use: (at: { port: number }) => Promise<void>): Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(server.address() as { port: number });
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("refuses a listener of another domain's CA [TS-14]", async () => {
  await withListener(await stranger.identity('pe1'), async (other) => {
    const message = "peer at 127.0.0.1: certificate is not from this domain's CA";
    await assert.rejects(dialTo(other, p2), { code: 'peer/untrusted-certificate', message });
  });
});

test('refuses an expired listener [TS-24]', async () => {
  const odd = { uris: ['parley://lab.example/pe1'], notBeforeMs: Date.now() - 9_000, notAfterMs: Date.now() - 1_000 };
  await withListener(await oddIdentity(domain, odd, pe1), async (other) => {
    const message = 'peer at 127.0.0.1: certificate has expired';
    await assert.rejects(dialTo(other, p2), { code: 'peer/untrusted-certificate', message });
  });
});

test("refuses another node's certificate [TS-14]", async () => {
  await assert.rejects(dialTo(listener, p2, { expectedNode: 'pe3' }), {
    code: 'peer/wrong-identity',
    message: 'expected node pe3 at 127.0.0.1, got node pe1',
  });
});

test("refuses an operator's certificate at a listener: operators are clients only [TS-14]", async () => {
  await withListener(await domain.identity('alice', { kind: 'operator' }), async (other) => {
    await assert.rejects(dialTo(other, p2), {
      code: 'peer/wrong-identity',
      message: 'expected node alice at 127.0.0.1, got operator alice',
    });
  });
});

test('refuses a listener whose certificate names two parties [TS-24]', async () => {
  const odd = { uris: ['parley://lab.example/pe1', 'parley://lab.example/pe3'] };
  await withListener(await oddIdentity(domain, odd, pe1), async (other) => {
    await assert.rejects(dialTo(other, p2), { code: 'peer/untrusted-certificate' });
  });
});

test("a broken operator's pin refuses [TS-13]", async () => {
  await assert.rejects(dialTo(listener, p2, { pins: { pe1: `${'AB:'.repeat(31)}AB` } }), {
    code: 'peer/pin-mismatch',
    message: `operator pinned pe1 to certificate ${'ab'.repeat(32)}, it showed ${pe1.thumbprint}`,
  });
  const session = await dialTo(listener, p2, { pins: { pe1: pe1.thumbprint } });
  session.socket.destroy();
});

test('a false thumbprint hint is remarked on and the dial goes on [TS-13]', async () => {
  const lie = 'cd'.repeat(32);
  const session = await dialTo(listener, p2, { expectedNode: 'pe1', hintThumbprint: lie });
  assert.equal(await receive(session.socket, 1), '!');
  assert.deepEqual(session.remark, {
    kind: 'lying',
    detail: `hint names certificate ${lie}, pe1 showed ${pe1.thumbprint}`,
  });
  session.socket.destroy();
});

test('a true thumbprint hint, present or announced for after a rotation, is no remark [TS-13]', async () => {
  const hints = [
    { hintThumbprint: pe1.thumbprint },
    { hintThumbprint: 'cd'.repeat(32), hintNextThumbprint: pe1.thumbprint },
  ];
  for (const hint of hints) {
    const session = await dialTo(listener, p2, hint);
    assert.equal(session.remark, undefined);
    session.socket.destroy();
  }
});

test("a hint of the peer's earlier certificate is outdated, not a lie [TS-13]", async () => {
  const earlier = await domain.identity('pe3', { folder: 'pe3-first' });
  const later = await domain.identity('pe3', { folder: 'pe3-second' });
  const trust = await createTrust({ clock: systemClock });
  await withListener(earlier, async (rotating) => {
    const hint = { trust, hintThumbprint: earlier.thumbprint };
    const first = await dialTo(rotating, p2, hint);
    assert.equal(first.remark, undefined);
    rotating.rotate(later);
    const second = await dialTo(rotating, p2, hint);
    assert.deepEqual(second.remark, {
      kind: 'outdated',
      detail: `hint names an earlier certificate of pe3: ${earlier.thumbprint}`,
    });
  });
});

test('refuses a listener that speaks TLS 1.2 only [TS-23]', async () => {
  const server = createTlsServer({ cert: pe1.certPem, key: pe1.keyPem, maxVersion: 'TLSv1.2' });
  await withServer(server, async (at) => {
    await assert.rejects(dialTo(at, p2), { code: 'peer/protocol', message: /^expected TLS 1\.3 from 127\.0\.0\.1, / });
  });
});

test('refuses a listener that answers in plain text [TS-23]', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await withServer(server, async (at) => {
    const message = 'expected TLS 1.3 from 127.0.0.1, it answers in plain text';
    await assert.rejects(dialTo(at, p2), { code: 'peer/protocol', message });
  });
});

test('says that nobody listens, or that no address is known', async () => {
  const free = createServer();
  let port = 0;
  await withServer(free, async (at) => {
    port = at.port;
  });
  const message = 'no session with 127.0.0.1: ECONNREFUSED';
  await assert.rejects(dialTo({ port }, p2), { code: 'peer/unreachable', message });
  await assert.rejects(dialTo({ port }, p2, { addresses: [] }), { code: 'peer/unreachable' });
});

test('gives up on a listener that stays silent', async () => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const server = createServer();
  await withServer(server, async (at) => {
    const dialling = dialTo(at, p2, { clock, timeoutMs: 3_000 });
    const judged = assert.rejects(dialling, {
      code: 'peer/timeout',
      message: 'no session with peer within 3000 ms (127.0.0.1)',
    });
    await until(() => clock.sleepers > 0, 'the dial waits');
    await clock.advance(3_000);
    await judged;
  });
});

test("ends with the signal's reason when it aborts", async () => {
  await withServer(createServer(), async (at) => {
    const abort = new AbortController();
    const judged = assert.rejects(dialTo(at, p2, { signal: abort.signal }), /^Error: enough$/);
    abort.abort(new Error('enough'));
    await judged;
  });
});

test('goes on to the next address when one is wrong, silent or closed', async () => {
  const session = await dialTo(listener, p2, { addresses: ['127.0.0.9', '127.0.0.1'], expectedNode: 'pe1' });
  assert.equal(session.address, '127.0.0.1');
  session.socket.destroy();
});

test('tries the next address after the head start when the first stays silent', async () => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(listener.port, '127.0.0.8', resolve));
  const open: Socket[] = [];
  silent.unref().on('connection', (socket) => open.push(socket.on('error', () => {}).resume()));
  const dialling = dialTo(listener, p2, { clock, addresses: ['127.0.0.8', '127.0.0.1'] });
  await until(() => open.length === 1, 'the silent address is tried first');
  await clock.advance(250);
  const session = await dialling;
  assert.equal(session.address, '127.0.0.1');
  await until(() => open[0]?.destroyed === true, 'the slower attempt is given up');
  session.socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test('of several failures it tells the one that proves most', async () => {
  const failing = dialTo(listener, p2, { addresses: ['127.0.0.1', '127.0.0.9'], expectedNode: 'pe3' });
  await assert.rejects(failing, { code: 'peer/wrong-identity' });
});

/** Takes connections of another loopback address and says nothing. */
async function silentAt(host: string): Promise<{ readonly open: Socket[]; close(): Promise<void> }> {
  const open: Socket[] = [];
  const server = createServer((socket) => void open.push(socket.on('error', () => {}).resume()));
  await once(server.listen(listener.port, host), 'listening');
  return {
    open,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the address after one that fails is tried at once, also while an earlier one is silent', async (t) => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const silent = await silentAt('127.0.0.8');
  t.after(() => silent.close());
  const dialling = dialTo(listener, p2, { clock, addresses: ['127.0.0.8', '127.0.0.9', '127.0.0.1'] });
  await until(() => silent.open.length === 1, 'the silent address is tried first');
  await clock.advance(250);
  const session = await dialling;
  assert.equal(session.address, '127.0.0.1');
  assert.equal(clock.sleepers, 1, 'only the end of the certificate is waited for');
  session.socket.destroy();
  await until(() => clock.sleepers === 0, 'nothing is waited for');
});

test('a dial that is ended tries no further address', async (t) => {
  const silent = await silentAt('127.0.0.8');
  t.after(() => silent.close());
  const clock = createFakeClock({ nowMs: Date.now() });
  const abort = new AbortController();
  const before = listener.sessions.length;
  const init = { clock, addresses: ['127.0.0.8', '127.0.0.1'], signal: abort.signal };
  const ended = assert.rejects(dialTo(listener, p2, init), /^Error: enough$/);
  await until(() => silent.open.length === 1, 'the first address is tried');
  abort.abort(new Error('enough'));
  await ended;
  await assert.rejects(dialTo(listener, p2, init), /^Error: enough$/, 'one that was ended before it began');
  const session = await dialTo(listener, p2);
  assert.equal(await receive(session.socket, 1), '!');
  assert.equal(listener.sessions.length, before + 1, 'of the ended dials none came through');
  assert.equal(silent.open.length, 1);
  assert.equal(clock.sleepers, 0);
  session.socket.destroy();
});

test('sixteen addresses of a peer are tried, and no more', async () => {
  const closed = Array.from({ length: 16 }, (_, at) => `127.0.1.${at + 1}`);
  const session = await dialTo(listener, p2, { addresses: [...closed.slice(1), '127.0.0.1'] });
  assert.equal(session.address, '127.0.0.1');
  session.socket.destroy();
  await assert.rejects(dialTo(listener, p2, { addresses: [...closed, '127.0.0.1'] }), { code: 'peer/unreachable' });
});

/** A TLS alert, fatal: unknown_ca (RFC 8446 §6). */
const UNKNOWN_CA = Buffer.from('15030300020230', 'hex');

test('whichever address fails last, the failure that proves most is told', async (t) => {
  const { port } = listener;
  const others: Server[] = [];
  t.after(() => Promise.all(others.map((server) => new Promise((resolve) => server.close(resolve)))));
  const raw = async (host: string, bytes: Uint8Array) => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(bytes),
    );
    others.push(server);
    await once(server.listen(port, host), 'listening');
  };
  const pe3 = await startListener(await domain.identity('pe3'), { host: '127.0.0.2', port });
  t.after(() => pe3.close());
  const foreign = await startListener(await stranger.identity('pe1'), { host: '127.0.0.3', port });
  t.after(() => foreign.close());
  await raw('127.0.0.4', UNKNOWN_CA);
  await raw('127.0.0.5', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const byProof = [
    ['127.0.0.1', 'peer/pin-mismatch'],
    ['127.0.0.2', 'peer/wrong-identity'],
    ['127.0.0.3', 'peer/untrusted-certificate'],
    ['127.0.0.4', 'peer/refused-certificate'],
    ['127.0.0.5', 'peer/protocol'],
    ['127.0.0.6', 'peer/unreachable'],
  ] as const;
  const dialAll = (addresses: readonly string[]) =>
    dialTo(listener, p2, { addresses, expectedNode: 'pe1', pins: { pe1: 'ab'.repeat(32) } });
  for (const [index, [more, code]] of byProof.entries()) {
    await assert.rejects(dialAll([more]), { code }, more);
    const less = byProof[index + 1]?.[0];
    if (less === undefined) continue;
    await assert.rejects(dialAll([more, less]), { code }, `${more} before ${less}`);
    await assert.rejects(dialAll([less, more]), { code }, `${less} before ${more}`);
  }
});

test('a peer that refuses our certificate ends the socket before its first byte', async () => {
  const expired = {
    uris: ['parley://lab.example/p2'],
    notBeforeMs: Date.now() - 9_000,
    notAfterMs: Date.now() - 1_000,
  };
  const session = await dialTo(listener, await oddIdentity(domain, expired, p2));
  await assert.rejects(receive(session.socket, 1), { message: 'closed after 0 of 1 bytes' });
});
