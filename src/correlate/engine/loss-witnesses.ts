// What else may account for lost probes: the counters of a link, which then lost about as many packets, and the receiving node's own
// sockets, which dropped them. Read by all faults that explain lost probes.
import { type CaseFile, type FactWith, factsOf } from './facts.ts';
import { atLeast, type LossSymptom, underWay } from './loss-symptom.ts';

const SOCKET_COUNTERS = ['Udp6RcvbufErrors', 'Udp6InErrors'];
/** Of the probes that a socket is said to have dropped, its counters must show this share. */
export const SOCKET_SHARE = 0.9;
/** Below every other explanation that fits: a socket that overflows says nothing of the network. */
export const OVERRUN_SCORE = 0.5;

/** True when the counters of a link say that the wire lost about what the probes lost. */
export function wireExplains(wire: FactWith<'wire'>, symptom: LossSymptom): boolean {
  const { value } = wire;
  return (
    value.comparable &&
    value.estimate > 0 &&
    value.estimate >= neededOf(wire, symptom) &&
    value.lostAtMost >= underWay(symptom.fact.value).lost
  );
}

/**
 * Half of what the wire must have lost if all its traffic fared like the probes, and never less than half the lost probes.
 * Where probes of many flows are lost, the loss may hit some flows alone.
 */
export function neededOf(wire: FactWith<'wire'>, symptom: LossSymptom): number {
  const { sent, lost } = underWay(symptom.fact.value);
  if (symptom.fact.value.flows !== undefined) return lost / 2;
  return Math.max(lost / 2, ((atLeast(lost) / sent) * wire.value.txPackets) / 2);
}

/**
 * The counters themselves show half of that, or lost some for certain: what only the lengths of the two windows make up is nothing that was seen,
 * as between bursts of probes traffic is not even. Along a path the readings are close together.
 */
export function isSeenByCounts({ path }: CaseFile, wire: FactWith<'wire'>, symptom: LossSymptom): boolean {
  const { txPackets, rxPackets, lostAtLeast } = wire.value;
  return lostAtLeast > 0 || path.length > 0 || (txPackets - rxPackets) * 2 >= neededOf(wire, symptom);
}

/** Packets that the sockets of a node dropped in the window. */
export function droppedBySockets(file: CaseFile, node: string): number {
  return Math.max(0, ...socketErrors(file, node).map(({ value }) => value.packets));
}

export function socketErrors(file: CaseFile, node: string): readonly FactWith<'node-errors'>[] {
  return factsOf(file, 'node-errors').filter(
    ({ value }) => value.node === node && SOCKET_COUNTERS.includes(value.counter),
  );
}

/** True when the receiver’s sockets dropped about what was lost on the way to it, or more; what was never sent did not get there. */
export function explainedBySockets(file: CaseFile, { fact }: LossSymptom): boolean {
  const { to, directionKnown } = fact.value;
  const { lost } = underWay(fact.value);
  return directionKnown && lost > 0 && lost * SOCKET_SHARE <= droppedBySockets(file, to);
}
