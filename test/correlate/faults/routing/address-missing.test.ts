// address_missing: a baseline has an address that its interface no longer has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '#correlate/baseline/snapshot.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import type { Expectation } from '#model/baseline.ts';
import { withInterface } from '../../recording.ts';
import { at, drawn, named, ring } from '../../ring.ts';

const { intent, nodeNames, evidence, outcomes } = ring();
const BASELINE: Expectation = {
  ...{ name: 'baseline of then', source: 'report' },
  profile: profileOf(caseFileOf(intent, nodeNames, evidence, outcomes)),
};

const without = at(['r2'], (state) =>
  withInterface(state, 'lan0', ({ addresses }) => ({ addresses: addresses.filter((each) => each.includes(':')) })),
);

test('the address is set again as the baseline has it', () => {
  const live = [{ kind: 'address-add', ifname: 'lan0', address: '198.19.2.1/24' }];
  assert.deepEqual(drawn({ ...ring(without), expected: [BASELINE] }), [
    ['address_missing interface/r2/lan0', { live }],
  ]);
});

test('without a baseline no node misses it, and an address that is there is not missed', () => {
  assert.deepEqual(named(ring(without)), []);
  assert.deepEqual(named({ ...ring(), expected: [BASELINE] }), []);
});
