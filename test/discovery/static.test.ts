// Static peers as a discovery mechanism.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPeerTable } from '#discovery/peer-table.ts';
import { createStaticDiscovery, type StaticPeer } from '#discovery/static.ts';
import { discoveryContract } from '../contracts/discovery.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';

discoveryContract('static peers', () => {
  const clock = createFakeClock();
  const table = createPeerTable({ node: 'pe1', clock });
  const peers: StaticPeer[] = [];
  return {
    discovery: createStaticDiscovery({ peers, table, clock }),
    table,
    appear: (node) => peers.push({ node, addresses: ['fd00::2'], port: 9514 }),
    settle,
  };
});

test('a configured peer is a hint with its addresses, port and pin [CARD-2]', async () => {
  const clock = createFakeClock();
  const table = createPeerTable({ node: 'pe1', clock });
  const thumbprint = 'ab'.repeat(32);
  const peers = [{ node: 'p2', addresses: ['fd00::2', '198.18.0.2'], port: 9515, thumbprint }];
  await createStaticDiscovery({ peers, table, clock }).start();
  assert.deepEqual(table.find('p2'), {
    node: 'p2',
    hints: [
      {
        source: 'static',
        node: 'p2',
        addresses: ['fd00::2', '198.18.0.2'],
        port: 9515,
        thumbprint: 'abababababababababababababababababababababababababababababababab',
        hops: 0,
        heardAtMs: 1_767_225_600_000,
      },
    ],
    remarks: [],
  });
});
