// A neighbour that has this node's own MAC address and therefore cannot be asked: one end tells of it alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { sceneOf } from './scope-scene.ts';

/** r2 is told that 198.18.2.1 of r3, which does not answer, is at `mac`; its own port there has 02:00:00:00:02:02. */
function found(mac: string, state = 'STALE', silent = true) {
  const row: NeighbourEntry = { address: '198.18.2.1', ifname: 'eth2', mac, state };
  const r2 = (known: NodeState) => ({ ...known, neighbourTable: [row] });
  const scene = sceneOf({ states: { r2 } });
  const evidence = scene.evidence.filter(({ node, kind }) => !silent || node !== 'r3' || kind !== 'state');
  return diagnose({ ...scene, evidence }).findings.map(({ fault, resource }) => `${fault} ${resource}`);
}

test('a neighbour with the MAC address of the port that hears it shares it: both ends are named', () => {
  assert.deepEqual(found('02:00:00:00:02:02'), [
    'mac_address_conflict interface/r2/eth2',
    'mac_address_conflict interface/r3/eth1',
  ]);
});

test('an address of its own, or one that somebody typed, accuses nobody', () => {
  assert.deepEqual(found('02:00:00:00:03:01'), []);
  assert.deepEqual(found('02:00:00:00:02:02', 'PERMANENT'), []);
});

test('where the other end answers, it is asked for its MAC address', () => {
  assert.deepEqual(found('02:00:00:00:02:02', 'STALE', false), []);
});
