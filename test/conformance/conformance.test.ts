// The official MCP conformance suites against the loopback endpoint of a test build of our server. Nothing is skipped: every server scenario
// that the released suite lists is run, and every one that the coming suite requires for the revisions 2025-11-25 and 2026-07-28.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runConformance } from '../../scripts/conformance.ts';

test('all server scenarios of the official conformance suites pass, of both revisions [NET-19] [CARD-1]', {
  timeout: 600_000,
}, async () => {
  const results = await runConformance();
  assert.deepEqual(
    results.filter(({ passed }) => !passed).map(({ scenario, report }) => `${scenario}: ${report}`),
    [],
  );
  const count = (revision?: string) => results.filter((result) => result.revision === revision).length;
  assert.deepEqual([count(), count('2025-11-25'), count('2026-07-28')], [32, 30, 37]);
});
