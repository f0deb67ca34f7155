// mac_address_conflict: both ends of a link have one MAC address, by what both report, or by what one end alone reports of a neighbour
// that cannot be asked for this very reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { withInterface } from '../../recording.ts';
import { at, named, ring } from '../../ring.ts';
import { sceneOf } from '../../scope-scene.ts';

const ownMac = at(['r1'], (state) => withInterface(state, 'eth1', () => ({ mac: 'de:78:0a:60:e8:d2' })));

test('two ends that report one MAC address are both named', () => {
  const { findings } = diagnose(ring(ownMac));
  assert.deepEqual(
    findings.map(({ fault, resource, remedy }) => [`${fault} ${resource}`, remedy?.summary]),
    [
      ['mac_address_conflict interface/r1/eth1', 'give r1 eth1 or its other end a MAC address of its own'],
      ['mac_address_conflict interface/r2/eth1', 'give r2 eth1 or its other end a MAC address of its own'],
    ],
  );
  assert.deepEqual(named(ring()), []);
});

/** r2's table has 198.18.2.1 of r3, which does not answer, at `mac`; its own port there has 02:00:00:00:02:02. */
function found(mac: string, state = 'STALE', isSilent = true) {
  const row: NeighbourEntry = { address: '198.18.2.1', ifname: 'eth2', mac, state };
  const r2 = (known: NodeState) => ({ ...known, neighbourTable: [row] });
  const scene = sceneOf({ states: { r2 } });
  const evidence = scene.evidence.filter(({ node, kind }) => !isSilent || node !== 'r3' || kind !== 'state');
  return named({ ...scene, evidence });
}

test('a neighbour with the MAC address of the port that hears it shares it: both ends are named', () => {
  assert.deepEqual(found('02:00:00:00:02:02'), [
    'mac_address_conflict interface/r2/eth2',
    'mac_address_conflict interface/r3/eth1',
  ]);
});

test('an address of its own, or one that an operator typed, accuses no node', () => {
  assert.deepEqual(found('02:00:00:00:03:01'), []);
  assert.deepEqual(found('02:00:00:00:02:02', 'PERMANENT'), []);
});

test('where the other end answers, it is asked for its MAC address', () => {
  assert.deepEqual(found('02:00:00:00:02:02', 'STALE', false), []);
});
