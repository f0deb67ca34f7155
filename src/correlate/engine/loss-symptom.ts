// What has to be explained: probes lost over a stretch in a direction, in numbers that chance does not make.
import { type CaseFile, type FactWith, factsOf, type ProbeLoss } from './facts.ts';

/** So few lost probes are a stray, of so many sent at least: neither a fault nor forgotten. */
const STRAY_PROBES = 2;
const STRAY_OF = 500;
/** Smallest share of lost probes that is called a loss. */
const LEAST_SHARE = 0.002;

/** Fewer probes than the draft's default count prove nothing: of 100 a loss of 3 % spares none in one case of twenty. */
export const LEAST_PROBES = 100;

export type LossSymptom = {
  readonly id: string;
  readonly fact: FactWith<'probe-loss'>;
};

export function lossSymptomsOf(file: CaseFile): readonly LossSymptom[] {
  const lossy = factsOf(file, 'probe-loss').filter(({ value }) => isLoss(value.sent, value.lost));
  return lossy.map((fact) => ({ id: lossSymptomId(fact), fact }));
}

export function isLoss(sent: number, lost: number): boolean {
  return lost > STRAY_PROBES && lost >= sent * LEAST_SHARE;
}

/** True when probes are lost in numbers that may be chance. */
export function isStray(sent: number, lost: number): boolean {
  return lost > 0 && sent >= STRAY_OF && !isLoss(sent, lost);
}

/** What left the sender's node, and what of it was lost: all that links and other nodes can answer for. */
export function underWay({ sent, lost, refused }: ProbeLoss): { readonly sent: number; readonly lost: number } {
  return { sent: sent - refused, lost: lost - refused };
}

/** With one decimal; of nothing nothing is lost. */
export function percentOf(lost: number, sent: number): number {
  return sent === 0 ? 0 : Math.round((lost / sent) * 1000) / 10;
}

/** Lower end of the 95 % range of a Poisson count. */
export function atLeast(lost: number): number {
  return Math.max(0, lost - 1.96 * Math.sqrt(lost));
}

function lossSymptomId(fact: FactWith<'probe-loss'>): string {
  const { scope, from, to, flows, link, measuredBy } = fact.value;
  const word = link === undefined ? '' : ` over ${link} told by ${measuredBy}`;
  return `${scope} ${from}>${to}${flows === undefined ? '' : ' by flows'}${word}`;
}
