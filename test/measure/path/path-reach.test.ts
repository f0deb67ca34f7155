// Networks of hosts behind the two ends of a path, as each end probes those of the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathReach, planPathReach } from '#measure/path/path-reach.ts';
import type { States } from '#measure/states.ts';
import { stateOf } from '../../correlate/scope-scene.ts';
import { scopeOf } from '../scope.ts';

const STATES: States = new Map(([1, 2, 3] as const).map((number) => [`r${number}`, stateOf(number)]));

test('each end of a path probes the networks of hosts of the other, and nothing else', () => {
  const calls = planPathReach(scopeOf(STATES));
  assert.deepEqual(
    calls.map(({ node, purpose, arguments: args }) => [node, purpose, args['destinations'], args['count']]),
    [
      ['r1', { kind: 'reach', round: 'first' }, ['198.19.3.1', 'fd00:c:3::1'], 5],
      ['r3', { kind: 'reach', round: 'first' }, ['198.19.1.1', 'fd00:c:1::1'], 5],
    ],
  );
  const short: States = new Map([...STATES].filter(([node]) => node !== 'r3'));
  assert.deepEqual(
    planPathReach(scopeOf(short)).map(({ node }) => node),
    ['r2'],
    'r2 has no hosts',
  );
  const silent: States = new Map([...STATES].filter(([node]) => node !== 'r1'));
  assert.deepEqual(planPathReach(scopeOf(silent, { nodes: ['r1', 'r2', 'r3'] })), []);
});

test('what lost some is probed again, with many more', () => {
  const reaches = [{ from: 'r1', destination: '198.19.3.1' }];
  const doubts = { reaches } as unknown as Parameters<NonNullable<typeof pathReach.rounds.confirmation>>[1];
  assert.deepEqual(
    pathReach.rounds
      .confirmation?.(scopeOf(STATES), doubts)
      .map(({ node, arguments: args }) => [node, args['destinations'], args['count']]),
    [['r1', ['198.19.3.1'], 100]],
  );
});
