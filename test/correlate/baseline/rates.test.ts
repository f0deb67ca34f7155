// Loads and errors of interfaces between the two readings of one exchange, and which difference between two exchanges is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InterfaceRate, rateRemarks, ratesOf } from '#correlate/baseline/rates.ts';
import type { World } from '#correlate/network/world.ts';

const COUNTERS = { rxPackets: '1000', txPackets: '2000', rxErrors: '5', txErrors: '7' };
const stateOf = (countersReadMs: number | undefined, counters: Partial<typeof COUNTERS> = {}, name = 'eth1') => ({
  ...(countersReadMs === undefined ? {} : { countersReadMs }),
  inventory: { interfaces: [{ name, counters: { ...COUNTERS, ...counters } }] },
});
const worldOf = (before: object | undefined, after: object | undefined) =>
  ({ views: new Map([['r1', { node: 'r1', before, after }]]) }) as unknown as World;

test('rates are packets a second by the clock of the node, errors are those of the whole window', () => {
  const moved = { rxPackets: '1500', txPackets: '2250', rxErrors: '8', txErrors: '11' };
  assert.deepEqual(ratesOf(worldOf(stateOf(10_000), stateOf(12_500, moved))), [
    { subject: 'r1 eth1', rxPerSecond: 200, txPerSecond: 100, rxErrors: 3, txErrors: 4 },
  ]);
});

test('a counter that went back has not moved', () => {
  const [rate] = ratesOf(worldOf(stateOf(0), stateOf(1_000, { rxPackets: '10', txErrors: '0' })));
  assert.deepEqual(rate, { subject: 'r1 eth1', rxPerSecond: 0, txPerSecond: 0, rxErrors: 0, txErrors: 0 });
});

test('there is no rate without two readings, two times, time between them and the interface in both', () => {
  const [first, last] = [stateOf(1_000), stateOf(2_000)];
  assert.equal(ratesOf(worldOf(first, last)).length, 1);
  assert.deepEqual(ratesOf(worldOf(undefined, last)), []);
  assert.deepEqual(ratesOf(worldOf(first, undefined)), []);
  assert.deepEqual(ratesOf(worldOf(stateOf(undefined), last)), []);
  assert.deepEqual(ratesOf(worldOf(first, stateOf(undefined))), []);
  assert.deepEqual(ratesOf(worldOf(first, first)), []);
  assert.deepEqual(ratesOf(worldOf(last, first)), []);
  assert.deepEqual(ratesOf(worldOf(first, stateOf(2_000, {}, 'eth2'))), []);
});

const QUIET: InterfaceRate = { subject: 'r1 eth1', rxPerSecond: 0, txPerSecond: 0, rxErrors: 0, txErrors: 0 };
const between = (before: Partial<InterfaceRate>, after: Partial<InterfaceRate>) =>
  rateRemarks([{ ...QUIET, ...before }], [{ ...QUIET, ...after }]);

test('errors that begin or cease in either direction are a change, errors in both exchanges are none', () => {
  for (const name of ['rxErrors', 'txErrors'] as const) {
    const subject = `r1 eth1 ${name}`;
    assert.deepEqual(between({}, { [name]: 1 }).errors, [{ subject, before: '0', after: '1' }]);
    assert.deepEqual(between({ [name]: 1 }, {}).errors, [{ subject, before: '1', after: '0' }]);
    assert.deepEqual(between({ [name]: 1 }, { [name]: 900 }).errors, []);
  }
});

test('a load is remarked on from a hundred packets a second and four times as much, up or down, in either direction', () => {
  assert.deepEqual(between({}, { rxPerSecond: 100 }).remarks, ['load r1 eth1 rx: 0 packets a second, then 100']);
  assert.deepEqual(between({ txPerSecond: 100 }, {}).remarks, ['load r1 eth1 tx: 100 packets a second, then 0']);
  assert.deepEqual(between({}, { rxPerSecond: 99, txPerSecond: 99 }).remarks, []);
  assert.equal(between({ rxPerSecond: 50 }, { rxPerSecond: 200 }).remarks.length, 1);
  assert.deepEqual(between({ rxPerSecond: 51 }, { rxPerSecond: 203 }).remarks, []);
  assert.deepEqual(rateRemarks([QUIET], [{ ...QUIET, subject: 'r1 eth2', rxErrors: 9 }]), { errors: [], remarks: [] });
});
