// What a definition claims of its tool (AX-14), and what is made of it (AX-10).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf, raisedClass, timeoutMsOf } from '#aggregate/names/capability.ts';
import type { JsonObject } from '#base/json.ts';

const safetyOf = (annotations: JsonObject, capability?: JsonObject) =>
  claimsOf({
    name: 'x',
    annotations,
    ...(capability === undefined ? {} : { _meta: { 'x-mcpax-capability': capability } }),
  }).safety;

test('the most careful of all that a tool says of itself counts [AX-14] [AX-16]', () => {
  assert.equal(safetyOf({}), 'unsaid');
  assert.equal(safetyOf({ readOnlyHint: true }), 'read');
  assert.equal(safetyOf({ readOnlyHint: false }), 'irreversible_mutable');
  assert.equal(safetyOf({ destructiveHint: false }), 'mutable');
  assert.equal(safetyOf({ destructiveHint: true }), 'irreversible_mutable');
  assert.equal(safetyOf({}, { mutable: false }), 'read');
  assert.equal(safetyOf({}, { mutable: true, reversible: true }), 'mutable');
  assert.equal(safetyOf({}, { mutable: true, reversible: false }), 'irreversible_mutable');
  assert.equal(safetyOf({ readOnlyHint: true }, { mutable: true, reversible: false }), 'irreversible_mutable');
  assert.equal(safetyOf({ destructiveHint: true }, { mutable: false }), 'irreversible_mutable');
});

test('a latency class is raised by a slow path and never lowered [AX-14]', () => {
  assert.equal(raisedClass('realtime', 1), 'realtime');
  assert.equal(raisedClass('realtime', 300), 'fast');
  assert.equal(raisedClass('fast', 3_000), 'standard');
  assert.equal(raisedClass('slow', 1), 'slow');
  assert.equal(raisedClass('standard', 100_000), 'batch');
});

test('each latency class has its timeout, and batch none [AX-10]', () => {
  assert.deepEqual((['realtime', 'fast', 'standard', 'slow', 'batch'] as const).map(timeoutMsOf), [
    500,
    5_000,
    30_000,
    120_000,
    undefined,
  ]);
});

test('a claim of another type than expected counts as none [AX-14]', () => {
  const odd = claimsOf({ name: 'x', annotations: [], _meta: { 'x-mcpax-capability': 'all', 'x-mcpax-hops': -3 } });
  assert.deepEqual(odd, { latencyClass: 'standard', safety: 'unsaid', cost: 1, hops: 0 });
});
