// TCP ports that a question names: which requests the helper takes, and one connection to each kind of port.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { LIMITS } from '#base/limits.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import { checked } from '#model/wire/check.ts';
import { timeAnswers } from '#router/helper/hosts/answer-times.ts';
import { probeServices } from '#router/helper/hosts/service-probe.ts';
import { HELPER_LIMITS } from '#router/helper/limits.ts';
import { READ_REQUESTS } from '#router/protocol/read-operations.ts';
import { createFakeClock } from '../../../fakes/clock.ts';
import { freePort } from '../../../free-port.ts';

const taken = (operation: 'service-probe' | 'watch-services', ...serviceProbes: readonly object[]): boolean => {
  try {
    checked(READ_REQUESTS[operation], { serviceProbes });
    return true;
  } catch {
    return false;
  }
};
const tcp = (port: number, destination = '198.51.100.81') => ({ destination, service: 'tcp', port });

test('any TCP port from 1 to 65535 is tried, one of them at one address in a call, and once', () => {
  for (const port of [1, 22, 3_389, 65_535]) assert.equal(taken('service-probe', tcp(port)), true, String(port));
  for (const port of [0, -1, 65_536, 22.5]) assert.equal(taken('service-probe', tcp(port)), false, String(port));
  assert.equal(taken('service-probe', tcp(3_389), tcp(80), tcp(443, '198.51.100.9')), true);
  assert.equal(taken('service-probe', tcp(3_389), tcp(3_389)), false);
  assert.equal(taken('service-probe', tcp(3_389), tcp(3_390)), false);
  assert.equal(taken('service-probe', tcp(3_389), tcp(3_389, '198.51.100.82')), false);
});

test('no other port is tried at an address that is of no single host', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.0.0', '224.0.0.5', '255.255.255.255'])
    assert.equal(taken('service-probe', tcp(2_605, address)), false, address);
});

test('a UDP port is one of a name server or another well-known one', () => {
  assert.equal(taken('service-probe', { ...tcp(5_060), service: 'udp' }), false);
  assert.equal(taken('service-probe', { ...tcp(53), service: 'udp' }), true);
});

test('what a node tries by itself has ports of well-known services alone', () => {
  assert.equal(taken('watch-services', tcp(3_389)), false);
  assert.equal(taken('watch-services', tcp(80), tcp(443), tcp(8_080), tcp(53)), true);
});

const PARTS = {
  clock: createFakeClock(),
  random: { bytes: (count: number) => new Uint8Array(count) },
  reflectPort: 0,
};

test('a port that accepts gets one connection, which is closed, and no octet, also where a page was wanted', async () => {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => received.push(data.toString('latin1')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const serviceProbe = { destination: '127.0.0.1', service: 'tcp', port } as const;
    const accepted = once(server, 'connection');
    const results = await probeServices([serviceProbe], { whole: true }, PARTS, new AbortController().signal);
    assert.deepEqual(results, [{ ...serviceProbe, sent: 1, answered: true, open: true }]);
    await accepted;
    if (!sockets[0]!.closed) await once(sockets[0]!, 'close');
    assert.deepEqual([sockets.length, received], [1, []]);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

test('a port on which nothing listens is refused, and one that no way leads to is not answered', async () => {
  const port = await freePort();
  const closed = { destination: '127.0.0.1', service: 'tcp', port } as const;
  // No kernel connects to the broadcast address.
  const silent = { destination: '255.255.255.255', service: 'tcp', port } as const;
  const results = await probeServices([closed, silent], {}, PARTS, new AbortController().signal);
  assert.deepEqual(
    results.map(({ sent, answered, open }) => [sent, answered, open]),
    [
      [1, true, false],
      [1, false, false],
    ],
  );
});

/** The helper stands still once what it was about to do is done; when it goes on, all the time for an answer has passed. */
function stands(t: TestContext): (passedMs: number) => void {
  const after = setTimeout;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stand = (passedMs: number) => {
    after(() => t.mock.timers.tick(passedMs), 0);
    const endMs = performance.now() + 5;
    while (performance.now() < endMs);
  };
  return (passedMs) => process.nextTick(() => process.nextTick(stand, passedMs));
}

const tried = async (serviceProbe: ServiceProbe, whole = false) =>
  (await probeServices([serviceProbe], { whole }, PARTS, new AbortController().signal))[0];

/** Answers so many questions, and no more. */
async function nameServer(t: TestContext, answers: number, onAnswered: () => void): Promise<ServiceProbe> {
  const server = createSocket('udp4');
  t.after(() => server.close());
  let left = answers;
  server.on('message', (question, { port, address }) => {
    if (left === 0) return;
    server.send(question, port, address);
    if (--left === 0) onAnswered();
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { destination: '127.0.0.1', service: 'udp', port: server.address().port };
}

test('a helper that is late itself reads what has come before it calls a try unanswered', async (t) => {
  const stand = stands(t);
  const names = await nameServer(t, 1, () => stand(HELPER_LIMITS.serviceProbeMs));
  const closed = { destination: '127.0.0.1', service: 'tcp', port: await freePort() } as const;
  // Between two looks at the network.
  await new Promise((resolve) => setImmediate(resolve));
  stand(HELPER_LIMITS.serviceProbeMs);
  assert.equal((await tried(closed))?.answered, true);
  assert.equal((await tried(names))?.open, true);
});

test('a helper that is late itself reads a page that has come before it says that none came', async (t) => {
  const stand = stands(t);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.end('HTTP/1.1 200 OK\r\n\r\n');
      stand(LIMITS.pageMs);
    });
  });
  t.after(() => server.close());
  // Pages are asked for on this port; an address of this test's own keeps it apart from other servers.
  const page = { destination: '127.99.53.81', service: 'tcp', port: 8_080 } as const;
  server.listen(page.port, page.destination);
  await once(server, 'listening');
  assert.equal((await tried(page, true))?.reply, 'page');
});

test('a helper that is late itself times every answer that has come', async (t) => {
  const stand = stands(t);
  const names = await nameServer(t, LIMITS.timedQueries, () => stand(HELPER_LIMITS.timedAnswerMs));
  const timing = timeAnswers(names, names.destination, PARTS, new AbortController().signal);
  // Every question is out, and the time of the last has just begun.
  t.mock.timers.tick(HELPER_LIMITS.timedAnswerMs - 1);
  assert.equal((await timing).tookMs.length, LIMITS.timedQueries);
});
