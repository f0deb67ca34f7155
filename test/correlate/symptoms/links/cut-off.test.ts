// Two sides of a network that nothing is known to pass between: what joins them, what keeps health from being proven, and whom a question accuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING_PLANNED } from '#correlate/engine/facts.ts';
import { linkDown } from '#correlate/faults/link/link-down.ts';
import { connectedProof } from '#correlate/health/proof-connected.ts';
import type { World } from '#correlate/network/world.ts';
import { cutOffLinks } from '#correlate/symptoms/links/cut-off.ts';
import { linkDownSymptoms } from '#correlate/symptoms/links/link-down.ts';
import { pairWorld, type State } from '../../pair-scene.ts';

const ADDRESSES = { a: 'fd00::a', b: 'fd00::b', c: 'fd00::c' };
const OWNERS = new Map(
  Object.entries(ADDRESSES).map(([node, address]) => [address, [{ node, ifname: 'lo' }]] as const),
);
const port = (name: string, state: object = {}): State => ({
  inventory: {
    interfaces: [{ name, kind: 'physical', adminUp: true, operUp: true, addresses: [], ...state }],
    loopbacks: [],
  },
});
const UP = { adminUp: true, operUp: true };
const DARK = { adminUp: true, operUp: false };
const SHUT = { adminUp: false, operUp: false };
/** Its port towards a is up. */
const bWith = (toC: object): State => ({
  inventory: {
    interfaces: [
      { name: 'to-a', kind: 'physical', ...UP, addresses: [] },
      { name: 'to-c', kind: 'physical', ...toC, addresses: [] },
    ],
    loopbacks: [],
  },
});
const probes = (from: keyof typeof ADDRESSES, to: keyof typeof ADDRESSES, received = 0) => ({
  ...{ from, destination: ADDRESSES[to], sent: 20, received, source: 'e1' },
});

/** a – b – c, where c has shut its port and b's towards it is without carrier. */
function scene({ c = SHUT, reach = [probes('a', 'c')], b = bWith(DARK) } = {}): World {
  const states = {
    a: { now: {} },
    b: { now: b },
    c: { now: port('to-b', c) },
  };
  return pairWorld(['a-b', 'b-c'], states, { reach, owners: OWNERS });
}
const keys = (world: World, facts: Parameters<typeof cutOffLinks>[1] = []) =>
  cutOffLinks(world, facts).map(({ link, sent }) => [link.key, sent]);

test('a node whose only link is shut at one end is cut off, and health is not proven', () => {
  const world = scene({ reach: [probes('a', 'c'), probes('c', 'b'), probes('a', 'b', 20)] });
  assert.deepEqual(keys(world), [['link/b:to-c--c:to-b', 40]]);
  const { lacking } = connectedProof(world, []);
  assert.equal(lacking.length, 1);
  assert.match(
    lacking[0]!,
    /cut off from each other: none of 40 probes .* to-c is without carrier, .* to-b is shut down$/,
  );
});

test('what gets from one side to the other joins them: probes to any address, over any link, or a session', () => {
  assert.deepEqual(keys(scene({ reach: [probes('a', 'c'), probes('c', 'b', 1)] })), []);
  const value = { scope: 'segment', from: 'a', to: 'c', sent: 200, lost: 199, directionKnown: true };
  const fact = { predicate: 'probe-loss', subject: 'x', source: ['e2'], value } as never;
  assert.deepEqual(keys(scene(), [fact]), []);
  assert.deepEqual(keys(scene({ c: UP, b: bWith(UP) })), []);
  const session = { peer: ADDRESSES.c, state: 'Established', established: 1, shutdown: false };
  assert.deepEqual(keys(scene({ b: { ...bWith(DARK), bgp: { sessions: [session] } } })), []);
});

test('a link that is shut at both ends is out of use, and where no probe was sent nothing is said', () => {
  assert.deepEqual(keys(scene({ b: bWith(SHUT) })), []);
  assert.deepEqual(keys(scene({ reach: [probes('a', 'b', 20)] })), []);
});

test('who asks why two nodes cannot reach each other gets the one link that is shut between them; others get a remark', () => {
  const judged = (between: readonly [string, string] | undefined, world = scene()) => {
    const asked: World = between === undefined ? world : { ...world, between };
    const symptoms = linkDownSymptoms(asked);
    const file = { path: [], facts: [], world: asked, expected: [], symptoms, planned: NOTHING_PLANNED };
    return linkDown.propose(file, []).map(({ confidence, remark }) => remark?.slice(-22) ?? confidence);
  };
  assert.deepEqual(judged(undefined), ['as the agents remember']);
  assert.deepEqual(judged(['a', 'c']), ['likely']);
  assert.deepEqual(judged(['c', 'b']), ['likely']);
  assert.deepEqual(judged(['a', 'b']), ['as the agents remember']);
  assert.deepEqual(judged(['a', 'c'], scene({ reach: [probes('a', 'c', 1)] })), ['as the agents remember']);
  // A way may lead over a node that did not answer.
  const silent = { ...scene(), nodes: ['a', 'b', 'c', 'd'] };
  assert.deepEqual(judged(['a', 'c'], silent), ['as the agents remember']);
});
