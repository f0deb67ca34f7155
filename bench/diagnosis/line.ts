// One case's outcome: what campaigns of labs print, and what the benchmarks' scoring needs beside it.
import { loadavg } from 'node:os';
import type { Answer } from '../../simulations/lab/ask.ts';
import type { RunLine } from '../../simulations/lab/campaign.ts';
import { LABELS } from '../../simulations/lab/faults/labels.ts';
import { type Pair, type Prf, prf, scoreRun } from '../../simulations/lab/scoring.ts';
import type { Case, CaseKind } from './cases.ts';
import { accusedInnocent, type Circumstance } from './circumstances.ts';
import { type NetOpsScore, type PredictedFinding, scoreNetOps } from './netopsbench.ts';
import { nodesOf } from './resources.ts';

export type NikaScore = {
  readonly rca: Prf;
  readonly localization: Prf;
  readonly faultType: Prf;
  readonly detection: 0 | 1;
  /** NIKA has all faults of this case. */
  readonly known: boolean;
};

export type CaseLine = RunLine & {
  readonly size: string;
  readonly seed?: number;
  readonly kind: CaseKind;
  readonly timers: 'fast' | 'default';
  readonly what: readonly string[];
  readonly intent: string;
  /** What the verdict stands on, or what it is missing: its first lines. */
  readonly reasons: readonly string[];
  readonly calls: number;
  /** Of the answer as `parley ask --json` printed it: evidence that is not in it stays on the routers. */
  readonly bytes: number;
  /** Sent and received over mutual TLS by the node that was asked, from the question to the answer. */
  readonly wireBytes?: number;
  readonly nika?: NikaScore;
  readonly netOpsBench?: NetOpsScore;
  readonly circumstance?: Circumstance;
  /** Findings about others than the liar that are not so. */
  readonly accused?: readonly Pair[];
  /** Routers on the path that was asked about. */
  readonly hops?: number;
  /** Of this machine, in the last minute. */
  readonly load?: number;
};

/** What the asking itself measured. */
export type Asked = { readonly answer?: Answer | undefined; readonly wireBytes?: number | undefined };

const REASONS = 6;

export function caseLine(entry: Case, run: RunLine, asked: Asked, seed?: number): CaseLine {
  const { answer, wireBytes } = asked;
  const findings = (answer?.printed['findings'] ?? []) as PredictedFinding[];
  const outcomes = answer?.printed['outcomes'];
  const netOpsBench = entry.kind === 'several' ? undefined : scoreNetOps(run.verdict, findings, entry.truth);
  const liar = entry.circumstance?.kind === 'lying' ? entry.circumstance.node : undefined;
  const others = liar === undefined ? run.predicted : run.predicted.filter((pair) => !aboutOnly(liar, pair));
  const scored = liar === undefined ? run : rescored(run, others);
  return {
    ...scored,
    size: entry.size,
    ...(seed === undefined ? {} : { seed }),
    kind: entry.kind,
    timers: entry.timers,
    what: entry.what,
    intent: `${entry.ask.node}: ${entry.ask.intent}`,
    reasons: reasonsOf(answer),
    calls: Array.isArray(outcomes) ? outcomes.length : 0,
    bytes: answer === undefined ? 0 : JSON.stringify(answer.printed).length,
    ...(wireBytes === undefined ? {} : { wireBytes }),
    nika: nikaScore(run, others),
    ...(netOpsBench === undefined ? {} : { netOpsBench }),
    ...(entry.circumstance === undefined ? {} : { circumstance: entry.circumstance }),
    ...(liar === undefined ? {} : { accused: accusedInnocent(liar, run.predicted, run.truth) }),
    ...(entry.hops === undefined ? {} : { hops: entry.hops }),
    load: Math.round(loadavg()[0]! * 100) / 100,
  };
}

/** `inconclusive` scores nothing, whatever it names. */
function nikaScore(run: RunLine, predicted: readonly Pair[]): NikaScore {
  const counts = run.verdict === 'fault' || run.verdict === 'healthy';
  const score = scoreRun({ anomaly: run.verdict === 'fault', causes: predicted }, run.truth);
  const nothing: Prf = { precision: 0, recall: 0, f1: 0 };
  return {
    rca: counts ? score.rca : nothing,
    localization: counts ? score.localization : nothing,
    faultType: counts ? score.faultType : nothing,
    detection: counts ? score.detection : 0,
    known: run.truth.every(({ fault }) => (LABELS[fault]?.nika ?? null) !== null),
  };
}

/** What is said about the liar alone neither helps nor hurts: its node is not the network's fault, its agent is not well. */
function rescored(run: RunLine, others: readonly Pair[]): RunLine {
  if (run.verdict === 'inconclusive' || run.verdict === 'none') return run;
  const pairs = (list: readonly Pair[]) => list.map((pair) => `${pair.resource} ${pair.fault}`);
  const anomaly = others.length > 0;
  return {
    ...run,
    detection: anomaly === run.truth.length > 0 ? 1 : 0,
    localizationF1: prf(
      others.map((pair) => pair.resource),
      run.truth.map((pair) => pair.resource),
    ).f1,
    rcaF1: prf(pairs(others), pairs(run.truth)).f1,
  };
}

const aboutOnly = (node: string, pair: Pair): boolean => nodesOf(pair.resource).every((name) => name === node);

function reasonsOf(answer: Answer | undefined): readonly string[] {
  const verdict = answer?.printed['verdict'] as { reasons?: readonly string[] } | undefined;
  return (verdict?.reasons ?? []).slice(0, REASONS);
}
