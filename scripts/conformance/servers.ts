// The suites' server scenarios: all of them against a test build with the fixtures that they call by name, and those that need no fixture against a
// real agent.
import { startRealAgent } from '../../test/conformance/agent.ts';
import { startFixtureServer, type TestedServer } from '../../test/conformance/server.ts';
import {
  REVISIONS,
  type Revision,
  resultOf,
  runScenario,
  runSuite,
  type ScenarioResult,
  scenariosOf,
} from './suite.ts';

type Each = (result: ScenarioResult) => void;

/** Scenarios that the coming suite has for a revision, and counts for none: they came after its release, or are not finished. */
const LATER: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['server-session-lifecycle', 'server-sse-polling', 'json-schema-2020-12'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation'],
};

/** `start`: another server than our own fixture, closed at the end; `revisions`: those of the coming suite that it is held to. */
export async function runFixtureServer(
  each: Each = () => {},
  start: () => Promise<TestedServer> = startFixtureServer,
  revisions: readonly Revision[] = REVISIONS,
): Promise<readonly ScenarioResult[]> {
  const server = await start();
  const results: ScenarioResult[] = [];
  const add = (result: ScenarioResult) => {
    results.push(result);
    each(result);
  };
  const at = ['server', '--url', server.url];
  try {
    for (const scenario of await scenariosOf('server'))
      add(await runScenario('fixture server', scenario, undefined, at));
    for (const revision of revisions) {
      const { output } = await runSuite(revision, [...at, '--requirements', revision]);
      for (const scenario of await scenariosOf('server', revision)) add(resultIn(output, scenario, revision));
      for (const scenario of LATER[revision]) add(await runScenario('fixture server', scenario, revision, at));
    }
    return results;
  } finally {
    await server.close();
  }
}

/** Of the summary's line, such as `✓ tools-list: 4 passed, 0 failed`. */
function resultIn(output: string, scenario: string, revision: Revision): ScenarioResult {
  const line = output.split('\n').find((one) => one.includes(` ${scenario}: `) && / passed, \d+ failed/.test(one));
  const passed = line !== undefined && / [1-9]\d* passed, 0 failed/.test(line);
  const report = passed ? '' : (line ?? output.slice(-4_000));
  return { ...resultOf('fixture server', scenario, revision), passed, report };
}

/** Checks of `server-stateless` that call a tool of the suite's own. */
const NEED_A_FIXTURE: ReadonlySet<string> = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
]);

/** Scenarios that call nothing by a name of the suite's own. */
const OF_SESSIONS = ['server-initialize', 'logging-set-level', 'ping'];
const OF_BOTH_ERAS = [
  'completion-complete',
  'tools-list',
  'server-sse-multiple-streams',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];
const WITHOUT_FIXTURES: readonly (readonly [Revision | undefined, readonly string[]])[] = [
  [undefined, [...OF_SESSIONS, ...OF_BOTH_ERAS]],
  ['2025-11-25', [...OF_SESSIONS, ...OF_BOTH_ERAS, 'server-session-lifecycle']],
  [
    '2026-07-28',
    [
      ...OF_BOTH_ERAS,
      'server-stateless',
      'caching',
      'sep-2164-resource-not-found',
      'http-header-validation',
      'input-required-result-unsupported-methods',
    ],
  ],
];

/** `suites`: the released one is `undefined`, the coming one goes by revision. */
export async function runRealAgent(
  each: Each = () => {},
  suites: readonly (Revision | undefined)[] = [undefined, ...REVISIONS],
): Promise<readonly ScenarioResult[]> {
  const agent = await startRealAgent();
  const results: ScenarioResult[] = [];
  try {
    for (const [revision, scenarios] of WITHOUT_FIXTURES.filter(([suite]) => suites.includes(suite))) {
      for (const scenario of scenarios) {
        const result = await runScenario('agent', scenario, revision, ['server', '--url', agent.url], NEED_A_FIXTURE);
        results.push(result);
        each(result);
      }
    }
    return results;
  } finally {
    await agent.close();
  }
}
