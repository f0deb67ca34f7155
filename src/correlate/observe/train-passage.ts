// How a train of probes came over a link, read from the times between its arrivals. A shaper lets packets out one after the other,
// each later than the one before by what it weighs; a machine that pauses lets all that waited out at once. So the longest time
// between two arrivals counts for nothing, and what is left is a rate, or next to nothing. Pure: no clock of two nodes is compared.
import type { Passage } from '../engine/facts.ts';

/** Fewer gaps between arrivals give no rate. */
const LEAST_GAPS = 2;
/** A bucket lets the first packets through at once: of a train of more than a few, the second half is the link's own rate. */
const TAIL_SHARE = 0.5;
const FEW_GAPS = 3;
/** Sent at least so many times as fast as it arrived, one pause apart, a train waited in a queue from its second packet to its last. */
const CLOSER_TIMES = 2;

type Train = {
  readonly packetBytes: number;
  /** Packets that were sent; which of them are missing is not recorded. */
  readonly packets: number;
  /** Times between sending one and the next; empty where they were not recorded. */
  readonly sentUs: readonly number[];
};

/** Undefined where too few arrived. */
export function passageOf(gapsUs: readonly number[], { packetBytes, packets, sentUs }: Train): Passage | undefined {
  if (gapsUs.length < LEAST_GAPS) return undefined;
  const heldUs = withoutLongest(gapsUs);
  const tail = gapsUs.length <= FEW_GAPS ? gapsUs : gapsUs.slice(Math.floor(gapsUs.length * (1 - TAIL_SHARE)));
  // Bits a microsecond are megabits a second.
  const megabits = ((tail.length - 1) * packetBytes * 8) / Math.max(1, withoutLongest(tail));
  const mostMegabits = (megabits * Math.max(gapsUs.length, packets - 1)) / gapsUs.length;
  return { heldMs: heldUs / 1_000, megabits, mostMegabits, loose: withoutLongest(sentUs) * CLOSER_TIMES > heldUs };
}

function withoutLongest(gapsUs: readonly number[]): number {
  return gapsUs.reduce((sum, gap) => sum + gap, 0) - Math.max(0, ...gapsUs);
}
