// Calls start in turn, caller by caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from '#mcp/catalog/turns.ts';
import { NODE, OPERATOR, OTHER_NODE } from '../harness.ts';

test('callers start in rotation, each caller in its own order', async () => {
  const turn = createTurns();
  const started: string[] = [];
  const ask = async (caller: typeof NODE, label: string) => {
    await turn(caller);
    started.push(label);
  };
  const calls = ['a1', 'a2', 'a3', 'a4'].map((label) => ask(NODE, label));
  calls.push(ask(OTHER_NODE, 'b1'), ask(OTHER_NODE, 'b2'), ask(OPERATOR, 'c1'));
  await Promise.all(calls);
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('sessions of one caller share its turn', async () => {
  const turn = createTurns();
  const started: string[] = [];
  const ask = async (caller: typeof NODE, label: string) => {
    await turn(caller);
    started.push(label);
  };
  const otherSession = { ...NODE, thumbprint: 'cc'.repeat(32) };
  await Promise.all([ask(NODE, 'a1'), ask(otherSession, 'a2'), ask(OTHER_NODE, 'b1')]);
  assert.deepEqual(started, ['a1', 'b1', 'a2']);
});

test('a call starts when none waits, also after a pause', async () => {
  const turn = createTurns();
  await turn(NODE);
  await turn(NODE);
  await Promise.all([turn(OTHER_NODE), turn(NODE)]);
});
