// What a node remembers of days, of one span of time: what went up and down, what its probes and counters noticed, which settings changed, and
// how far its memory reaches. Ages are by the node's own clock. What is not remembered is a gap with a beginning and an end.
import * as z from 'zod';
import { MODEL_LIMITS } from '../limits.ts';
import { count, integer, rows, text, type Wire } from '../wire/fields.ts';
import { historyEvent } from './control-plane.ts';
import { settingChange } from './setting-history.ts';

const age = integer(0, MODEL_LIMITS.rememberedMs);

export type RememberedRequest = Wire<typeof rememberedRequest>;
export const rememberedRequest = z.strictObject({
  sinceMs: age.meta({ description: 'How long ago the span began, ms' }),
  untilMs: age.default(0).meta({ description: 'How long ago it ended, ms' }),
});

/** Probes over a link in minutes that follow each other, each with loss. */
const lossyTime = z.object({ ifname: text, fromAgoMs: count, untilAgoMs: count, sent: count, lost: count });
/** Errors and drops of an interface in minutes that follow each other. */
const faultyTime = z.object({ ifname: text, fromAgoMs: count, untilAgoMs: count, errors: count, drops: count });
/** What was measured over one link in the whole span; round trips in microseconds, 0 where none came back. */
const linkSum = z.object({
  ...{ ifname: text, minutes: count, sent: count, lost: count },
  ...{ leastUs: count, medianUs: count, mostUs: count },
});

export type Remembered = Wire<typeof remembered>;
export const remembered = z.object({
  /** How long ago the oldest record is; 0 where there is none. */
  reachMs: count,
  /** Minutes of the span that were recorded. */
  minutes: count,
  /** Times of the span of which nothing is recorded, oldest first: the agent did not run, or could not write. */
  gaps: rows(z.object({ fromAgoMs: count, untilAgoMs: count })),
  /** Newest first. */
  events: rows(historyEvent),
  losses: rows(lossyTime),
  errors: rows(faultyTime),
  links: rows(linkSum),
  changes: rows(settingChange),
  /** Rows of the lists above that had no room. */
  left: count,
  disk: z.object({ bytes: count, mostBytes: count }),
});
