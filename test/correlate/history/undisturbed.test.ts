// Whether a router's port was at some time as it is now: states and carrier changes of eight seconds around count.
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
  ...more,
});
const viewOf = (more: object = {}, port: object = {}) => ({ node: 'a', state: stateOf(port, more) }) as never;
const past = (fromAgoMs: number, untilAgoMs: number, state: object = stateOf({ operUp: false })) => ({
  past: [{ fromAgoMs, untilAgoMs, state }],
});

test('remembered states count that were within eight seconds of the time, and the present one', () => {
  const near = (fromAgoMs: number, untilAgoMs: number) => statesNear(viewOf(past(fromAgoMs, untilAgoMs)), TIME).length;
  assert.equal(near(38_000, 32_000), 2);
  assert.deepEqual([near(90_000, 40_000 + SAME_TIME_MS), near(90_000, 40_001 + SAME_TIME_MS)], [2, 1]);
  assert.deepEqual([near(30_000 - SAME_TIME_MS, 1_000), near(29_999 - SAME_TIME_MS, 1_000)], [2, 1]);
  assert.equal(statesNear(viewOf(), TIME).length, 1);
});

test('a port that was up, and set as it is now, was undisturbed', () => {
  const was = (port: object) => wasUndisturbed(viewOf(past(38_000, 32_000, stateOf(port))), TIME, 'lan');
  assert.equal(was({}), true);
  assert.equal(was({ addresses: [...PORT.addresses].reverse() }), true);
  for (const port of [{ adminUp: false }, { operUp: false }, { mac: 'x' }, { addresses: ['198.19.1.2/24'] }])
    assert.equal(was(port), false, JSON.stringify(port));
  assert.equal(was({ mtu: 9_000 }), true);
});

test('a carrier change of the port around that time disturbed it, others did not', () => {
  const after = (event: object) => {
    const events = [{ kind: 'carrier', subject: 'lan', agoMs: 35_000, changes: 1, up: true, ...event }];
    return wasUndisturbed(viewOf({ history: { events } }), TIME, 'lan');
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
