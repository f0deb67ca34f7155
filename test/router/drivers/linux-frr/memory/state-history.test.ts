// What a node remembers of itself: states unlike the present one, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { createPastRing } from '#router/drivers/linux-frr/memory/state-history.ts';

function stateOf(mtu: number, rxPackets: string, more: Partial<NodeState> = {}): NodeState {
  const eth1 = {
    ...{ name: 'eth1', kind: 'physical', adminUp: true, operUp: true, mtu, addresses: ['198.18.0.0/31'], offloads: [] },
    ...{ carrierChanges: 2, counters: { rxPackets } },
  };
  return {
    inventory: { node: 'r1', interfaces: [eth1], sids: [], loopbacks: [] },
    ...{ neighbours: [], adjacencies: [], filters: [], nodeCounters: {}, missing: [] },
    ...more,
  } as unknown as NodeState;
}

const mtus = (past: readonly { readonly state: NodeState }[]) =>
  past.map(({ state }) => state.inventory.interfaces[0]?.mtu);

test('a state that is over is kept with its time; one that only counts on is not', () => {
  const ring = createPastRing();
  ring.add(stateOf(9000, '1'), 0);
  ring.add(stateOf(9000, '2'), 2_000);
  ring.add(stateOf(1400, '3'), 12_000);
  ring.add(stateOf(1400, '4'), 17_000);
  ring.add(stateOf(9000, '5'), 22_000);
  const past = ring.past(stateOf(9000, '6'), 30_000);
  assert.deepEqual(mtus(past), [1400]);
  assert.deepEqual([past[0]?.fromAgoMs, past[0]?.untilAgoMs], [18_000, 13_000]);
});

test('nothing is remembered of the time in which the node was still coming up', () => {
  const ring = createPastRing();
  ring.add(stateOf(1280, '1'), 0);
  ring.add(stateOf(1400, '1'), 2_000);
  ring.add(stateOf(9000, '1'), 4_000);
  ring.add(stateOf(9000, '1'), 6_000);
  assert.deepEqual(ring.past(stateOf(9000, '2'), 8_000), []);
});

test('a fixed neighbour entry is a state, a learned one is not', () => {
  const entry = (state: string) => ({
    neighbourTable: [{ address: '198.18.0.1', ifname: 'eth1', mac: '02:00:00:00:00:09', state }],
  });
  const ring = createPastRing();
  for (const atMs of [0, 2_000]) ring.add(stateOf(9000, '1', entry('REACHABLE')), atMs);
  ring.add(stateOf(9000, '1', entry('STALE')), 4_000);
  assert.deepEqual(ring.past(stateOf(9000, '1', entry('REACHABLE')), 5_000), []);
  ring.add(stateOf(9000, '1', entry('PERMANENT')), 6_000);
  ring.add(stateOf(9000, '1', entry('REACHABLE')), 8_000);
  const past = ring.past(stateOf(9000, '1', entry('REACHABLE')), 9_000);
  assert.deepEqual(
    past.map(({ state }) => state.neighbourTable?.[0]?.state),
    ['PERMANENT'],
  );
});

test('what is too old is forgotten, and no more than eight states are told', () => {
  const ring = createPastRing();
  for (const atMs of [0, 1_000]) ring.add(stateOf(9000, '1'), atMs);
  for (let turn = 0; turn < 12; turn++) ring.add(stateOf(1400 + turn, '1'), 2_000 + turn * 1_000);
  ring.add(stateOf(9000, '1'), 14_000);
  assert.deepEqual(mtus(ring.past(stateOf(9000, '1'), 15_000)), [1411, 1410, 1409, 1408, 1407, 1406, 1405, 1404]);
  ring.add(stateOf(9000, '1'), 1_000_000);
  assert.deepEqual(ring.past(stateOf(9000, '1'), 1_000_000), []);
});
