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

const told = (ring: ReturnType<typeof createPastRing>, nowMs: number) =>
  ring
    .past(stateOf(9000, '9'), nowMs)
    .map(({ fromAgoMs, untilAgoMs, tookMs, beforeAgoMs, afterAgoMs }) => [
      beforeAgoMs,
      fromAgoMs,
      untilAgoMs,
      tookMs,
      afterAgoMs,
    ]);

test('a state is told with the readings around it: when the one before began, and when the one after ended', () => {
  const ring = createPastRing();
  ring.add(stateOf(9000, '1'), 0);
  ring.add(stateOf(9000, '1'), 4_200, 4_000);
  ring.add(stateOf(1400, '1'), 20_500, 20_000);
  ring.add(stateOf(1500, '1'), 36_300, 36_000);
  ring.add(stateOf(1500, '1'), 44_100, 44_000);
  assert.deepEqual(told(ring, 50_000), [
    [30_000, 13_700, 5_900, 100, 0],
    [46_000, 29_500, 29_500, 500, 13_700],
  ]);
  ring.add(stateOf(9000, '1'), 60_000, 59_000);
  assert.deepEqual(told(ring, 61_000), [
    [41_000, 24_700, 16_900, 100, 1_000],
    [57_000, 40_500, 40_500, 500, 24_700],
  ]);
});

test('before the first state that is remembered nothing is known', () => {
  const ring = createPastRing();
  assert.deepEqual(ring.readings(0), {});
  for (const atMs of [1_000, 3_000]) ring.add(stateOf(1400, '1'), atMs);
  ring.add(stateOf(9000, '1'), 5_000);
  assert.deepEqual(told(ring, 6_000), [[undefined, 5_000, 3_000, 0, 1_000]]);
  assert.equal(ring.readings(6_000).stateReadings?.reachMs, 5_000);
  for (let turn = 0; turn < 8; turn++) ring.add(stateOf(1400 + turn, '1'), 7_000 + turn * 1_000);
  // Of nine states eight are told: what the others were like is not known.
  assert.equal(ring.readings(20_000).stateReadings?.reachMs, 13_000);
});

test('the longest pauses between whole readings are known for any time until now', () => {
  const ring = createPastRing();
  const pauses = (nowMs: number) =>
    ring.readings(nowMs).stateReadings?.pauses.map(({ agoMs, forMs }) => [agoMs, forMs]);
  ring.add(stateOf(9000, '1'), 1_000, 0);
  assert.deepEqual(pauses(1_500), [[0, 2_000]]);
  ring.add(stateOf(9000, '1'), 16_000, 15_900);
  ring.add(stateOf(9000, '1'), 20_000, 19_950);
  ring.add(stateOf(9000, '1'), 24_000, 23_900);
  assert.deepEqual(pauses(25_000), [
    [9_000, 16_000],
    [1_000, 5_000],
    [0, 2_000],
  ]);
  // A part that could not be read was not seen; how a node forwards may be missing.
  const without = (part: string) => stateOf(9000, '1', { missing: [{ part, reason: 'timed out' }] });
  ring.add(without('bgp'), 32_000, 31_900);
  assert.deepEqual(pauses(33_000)?.at(-1), [0, 10_000]);
  ring.add(without('forwarding'), 34_000, 33_900);
  assert.deepEqual(pauses(34_000), [
    [18_000, 16_000],
    [0, 11_000],
    [0, 1_000],
  ]);
  ring.add(stateOf(9000, '1'), 925_000);
  assert.deepEqual(pauses(925_000), [
    [0, 892_000],
    [0, 0],
  ]);
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
