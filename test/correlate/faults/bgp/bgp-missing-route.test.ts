// bgp_missing_route_advertisement: a real router whose prefix no other has a route to; here it is not in BGP at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BgpState } from '#model/router/control-plane.ts';
import { changed, recorded } from '../../recording.ts';
import { at, drawn, lines, named, ring } from '../../ring.ts';

/** r3 without its prefix in BGP. */
const unannounced = (change: Partial<BgpState> = {}) =>
  at(['r3'], (state) => ({
    ...state,
    bgp: {
      ...state.bgp!,
      ownPrefixes: state.bgp!.ownPrefixes.map((own) => ({ ...own, originated: false, advertisedTo: [] })),
      ...change,
    },
  }));

test('the prefix is announced as the node announces its others', () => {
  const found = drawn(changed(recorded('policy'), { state: unannounced() }));
  assert.deepEqual(found, [
    [
      'bgp_missing_route_advertisement node/r3',
      lines('router bgp 65003', ' address-family ipv4 unicast', '  network 198.19.3.0/24'),
    ],
  ]);
});

test('where prefixes are redistributed, what was left out is an operator’s to say', () => {
  const found = drawn(changed(recorded('policy'), { state: unannounced({ redistribute: ['connected'] }) }));
  assert.deepEqual(found, [
    [
      'bgp_missing_route_advertisement node/r3',
      undefined,
      'whether it is to be announced by a network statement or by redistribution',
    ],
  ]);
});

test('a prefix that others have a route to is missed by no node', () => {
  assert.deepEqual(named(ring(unannounced())), []);
});
