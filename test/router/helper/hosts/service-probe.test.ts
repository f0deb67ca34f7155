// Datagrams to where no way leads, to a server that answers and to one that does not: what was sent is what is reported.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { probeServices } from '#router/helper/hosts/service-probe.ts';
import { createFakeClock } from '../../../fakes/clock.ts';

test('a name server that no way leads to is a try without an answer', async () => {
  const parts = {
    clock: createFakeClock(),
    random: { bytes: (count: number) => new Uint8Array(count) },
    reflectPort: 0,
  };
  const { signal } = new AbortController();
  // Kernels connect nobody to the broadcast address, whatever routes there are.
  const serviceProbe = { destination: '255.255.255.255', service: 'udp', port: 53 } as const;
  assert.deepEqual(await probeServices([serviceProbe], {}, parts, signal), [
    { ...serviceProbe, sent: 0, answered: false, open: false },
  ]);
});

test('a question that was answered at once is counted once, and a silent server is asked twice', async () => {
  const clock = createFakeClock();
  const parts = { clock, random: { bytes: (count: number) => new Uint8Array(count) }, reflectPort: 0 };
  const { signal } = new AbortController();
  const server = createSocket('udp4');
  const asked: string[] = [];
  server.on('message', (question, from) => {
    asked.push(from.address);
    if (isAnswering) server.send(question, from.port, from.address);
  });
  let isAnswering = true;
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  try {
    const serviceProbe = { destination: '127.0.0.1', service: 'udp', port: server.address().port } as const;
    const [answered] = await probeServices([serviceProbe], {}, parts, signal);
    assert.deepEqual([answered?.sent, answered?.answered, answered?.open, asked.length], [1, true, true, 1]);
    isAnswering = false;
    const [silent] = await probeServices([serviceProbe], {}, parts, signal);
    assert.deepEqual([silent?.sent, silent?.answered, silent?.open, asked.length], [2, false, false, 3]);
  } finally {
    server.close();
  }
});

const WEB = '127.99.53.80';
const PARTS = {
  clock: createFakeClock(),
  random: { bytes: (count: number) => new Uint8Array(count) },
  reflectPort: 0,
};

for (const [reply, answer] of [
  ['page', (socket: Socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')],
  ['other', (socket: Socket) => socket.end('220 ready\r\n')],
  ['closed', (socket: Socket) => socket.end()],
  ['none', () => {}],
] as const) {
  test(`a web server's answer to "GET /" is reported as ${reply}`, async () => {
    const { signal } = new AbortController();
    const asked: string[] = [];
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('data', (data) => {
        asked.push(data.toString('latin1'));
        answer(socket);
      });
    });
    // Pages are asked for on this port; an address of this test's own keeps it apart from other servers.
    server.listen(8_080, WEB);
    await once(server, 'listening');
    try {
      const serviceProbe = { destination: WEB, service: 'tcp', port: 8_080 } as const;
      const how = { whole: true };
      const [result] = await probeServices([serviceProbe], how, PARTS, signal);
      assert.deepEqual(result, { ...serviceProbe, sent: 1, answered: true, open: true, reply });
      assert.match(asked[0] ?? '', /^GET \/ HTTP\/1\.1\r\nHost: 127\.99\.53\.80\r\n/);
      // Where no real answer is wanted, nothing is sent.
      const [plain] = await probeServices([serviceProbe], {}, PARTS, signal);
      assert.deepEqual([plain?.open, plain?.reply, asked.length], [true, undefined, 1]);
    } finally {
      for (const socket of open) socket.destroy();
      server.close();
    }
  });
}

test('nothing is sent in the name of another: a source must be an address of this node', async () => {
  const { signal } = new AbortController();
  const serviceProbe = { destination: '127.0.0.1', service: 'udp', port: 53 } as const;
  await assert.rejects(probeServices([serviceProbe], { source: '203.0.113.7' }, PARTS, signal), /address of this node/);
});

for (const [reply, answer] of [
  ['page', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
  ['none', () => {}],
] as const) {
  test(`over IPv6 a web server's answer is reported as ${reply}, and it is asked for by its address in brackets`, async () => {
    const asked: string[] = [];
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('data', (data) => {
        asked.push(data.toString('latin1'));
        answer(socket);
      });
    });
    server.listen({ port: 8_080, host: '::1', ipv6Only: true });
    await once(server, 'listening');
    try {
      const serviceProbe = { destination: '::1', service: 'tcp', port: 8_080 } as const;
      const [result] = await probeServices([serviceProbe], { whole: true }, PARTS, new AbortController().signal);
      assert.deepEqual(result, { ...serviceProbe, sent: 1, answered: true, open: true, reply });
      assert.match(asked[0] ?? '', /^GET \/ HTTP\/1\.1\r\nHost: \[::1\]\r\n/);
    } finally {
      for (const socket of open) socket.destroy();
      server.close();
    }
    const refused = { destination: '::1', service: 'tcp', port: 443 } as const;
    const [none] = await probeServices([refused], { whole: true }, PARTS, new AbortController().signal);
    assert.deepEqual(none, { ...refused, sent: 1, answered: true, open: false });
  });
}

test('a name server over IPv6 is asked for an IPv4 address of a name, once where it answers', async () => {
  const server = createSocket('udp6');
  const answer = Buffer.from(
    '706c84000001000100000000037777770361626307657861' + '6d706c650000010001c00c00010001000000000004c0000250',
    'hex',
  );
  server.on('message', (_, from) => server.send(answer, from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, '::1', resolve));
  try {
    const port = server.address().port as 53;
    const asked = { destination: '::1', service: 'udp', port, record: 'www.abc.example' } as const;
    const [result] = await probeServices([asked], { whole: true }, PARTS, new AbortController().signal);
    assert.deepEqual(
      { ...result, tookMs: undefined },
      { ...asked, sent: 1, answered: true, open: true, found: true, addresses: ['192.0.2.80'], tookMs: undefined },
    );
  } finally {
    server.close();
  }
});

test('no try is sent from an address that this node does not have, or of another family than its destination', async () => {
  const tried = (source: string, destination: string) =>
    probeServices([{ destination, service: 'tcp', port: 80 }], { source }, PARTS, new AbortController().signal);
  for (const source of ['2001:db8:9::10', '192.0.2.10'])
    await assert.rejects(tried(source, '2001:db8:1::10'), { code: 'caller/source-address' });
});
