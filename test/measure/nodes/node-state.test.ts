// States of nodes, before and after, and who told them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planPathStates, planScopeStates, statesOf } from '#measure/nodes/node-state.ts';
import { sceneOf } from '../../correlate/scope-scene.ts';

test('a scope is asked for whole states, a path for what its counters say', () => {
  assert.deepEqual(
    planScopeStates('after', ['r1', 'r2'], 'past').map(({ id, arguments: args }) => [id, args]),
    [
      ['after/r1/parley-node-state', { parts: 'past' }],
      ['after/r2/parley-node-state', { parts: 'past' }],
    ],
  );
  assert.deepEqual(
    planPathStates(['r1', 'r2']).map(({ id, arguments: args }) => [id, args]),
    ['before/r1', 'before/r2', 'after/r1', 'after/r2'].map((id) => [`${id}/parley-node-state`, {}]),
  );
});

test('states are in the order of the nodes, without those that gave none', () => {
  const { evidence } = sceneOf();
  assert.deepEqual([...statesOf(['r3', 'r9', 'r1'], evidence).keys()], ['r3', 'r1']);
  const [first] = evidence;
  const garbled = { ...first!, body: { inventory: 'none' } };
  assert.deepEqual([...statesOf(['r1'], [garbled]).keys()], []);
});
