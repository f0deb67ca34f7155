// What this node announces of itself: addresses that can be dialled, as they are now.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiscoveryPart } from '#agent/sessions/discovery-part.ts';
import { silentLog } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import { decodeDescriptor } from '#discovery/lldp/descriptor.ts';
import { createPeerTable } from '#discovery/peer-table.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { createFakeLldpPort } from '../../fakes/lldp-port.ts';

test('an address that nobody can dial is left out, and one that comes later is announced [TS-13]', async (t) => {
  const clock = createFakeClock();
  const lldp = createFakeLldpPort();
  let loopbacks = ['fe80::1', '0.0.0.1'];
  const interfaces = [
    { operUp: true, addresses: ['198.18.0.0/31', 'fe80::2/64'] },
    { operUp: false, addresses: ['198.18.0.2/31'] },
    { operUp: true, mac: '00:00:5e:00:01:07', addresses: ['198.18.1.254/24'] },
  ];
  const router = { state: async () => ({ inventory: { loopbacks, interfaces } }) } as unknown as RouterPort;
  const config = {
    node: 'pe1',
    listen: { port: 9514 },
    discovery: { static: [], lldp: true, isis: 'off' },
  } as unknown as Config;
  const peers = createPeerTable({ node: 'pe1', clock });
  const identity = () => ({ thumbprint: 'aa'.repeat(32) });
  const part = createDiscoveryPart(
    { config, identity, peers, clock, log: silentLog, meet: async () => 'p2' },
    { router, lldp },
    ['x'],
  );
  t.after(() => part.stop());
  const announced = () => {
    const [hex = ''] = lldp.announced.values();
    const decoded = decodeDescriptor(Uint8Array.from(Buffer.from(hex, 'hex')));
    return decoded.ok ? decoded.value.addresses : decoded.reason;
  };
  await part.start();
  assert.deepEqual(announced(), ['198.18.0.0'], 'of a port, as there is none on the loopback');
  loopbacks = ['fd00:0:0:1::1', 'fe80::1'];
  await clock.advance(61_000);
  assert.deepEqual(announced(), ['fd00:0:0:1::1']);
});
