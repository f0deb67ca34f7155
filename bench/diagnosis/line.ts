// One case's outcome: what campaigns of labs print, and what the benchmarks' scoring needs beside it.
import { loadavg } from 'node:os';
import type { Answer } from '../../simulations/lab/ask.ts';
import type { RunLine } from '../../simulations/lab/campaign.ts';
import { LABELS } from '../../simulations/lab/faults/labels.ts';
import { type Pair, type Score, scoreAnswer } from '../../simulations/lab/scoring.ts';
import type { Case, CaseKind } from './cases.ts';
import { accusedInnocent, type Circumstance } from './circumstances.ts';
import { type NetOpsScore, type PredictedFinding, scoreNetOps } from './netopsbench.ts';
import { nodesOf } from './resources.ts';

export type NikaScore = Score & {
  /** NIKA has all faults of this case. */
  readonly known: boolean;
};

export type CaseLine = RunLine & {
  readonly size: string;
  readonly seed?: number;
  /** Commit that ran, with `+` where files of it were changed. */
  readonly program?: string;
  readonly kind: CaseKind;
  readonly timers: 'fast' | 'default';
  readonly what: readonly string[];
  readonly intent: string;
  /** What the verdict stands on, or what it is missing: its first lines. */
  readonly reasons: readonly string[];
  /** From the intent to the sealed report, as the asked node measured it; `seconds` is the whole command. */
  readonly sealedSeconds?: number;
  readonly calls: number;
  /** Probes that its calls asked for, on all nodes; absent in lines of older programs. */
  readonly probePackets?: number;
  /** Their octets, headers included. */
  readonly probeBytes?: number;
  /** UTF-8 octets of the answer as `parley ask --json` printed it: evidence that is not in it stays on the routers. */
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

/** What produced a line: the seed of its case, and the commit that ran. */
export type Origin = { readonly seed?: number; readonly program?: string };

export function caseLine(entry: Case, run: RunLine, asked: Asked, origin: Origin = {}): CaseLine {
  const { answer, wireBytes } = asked;
  const findings = (answer?.printed['findings'] ?? []) as PredictedFinding[];
  const outcomes = answer?.printed['outcomes'];
  const timings = answer?.printed['timings'] as { readonly totalMs?: number } | undefined;
  const cost = answer?.printed['cost'] as Pick<CaseLine, 'probePackets' | 'probeBytes'> | undefined;
  const alone = entry.kind !== 'several' && entry.circumstance === undefined;
  const netOpsBench = !alone ? undefined : scoreNetOps(run.verdict, findings, entry.truth);
  const liar = entry.circumstance?.kind === 'lying' ? entry.circumstance.node : undefined;
  const others = liar === undefined ? run.predicted : run.predicted.filter((pair) => !aboutOnly(liar, pair));
  // What is said about the liar alone neither helps nor hurts: its node is not the network's fault, its agent is not well.
  const anomaly = liar === undefined ? {} : { anomaly: others.length > 0 };
  const score = scoreAnswer({ verdict: run.verdict, causes: others, ...anomaly }, run.truth);
  return {
    ...run,
    detection: score.detection,
    localizationF1: score.localization.f1,
    rcaF1: score.rca.f1,
    size: entry.size,
    ...origin,
    kind: entry.kind,
    timers: entry.timers,
    what: entry.what,
    intent: `${entry.ask.node}: ${entry.ask.intent}`,
    reasons: reasonsOf(answer),
    ...(timings?.totalMs === undefined ? {} : { sealedSeconds: Math.round(timings.totalMs) / 1_000 }),
    calls: Array.isArray(outcomes) ? outcomes.length : 0,
    ...(cost?.probePackets === undefined ? {} : { probePackets: cost.probePackets }),
    ...(cost?.probeBytes === undefined ? {} : { probeBytes: cost.probeBytes }),
    bytes: answer === undefined ? 0 : Buffer.byteLength(JSON.stringify(answer.printed)),
    ...(wireBytes === undefined ? {} : { wireBytes }),
    nika: { ...score, known: run.truth.every(({ fault }) => (LABELS[fault]?.nika ?? null) !== null) },
    ...(netOpsBench === undefined ? {} : { netOpsBench }),
    ...(entry.circumstance === undefined ? {} : { circumstance: entry.circumstance }),
    ...(liar === undefined ? {} : { accused: accusedInnocent(liar, run.predicted, run.truth) }),
    ...(entry.hops === undefined ? {} : { hops: entry.hops }),
    load: Math.round(loadavg()[0]! * 100) / 100,
  };
}

const aboutOnly = (node: string, pair: Pair): boolean => nodesOf(pair.resource).every((name) => name === node);

function reasonsOf(answer: Answer | undefined): readonly string[] {
  const verdict = answer?.printed['verdict'] as { reasons?: readonly string[] } | undefined;
  return (verdict?.reasons ?? []).slice(0, REASONS);
}
