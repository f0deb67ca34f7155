// The official MCP conformance suites. Our server with the suite's fixtures: nothing is skipped, every server scenario that the released suite lists
// is run, and every one that the coming suite requires for the revisions 2025-11-25 and 2026-07-28. A real agent: what needs no fixture. Our own
// clients: the newest revision, and of the older ones what our own code decides; `npm run conformance` runs the others too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientScenarios, runClientScenario } from '../../scripts/conformance/clients.ts';
import { runFixtureServer, runRealAgent } from '../../scripts/conformance/servers.ts';
import { REVISIONS, type ScenarioResult } from '../../scripts/conformance/suite.ts';

const failed = (results: readonly ScenarioResult[]) =>
  results.filter(({ passed }) => !passed).map(({ scenario, revision, report }) => `${revision} ${scenario}: ${report}`);

/** How many scenarios of the released suite, of 2025-11-25 and of 2026-07-28. */
const counts = (results: readonly ScenarioResult[]) =>
  [undefined, '2025-11-25', '2026-07-28'].map((each) => results.filter(({ revision }) => revision === each).length);

test('all server scenarios of the official conformance suites pass, of both revisions [NET-19] [CARD-1]', {
  timeout: 600_000,
}, async () => {
  const results = await runFixtureServer();
  assert.deepEqual(failed(results), []);
  assert.deepEqual(counts(results), [32, 33, 39]);
});

test('a real agent passes the server scenarios that need no fixture, of both revisions [NET-19]', {
  timeout: 600_000,
}, async () => {
  const results = await runRealAgent(() => {}, REVISIONS);
  assert.deepEqual(failed(results), []);
  assert.deepEqual(counts(results), [0, 10, 11]);
});

test('our own clients pass the client scenarios: an aggregator and `parley mcp` before it [AX-1]', {
  timeout: 600_000,
}, async () => {
  const { applying, others } = await clientScenarios('2026-07-28');
  assert.deepEqual([applying.length, others.length], [8, 25]);
  assert.ok(
    others.every(({ scenario }) => scenario.startsWith('auth/')),
    'only OAuth does not apply',
  );
  const results = [await runClientScenario('initialize'), await runClientScenario('sse-retry', '2025-11-25')];
  for (const scenario of applying) results.push(await runClientScenario(scenario, '2026-07-28'));
  assert.deepEqual(failed(results), []);
});
