// What changed: the sentences, and the times that they name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';

function read(text: string): string {
  const parsed = parseIntent(text);
  if (!parsed.ok) return `refused: ${parsed.understood}`;
  const { kind, path, sinceMs, when, beforeFault } = parsed.intent;
  const span = when ?? (sinceMs === undefined ? 'no time' : `${sinceMs / 60_000} min`);
  return [kind, span, ...path.map(({ as }) => as), ...(beforeFault === true ? ['before the fault'] : [])].join(', ');
}

const SENTENCES: readonly (readonly [string, string])[] = [
  ['what changed in the last hour?', 'changes, 1h'],
  ['What changed?', 'changes, 1440 min'],
  ["What's changed since 14:00?", 'changes, since-14:00'],
  ['what changed since 2 pm', 'changes, since-14:00'],
  ['what changed today', 'changes, today'],
  ['what changed yesterday?', 'changes, yesterday'],
  ['what changed between 10:00 and 11:00?', 'changes, between-10:00-11:00'],
  ['what was changed today on leaf1?', 'changes, today, leaf1'],
  ['what changed on PE-1 an hour ago', 'changes, 1h, PE-1'],
  ['which settings were changed on r1 in the past week?', 'changes, 7d, r1'],
  ['did anything change in the last 30 minutes?', 'changes, 30m'],
  ['show me the changes of the last hour', 'changes, 1h'],
  ['recent configuration changes on r2', 'changes, 1440 min, r2'],
  ['who changed something in the last hour?', 'changes, 1h'],
  ['what changed before the fault?', 'fault, no time, before the fault'],
  ['what changed on leaf1 just before the outage?', 'fault, no time, leaf1, before the fault'],
  ['{ kind: changes, nodes: [PE-1], since: 2h }', 'changes, 120 min, PE-1'],
  ['{ kind: changes }', 'changes, 1440 min'],
];

for (const [text, wanted] of SENTENCES) test(`reads "${text}" [TS-7a]`, () => assert.equal(read(text), wanted));

test('a member that changes have not is refused', () =>
  assert.match(read('{ kind: changes, service: dns }'), /unknown member service/));

test('what changes cannot be told by is named as not used', () => {
  const parsed = parseIntent('who changed eth1 of PE-1 yesterday');
  assert.deepEqual(parsed.ok && [parsed.intent.kind, parsed.intent.notUsed, parsed.intent.ifname], [
    'changes',
    ['eth1'],
    undefined,
  ]);
});
