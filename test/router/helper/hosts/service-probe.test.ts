// A datagram to where no way leads: the try fails, and the helper lives.
import assert from 'node:assert/strict';
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
  assert.deepEqual(await probeServices([serviceProbe], parts, signal), [
    { ...serviceProbe, sent: 2, answered: false, open: false },
  ]);
});
