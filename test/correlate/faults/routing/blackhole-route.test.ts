// blackhole_route: a real router throws away packets for a network of another by a route set by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import { changed, recorded } from '../../recording.ts';
import { drawn, named } from '../../ring.ts';

const routed = (change: (route: StaticRoute) => StaticRoute) =>
  changed(recorded('blackhole'), {
    state: (state) =>
      state.staticRoutes === undefined ? state : { ...state, staticRoutes: state.staticRoutes.map(change) },
  });
const command = (input: ReturnType<typeof routed>) => diagnose(input).findings[0]?.remedy?.command;

test('a route of the configuration is taken out in either of FRR’s words for it', () => {
  const [found] = drawn(recorded('blackhole'));
  assert.equal(found?.[0], 'blackhole_route node/r2');
  assert.match(JSON.stringify(found), /"lines":\["no ip route (\S+) Null0","no ip route \1 blackhole"\]/);
});

test('a route of the kernel alone must be taken away by the operator that set it', () => {
  assert.deepEqual(drawn(routed((route) => ({ ...route, protocol: 'boot' }))), [
    [
      'blackhole_route node/r2',
      undefined,
      'the route is not of the configuration: the operator or program that set it must remove it',
    ],
  ]);
});

test('a route that answers is taken out by FRR’s word for it, one that is silent by the other', () => {
  const silent = command(recorded('blackhole'));
  assert.match(silent ?? '', /^no ip route \S+ Null0$/);
  assert.equal(command(routed((route) => ({ ...route, kind: 'unreachable' }))), silent?.replace('Null0', 'reject'));
});

test('a node that throws away the unused part of a prefix that it has an address of is not accused', () => {
  const own = routed((route) => ({ ...route, prefix: '198.18.0.0/15' }));
  assert.deepEqual(named(own), []);
});
