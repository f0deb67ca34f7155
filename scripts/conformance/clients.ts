// The suites' client scenarios: each starts a server of its own and then the program test/conformance/client.ts, whose address it is given.
import { join } from 'node:path';
import { ROOT } from '../source-files.ts';
import { REVISIONS, type Revision, runScenario, type ScenarioResult, scenariosOf } from './suite.ts';

/** Why a scenario is none for our clients. */
export type NotApplicable = { readonly scenario: string; readonly revision?: Revision; readonly reason: string };

const COMMAND = [process.execPath, '--conditions=parley-source', join(ROOT, 'test/conformance/client.ts')].join(' ');

/** Three processes start for one scenario. */
const CLIENT_MS = '120000';

const OAUTH =
  'a user signs in at an authorization server that is found on the way: our clients have no user and no browser (docs/decisions/0080-a-token-for-one-server.md)';

/** Scenarios that the coming suite has for a revision, and counts for none: they came after its release. */
const LATER: readonly string[] = ['json-schema-2020-12-preservation'];

/** What applies to our clients of one suite, and what does not. */
export async function clientScenarios(
  revision?: Revision,
): Promise<{ readonly applying: readonly string[]; readonly others: readonly NotApplicable[] }> {
  const all = [...(await scenariosOf('client', revision)), ...(revision === undefined ? [] : LATER)];
  const isOAuth = (scenario: string) => scenario.startsWith('auth/');
  const at = revision === undefined ? {} : { revision };
  return {
    applying: all.filter((scenario) => !isOAuth(scenario)),
    others: all.filter(isOAuth).map((scenario) => ({ scenario, ...at, reason: OAUTH })),
  };
}

export const runClientScenario = (scenario: string, revision?: Revision): Promise<ScenarioResult> =>
  runScenario('clients', scenario, revision, ['client', '--command', COMMAND, '--timeout', CLIENT_MS]);

export async function runClients(
  each: (result: ScenarioResult) => void = () => {},
): Promise<{ readonly results: readonly ScenarioResult[]; readonly others: readonly NotApplicable[] }> {
  const results: ScenarioResult[] = [];
  const others: NotApplicable[] = [];
  for (const revision of [undefined, ...REVISIONS]) {
    const found = await clientScenarios(revision);
    others.push(...found.others);
    for (const scenario of found.applying) {
      const result = await runClientScenario(scenario, revision);
      results.push(result);
      each(result);
    }
  }
  return { results, others };
}
