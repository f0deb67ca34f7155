// `npm run conformance`: the official MCP conformance suites, the released one and the coming one with what the revisions 2025-11-25 and 2026-07-28
// require: of our server with the suite's fixtures, of a real agent without them, and of our own clients. Prints a line for each scenario and the
// suite's report for each that fails; ends with 1 when one does. `--json` prints one JSON object; `--clients` calls a real agent with published
// clients instead (docs/clients.md), with `--only=TEXT` the rows that have this text.
import { runClients } from './conformance/clients.ts';
import { runFixtureServer, runRealAgent } from './conformance/servers.ts';
import type { ScenarioResult } from './conformance/suite.ts';

const json = process.argv.includes('--json');
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
if (process.argv.includes('--clients'))
  await (await import('./clients/matrix.ts')).main({ json, ...(only === undefined ? {} : { only }) });
else await main();

async function main(): Promise<void> {
  const each = ({ subject, scenario, revision, passed, report }: ScenarioResult) => {
    if (!json)
      console.log(
        `${passed ? 'pass' : 'FAIL'}  ${subject}  ${revision ?? 'released suite'}  ${scenario}${passed ? '' : `\n${report}`}`,
      );
  };
  const servers = [...(await runFixtureServer(each)), ...(await runRealAgent(each))];
  const { results: clients, others: notApplicable } = await runClients(each);
  const results = [...servers, ...clients];
  const passed = results.filter((result) => result.passed).length;
  const scenarios = results.map(({ report: _, ...result }) => result);
  if (json) console.log(JSON.stringify({ schemaVersion: 1, passed, scenarios, notApplicable }));
  else {
    const reasons = [...new Set(notApplicable.map(({ reason }) => reason))];
    console.log(`${passed} of ${results.length} scenarios pass`);
    console.log(`${notApplicable.length} scenarios do not apply: ${reasons.join('; ')}`);
  }
  process.exitCode = passed === results.length && results.length > 0 ? 0 : 1;
}
