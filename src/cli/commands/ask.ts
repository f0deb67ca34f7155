// `parley ask`: puts an intent to an agent (CARD-7), shows progress, prints the hypothesis and the report's id.
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Silenced } from '#model/expectations.ts';
import type { Finding, Remark, SegmentLoss, ToldChanges, ToldTable, Verdict } from '#model/finding.ts';
import type { Report, SealedReport } from '#model/report.ts';
import { printAnswer, type Understood } from '../report/answer-lines.ts';
import { type Explained, printExplanation } from '../report/explain.ts';
import { fetchReport, saveReport } from '../report/fetch-report.ts';
import type { RawEvidence } from '../report/raw-evidence.ts';
import { type AgentOptions, asLocalError, withClient } from '../terminal/connect.ts';
import { EXIT, exitCodeOfVerdict } from '../terminal/exit-codes.ts';
import { createOutput, type Output } from '../terminal/output.ts';
import { usage } from '../terminal/usage.ts';

type AskOptions = AgentOptions & {
  readonly explain?: boolean;
  readonly save?: string;
  readonly progress?: boolean;
};

type Answer = {
  readonly id: string;
  readonly uri: string;
  /** Why the agent did not keep the report, if it did not. */
  readonly notStored?: string;
  /** What the agent's store lost to keep the report. */
  readonly storeFull?: string;
  readonly intent: Understood;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly hypothesis: string;
  readonly findings: readonly Finding[];
  readonly remarks?: readonly Remark[];
  readonly changes?: ToldChanges;
  readonly table?: ToldTable;
  readonly silenced?: readonly Silenced[];
  readonly segments: readonly SegmentLoss[];
  readonly links?: Explained['links'];
  readonly candidates: Explained['candidates'];
  readonly outcomes: Explained['outcomes'];
  /** What the question put on the network: calls to agents, and probes as they were asked for, headers included. */
  readonly cost: { readonly calls: number; readonly probePackets: number; readonly probeBytes: number };
  readonly timings: { readonly totalMs: number; readonly probingMs: number; readonly restMs: number };
};

/** Exit code: 0 healthy or answered, 1 findings, 3 inconclusive. */
export async function askCommand(options: AskOptions, words: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false, options.progress);
  const intent = words.join(' ').trim();
  if (intent === '') throw usage('a question such as "What is wrong?"', 'none');
  return withClient(options, async (client) => {
    const answer = await ask(client, intent, output);
    const file = answer.notStored === undefined ? options.save : undefined;
    if (file !== undefined) await saveReport(client, answer.uri, file).catch(rethrowLocal);
    output.result({ ...answer, ...(file === undefined ? {} : { file }) });
    printAll(answer, file, options.explain === true, output);
    if (options.explain === true) printExplanation(answer, output, await rawEvidenceOf(client, answer));
    // A missing --report file must not go unnoticed: it ends the command with an error.
    return file === options.save ? exitCodeOfVerdict(answer.verdict.kind) : EXIT.incomplete;
  });
}

async function ask(client: OperatorClient, intent: string, output: Output): Promise<Answer> {
  try {
    const answer = await client.callTool(
      'parley-ask',
      { intent },
      {
        timeoutMs: LIMITS.investigationMs + LIMITS.callMs,
        onProgress: (progress) => output.progress(`· ${progress.message}`),
      },
    );
    return answer as unknown as Answer;
  } catch (error) {
    throw asLocalError(error);
  }
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
  output.line();
  printAnswer(answer, whole, output);
  output.line(`report      ${answer.notStored === undefined ? answer.uri : `not stored, ${answer.notStored}`}`);
  if (answer.storeFull !== undefined) output.line(`            ${answer.storeFull}`);
  if (file !== undefined) output.line(`file        ${file}`);
  output.line(`time        ${answer.timings.totalMs} ms, of which probing ${answer.timings.probingMs} ms`);
  const { calls, probePackets, probeBytes } = answer.cost;
  output.line(
    `cost        ${calls} calls, ${probePackets} probe packets of ${Math.round(probeBytes / 1_000)} kB in all`,
  );
}
