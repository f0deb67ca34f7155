// Many scored cases as one set of figures: means with bootstrap intervals over cases, rates, and the confusion matrix. Pure.

import { LABELS } from '../../simulations/lab/faults/labels.ts';
import { productionScore } from '../production.ts';
import { median, percentile, tenths } from '../statistics.ts';
import { bootstrap, type Interval, mean, thousandths } from './bootstrap.ts';
import { isAtSilentNode } from './circumstances.ts';
import type { CaseLine } from './line.ts';
import { netOpsFigures } from './netopsbench-figures.ts';

/** The answer names exactly what is wrong. */
export function isRight(line: CaseLine): boolean {
  return line.rcaF1 === 1 && line.detection === 1;
}

/** Figures of all valid cases. */
export function aggregate(lines: readonly CaseLine[]): Record<string, unknown> {
  const valid = lines.filter((line) => line.invalid === undefined);
  const healthy = valid.filter((line) => line.kind === 'healthy');
  const faulty = valid.filter((line) => line.kind !== 'healthy');
  const nika = valid.filter((line) => line.truth.every(({ fault }) => (LABELS[fault]?.nika ?? null) !== null));
  return {
    cases: lines.length,
    invalid: lines.length - valid.length,
    healthy: healthyFigures(healthy),
    all: scores(valid),
    faults: scores(faulty),
    production: productionScore(faulty.map(({ truth, rcaF1 }) => ({ faults: truth.map(({ fault }) => fault), rcaF1 }))),
    nika: scores(nika),
    single: scores(faulty.filter((line) => line.kind === 'single')),
    several: scores(faulty.filter((line) => line.kind === 'several')),
    over: scores(faulty.filter((line) => line.kind === 'over')),
    netOpsBench: netOpsFigures(valid.filter((line) => line.kind !== 'over')),
    netOpsBenchOver: netOpsFigures(valid.filter((line) => line.kind === 'over')),
    lies: lies(valid),
    silent: silentFigures(valid),
    perCase: costOf(valid),
    lab: labFigures(lines),
    notUnderstood: valid.filter((line) => line.failed?.includes('caller/unknown-intent')).length,
    bySize: Object.fromEntries(
      [...Map.groupBy(valid, (line) => line.size)].map(([size, of]) => [
        size,
        {
          cases: of.length,
          rcaF1: thousandths(mean(of.map((line) => line.rcaF1))),
          ...costOf(of),
        },
      ]),
    ),
    byFault: byFault(faulty),
    confusion: confusion(valid),
  };
}

/** Rows are truths, columns what was said; a right place with the right fault counts on the diagonal. */
export function confusion(lines: readonly CaseLine[]): Record<string, Record<string, number>> {
  const matrix: Record<string, Record<string, number>> = {};
  const count = (row: string, column: string) => {
    matrix[row] ??= {};
    matrix[row][column] = (matrix[row][column] ?? 0) + 1;
  };
  const key = (pair: { resource: string; fault: string }) => `${pair.resource} ${pair.fault}`;
  for (const line of lines) {
    const rows =
      line.truth.length === 0
        ? [{ row: 'healthy', key: '' }]
        : line.truth.map((pair) => ({ row: pair.fault, key: key(pair) }));
    const said = new Set(line.predicted.map(key));
    const truths = new Set(rows.map((row) => row.key));
    const others = line.predicted.filter((pair) => !truths.has(key(pair)));
    for (const row of rows) {
      if (said.has(row.key)) count(row.row, row.row);
      else if (others.length === 0) count(row.row, line.failed === undefined ? line.verdict : 'no answer');
      else for (const pair of others) count(row.row, pair.fault === row.row ? `${pair.fault} elsewhere` : pair.fault);
    }
  }
  return matrix;
}

