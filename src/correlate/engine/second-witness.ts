// No node is accused on the report of one other node alone. Along a path a loss over one segment must also show in the probes along all of
// it, which another node counted; where the reflections may have taken another way, those say nothing. Without a path it must show
// in the probes of the link's other end.

import { nodeRef } from '../network/node-ref.ts';
import { type CaseFile, factsOf } from './facts.ts';
import { atLeast, isLoss, type LossSymptom, underWay } from './loss-symptom.ts';

/** Where fewer lost probes were to be expected, none is no contradiction: chance spares five in one case of a hundred and fifty. */
const LEAST_EXPECTED = 5;
/** A third of what was to be expected is still agreement: both ends counted few. */
const AGREEMENT = 1 / 3;
/** Of probes that were to cross a link, the sender's counters must show this share on it. */
export const CROSSED = 0.9;

type Counts = { readonly sent: number; readonly lost: number };

/** True when `report` lost far fewer probes than it should have if `claim` were right. */
export function denies(report: Counts, claim: Counts): boolean {
  if (!isLoss(claim.sent, claim.lost) || claim.sent === 0) return false;
  return isFarBelow(report.lost, (atLeast(claim.lost) / claim.sent) * report.sent);
}

export function isFarBelow(lost: number, expected: number): boolean {
  return expected >= LEAST_EXPECTED && lost < expected * AGREEMENT;
}

/** Why the probes of the other end of the link forbid an accusation; undefined when both ends' probes lost packets this way. */
export function unconfirmed(
  file: CaseFile,
  symptom: LossSymptom,
  way: { readonly from: string; readonly to: string },
): string | undefined {
  const { link, measuredBy, again } = symptom.fact.value;
  if (link === undefined) return undefined;
  const others = factsOf(file, 'probe-loss').filter(
    ({ value }) => value.link === link && value.measuredBy !== measuredBy && value.sent > 0,
  );
  if (others.length === 0) return `only ${nodeRef(measuredBy)}’s own probes say so`;
  const word = others.find(({ value }) => !value.directionKnown || (value.from === way.from && value.to === way.to));
  const counts = word === undefined ? { sent: 0, lost: 0 } : underWay(word.value);
  const isDenied = counts.lost === 0 || denies(counts, again ?? underWay(symptom.fact.value));
  const other = others[0]!.value.measuredBy;
  return isDenied
    ? `${nodeRef(measuredBy)} says so, and of the ${counts.sent} probes of ${nodeRef(other)} over the same link ${counts.lost} were lost this way: one of the two is wrong, or the link lost packets while one of them sent alone`
    : undefined;
}

/** Why the probes along the whole path forbid an accusation; undefined when they agree or cannot decide it. */
export function contradiction(
  file: CaseFile,
  symptom: LossSymptom,
  way: { readonly from: string; readonly to: string },
): string | undefined {
  // Another kind of packets than those along the path: both ends' counters are the two witnesses.
  if (symptom.fact.value.flows !== undefined) return undefined;
  const [head, tail] = [file.path[0]!, file.path.at(-1)!];
  const outward = file.path.indexOf(way.from) < file.path.indexOf(way.to);
  const [start, end] = outward ? [head, tail] : [tail, head];
  const whole = factsOf(file, 'probe-loss').find(
    ({ value }) => value.scope === 'path' && value.directionKnown && value.from === start && value.to === end,
  );
  if (whole === undefined) return undefined;
  if (!outward && !returnedThisWay(file, way, whole.value.sent)) return undefined;
  const { sent, lost } = underWay(symptom.fact.value);
  const expected = (atLeast(lost) / sent) * whole.value.sent;
  if (whole.value.lost >= expected * AGREEMENT) return undefined;
  return `${nodeRef(way.from)} and ${nodeRef(way.to)} contradict the probes along the whole path, of which ${whole.value.lost} of ${whole.value.sent} were lost`;
}

/** True when the sender's counters show that the reflections of the whole path went over this link too. */
function returnedThisWay(
  file: CaseFile,
  way: { readonly from: string; readonly to: string },
  reflections: number,
): boolean {
  const wires = factsOf(file, 'wire').filter(({ value }) => value.from.node === way.from && value.to.node === way.to);
  const probes = factsOf(file, 'probe-loss').find(
    ({ value }) => value.scope === 'segment' && value.from === way.from && value.to === way.to,
  );
  const packets = wires.reduce((sum, { value }) => sum + value.txPackets, 0);
  return packets >= (probes?.value.sent ?? 0) + reflections * CROSSED;
}
