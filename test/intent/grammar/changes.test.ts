// What changed: the sentences, and the spans of time that they name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';

function read(text: string): string {
  const parsed = parseIntent(text);
  if (!parsed.ok) return `refused: ${parsed.understood}`;
  const { kind, path, sinceMs, sinceClock, beforeFault } = parsed.intent;
  const span = sinceClock ?? (sinceMs === undefined ? 'no time' : `${sinceMs / 60_000} min`);
  return [kind, span, ...path.map(({ as }) => as), ...(beforeFault === true ? ['before the fault'] : [])].join(', ');
}

const SENTENCES: readonly (readonly [string, string])[] = [
  ['what changed in the last hour?', 'changes, 60 min'],
  ['What changed?', 'changes, 1440 min'],
  ['what has changed in the last 10 minutes?', 'changes, 10 min'],
  ["What's changed since 14:00?", 'changes, 14:00'],
  ['what changed since 2 pm', 'changes, 14:00'],
  ['what changed since 12 am', 'changes, 00:00'],
  ['what changed today', 'changes, 00:00'],
  ['what was changed today on leaf1?', 'changes, 00:00, leaf1'],
  ['what changed on leaf1 since 9:05?', 'changes, 09:05, leaf1'],
  ['what changed on PE-1 an hour ago', 'changes, 60 min, PE-1'],
  ['what changed in the last two days', 'changes, 2880 min'],
  ['which settings were changed on r1 in the past week?', 'changes, 10080 min, r1'],
  ['did anything change in the last 30 minutes?', 'changes, 30 min'],
  ['show me the changes of the last hour', 'changes, 60 min'],
  ['recent configuration changes on r2', 'changes, 1440 min, r2'],
  ['who changed something in the last hour?', 'changes, 60 min'],
  ['what changed before the fault?', 'fault, no time, before the fault'],
  ['what changed on leaf1 just before the outage?', 'fault, no time, leaf1, before the fault'],
  ['{ kind: changes, nodes: [PE-1], since: 2h }', 'changes, 120 min, PE-1'],
  ['{ kind: changes }', 'changes, 1440 min'],
];

for (const [text, wanted] of SENTENCES) test(`reads "${text}" [TS-7a]`, () => assert.equal(read(text), wanted));

test('a time that is none of these is refused, and so is a time of day that does not exist', () => {
  assert.match(read('what changed yesterday?'), /^refused: what changed; "yesterday" is no time that is known: say/);
  assert.match(read('what changed between 10:00 and 11:00?'), /^refused: /);
  assert.match(read('{ kind: changes, service: dns }'), /unknown member service/);
});

test('sentences about other things stay what they were', () => {
  assert.equal(read('What is wrong with r1?'), 'fault, no time, r1');
  assert.equal(read('why did the state of BGP neighbor 192.0.2.1 on r1 change?').split(',')[0], 'neighbour-down');
});
