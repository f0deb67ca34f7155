// Probes over each link of the scope: small ones and a train, from one end at first; then over links in doubt more of them, from both ends,
// and several trains where one was held up. Refuses to send over a link that may be narrow more than it passes: what is lost then would
// be our doing. Pure.
import type { PlannedCall } from '#model/call.ts';
import { isSameLink, type Link } from '#model/links/links.ts';
import { FRAME_BYTES, HEADER_BYTES } from '#model/links/probe-bytes.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import type { Doubts } from '../doubts.ts';
import { defineMeasurement } from '../measurement.ts';
import { PAYLOAD_BYTES } from '../probe-call.ts';
import { scopeLinks } from '../scope-links.ts';
import type { Mute, States } from '../states.ts';
import { bothEnds, type Ends, firstProbes, type Run, SMALL, smallOver, trainOver } from './link-runs.ts';

/** Links that are measured twice: where everything loses packets, a few are enough. */
export const CONFIRMED_LINKS = 6;
/** Trains of the second look at a link whose first train was held up, from either end in turn; that one's other end begins. */
const TRAINS_AGAIN = 6;
/** Between two of them: at one moment all would meet the same busy node. */
const BETWEEN_TRAINS_MS = 120;
/** Between the first ones over one link and over the next: no node has to run all of them at one moment. */
const BETWEEN_LINKS_MS = 30;
/** Where one takes long, the next waits so many times as long, for what comes back as well: two in one queue would overflow it. */
const AFTER_TRAIN_TIMES = 2;
/** The last of them begins by then: a second look has its time. */
const LAST_TRAIN_MS = 1_800;
/** Probes for loss over a link that may be narrow wait for its trains, and take no more than a share of what it passes. */
const AFTER_TRAINS_MS = 2_400;
const LIGHT_SHARE = 0.25;
const LIGHT_RUN_MS = 1_200;
const SLOWEST_MS = 20;
/** A link that a first look found slow is probed this often again. */
const SLOW_PROBES = 100;

export const linkProbes = defineMeasurement({
  kinds: ['link-probe', 'link-train'],
  rounds: {
    first: ({ states, relays }) => planLinkProbes(states, relays),
    confirmation: ({ states, probeCount }, doubts) => planLinkConfirmation(states, doubts, probeCount),
  },
  read: decodeProbeResult,
});

export function planLinkProbes(states: States, mute: Mute): readonly PlannedCall[] {
  return firstProbes(states, scopeLinks(states), mute);
}

/** More probes on links that a first look has put under suspicion, from both ends: one of the two may lie. */
export function planLinkConfirmation(
  states: States,
  suspects: Pick<Doubts, 'lossy' | 'dead' | 'slow' | 'narrow'>,
  probeCount: number,
): readonly PlannedCall[] {
  const all = scopeLinks(states);
  const { narrow } = suspects;
  // A link of IPv4 alone is looked at again by echoes.
  const few = (links: readonly Link[]) =>
    links.filter(({ addresses }) => addresses?.from.includes(':') === true).slice(0, CONFIRMED_LINKS);
  const [lossy, dead, slow] = [few(suspects.lossy), few(suspects.dead), few(suspects.slow)];
  const again = (link: Link, usual: Run) => {
    const passes = narrow.find((each) => isSameLink(each.link, link))?.megabits;
    const run = passes === undefined ? usual : lightRun(passes, usual.count);
    const planned = bothEnds(link, all).map((ends) => smallOver(link, states, ends, run, 'confirmation'));
    return passes === undefined ? planned : planned.map((each) => each && { ...each, afterMs: AFTER_TRAINS_MS });
  };
  return [
    ...lossy.flatMap((link) => again(link, { ...SMALL, count: probeCount, intervalMs: 1 })),
    // Where nothing came back there is nothing to count more exactly: the other end is heard.
    ...dead.map((link) => smallOver(link, states, bothEnds(link, all)[1], SMALL, 'confirmation')),
    ...slow
      .filter((link) => !lossy.some((other) => isSameLink(other, link)))
      .flatMap((link) => again(link, { ...SMALL, count: SLOW_PROBES, intervalMs: 3 })),
    ...narrow.flatMap(({ link, heldMs = 0 }, index) =>
      trainsAgain(link, states, bothEnds(link, all), { heldMs, beginMs: index * BETWEEN_LINKS_MS }),
    ),
  ].filter((planned) => planned !== undefined);
}

/** What a link that may be narrow carries beside all else: what it loses under more than that is no loss of its own. */
function lightRun(megabits: number, probeCount: number): Run {
  return { ...SMALL, ...lightly(megabits, probeCount, LIGHT_RUN_MS) };
}

export function lightly(megabits: number, probeCount: number, runMs: number): Pick<Run, 'count' | 'intervalMs'> {
  const probeBits = (PAYLOAD_BYTES + HEADER_BYTES + FRAME_BYTES) * 8;
  // From both ends at the same time, and each answers the other's.
  const intervalMs = Math.min(SLOWEST_MS, Math.max(1, (2 * probeBits) / (megabits * 1_000 * LIGHT_SHARE)));
  return { intervalMs, count: Math.min(probeCount, Math.floor(runMs / intervalMs)) };
}

function trainsAgain(
  link: Link,
  states: States,
  ends: readonly [Ends, Ends],
  { heldMs, beginMs }: { readonly heldMs: number; readonly beginMs: number },
) {
  const betweenMs = Math.ceil(Math.max(BETWEEN_TRAINS_MS, heldMs * AFTER_TRAIN_TIMES));
  const turns = Array.from({ length: TRAINS_AGAIN }, (_, turn) => ({ turn, afterMs: beginMs + turn * betweenMs }));
  return turns
    .filter(({ afterMs }) => afterMs <= LAST_TRAIN_MS)
    .map(({ turn, afterMs }) => {
      // Where there is time for one alone both ends have been heard.
      const train = trainOver(link, states, ends[(turn + 1) % 2]!, turn + 2);
      return train === undefined || afterMs === 0 ? train : { ...train, afterMs };
    });
}
