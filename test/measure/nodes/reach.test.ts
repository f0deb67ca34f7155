// Probes to what other nodes call their own, and again to what lost some.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planReach, planReachAgain } from '#measure/nodes/reach.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

test('each node probes loopbacks and networks of hosts of the others, and none of its own', () => {
  const calls = planReach(STATES);
  assert.deepEqual(
    calls.map(({ id }) => id),
    ['probe/r1/parley-reach', 'probe/r2/parley-reach', 'probe/r3/parley-reach'],
  );
  const destinations = calls[0]!.arguments['destinations'] as readonly string[];
  assert.deepEqual(
    ['198.19.255.2', '198.19.255.3', '198.19.3.1', 'fd00:c:3::1'].filter((each) => !destinations.includes(each)),
    [],
  );
  assert.ok(!destinations.includes('198.19.255.1'));
  assert.equal(calls[0]!.arguments['count'], 5);
});

test('what lost probes is probed again with many, once for each address', () => {
  const lossy = ['198.19.255.3', '198.19.255.3', '198.19.3.1'].map((destination) => ({ from: 'r1', destination }));
  const [call, ...others] = planReachAgain(lossy);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [call?.id, call?.phase, call?.arguments],
    ['deepen/r1/parley-reach/again', 'deepen', { destinations: ['198.19.255.3', '198.19.3.1'], count: 100 }],
  );
});

test('ways from and to nodes whose links are not known are probed with many', () => {
  const unseen = [
    { from: 'r1', destination: '198.19.255.3' },
    { from: 'r3', destination: '198.19.255.1' },
  ];
  const calls = planReachAgain([{ from: 'r1', destination: '198.19.3.1' }], unseen);
  assert.deepEqual(
    calls.map(({ node, arguments: args }) => [node, args['destinations'], args['count']]),
    [
      ['r1', ['198.19.3.1', '198.19.255.3'], 100],
      ['r3', ['198.19.255.1'], 100],
    ],
  );
});

test('where everything loses probes a few nodes and addresses are enough', () => {
  const all = Array.from({ length: 40 }, (_, node) =>
    Array.from({ length: 40 }, (_, host) => ({ from: `n${node}`, destination: `192.0.2.${host}` })),
  ).flat();
  const calls = planReachAgain(all);
  assert.equal(calls.length, 16);
  assert.ok(calls.every(({ arguments: { destinations } }) => (destinations as readonly string[]).length === 16));
});
