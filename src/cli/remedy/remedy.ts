// `parley remedy`: shows what the remedies of a report would change. --apply commits one on its node, asks the same question again, and
// confirms or rolls back (TS-19, TS-8, TS-9). Never applies a mere recommendation, or a change that cannot be undone. The commit belongs
// to this command's session: if the session ends in any way, the node undoes the change.
import { messageOf, ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Finding } from '#model/finding.ts';
import type { Report } from '#model/report.ts';
import { type Asked, findingId } from '#model/reports/remedy-judge.ts';
import { type AgentOptions, asLocalError, withClient, withNode } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput, entry, type Output } from '../terminal/output.ts';
import { applyRemedy, draw, NOTHING, type Outcome, type Target } from './remedy-apply.ts';
import { choose, readReport } from './remedy-report.ts';

export type RemedyOptions = AgentOptions & { readonly finding?: string; readonly apply?: boolean };

/** Exit code: 0 nothing left to do, 1 a change is proposed or was rolled back, 4 denied or waiting for approval. */
export async function remedyCommand(options: RemedyOptions, [id = 'last']: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false);
  const report = await withClient(options, (client) => readReport(client, id, options.identity)).catch(rethrow);
  const chosen = choose(report.findings, options.finding, options.apply === true);
  entry(output, 'report', `${report.id}: ${report.intent.text}`);
  if (chosen.length === 0) output.line('no findings, nothing to change');
  const outcomes: Outcome[] = [];
  let before: Asked = { verdict: report.verdict.kind, findings: report.findings };
  for (const finding of chosen) {
    output.line();
    entry(output, 'finding', findingId(finding), 'strong');
    const { outcome, after } = await remedyOf(options, report, finding, before, output);
    before = after ?? before;
    outcomes.push(outcome);
    entry(output, 'outcome', `${outcome.status}${outcome.reason === undefined ? '' : `: ${outcome.reason}`}`, 'strong');
    if (outcome.after !== undefined) entry(output, 'report', outcome.after);
  }
  output.result({ report: report.id, intent: report.intent.text, applied: options.apply === true, outcomes });
  return exitCodeOf(outcomes);
}

type Done = { readonly outcome: Outcome; readonly after?: Asked };

async function remedyOf(
  options: RemedyOptions,
  report: Report,
  finding: Finding,
  before: Asked,
  output: Output,
): Promise<Done> {
  const id = findingId(finding);
  const { remedy } = finding;
  if (remedy === undefined) return { outcome: { finding: id, status: 'none', reason: 'no remedy is known' } };
  const base = { finding: id, node: remedy.node, summary: remedy.summary };
  entry(output, 'remedy', `on ${remedy.node}: ${remedy.summary}`, 'strong');
  if (remedy.command !== undefined) entry(output, 'command', remedy.command);
  const { change } = remedy;
  if (change === undefined) {
    const reason = remedy.decide ?? 'a person must do it; Parley knows no change that it could make, and undo, itself';
    return { outcome: { ...base, status: 'recommended', reason } };
  }
  const target: Target = { id, node: remedy.node, change, report: report.uri, intent: report.intent.text };
  const outcome = await withNode(options, remedy.node, (client) =>
    options.apply === true
      ? applyRemedy({ client, ask: (args) => askAgain(options, args), output }, target, before)
      : dryRun(client, target, output),
  ).catch((error) => failed(asLocalError(error)));
  return {
    outcome: { ...base, ...outcome.outcome, finding: id },
    ...(outcome.after === undefined ? {} : { after: outcome.after }),
  };
}

/** Prepares the change on the node, shows how the running configuration would differ, and discards it. */
async function dryRun(client: OperatorClient, target: Target, output: Output): Promise<Done> {
  const { changes, consent, drop } = await draw(client, target, output);
  await drop();
  if (changes.length === 0) return { outcome: { finding: target.id, status: 'refused', reason: NOTHING } };
  entry(output, 'approval', consent ?? `as ${target.node} demands when it is applied: parley approve`);
  entry(output, '', 'dry run, nothing was changed: --apply makes the change, asks again, and confirms or rolls back');
  return {
    outcome: { finding: target.id, status: 'proposed', changes, ...(consent === undefined ? {} : { consent }) },
  };
}

function failed(error: unknown): Done {
  const code = error instanceof ParleyError ? error.code : 'us/unexpected';
  const data = error instanceof ParleyError ? error.data : {};
  const remedy = typeof data['remedy'] === 'string' ? `; ${data['remedy']}, then the same again` : '';
  const status = code === 'caller/no-consent' && remedy !== '' ? 'waits for approval' : 'refused';
  return { outcome: { finding: '', status, reason: `${messageOf(error)}${remedy}`, code } };
}

/** A separate session: the one that holds the change stays open. */
async function askAgain(options: RemedyOptions, args: JsonObject): Promise<JsonObject> {
  const timeoutMs = LIMITS.investigationMs + LIMITS.callMs;
  return withClient(options, (client) => client.callTool('parley-ask', args, { timeoutMs, onProgress: () => {} }));
}

const DENIED: ReadonlySet<string> = new Set(['caller/no-consent', 'caller/not-permitted', 'peer/refused']);

function exitCodeOf(outcomes: readonly Outcome[]): number {
  const codes = outcomes.flatMap(({ code }) => code ?? []);
  if (codes.some((code) => DENIED.has(code))) return EXIT.denied;
  return outcomes.every(({ status }) => status === 'confirmed') ? EXIT.ok : EXIT.findings;
}

function rethrow(error: unknown): never {
  throw asLocalError(error);
}
