// bgp_missing_route_advertisement: a real router whose prefix no other has a route to; here it is not in BGP at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { BgpState } from '#model/router/control-plane.ts';
import { changed, recorded } from '../../recording.ts';
import { remarksTold } from '../../remarks.ts';
import { at, drawn, lines, named, remembering, ring } from '../../ring.ts';

const PREFIX = '198.19.3.0/24';
/** It was in BGP a minute ago. */
const withdrawn = remembering({ kind: 'announced', subject: PREFIX, was: 'all', agoMs: 60_000 });

/** r3 without its prefix in BGP. */
const unannounced = (change: Partial<BgpState> = {}) =>
  at(['r3'], (state) => ({
    ...withdrawn(state),
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

test('a prefix that was not in BGP for as long as its node remembers is a remark, unless it is asked for', () => {
  const always = at(['r3'], (state) => {
    const { history, ...rest } = unannounced()(state, 'r3', 'before');
    return { ...rest, history: { ...history!, settings: [] } };
  });
  const input = changed(recorded('policy'), { state: always });
  assert.deepEqual(named(input), []);
  const remarks = remarksTold(diagnose(input)).filter((line) => line.includes('is connected and not in BGP'));
  assert.deepEqual(remarks.length, 1);
  assert.match(
    remarks[0]!,
    /^r3: 198\.19\.3\.0\/24 is connected and not in BGP, and always was so as far as the agents/,
  );
  const asked = { ...input, intent: { ...input.intent, destination: '198.19.3.1' } };
  assert.deepEqual(named(asked), ['bgp_missing_route_advertisement node/r3']);
});
