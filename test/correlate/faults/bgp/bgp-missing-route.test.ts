// bgp_missing_route_advertisement: a real router whose prefix no other has a route to; here it is not in BGP at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { bgpMissingRoute } from '#correlate/faults/bgp/bgp-missing-route.ts';
import type { BgpState } from '#model/router/control-plane.ts';
import { changed, recorded } from '../../recording.ts';
import { remarksTold } from '../../remarks.ts';
import { at, drawn, lines, named, remembering, ring } from '../../ring.ts';
import { addressOn, bgpWorld } from './bgp-scene.ts';

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

const BLOCK = '198.19.8.0/24';
/** b remembers a statement for the block that it has no longer; where the nodes forward what is sent to it. */
function withdrawnBlock(
  kinds: Readonly<Record<string, string>>,
  {
    bgp = {},
    settings = {},
    b = {},
    matched = BLOCK,
  }: { readonly bgp?: object; readonly settings?: object; readonly b?: object; readonly matched?: string } = {},
) {
  const address = '198.19.8.1';
  const lookups = new Map(
    Object.entries(kinds).map(([node, kind]) => [
      node,
      new Map([[address, { destination: address, kind, ...(kind === 'none' ? {} : { matched }) }]]),
    ]),
  );
  const change = { kind: 'network', subject: BLOCK, was: 'stated', agoMs: 20_000, ...settings };
  const session = (to: string, state = 'Established') => ({ peer: addressOn(to, 'b'), state, policies: [] });
  const own = {
    ...{ asn: 65_002, networks: [], redistribute: [], ownPrefixes: [], sessions: [session('a'), session('c')] },
    ...bgp,
  };
  const world = bgpWorld([], { b: { bgp: own, history: { settings: [change] }, ...b } }, { lookups });
  const found = bgpMissingRoute.detect!({ world, facts: [] } as never);
  return found.map(({ subject, text }) => [subject, text]);
}

test('a block whose network statement went is missed by the neighbours that have no route to it', () => {
  const told =
    '{b} no longer brings 198.19.8.0/24 into BGP: its network statement is gone, and {a}, {c} have no route to it';
  const lacking = { a: 'none', b: 'blackhole', c: 'none', d: 'none' };
  assert.deepEqual(withdrawnBlock(lacking), [['node/b', told]]);
  assert.deepEqual(withdrawnBlock({ ...lacking, a: 'unicast', c: 'unicast' }), [], 'they still have a route');
  assert.deepEqual(withdrawnBlock(lacking, { settings: { was: undefined, is: 'stated' } }), [], 'it came');
  const dead = { daemons: [{ name: 'bgpd', alive: false }] };
  assert.deepEqual(withdrawnBlock(lacking, { b: dead }), [], 'its daemon is dead, which says more');
});

test('a statement that was moved, or that announced nothing, is missed by no node', () => {
  const lacking = { a: 'none', b: 'unicast', c: 'none' };
  assert.equal(withdrawnBlock(lacking).length, 1);
  assert.deepEqual(withdrawnBlock(lacking, { bgp: { networks: [BLOCK] } }), [], 'it is back');
  assert.deepEqual(withdrawnBlock(lacking, { bgp: { networks: ['198.19.8.0/25'] } }), [], 'in two halves');
  assert.deepEqual(withdrawnBlock(lacking, { bgp: { networks: ['198.19.8.0/22'] } }), [], 'in a larger one');
  assert.deepEqual(withdrawnBlock(lacking, { bgp: { redistribute: ['static'] } }), [], 'by redistribution');
  assert.deepEqual(withdrawnBlock({ ...lacking, b: 'none' }), [], 'b has no route to it either');
  assert.deepEqual(withdrawnBlock(lacking, { matched: 'default' }), [], 'but a default one');
});
