// When the states that a node remembers were read: what it was between two readings that differ is not known. Ages are by the node's own clock.
// All but the first two of a state are absent from agents of earlier versions.
import * as z from 'zod';
import { MODEL_LIMITS } from '../limits.ts';
import { count, rows, type Wire } from '../wire/fields.ts';

/** The state was read first and last so long ago, and the same each time between the two. */
export type ReadingAges = Wire<typeof readingAges>;
export const readingAges = z.object({
  fromAgoMs: count,
  untilAgoMs: count,
  /** How long the last of these readings took: a state is of no single moment. */
  tookMs: count.exactOptional(),
  /** When the reading before these began, which found another state; absent where there was none. */
  beforeAgoMs: count.exactOptional(),
  /** When the reading after these ended, which found another state. */
  afterAgoMs: count.exactOptional(),
});

export type StateReadings = Wire<typeof stateReadings>;
export const stateReadings = z.object({
  /** How far back it is known in which states the node was. */
  reachMs: count,
  /**
   * From the beginning of one whole reading to the end of the next, which was so long ago: each is longer than all after it. A state with a part
   * missing is no whole one.
   */
  pauses: rows(z.object({ agoMs: count, forMs: count }), MODEL_LIMITS.readingPauses),
});
