// Which route of the node's own an IPv6 lookup matched, where the kernel does not say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDefault } from '#correlate/network/configured-routes.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';

const route = (prefix: string, nextHop: string, protocol = 'static') => ({
  ...{ prefix, nextHop, protocol, kind: 'unicast' as const },
});
const DEFAULT = route('::/0', 'fd00:1::1');
const answer: RouteAnswer = { destination: 'fd00:2::1', kind: 'unicast', nextHop: 'fd00:1::1', protocol: 'static' };
const matched = (routes: readonly object[], change: object = {}, state: object = {}) =>
  withDefault({ ...answer, ...change }, { missing: [], staticRoutes: routes, ...state } as never).matched;

test('a lookup that follows the default route alone matched it', () => {
  assert.equal(matched([DEFAULT, route('fd00:3::/64', 'fd00:1::1')]), 'default');
});

test('another route that covers the address, next hop or protocol, routes that were not read, and IPv4 leave it unknown', () => {
  assert.equal(matched([DEFAULT, route('fd00:2::/64', 'fd00:1::1')]), undefined);
  assert.equal(matched([DEFAULT], { nextHop: 'fd00:1::9' }), undefined);
  assert.equal(matched([DEFAULT], { protocol: 'ospf' }), undefined);
  assert.equal(matched([route('0.0.0.0/0', 'fd00:1::1')]), undefined);
  assert.equal(matched([DEFAULT], {}, { missing: [{ part: 'kernel-tables', reason: '' }] }), undefined);
  assert.equal(matched([DEFAULT], { matched: 'fd00:2::/64' }), 'fd00:2::/64');
  assert.equal(matched([DEFAULT], { kind: 'blackhole' }), undefined);
});
