// The official MCP conformance suite against the loopback endpoint of a test build of our server. Nothing is skipped: every server
// scenario that this version of the suite lists is run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runConformance } from '../../scripts/conformance.ts';

test('all server scenarios of the official conformance suite pass [NET-19] [CARD-1]', {
  timeout: 300_000,
}, async () => {
  const results = await runConformance();
  assert.deepEqual(
    results.filter(({ passed }) => !passed).map(({ scenario, report }) => `${scenario}: ${report}`),
    [],
  );
  assert.equal(results.length, 32);
});
