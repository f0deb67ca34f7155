// vrrp_no_master: neither r1 nor r3 is active for their virtual address any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, named, ring } from '../../ring.ts';
import { member } from './vrrp-scene.ts';

const FOUND = ['vrrp_no_master node/r1'];
const turned = (agoMs: number) => [{ up: false, agoMs }];

test('a group without an active router is named at the one that was active last, as likely', () => {
  const input = ring(all(member('r1', false, turned(30_000)), member('r3', false, turned(60_000))));
  assert.deepEqual(named(input), FOUND);
  const [finding] = diagnose(input).findings;
  assert.deepEqual(
    [finding?.confidence, finding?.details['what']],
    ['likely', 'none of r1 and r3 is active for 198.19.9.1 (VRRP 5); r1 was until 30 s ago'],
  );
});

test('a takeover that goes on, a router that is active, and a group that never was are no fault', () => {
  assert.deepEqual(named(ring(all(member('r1', false, turned(9_999)), member('r3', false)))), []);
  assert.deepEqual(named(ring(all(member('r1', false, turned(10_000)), member('r3', false)))), FOUND);
  assert.deepEqual(named(ring(all(member('r1', false, turned(30_000)), member('r3', true)))), []);
  assert.deepEqual(named(ring(all(member('r1', false), member('r3', false)))), [], 'prepared and not in use');
  assert.deepEqual(named(ring(member('r1', false, turned(30_000)))), [], 'no other router is known');
});
