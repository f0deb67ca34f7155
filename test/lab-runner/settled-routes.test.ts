// What counts as the routes of a lab that is as it was: every learned route with every next hop of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnedRoutes, strayRoutes } from '../../simulations/lab/settled-routes.ts';

const DIRECT = { dst: 'fd00:0:0:1::1', protocol: 'bgp', metric: 20, gateway: 'fe80::1', dev: 'eth1' };
const SPREAD = {
  ...{ dst: 'fd00:0:0:4::1', protocol: 'bgp', metric: 20 },
  nexthops: [{ dev: 'eth2' }, { dev: 'eth1' }],
};

test('learned routes are told by destination, metric and every next hop; what a person or the kernel set is none of them', () => {
  const others = [
    { dst: 'fd00:1:3::/127', protocol: 'kernel', metric: 256, dev: 'eth1' },
    { dst: 'fd00:5a:4::e', metric: 1024, dev: 'sr0' },
    { dst: 'fd00:5a:4::/48', protocol: 'static', metric: 20, dev: 'lo' },
  ];
  const shared = { ...DIRECT, dst: 'fd00:0:0:2::1', nhid: 46 };
  assert.deepEqual(learnedRoutes([SPREAD, ...others, shared, DIRECT]), [
    'fd00:0:0:1::1 20 eth1',
    'fd00:0:0:2::1 20 eth1 object',
    'fd00:0:0:4::1 20 eth1 eth2',
  ]);
});

test('a next hop that the kernel kept, a route that is gone and one that is there twice are strange', () => {
  const routes = (...lines: string[]) => new Map([['leaf1', lines]]);
  const before = routes('fd00:0:0:1::1 20 eth1');
  assert.equal(strayRoutes(before, routes('fd00:0:0:1::1 20 eth1')), undefined);
  assert.equal(strayRoutes(before, routes('fd00:0:0:1::1 20 eth1 eth2')), 'leaf1: + fd00:0:0:1::1 20 eth1 eth2');
  assert.equal(strayRoutes(before, routes()), 'leaf1: - fd00:0:0:1::1 20 eth1');
  assert.equal(
    strayRoutes(before, routes('fd00:0:0:1::1 20 eth1', 'fd00:0:0:1::1 20 eth1')),
    'leaf1: 2 routes, 1 before',
  );
});
