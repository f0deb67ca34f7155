// Datagrams to where no way leads, to a server that answers and to one that does not: what was sent is what is reported.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
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
