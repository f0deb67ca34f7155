// The public API: exactly these names, and they are what they say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as parley from '../src/index.ts';

test('exports exactly the names that were promised', () => {
  assert.deepEqual(Object.keys(parley).sort(), [
    'ParleyError',
    'createAgent',
    'createLog',
    'diagnose',
    'loadConfig',
    'parseIntent',
    'verifyChain',
    'verifySealedReport',
  ]);
  for (const exported of Object.values(parley)) assert.equal(typeof exported, 'function');
});

test('a program can read an intent with it', () => {
  const parsed = parley.parseIntent('check loss between PE-1 and PE-3 via P-2');
  assert.deepEqual(parsed.ok && parsed.intent.path.map((node) => node.as), ['PE-1', 'P-2', 'PE-3']);
});
