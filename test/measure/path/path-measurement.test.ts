// A path is measured along every stretch whose nodes answered; a path that there is not is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planStretches } from '#measure/path/path-measurement.ts';
import type { States } from '#measure/states.ts';
import type { Intent } from '#model/intent.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { scopeOf } from '../scope.ts';

const STATES: States = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));
const intentOf = (...names: readonly string[]): Intent => ({
  ...{ kind: 'path-loss', text: '', encapsulation: 'ip' },
  path: names.map((as) => ({ as, key: as })),
});
const scope = (nodes: readonly string[], known: readonly string[]) =>
  scopeOf(new Map(known.map((node) => [node, STATES.get(node)!])), { nodes, intent: intentOf(...nodes), known });

test('the whole path, each of its segments, and a capture at its head', () => {
  const kinds = planStretches(scope(['r1', 'r2', 'r3'], ['r1', 'r2', 'r3'])).map(({ id }) => id);
  assert.deepEqual(kinds, [
    ...['probe/r1/r3', 'probe/r1/r2', 'probe/r2/r3', 'probe/r1/r2/flows', 'probe/r2/r3/flows'],
    ...['probe/r1/r3/full', 'probe/r1/r3/lengths', 'probe/r3/sid-statistics', 'probe/r1/capture'],
  ]);
});

test('where a node gave no state the stretches beside it are measured', () => {
  const ids = planStretches(scope(['r1', 'r2', 'r3'], ['r2', 'r3'])).map(({ id }) => id);
  assert.ok(ids.includes('probe/r2/r3'));
  assert.ok(ids.every((id) => !id.includes('r1')));
  assert.deepEqual(planStretches(scope(['r1', 'r2', 'r3'], ['r1', 'r3'])), []);
});

test('rejects two nodes that are not adjacent, and names the node between them', () => {
  assert.throws(() => planStretches(scope(['r1', 'r3'], ['r1', 'r3'])), {
    code: 'caller/no-path',
    message: /r1 and r3 are not adjacent.*the way may lead over r2: name it with "via"/,
  });
});
