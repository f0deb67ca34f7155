// One question to an agent and its answer, with progress while it works.
import { LIMITS } from '#base/limits.ts';
import type { OperatorClient } from '#mcp/client/operator-client.ts';
import type { Silenced } from '#model/expectations.ts';
import type { Finding, Remark, SegmentLoss, ToldChanges, ToldTable, Verdict } from '#model/finding.ts';
import { asLocalError } from '../terminal/connect.ts';
import type { Output } from '../terminal/output.ts';
import type { Understood } from './answer-lines.ts';
import type { Explained } from './explain.ts';

export type Answer = {
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

export async function ask(client: OperatorClient, intent: string, output: Output, budgetMs: number): Promise<Answer> {
  try {
    const answer = await client.callTool(
      'parley-ask',
      { intent },
      {
        timeoutMs: budgetMs + LIMITS.callMs,
        onProgress: ({ message }) => output.phase?.(message.split(':')[0] ?? '', message),
      },
    );
    return answer as unknown as Answer;
  } catch (error) {
    throw asLocalError(error);
  } finally {
    output.endPhases?.();
  }
}
