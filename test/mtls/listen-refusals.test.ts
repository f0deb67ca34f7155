// What the listener turns away, with the reason that goes to the log and the audit trail; nobody else is disturbed.
import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { Identity } from '#mtls/identity.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { closed, createDomain, type Domain, dialTo, receive, startListener, type TestListener } from './domain.ts';
import { type OddCertificate, oddIdentity } from './odd-certificates.ts';

const DAY_MS = 86_400_000;

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

afterEach(() => listener.refused.splice(0));

after(async () => {
  await listener.close();
  await Promise.all([domain.remove(), stranger.remove()]);
});

/** Connects without judging the listener's certificate and waits until it hangs up. */
async function hangUp(
  client: Partial<Identity>,
  options: { maxVersion?: 'TLSv1.2'; to?: TestListener } = {},
): Promise<string> {
  const { maxVersion, to = listener } = options;
  const socket = connectTls({
    host: '127.0.0.1',
    port: to.port,
    rejectUnauthorized: false,
    ALPNProtocols: ['mcp'],
    ...(client.certPem === undefined ? {} : { cert: client.certPem }),
    ...(client.keyPem === undefined ? {} : { key: client.keyPem }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
  });
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  await closed(socket);
  await until(() => to.refused.length > 0, 'the refusal is reported');
  return received;
}

async function expectRefusal(client: Partial<Identity>, reason: RegExp): Promise<void> {
  const sessionsBefore = listener.sessions.length;
  assert.equal(await hangUp(client), '', 'not one byte goes to a refused client');
  assert.match(listener.refused[0]?.reason ?? '', reason);
  assert.equal(listener.refused[0]?.remoteAddress, '127.0.0.1');
  assert.equal(listener.refused.length, 1);
  assert.equal(listener.sessions.length, sessionsBefore, 'no session was started');
}

test("refuses a certificate of another domain's CA [TS-14]", async () => {
  await expectRefusal(await stranger.identity('p2'), /^certificate is not from this domain's CA$/);
});

test('refuses an expired certificate [TS-24]', async () => {
  const odd = { uris: ['parley://lab.example/p2'], notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() - 1_000 };
  await expectRefusal(await oddIdentity(domain, odd, p2), /^certificate has expired$/);
});

test('refuses a certificate that is not valid yet [TS-24]', async () => {
  const future = { nowMs: () => Date.now() + DAY_MS };
  await expectRefusal(await domain.identity('early', { clock: future }), /^certificate is not valid yet$/);
});

test('refuses a client without a certificate [TS-14]', async () => {
  await expectRefusal({}, /^no client certificate$/);
});

test('refuses TLS 1.2 [TS-23]', async () => {
  assert.equal(await hangUp(p2, { maxVersion: 'TLSv1.2' }), '');
  assert.deepEqual(listener.refused, [{ reason: 'TLS version below 1.3', remoteAddress: '127.0.0.1' }]);
});

test('refuses plain HTTP and answers nothing [TS-23]', async () => {
  const socket = connectTcp({ host: '127.0.0.1', port: listener.port });
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.write('GET /mcp HTTP/1.1\r\nHost: pe1\r\n\r\n');
  await closed(socket);
  assert.doesNotMatch(received, /HTTP/);
  assert.deepEqual(listener.refused, [{ reason: 'plain text on a TLS port', remoteAddress: '127.0.0.1' }]);
});

const ODD: readonly [string, OddCertificate, RegExp][] = [
  ['without a name', { uris: [], dnsNames: ['p2.lab.example'] }, /^expected one parley:\/\/ name, got 0$/],
  [
    'with two names',
    { uris: ['parley://lab.example/p2', 'parley://lab.example/pe1'] },
    /^expected one parley:\/\/ name, got 2$/,
  ],
  [
    'with a second name in capitals',
    { uris: ['parley://lab.example/p2', 'PARLEY://lab.example/pe1'] },
    /^expected one parley:\/\/ name, got 2$/,
  ],
  ['with a name that is no node name', { uris: ['parley://lab.example/P%32'] }, /got another form of URI$/],
  [
    'of another domain',
    { uris: ['parley://other.example/p2'] },
    /^expected a certificate of domain lab.example, it is of/,
  ],
  [
    'without a signing key',
    // 2.25.1111528524.1 becomes 2.25.1111528524.2.
    { uris: ['parley://lab.example/p2'], swap: ['060769849282a84c01', '060769849282a84c02'] },
    /^expected a signing key extension, it is missing$/,
  ],
  [
    'for servers only',
    { uris: ['parley://lab.example/p2'], swap: ['2b06010505070302', '2b06010505070303'] },
    /^(certificate is not meant for mutual TLS|expected extended key usages)/,
  ],
];

for (const [what, odd, reason] of ODD) {
  test(`refuses a certificate ${what} that the CA did sign [TS-24]`, async () => {
    await expectRefusal(await oddIdentity(domain, odd, p2), reason);
  });
}

test("refuses a node whose certificate is not the operator's pin [TS-13]", async () => {
  const pinned = await startListener(pe1, { pins: { p2: '00'.repeat(32) } });
  await hangUp(p2, { to: pinned });
  assert.match(pinned.refused[0]?.reason ?? '', /^operator pinned p2 to certificate 0{64}, it showed [0-9a-f]{64}$/);
  assert.equal(pinned.refused[0]?.party?.name, 'p2');
  await pinned.close();
});

test('refuses by the clock floor what the clock would still believe [TS-24]', async () => {
  const clock = createFakeClock({ nowMs: Date.now() + 8 * DAY_MS });
  const later = await startListener(pe1, { clock });
  await hangUp(p2, { to: later });
  assert.match(later.refused[0]?.reason ?? '', /^certificate of p2 ended at /);
  await later.close();
});

test('a client that never begins its handshake is cut after ten seconds [TS-23]', async (t) => {
  const waiting: { readonly socket: TLSSocket; readonly ms: number }[] = [];
  const { setTimeout } = TLSSocket.prototype;
  t.mock.method(TLSSocket.prototype, 'setTimeout', function (this: TLSSocket, ms: number, then?: () => void) {
    waiting.push({ socket: this, ms });
    return setTimeout.call(this, ms, then);
  });
  const client = connectTcp({ host: '127.0.0.1', port: listener.port });
  t.after(() => client.destroy());
  await until(() => waiting.length > 0, 'the listener waits for the handshake');
  assert.deepEqual(
    waiting.map(({ ms }) => ms),
    [10_000],
  );
  // The ten seconds pass.
  waiting[0]!.socket.emit('timeout');
  await closed(client.resume());
  assert.deepEqual(listener.refused, [{ reason: 'TLS handshake took too long', remoteAddress: '127.0.0.1' }]);
});

test('a refused connection disturbs no session', async () => {
  const session = await dialTo(listener, p2);
  await receive(session.socket, 1);
  await hangUp(await stranger.identity('p2'));
  await hangUp({});
  session.socket.write('still here');
  assert.equal(await receive(session.socket, 10), 'still here');
  session.socket.destroy();
});

test('one address cannot use up the places for handshakes', async () => {
  const crowded = await startListener(pe1);
  const silent = Array.from({ length: 33 }, () => connectTcp({ host: '127.0.0.1', port: crowded.port }));
  for (const socket of silent) socket.on('error', () => {});
  await until(() => crowded.refused.length > 0, 'a connection gives way');
  assert.equal(crowded.refused[0]?.reason, 'more than 32 TLS handshakes at once from one network');
  await until(() => silent.filter((socket) => socket.destroyed).length === 1, 'only that one is closed');
  for (const socket of silent) socket.destroy();
  await until(() => crowded.refused.length === 33, 'the others are reported as they leave');
  const session = await dialTo(crowded, p2);
  assert.equal(await receive(session.socket, 1), '!');
  await crowded.close();
});

test('128 silent connections from four addresses keep nobody from a fifth out', async () => {
  const crowded = await startListener(pe1);
  const silent = Array.from({ length: 128 }, (_, at) =>
    connectTcp({ host: '127.0.0.1', port: crowded.port, localAddress: `127.0.0.${2 + (at % 4)}` }),
  );
  for (const socket of silent) socket.on('error', () => {});
  await until(() => silent.filter((socket) => socket.destroyed).length === 32, 'the oldest give way');
  // From 127.0.0.1, which none of them has; they are all still silent when it is answered.
  const session = await dialTo(crowded, p2);
  assert.equal(await receive(session.socket, 1), '!');
  assert.ok(silent.filter((socket) => !socket.destroyed).length >= 95);
  session.socket.destroy();
  for (const socket of silent) socket.destroy();
  await crowded.close();
});

test('a flood of refusals is reported up to a bound, then counted', async () => {
  const clock = createFakeClock({ nowMs: Date.now() });
  const flooded = await startListener(pe1, { clock });
  const serviceProbe = async () => {
    const socket = connectTcp({ host: '127.0.0.1', port: flooded.port });
    socket.on('error', () => {});
    socket.end('not TLS at all');
    await closed(socket);
  };
  for (let round = 0; round < 65; round++) await serviceProbe();
  assert.equal(flooded.refused.length, 60);
  await clock.advance(60_000);
  await serviceProbe();
  await until(() => flooded.refused.length === 61, 'the next minute reports again');
  assert.equal(flooded.refused[60]?.suppressed, 5);
  await flooded.close();
});
