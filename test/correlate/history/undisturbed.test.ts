// Whether a router's port was at some time as it is now: states that it may have been in and carrier changes of eight seconds around count.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAME_TIME_MS } from '#correlate/engine/fault-definition.ts';
import { statesNear, wasUndisturbed } from '#correlate/history/undisturbed.ts';
import { dropping } from '../scope-scene.ts';

const TIME = { fromAgoMs: 40_000, untilAgoMs: 30_000 };
const PORT = { name: 'lan', adminUp: true, operUp: true, mac: 'm', addresses: ['198.19.1.1/24', 'fd00::1/64'] };
const stateOf = (port: object = {}, more: object = {}) => ({
  inventory: {
    interfaces: [
      { ...PORT, ...port },
      { name: 'other', operUp: true, addresses: [] },
    ],
  },
  filters: [],
  history: { spanMs: 120_000 },
  past: [],
  ...more,
});
const viewOf = (more: object = {}, port: object = {}) => ({ node: 'a', state: stateOf(port, more) }) as never;
const past = (
  fromAgoMs: number,
  untilAgoMs: number,
  state: object = stateOf({ operUp: false }),
  ages: object = {},
) => ({
  past: [{ fromAgoMs, untilAgoMs, ...ages, state }],
});

test('remembered states count that were within eight seconds of the time, and the present one', () => {
  const near = (fromAgoMs: number, untilAgoMs: number) => {
    // The readings around found it otherwise a moment before and after.
    const ages = { beforeAgoMs: fromAgoMs, afterAgoMs: untilAgoMs };
    return statesNear(viewOf(past(fromAgoMs, untilAgoMs, undefined, ages)), TIME)?.length;
  };
  assert.equal(near(38_000, 32_000), 2);
  assert.deepEqual([near(90_000, 40_000 + SAME_TIME_MS), near(90_000, 40_001 + SAME_TIME_MS)], [2, 1]);
  assert.deepEqual([near(30_000 - SAME_TIME_MS, 1_000), near(29_999 - SAME_TIME_MS, 1_000)], [2, 1]);
  assert.equal(statesNear(viewOf(), TIME)?.length, 1);
});

test('a state counts for as long as no other was read, and before its memory begins a node may have been in any', () => {
  const near = (ages: object, [fromAgoMs, untilAgoMs]: readonly [number, number] = [90_000, 60_000]) =>
    statesNear(viewOf(past(fromAgoMs, untilAgoMs, undefined, ages)), TIME)?.length;
  assert.deepEqual([near({ afterAgoMs: 47_999 }), near({ afterAgoMs: 48_000 })], [2, 1]);
  const young = [20_000, 10_000] as const;
  assert.deepEqual(
    [near({ afterAgoMs: 9_000, beforeAgoMs: 22_001 }, young), near({ afterAgoMs: 9_000, beforeAgoMs: 22_000 }, young)],
    [2, 1],
  );
  // Agents of earlier versions do not tell it.
  assert.deepEqual([near({}, [90_000, 67_999]), near({}, [90_000, 68_000])], [2, 1]);
  const since = (stateReadings: object | undefined, spanMs = 120_000) =>
    statesNear(viewOf({ history: { spanMs, ...(stateReadings && { stateReadings }) } }), TIME)?.length;
  assert.deepEqual([since({ reachMs: 48_000, pauses: [] }), since({ reachMs: 47_999, pauses: [] })], [1, undefined]);
  assert.deepEqual([since(undefined, 48_000), since(undefined, 47_999)], [1, undefined]);
});

test('a port that was up, and set as it is now, was undisturbed', () => {
  const was = (port: object) => wasUndisturbed(viewOf(past(38_000, 32_000, stateOf(port))), TIME, 'lan');
  assert.equal(wasUndisturbed(viewOf({ history: { spanMs: 30_000 } }), TIME, 'lan'), false, 'not remembered');
  assert.equal(was({}), true);
  assert.equal(was({ addresses: [...PORT.addresses].reverse() }), true);
  for (const port of [{ adminUp: false }, { operUp: false }, { mac: 'x' }, { addresses: ['198.19.1.2/24'] }])
    assert.equal(was(port), false, JSON.stringify(port));
  assert.equal(was({ mtu: 9_000 }), true);
});

test('a carrier change of the port around that time disturbed it, others did not', () => {
  const after = (event: object) => {
    const events = [{ kind: 'carrier', subject: 'lan', agoMs: 35_000, changes: 1, up: true, ...event }];
    return wasUndisturbed(viewOf({ history: { spanMs: 120_000, events } }), TIME, 'lan');
  };
  assert.equal(after({}), false);
  assert.equal(after({ kind: 'adjacency' }), true);
  assert.equal(after({ subject: 'other' }), true);
  assert.deepEqual([after({ agoMs: 30_000 - SAME_TIME_MS }), after({ agoMs: 29_999 - SAME_TIME_MS })], [false, true]);
  assert.deepEqual([after({ agoMs: 40_000 + SAME_TIME_MS }), after({ agoMs: 40_001 + SAME_TIME_MS })], [false, true]);
});

test('a filter that took ARP then, or takes it now, disturbed it', () => {
  const filtered = (family: string) => {
    const state = dropping([])(stateOf() as never, 'after');
    return { ...state, filters: state.filters.map((rule) => ({ ...rule, family })) };
  };
  const was = (now: object, then?: object) =>
    wasUndisturbed(
      { node: 'a', state: { ...now, ...(then === undefined ? {} : past(38_000, 32_000, then)) } } as never,
      TIME,
      'lan',
    );
  assert.equal(was(stateOf(), stateOf()), true);
  assert.deepEqual([was(filtered('arp')), was(stateOf(), filtered('arp'))], [false, false]);
  assert.equal(was(filtered('ip6')), true);
});
