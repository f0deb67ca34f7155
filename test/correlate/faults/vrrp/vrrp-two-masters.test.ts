// vrrp_two_masters: r1 and r3 are both master for one virtual address, on one LAN.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { remarksTold } from '../../remarks.ts';
import { all, type Change, named, ring } from '../../ring.ts';
import { lan, macOn, member } from './vrrp-scene.ts';

const FOUND = ['vrrp_two_masters node/r1', 'vrrp_two_masters node/r3'];
const turned = (agoMs: number) => [{ up: true, agoMs }];
const onLan = (...changes: readonly Change[]) => ring(all(lan(['r1', 'r3']), ...changes));
const told = (...changes: readonly Change[]) =>
  remarksTold(diagnose(ring(all(...changes)))).filter((text) => text.includes('master'));

test('two masters on one LAN, one of which became so, are both named with the one that did', () => {
  const input = onLan(member('r1', true), member('r3', true, turned(600_000)));
  assert.deepEqual(named(input), FOUND);
  assert.deepEqual(
    diagnose(input).findings.map(({ confidence, details }) => [confidence, details['what']]),
    FOUND.map(() => ['certain', 'both r1 and r3 are master for 198.19.9.1 (VRID 5); r3 became master 10 min ago']),
  );
});

test('one master and backups, and a handover that goes on, are no fault', () => {
  assert.deepEqual(named(onLan(member('r1', true), member('r3', false))), []);
  assert.deepEqual(named(onLan(member('r1', true), member('r3', true, turned(3_999)))), []);
  assert.deepEqual(named(onLan(member('r1', true), member('r3', true, turned(4_000)))), FOUND);
});

test('groups that never met, of other numbers or addresses, or of routers without vrrpd are none of it', () => {
  const r3 = (options: Parameters<typeof member>[3]) =>
    named(onLan(member('r1', true), member('r3', true, turned(20_000), options)));
  assert.deepEqual(named(onLan(member('r1', true), member('r3', true))), [], 'each was always master');
  assert.deepEqual(r3({ mac: '00:00:5e:00:01:06' }), []);
  assert.deepEqual(r3({ daemon: 'staticd' }), [], 'an anycast gateway with that MAC address');
  assert.deepEqual(r3({ adminUp: false }), []);
});

test('a takeover on one of two LANs of the same numbers accuses no router of either', () => {
  const groups = [
    ...[member('r1', false, [{ up: false, agoMs: 20_000 }]), member('r2', true, turned(20_000))],
    ...[member('r3', true), member('r4', false)],
  ];
  const lans = [lan(['r1', 'r2']), lan(['r3', 'r4'])];
  assert.deepEqual(named(ring(all(...lans, ...groups))), []);
  assert.deepEqual(told(...lans, ...groups), []);
  const both = [member('r1', true), member('r2', true, turned(20_000)), member('r3', true), member('r4', false)];
  const found = ['vrrp_two_masters node/r1', 'vrrp_two_masters node/r2'];
  assert.deepEqual(named(ring(all(...lans, ...both))), found, 'the masters of one LAN, and no router of the other');
});

test('routers that are not shown to be on one LAN are a remark: each hears the other, by a MAC address of its own', () => {
  const masters = [member('r1', true), member('r3', true, turned(20_000))];
  const remark =
    'both r1 and r3 are master for 198.19.9.1 (VRID 5); r3 became master 20 s ago; that they are on one LAN is not shown';
  for (const places of [[], [lan(['r1']), lan(['r3'])], [lan(['r1', 'r3'], { deaf: ['r1'] })]]) {
    assert.deepEqual(named(ring(all(...places, ...masters))), []);
    assert.deepEqual(told(...places, ...masters), [remark]);
  }
  const copied: Change = (state, node) => ({
    ...state,
    inventory: {
      ...state.inventory,
      interfaces: state.inventory.interfaces.map((entry) =>
        node === 'r4' && entry.name === 'lo' ? { ...entry, mac: macOn('r1') } : entry,
      ),
    },
  });
  assert.deepEqual(named(onLan(...masters, copied)), [], 'whose port was heard is not known');
});
