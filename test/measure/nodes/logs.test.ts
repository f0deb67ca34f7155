// Logs of the ends of routing symptoms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEASURE_LIMITS } from '#measure/limits.ts';
import { logs, planLogs } from '#measure/nodes/logs.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const STATES = new Map([1, 2, 3].map((number) => [`r${number}`, stateOf(number as 1 | 2 | 3)] as const));

test('the ends of a symptom are asked once each, and nodes without a state not at all', () => {
  assert.deepEqual(
    planLogs(STATES, ['r2', 'r1', 'r2', 'r9']).map(({ id, arguments: args }) => [id, args]),
    [
      ['deepen/r2/log', { parts: 'log' }],
      ['deepen/r1/log', { parts: 'log' }],
    ],
  );
});

test('no more logs are read than the limit says, those of the first symptom first', () => {
  const names = Array.from({ length: MEASURE_LIMITS.logReads + 3 }, (_, index) => `n${index}`);
  const many = new Map(names.map((name) => [name, stateOf(1)] as const));
  const asked = planLogs(many, names).map(({ node }) => node);
  assert.deepEqual(asked, names.slice(0, MEASURE_LIMITS.logReads));
});

test('an answer is read against the closed list of events', () => {
  const event = { kind: 'isis-area', about: 'eth1', count: 2, lastAgoMs: 100 };
  assert.deepEqual(logs.read({ logSigns: [event, { ...event, kind: 'rm -rf' }] }), [event]);
});
