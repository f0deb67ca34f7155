// `npm run conformance`: the official MCP conformance suites against our own server: the released one, and the coming one with what the
// revisions 2025-11-25 and 2026-07-28 require. Prints a line for each scenario and the suite's own report for each that fails; ends with 1
// when one does. `--json` prints one JSON object; `--clients` calls a real agent with published clients instead (docs/clients.md).
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type FixtureServer, startFixtureServer } from '../test/conformance/server.ts';
import { ROOT } from './source-files.ts';

export type ScenarioResult = {
  readonly scenario: string;
  /** Requirement set of the coming suite; absent for the released one. */
  readonly revision?: Revision;
  readonly passed: boolean;
  readonly report: string;
};

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const NEXT_SUITE = join(ROOT, 'node_modules/conformance-next/dist/index.js');
/** Of one run of the coming suite, with all its scenarios. */
const SUITE_MS = 300_000;

type Ended = { readonly exitCode: number; readonly output: string };

function suite(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      {
        cwd: '/tmp',
        timeout: SUITE_MS,
        maxBuffer: 67_108_864,
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exitCode: code, output: `${stdout}${stderr}` });
      },
    );
  });
}

/** Names of all server scenarios that the released suite has. */
export async function serverScenarios(): Promise<readonly string[]> {
  const { output } = await suite(SUITE, ['list', '--server']);
  return [...output.matchAll(/^\s+- (\S+) \[/gm)].map((line) => line[1]!);
}

/** Names of the server scenarios that a revision requires, as frozen with it. */
export async function requiredScenarios(revision: Revision): Promise<readonly string[]> {
  const { output } = await suite(NEXT_SUITE, ['list', '--server', '--requirements', revision]);
  const required = output
    .slice(output.indexOf('Server scenarios'))
    .split(/^(?:Client scenarios|Run and reported)/m)[0]!;
  return [...required.matchAll(/^\s+- (\S+)$/gm)].map((line) => line[1]!);
}

/** `start`: another server than our own fixture, closed at the end; `revisions`: those of the coming suite that it is held to. */
export async function runConformance(
  each: (result: ScenarioResult) => void = () => {},
  start: () => Promise<FixtureServer> = startFixtureServer,
  revisions: readonly Revision[] = REVISIONS,
): Promise<readonly ScenarioResult[]> {
  const server = await start();
  const results: ScenarioResult[] = [];
  const add = (result: ScenarioResult) => {
    results.push(result);
    each(result);
  };
  try {
    for (const scenario of await serverScenarios()) {
      const { exitCode, output } = await suite(SUITE, ['server', '--url', server.url, '--scenario', scenario]);
      add({ scenario, passed: exitCode === 0, report: output.slice(-4_000) });
    }
    for (const revision of revisions) {
      const { output } = await suite(NEXT_SUITE, ['server', '--url', server.url, '--requirements', revision]);
      for (const scenario of await requiredScenarios(revision)) add(resultIn(output, scenario, revision));
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
  return { scenario, revision, passed, report: passed ? '' : (line ?? output.slice(-4_000)) };
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  if (process.argv.includes('--clients')) await (await import('./clients/matrix.ts')).main({ json });
  else await main(json);
}

async function main(json: boolean): Promise<void> {
  const results = await runConformance(({ scenario, revision = 'released suite', passed, report }) => {
    if (!json) console.log(`${passed ? 'pass' : 'FAIL'}  ${revision}  ${scenario}${passed ? '' : `\n${report}`}`);
  });
  const passed = results.filter((result) => result.passed).length;
  const scenarios = results.map(({ scenario, revision, passed: ok }) => ({
    scenario,
    ...(revision === undefined ? {} : { revision }),
    passed: ok,
  }));
  if (json) console.log(JSON.stringify({ schemaVersion: 1, passed, scenarios }));
  else console.log(`${passed} of ${results.length} server scenarios pass`);
  process.exitCode = passed === results.length && results.length > 0 ? 0 : 1;
}
