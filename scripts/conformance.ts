// `npm run conformance`: the official MCP conformance suite against our own server. Prints a line for each scenario and the suite's
// own report for each that fails; ends with 1 when one does. `--json` prints one JSON object.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { startFixtureServer } from '../test/conformance/server.ts';
import { ROOT } from './source-files.ts';

export type ScenarioResult = { readonly scenario: string; readonly passed: boolean; readonly report: string };

const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

type Ended = { readonly exitCode: number; readonly output: string };

function suite(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [SUITE, ...args],
      { cwd: '/tmp', timeout: 60_000, maxBuffer: 16_777_216 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exitCode: code, output: `${stdout}${stderr}` });
      },
    );
  });
}

/** Names of all server scenarios that this version of the suite has. */
export async function serverScenarios(): Promise<readonly string[]> {
  const { output } = await suite(['list', '--server']);
  return [...output.matchAll(/^\s+- (\S+) \[/gm)].map((line) => line[1]!);
}

export async function runConformance(
  each: (result: ScenarioResult) => void = () => {},
): Promise<readonly ScenarioResult[]> {
  const server = await startFixtureServer();
  try {
    const results: ScenarioResult[] = [];
    for (const scenario of await serverScenarios()) {
      const { exitCode, output } = await suite(['server', '--url', server.url, '--scenario', scenario]);
      const result = { scenario, passed: exitCode === 0, report: output.slice(-4_000) };
      results.push(result);
      each(result);
    }
    return results;
  } finally {
    await server.close();
  }
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  const results = await runConformance(({ scenario, passed, report }) => {
    if (!json) console.log(`${passed ? 'pass' : 'FAIL'}  ${scenario}${passed ? '' : `\n${report}`}`);
  });
  const passed = results.filter((result) => result.passed).length;
  if (json)
    console.log(
      JSON.stringify({
        schemaVersion: 1,
        passed,
        scenarios: results.map(({ scenario, passed: ok }) => ({ scenario, passed: ok })),
      }),
    );
  else console.log(`${passed} of ${results.length} server scenarios pass`);
  process.exitCode = passed === results.length && results.length > 0 ? 0 : 1;
}
