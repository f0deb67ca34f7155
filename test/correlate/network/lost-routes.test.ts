// Routes that a node had and has no more: none is told of a list that was not read to its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostRoutesOver } from '#correlate/network/lost-routes.ts';
import { pairWorld } from '../pair-scene.ts';

test('a route that may be behind the cut of its list, or in a list that was not read, is not lost', () => {
  const route = { prefix: '192.0.2.0/24', kind: 'unicast', protocol: 'static', ifname: 'to-b', nextHop: '198.18.0.1' };
  const past = [{ fromAgoMs: 600_000, untilAgoMs: 30_000, state: { staticRoutes: [route] } }];
  const lost = (more: object) =>
    lostRoutesOver(pairWorld(['a-b'], { a: { now: { staticRoutes: [], past, ...more } } }), 'a', 'to-b');
  assert.deepEqual(lost({ missing: [] }), ['192.0.2.0/24']);
  assert.deepEqual(lost({ missing: [], cut: [{ part: 'neighbour-entries', read: 512, of: 601 }] }), ['192.0.2.0/24']);
  assert.deepEqual(lost({ missing: [], cut: [{ part: 'static-routes', read: 256, of: 301 }] }), []);
  assert.deepEqual(lost({ missing: [{ part: 'kernel-tables', reason: '' }] }), []);
});
