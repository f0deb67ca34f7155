// `parley ask`: injects an intent (CARD-7), shows progress, prints the hypothesis and where the report is.
import { writeFileDurably } from '#base/files.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/operator-client.ts';
import type { Finding, SegmentLoss, Verdict } from '#model/finding.ts';
import { type AgentOptions, asLocalError, withClient } from './connect.ts';
import { exitCodeOfVerdict } from './exit-codes.ts';
import { createOutput, type Output, table } from './output.ts';

type AskOptions = AgentOptions & { readonly save?: string; readonly progress?: boolean };

type Answer = {
  readonly id: string;
  readonly uri: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly hypothesis: string;
  readonly findings: readonly Finding[];
  readonly segments: readonly SegmentLoss[];
  readonly timings: { readonly totalMs: number; readonly probingMs: number; readonly restMs: number };
};

/** Exit code: 0 healthy, 1 findings, 3 inconclusive. */
export async function askCommand(options: AskOptions, words: readonly string[]): Promise<number> {
  const output = createOutput(options.json ?? false, options.progress);
  return withClient(options, async (client) => {
    const answer = await ask(client, words.join(' '), output);
    if (options.save !== undefined) await saveReport(client, answer.uri, options.save);
    output.result({ ...answer, ...(options.save === undefined ? {} : { file: options.save }) });
    printAnswer(answer, options.save, output);
    return exitCodeOfVerdict(answer.verdict.kind);
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

export async function saveReport(client: OperatorClient, uri: string, file: string): Promise<void> {
  const body = (await client.readResource(uri)) as JsonObject;
  await writeFileDurably(file, String(body['sealed']), 0o640);
}

function printAnswer(answer: Answer, file: string | undefined, output: Output): void {
  output.line();
  output.line(answer.sentence);
  output.line();
  output.line(`verdict     ${answer.verdict.kind}`);
  for (const reason of answer.verdict.reasons) output.line(`            ${reason}`);
  for (const finding of answer.findings) {
    output.line(`finding     ${finding.resource}  ${finding.fault}  (${finding.confidence})`);
    if (finding.remedy)
      output.line(
        `remedy      ${finding.remedy.summary}${finding.remedy.command ? `: ${finding.remedy.command}` : ''}`,
      );
  }
  output.line();
  output.line(table(['segment', 'probes', 'lost', 'loss', 'tx - rx'], answer.segments.map(segmentRow)));
  output.line();
  output.line(`report      ${answer.uri}`);
  if (file !== undefined) output.line(`file        ${file}`);
  output.line(`time        ${answer.timings.totalMs} ms, of which probing ${answer.timings.probingMs} ms`);
}

function segmentRow(segment: SegmentLoss): readonly string[] {
  const counters = segment.counters;
  const bounds =
    counters === undefined
      ? 'not comparable'
      : `${counters.lostAtLeast}..${counters.lostAtMost} of ${counters.txPackets}`;
  return [
    `${segment.from} → ${segment.to}`,
    String(segment.probesSent),
    String(segment.probesLost),
    `${segment.lossPercent} %`,
    bounds,
  ];
}
