// The short form of the request fuzzer; the long one is `node --expose-gc --conditions=parley-source test/fuzz/requests.ts 200000`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzRequests } from './requests.ts';

test('4,000 mutated requests: nothing crashes, hangs or rejects unseen, and a fifth reach a handler', async () => {
  const result = await fuzzRequests({ count: 4_000, seed: 7 });
  const { requests, unhandled, hung } = result;
  assert.deepEqual({ requests, unhandled, hung }, { requests: 4_000, unhandled: 0, hung: 0 });
  assert.ok(result.handled >= 800, `expected at least 800 handled, got ${result.handled}`);
});
