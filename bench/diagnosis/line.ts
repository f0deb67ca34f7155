// One case's outcome: what campaigns of labs print, and what the benchmarks' scoring needs beside it.
import type { Answer } from '../../simulations/lab/ask.ts';
import type { RunLine } from '../../simulations/lab/campaign.ts';
import type { Case, CaseKind } from './cases.ts';
import { type NetOpsScore, type PredictedFinding, scoreNetOps } from './netopsbench.ts';

export type CaseLine = RunLine & {
  readonly size: string;
  readonly kind: CaseKind;
  readonly timers: 'fast' | 'default';
  readonly what: readonly string[];
  readonly intent: string;
  /** What the verdict stands on, its first lines. */
  readonly reasons: readonly string[];
  readonly calls: number;
  /** Of the answer as `parley ask --json` printed it: evidence that is not in it stays on the routers. */
  readonly bytes: number;
  readonly netOpsBench?: NetOpsScore;
};

const REASONS = 4;

export function caseLine(entry: Case, run: RunLine, answer: Answer | undefined): CaseLine {
  const findings = (answer?.printed['findings'] ?? []) as PredictedFinding[];
  const outcomes = answer?.printed['outcomes'];
  const netOpsBench = entry.kind === 'several' ? undefined : scoreNetOps(run.verdict, findings, entry.truth);
  return {
    ...run,
    size: entry.size,
    kind: entry.kind,
    timers: entry.timers,
    what: entry.what,
    intent: `${entry.ask.node}: ${entry.ask.intent}`,
    reasons: reasonsOf(answer),
    calls: Array.isArray(outcomes) ? outcomes.length : 0,
    bytes: answer === undefined ? 0 : JSON.stringify(answer.printed).length,
    ...(netOpsBench === undefined ? {} : { netOpsBench }),
  };
}

function reasonsOf(answer: Answer | undefined): readonly string[] {
  const verdict = answer?.printed['verdict'] as { reasons?: readonly string[] } | undefined;
  return (verdict?.reasons ?? []).slice(0, REASONS);
}
