// vrrp_two_masters: r1 and r3 are both active for one virtual address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, named, ring } from '../../ring.ts';
import { member } from './vrrp-scene.ts';

const FOUND = ['vrrp_two_masters node/r1', 'vrrp_two_masters node/r3'];
const turned = (agoMs: number) => [{ up: true, agoMs }];

test('two active routers, one of which became so, are both named with the one that did', () => {
  const input = ring(all(member('r1', true), member('r3', true, turned(20_000))));
  assert.deepEqual(named(input), FOUND);
  assert.equal(
    diagnose(input).findings[0]!.details['what'],
    'r1 and r3 are both active for 198.19.9.1 (VRRP 5), r3 since 20 s',
  );
});

test('one active router and backups, and a handover that goes on, are no fault', () => {
  assert.deepEqual(named(ring(all(member('r1', true), member('r3', false)))), []);
  assert.deepEqual(named(ring(all(member('r1', true), member('r3', true, turned(3_999))))), []);
  assert.deepEqual(named(ring(all(member('r1', true), member('r3', true, turned(4_000))))), FOUND);
});

test('groups that never met, of other numbers or addresses, or of routers without vrrpd are none of it', () => {
  const r3 = (options: Parameters<typeof member>[3]) =>
    named(ring(all(member('r1', true), member('r3', true, turned(20_000), options))));
  assert.deepEqual(named(ring(all(member('r1', true), member('r3', true)))), [], 'each was always active');
  assert.deepEqual(r3({ mac: '00:00:5e:00:01:06' }), []);
  assert.deepEqual(r3({ daemon: 'staticd' }), [], 'an anycast gateway with that MAC address');
  assert.deepEqual(r3({ adminUp: false }), []);
});
