// What is known of a link's condition: its ends, its adjacency, and who says otherwise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowerMedianOf, usualOf } from '#correlate/network/baseline-values.ts';
import { linkFact } from '#correlate/network/topology.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { linkOf } from '../pair-scene.ts';

type Part = Readonly<Record<string, unknown>>;
const stateOf = (ifname: string, change: Part = {}, port: Part = {}) =>
  ({
    ...{
      inventory: { interfaces: [{ name: ifname, adminUp: true, operUp: true, ...port }] },
      adjacencies: [],
      missing: [],
    },
    ...change,
  }) as unknown as NodeState;
const isis = (ifname: string, state = 'up', hostname?: string): Part => ({
  adjacencies: [{ ifname, state, ...(hostname && { hostname }) }],
});
const factOf = (
  a: NodeState,
  b: NodeState,
  change: object = {},
  more: readonly (readonly [string, NodeState])[] = [],
) => {
  const { link } = linkOf('a-b');
  return linkFact({ ...link, ...change }, new Map([['a', a], ['b', b], ...more]));
};
const symptoms = (a: Part, b: Part, ports: readonly [Part, Part] = [{}, {}]) =>
  factOf(stateOf('to-b', a, ports[0]), stateOf('to-a', b, ports[1])).symptoms;

test('a link is confirmed point to point without a doubt; one of many is shared', () => {
  const well = factOf(stateOf('to-b'), stateOf('to-a'));
  assert.deepEqual([well.confirmed, well.shared, well.unused, well.symptoms], [true, undefined, undefined, []]);
  const doubted = factOf(stateOf('to-b'), stateOf('to-a'), { doubts: ['x'] });
  assert.deepEqual([doubted.confirmed, doubted.symptoms], [false, ['x']]);
  const shared = factOf(stateOf('to-b'), stateOf('to-a'), { pointToPoint: false });
  assert.deepEqual([shared.confirmed, shared.shared], [false, '{a} to-b is not a point-to-point link']);
});

test('an end that is gone, shut or down is a symptom; shut at both ends it is out of use', () => {
  assert.deepEqual(symptoms({}, {}, [{ adminUp: false }, {}]), ['{a} to-b is shut down']);
  assert.deepEqual(symptoms({}, {}, [{}, { operUp: false }]), ['{b} to-a is down']);
  assert.deepEqual(symptoms({}, {}, [{ name: 'x' }, {}]), ['{a} to-b is gone']);
  const shut = factOf(stateOf('to-b', {}, { adminUp: false }), stateOf('to-a', {}, { adminUp: false }));
  assert.deepEqual([shut.unused, shut.symptoms, shut.confirmed], [true, [], false]);
  assert.equal(factOf(stateOf('to-b', {}, { name: 'x' }), stateOf('to-a', {}, { adminUp: false })).unused, undefined);
});

test('an adjacency that one end alone reports, or that is not up, is a symptom', () => {
  assert.deepEqual(symptoms(isis('to-b'), isis('to-a')), []);
  assert.deepEqual(symptoms(isis('to-b'), {}), ['IS-IS adjacency: {a} to-b says up, {b} to-a says none']);
  assert.deepEqual(symptoms(isis('to-b'), isis('to-a', 'initializing')), [
    'IS-IS adjacency: {a} to-b says up, {b} to-a says initializing',
  ]);
  assert.equal(symptoms(isis('to-x'), {}).length, 1, 'none here, and one elsewhere');
  const unread = (part: string) => symptoms({ ...isis('to-b'), missing: [{ part, reason: 'r' }] }, {});
  for (const part of ['adjacencies', 'isis', 'IS-IS'])
    assert.deepEqual(unread(part), [`IS-IS of {a} could not be read (${part})`]);
  assert.equal(unread('bgp')[0]?.startsWith('IS-IS adjacency'), true);
});

test('where neither end runs IS-IS over the link there is none to miss', () => {
  const runs = (ifname: string, passive = false) => ({ daemons: [], isis: { circuits: [{ ifname, passive }] } });
  assert.deepEqual(symptoms({ ...isis('to-b', 'down'), ...runs('to-c') }, runs('to-c')), []);
  assert.deepEqual(symptoms({ ...isis('to-b', 'down'), ...runs('to-b', true) }, runs('to-c')), []);
  assert.equal(symptoms({ ...isis('to-b', 'down'), ...runs('to-b') }, runs('to-c')).length, 1);
  assert.equal(symptoms({ ...isis('to-b', 'down'), ...runs('to-c') }, runs('to-a')).length, 1);
  const daemons = (name: string) => ({ daemons: [{ name }] });
  assert.deepEqual(symptoms({ ...isis('to-b', 'down'), ...daemons('bgpd') }, daemons('bgpd')), []);
  assert.equal(symptoms({ ...isis('to-b', 'down'), ...daemons('isisd') }, daemons('bgpd')).length, 1);
});

test('on an interface with several neighbours the one of this link counts', () => {
  const rows = (...all: readonly (readonly [string, string])[]) => ({
    adjacencies: all.map(([hostname, state]) => ({ ifname: 'to-b', hostname, state })),
  });
  assert.deepEqual(symptoms(rows(['z', 'down'], ['B', 'up']), isis('to-a')), []);
  assert.equal(symptoms(rows(['z', 'up'], ['b', 'down']), isis('to-a')).length, 1);
  assert.deepEqual(symptoms(rows(['z', 'up']), isis('to-a')), [], 'nobody is named so');
  assert.deepEqual(symptoms(rows(['b', 'down'], ['b', 'up']), isis('to-a')), []);
});

test('the usual is the lower median, of two others at least', () => {
  assert.deepEqual([lowerMedianOf([3, 1, 2]), lowerMedianOf([4, 1, 3, 2]), lowerMedianOf([])], [2, 2, undefined]);
  assert.deepEqual([usualOf([5]), usualOf([5, 1])], [undefined, 1]);
});
