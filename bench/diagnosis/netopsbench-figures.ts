// Many cases as NetOpsBench sums them up: its verdict figures, rates of device and interface, their composite, and its two accuracies. Pure.
import { bootstrap, type Interval, thousandths } from './bootstrap.ts';
import type { CaseLine } from './line.ts';
import type { NetOpsScore } from './netopsbench.ts';

export type NetOpsFigures = {
  readonly cases: number;
  readonly faults: number;
  readonly detectionAccuracy: number | null;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly verdictF1: number | null;
  readonly device: number | null;
  readonly interface: number | null;
  readonly localizationComposite: number | null;
  readonly type: number | null;
  readonly overallAccuracy: number | null;
  readonly diagnosisScore: Interval | null;
};

/** Cases that NetOpsBench has; those of faults that were over when the question was asked are for the caller to keep apart. */
export function netOpsFigures(lines: readonly CaseLine[]): NetOpsFigures {
  const scored = lines.flatMap((line) => line.netOpsBench ?? []);
  const faults = lines.flatMap((line) => (line.kind !== 'healthy' && line.netOpsBench) || []);
  const healthy = lines.flatMap((line) => (line.kind === 'healthy' && line.netOpsBench) || []);
  const ported = faults.filter((score) => score.interface !== null);
  const found = faults.filter((score) => score.verdict).length;
  const falseAlarms = healthy.filter((score) => !score.verdict).length;
  const precision = share(found, found + falseAlarms);
  const recall = share(found, faults.length);
  const device = share(faults.filter((score) => score.device).length, faults.length);
  const port = share(ported.filter((score) => score.interface === true).length, ported.length);
  return {
    cases: scored.length,
    faults: faults.length,
    detectionAccuracy: share(scored.filter((score) => score.verdict).length, scored.length),
    precision,
    recall,
    verdictF1: harmonic(precision, recall),
    device,
    interface: port,
    localizationComposite: device === null || port === null ? null : thousandths(0.5 * device + 0.5 * port),
    type: share(faults.filter((score) => score.type).length, faults.length),
    overallAccuracy: share(scored.filter(whollyRight).length, scored.length),
    diagnosisScore: bootstrap(scored.map(({ score }) => score)),
  };
}

const whollyRight = (score: NetOpsScore): boolean =>
  score.verdict && score.device && score.type && score.interface !== false;

const share = (part: number, of: number): number | null => (of === 0 ? null : thousandths(part / of));

/** Of the two as they are printed, rounded, as NetOpsBench does it. */
function harmonic(precision: number | null, recall: number | null): number | null {
  if (precision === null || recall === null) return null;
  return precision + recall === 0 ? 0 : thousandths((2 * precision * recall) / (precision + recall));
}
