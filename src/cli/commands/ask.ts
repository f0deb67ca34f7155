// `parley ask`: puts an intent to an agent (CARD-7), shows progress, prints the hypothesis and the report's id.
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Report, SealedReport } from '#model/report.ts';
import { printAnswer } from '../report/answer-lines.ts';
import { type Answer, ask } from '../report/ask-agent.ts';
import { depthOf, printExplanation } from '../report/explain.ts';
import { fetchReport, saveReport } from '../report/fetch-report.ts';
import type { RawEvidence } from '../report/raw-evidence.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT, exitCodeOfVerdict } from '../terminal/exit-codes.ts';
import { createOutput, entry, type Output } from '../terminal/output.ts';
import { paged } from '../terminal/pager.ts';
import { usage } from '../terminal/usage.ts';

type AskOptions = AgentOptions & {
  readonly explain?: boolean | string;
  readonly save?: string;
  readonly progress?: boolean;
};

/** Exit code: 0 healthy or answered, 1 findings, 3 inconclusive. */
export async function askCommand(options: AskOptions, words: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false, options.progress);
  const intent = words.join(' ').trim();
  if (intent === '') throw usage('a question such as "What is wrong?"', 'none');
  return withClient(options, async (client) => {
    const answer = await ask(client, intent, output, LIMITS.investigationMs);
    const file = answer.notStored === undefined ? options.save : undefined;
    if (file !== undefined) await saveReport(client, answer.uri, file).catch(rethrowLocal);
    output.result({ ...answer, ...(file === undefined ? {} : { file }) });
    const depth = depthOf(options.explain);
    const raw = depth === undefined ? undefined : await rawEvidenceOf(client, answer);
    await paged(output, async (lines) => {
      printAll(answer, file, depth !== undefined, lines);
      if (depth !== undefined) printExplanation(answer, lines, { raw, depth });
    });
    // A missing --report file must not go unnoticed: it ends the command with an error.
    return file === options.save ? exitCodeOfVerdict(answer.verdict.kind) : EXIT.incomplete;
  });
}

/** The signed evidence of the findings; nothing if the agent did not keep the report. */
async function rawEvidenceOf(client: OperatorClient, answer: Answer): Promise<RawEvidence | undefined> {
  if (answer.notStored !== undefined || answer.findings.length === 0) return undefined;
  const sealed = JSON.parse(await fetchReport(client, answer.uri).catch(rethrowLocal)) as SealedReport;
  return JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8')) as Report;
}

function rethrowLocal(error: unknown): never {
  throw asLocalError(error);
}

function printAll(answer: Answer, file: string | undefined, whole: boolean, output: Output): void {
  printAnswer(answer, whole, output);
  entry(output, 'report', answer.notStored === undefined ? answer.id : `not stored, ${answer.notStored}`);
  if (answer.storeFull !== undefined) entry(output, '', answer.storeFull);
  if (file !== undefined) entry(output, 'file', file);
  entry(output, 'cost', costWords(answer));
  const isPerson = output.terminal?.isTty === true && !whole && answer.notStored === undefined;
  const next = isPerson ? nextCommands(answer) : undefined;
  if (next !== undefined) entry(output, 'more', next);
}

export function costWords({ cost, timings }: Pick<Answer, 'cost' | 'timings'>): string {
  const { calls, probePackets, probeBytes } = cost;
  const { totalMs, probingMs } = timings;
  const probes =
    probePackets === 0 ? 'no probes' : `${probePackets} probe packets, ${Math.round(probeBytes / 1_000)} kB`;
  return `${seconds(totalMs)} s, of which probing ${seconds(probingMs)} s; ${calls} call${calls === 1 ? '' : 's'}, ${probes}`;
}

/** For a person: what may be asked of this answer next. */
export function nextCommands({ findings, verdict }: Pick<Answer, 'findings' | 'verdict'>): string | undefined {
  if (verdict.kind === 'answered') return undefined;
  const why = '"parley report show --explain" for the evidence';
  return findings.some(({ remedy }) => remedy !== undefined) ? `"parley remedy"; ${why}` : why;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
