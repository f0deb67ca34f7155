// Default routes by lookups of addresses that no network has: as iproute2 6.1 printed them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { believed, parseDefaultRoutes } from '#router/drivers/linux-frr/kernel/default-routes.ts';

const OSPF = {
  ...{ dst: 'default', protocol: 'ospf', metric: 20, flags: [] },
  nexthops: [
    { gateway: '192.0.2.2', dev: 'eth1', weight: 1, flags: [] },
    { gateway: '192.0.2.3', dev: 'eth2', weight: 1, flags: [] },
  ],
};
const SIX = { dst: '4000::1', from: '::', gateway: '2001:db8::2', dev: 'eth1', protocol: 'bgp', metric: 20, flags: [] };
const failing = (reason: string, ...lines: readonly number[]) =>
  lines.map((line) => `RTNETLINK answers: ${reason}\nCommand failed -:${line}\n`).join('');
const read = (lists: readonly (readonly JsonObject[])[], stderr = '', kind: 'none' | 'unicast' = 'none') =>
  believed(parseDefaultRoutes(lists, stderr, 13), async () => kind);

test('a default route has its protocol and all its next hops, in both families', async () => {
  assert.deepEqual(await read([[OSPF], [SIX]]), [
    {
      ...{ prefix: '0.0.0.0/0', protocol: 'ospf' },
      hops: [
        { nextHop: '192.0.2.2', ifname: 'eth1' },
        { nextHop: '192.0.2.3', ifname: 'eth2' },
      ],
    },
    { prefix: '::/0', protocol: 'bgp', hops: [{ nextHop: '2001:db8::2', ifname: 'eth1' }] },
  ]);
  const overSix = { dst: 'default', via: { family: 'inet6', host: 'fe80::1' }, dev: 'eth1', protocol: 'bgp' };
  assert.deepEqual((await read([[overSix]], failing('Network is unreachable', 15)))[0]?.hops, [
    { nextHop: 'fe80::1', ifname: 'eth1' },
  ]);
});

test('a family without a default route has no row, and one that the kernel does not tell of has a row without next hops', async () => {
  const none = failing('Network is unreachable', 14, 15);
  assert.deepEqual(await read([], none), []);
  const unknown = (prefix: string) => ({ prefix, protocol: '', hops: [] });
  assert.deepEqual(await read([], none, 'unicast'), [unknown('::/0')], 'a socket can send there all the same');
  assert.deepEqual(await read([], failing('Invalid argument', 14) + failing('Network is unreachable', 15)), [
    unknown('0.0.0.0/0'),
  ]);
  assert.deepEqual(await read([]), [unknown('0.0.0.0/0'), unknown('::/0')], 'nothing was printed');
  // A lookup of a table that failed before them is not theirs.
  assert.equal((await read([[OSPF], [SIX]], failing('Network is unreachable', 3))).length, 2);
});

test('a route of half of all addresses is no default route, and none is denied', async () => {
  const half = { dst: '128.0.0.0/1', gateway: '192.0.2.9', dev: 'tun0', flags: [] };
  assert.deepEqual((await read([[half], [SIX]]))[0], { prefix: '0.0.0.0/0', protocol: '', hops: [] });
});