/** Of each injection: cases, those answered exactly, those whose every truth was at least at the right place. */
export function byFault(lines: readonly CaseLine[]): Record<string, { cases: number; right: number; place: number }> {
  const rows: Record<string, { cases: number; right: number; place: number }> = {};
  for (const line of lines)
    for (const what of line.what) {
      const row = rows[what] ?? { cases: 0, right: 0, place: 0 };
      rows[what] = row;
      row.cases++;
      if (isRight(line)) row.right++;
      if (line.localizationF1 === 1) row.place++;
    }
  return Object.fromEntries(Object.entries(rows).sort(([one], [other]) => one.localeCompare(other)));
}

/** What a question costs, by network and by length of the path where it asks about one. */
export function costOf(lines: readonly CaseLine[]) {
  const answered = lines.filter((line) => line.seconds > 0);
  return {
    questions: answered.length,
    seconds: spread(answered.map((line) => line.seconds)),
    sealedSeconds: spread(answered.flatMap((line) => line.sealedSeconds ?? [])),
    calls: spread(answered.map((line) => line.calls)),
    probePackets: spread(answered.flatMap((line) => line.probePackets ?? [])),
    probeBytes: spread(answered.flatMap((line) => line.probeBytes ?? [])),
    bytes: spread(answered.map((line) => line.bytes)),
    wireBytes: spread(answered.flatMap((line) => line.wireBytes ?? [])),
  };
}

/** What the lab itself took, and how busy the machine was. */
export function labFigures(lines: readonly CaseLine[]) {
  const total = (line: CaseLine) => Object.values(line.overhead ?? {}).reduce((sum, value) => sum + value, 0);
  const kept = lines.filter((line) => line.rebuilt === undefined);
  const rebuilt = lines.filter((line) => line.rebuilt !== undefined);
  return {
    overheadSeconds: spread(kept.map(total)),
    rebuilt: rebuilt.length,
    rebuiltBecause: Object.fromEntries(
      [...Map.groupBy(rebuilt, (line) => line.rebuilt!)].map(([why, of]) => [why, of.length]),
    ),
    load: spread(lines.flatMap((line) => line.load ?? [])),
  };
}

function lies(lines: readonly CaseLine[]) {
  const told = lines.filter((line) => line.accused !== undefined);
  if (told.length === 0) return null;
  return {
    runs: told.length,
    othersAccused: told.filter((line) => line.accused!.length > 0).length,
    verdicts: Object.fromEntries([...Map.groupBy(told, (line) => line.verdict)].map(([kind, of]) => [kind, of.length])),
  };
}

/** The first is the figure that counts; which cases the others are follows from where their faults were put. */
function silentFigures(lines: readonly CaseLine[]) {
  const silent = lines.filter((line) => line.circumstance?.kind === 'silent');
  if (silent.length === 0) return null;
  const faulty = silent.filter((line) => line.kind !== 'healthy');
  const alone = faulty.filter(isAtSilentNode);
  const others = faulty.filter((line) => !isAtSilentNode(line));
  return {
    faults: { runs: faulty.length, ...scores(faulty) },
    atSilentNode: { runs: alone.length, ...scores(alone) },
    others: { runs: others.length, ...scores(others) },
    healthy: healthyFigures(silent.filter((line) => line.kind === 'healthy')),
  };
}

function scores(lines: readonly CaseLine[]): Record<string, Interval | null> {
  return {
    rcaF1: bootstrap(lines.map((line) => line.rcaF1)),
    localizationF1: bootstrap(lines.map((line) => line.localizationF1)),
    detection: bootstrap(lines.map((line) => line.detection)),
  };
}

function healthyFigures(lines: readonly CaseLine[]) {
  return {
    runs: lines.length,
    findings: lines.reduce((sum, line) => sum + line.predicted.length, 0),
    calledHealthy: lines.filter((line) => line.verdict === 'healthy').length,
    calledFaulty: lines.filter((line) => line.verdict === 'fault').length,
    inconclusive: lines.filter((line) => line.verdict === 'inconclusive').length,
    noAnswer: lines.filter((line) => line.failed !== undefined).length,
  };
}

export type Spread = { readonly median: number; readonly p95: number; readonly max: number };

export function spread(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const [mid, high, most] = [median(values), percentile(values, 0.95), Math.max(...values)].map(tenths);
  return { median: mid!, p95: high!, max: most! };
}
