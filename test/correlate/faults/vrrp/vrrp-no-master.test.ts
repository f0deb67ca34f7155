// vrrp_no_master: neither r1 nor r3 is master for their virtual address any more, and r2 on their LAN misses it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { missedAt } from '#correlate/faults/vrrp/missed-gateway.ts';
import { groupsIn } from '#correlate/faults/vrrp/virtual-routers.ts';
import { pairWorld } from '../../pair-scene.ts';
import { remarksTold } from '../../remarks.ts';
import { all, type Change, named, ring } from '../../ring.ts';
import { entryOf, lan, member } from './vrrp-scene.ts';

const FOUND = ['vrrp_no_master node/r1'];
const WHAT = 'neither r1 nor r3 is master for 198.19.9.1 (VRID 5); r1 was, until 10 min ago';
const turned = (agoMs: number) => [{ up: false, agoMs }];
const LAN = lan(['r1', 'r2', 'r3']);
const missing = (...changes: readonly Change[]) => ring(all(LAN, entryOf('r2', 'FAILED'), ...changes));
const told = (...changes: readonly Change[]) =>
  remarksTold(diagnose(ring(all(...changes)))).filter((text) => text.includes('master'));

test('a group without a master whose address is missed is named at the one that was master last, as likely', () => {
  const input = missing(member('r1', false, turned(600_000)), member('r3', false, turned(660_000)));
  assert.deepEqual(named(input), FOUND);
  const [finding] = diagnose(input).findings;
  assert.deepEqual([finding?.confidence, finding?.details['what']], ['likely', WHAT]);
});

test('a takeover that goes on, a router that is master, and a group that never had one are no fault', () => {
  assert.deepEqual(named(missing(member('r1', false, turned(9_999)), member('r3', false))), []);
  assert.deepEqual(named(missing(member('r1', false, turned(10_000)), member('r3', false))), FOUND);
  assert.deepEqual(named(missing(member('r1', false, turned(30_000)), member('r3', true))), []);
  assert.deepEqual(named(missing(member('r1', false), member('r3', false))), [], 'prepared and not in use');
  assert.deepEqual(named(missing(member('r1', false, turned(30_000)))), [], 'no other router is known');
});

test('without harm it is a remark: a third router that gave no state may have taken over', () => {
  const members = [member('r1', false, turned(600_000)), member('r3', false)];
  const remark = `${WHAT}; nothing shows that the address is missed: a router that gave no state may be master`;
  const third = entryOf('r2', 'REACHABLE', '00:00:5e:00:01:05');
  for (const changes of [members, [...members, third], [...members, entryOf('r3', 'FAILED')]]) {
    assert.deepEqual(named(ring(all(LAN, ...changes))), []);
    assert.deepEqual(told(LAN, ...changes), [remark]);
  }
});

test('where the members are not shown to be on one LAN, what others miss is not theirs', () => {
  const members = [member('r1', false, turned(600_000)), member('r3', false), entryOf('r2', 'FAILED')];
  assert.deepEqual(told(...members), [`${WHAT}; that they are on one LAN is not shown`]);
  const apart = [lan(['r1', 'r3']), lan(['r2'])];
  assert.deepEqual(named(ring(all(...apart, ...members))), [], 'the entry is of another LAN');
});

const port = (last: number) => ({
  ...{ name: 'lan9', kind: 'physical', adminUp: true, operUp: true, addresses: [`198.19.9.${last}/24`] },
  mac: `02:00:00:00:00:0${last}`,
});
const device = { name: 'v', kind: 'other', adminUp: true, operUp: false, addresses: ['198.19.9.1/24'] };
const router = (last: number, isMember = true) => ({
  now: {
    daemons: [{ name: 'vrrpd', alive: isMember }],
    inventory: {
      interfaces: [port(last), ...(isMember ? [{ ...device, mac: '00:00:5e:00:01:05' }] : [])],
      loopbacks: [],
    },
    neighbourTable: [2, 3, 4]
      .filter((other) => other !== last)
      .map((other) => ({
        ...{ ifname: 'lan9', address: `198.19.9.${other}`, mac: `02:00:00:00:00:0${other}`, state: 'STALE' },
      })),
  },
});
const missed = (more: object) => {
  const world = pairWorld([], { a: router(2), b: router(3), c: router(4, false) }, more);
  return missedAt(world, groupsIn(world)[0]!);
};
const HOST = { address: '198.19.9.50', macs: ['02:00:00:00:00:50'] };
const scan = (more: object = {}) => ({
  ...{ node: 'a', ifname: 'lan9', evidence: 'scan', asked: [], answers: [HOST], echoed: [], source: '198.18.255.1' },
  asks: [{ mac: HOST.macs[0], sender: HOST.address, target: '198.19.9.1' }],
  ...more,
});

test('a host that asks for the address and whose answers do not come back misses it', () => {
  assert.deepEqual(missed({ hosts: [scan()] }), ['scan']);
  assert.deepEqual(missed({ hosts: [scan({ echoed: [HOST.address] })] }), [], 'its answers come back');
  assert.deepEqual(missed({ hosts: [scan({ asks: [] })] }), []);
  assert.deepEqual(missed({ hosts: [scan({ ifname: 'eth1' })] }), [], 'on another port');
  const answered = scan({ answers: [HOST, { address: '198.19.9.1', macs: ['00:00:5e:00:01:05'] }] });
  assert.deepEqual(missed({ hosts: [answered] }), [], 'a router answers for it');
});

test('echoes of a node on that LAN show it, those of members do not', () => {
  const echo = (from: string, received: number) => ({
    ...{ from, destination: '198.19.9.1', sent: 3, received, source: `echo of ${from}` },
  });
  assert.deepEqual(missed({ reach: [echo('c', 0)] }), ['echo of c']);
  assert.deepEqual(missed({ reach: [echo('a', 0)] }), []);
  assert.deepEqual(missed({ reach: [echo('c', 3)] }), []);
});
