// Sessions over HTTP by party: which of them goes when there are too many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '#base/random.ts';
import { createSessionTable } from '#mcp/http/session-table.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import { NODE, OPERATOR } from '../harness.ts';

const MOST = MCP_LIMITS.httpSessionsPerParty;

function tableOf() {
  const gone: string[] = [];
  const table = createSessionTable<{ readonly name: string; readonly live: boolean }>(
    systemRandom,
    ({ name }) => gone.push(name),
    ({ live }) => live,
  );
  const add = (name: string, live = false, party = OPERATOR) => table.add(party, () => ({ name, live }))!.id;
  return { table, gone, add };
}

test('idle sessions of a party never push out the one that its client listens to [NET-20]', () => {
  const { gone, add, table } = tableOf();
  const listener = add('listener', true);
  for (let count = 0; count < MOST + 4; count++) add(`idle-${count}`);
  assert.deepEqual(gone, ['idle-0', 'idle-1', 'idle-2', 'idle-3', 'idle-4']);
  assert.equal((table.find(listener, OPERATOR) as { name: string }).name, 'listener');
});

test('where all of a party are listened to, the least recently used goes, and no other party’s [NET-20]', () => {
  const { gone, add, table } = tableOf();
  add('other', false, NODE);
  const first = add('first', true);
  for (let count = 1; count < MOST; count++) add(`live-${count}`, true);
  table.find(first, OPERATOR);
  add('one more', true);
  assert.deepEqual(gone, ['live-1']);
});
