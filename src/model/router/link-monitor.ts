// What a node remembers of its own standing probes over its links, and since when it has been monitoring what. Ages are by the
// node's own monotonic clock.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { count, interfaceName, ipv4Address, listOf, onLinkAddress, rows, text, type Wire } from '../wire/fields.ts';

/** What a node monitors all the time, beside its own state. */
export const WATCHED_KINDS = ['links', 'hosts'] as const;

export const watched = z.object({
  what: z.enum(WATCHED_KINDS),
  /** For how long it has been doing so without a break. */
  forMs: count,
});

/**
 * Probes of one round: IPv6, then IPv4, each sent, reflected by the other end, received back; the least round trip in microseconds, 0
 * when nothing came back; probes in runs that were lost, or all when the round reports nothing.
 */
export type WatchCounts = readonly [
  sent6: number,
  reflected6: number,
  received6: number,
  sent4: number,
  reflected4: number,
  received4: number,
  leastRttUs: number,
  dark: number,
];

/**
 * Of one round the least times that IPv6 probes took there and back, in microseconds from unknown beginnings: the reflector
 * counts from the first probe of the session, whose number stands third. They mean nothing but by how they change within one session.
 */
export type WatchWays = readonly [outUs: number, backUs: number, session: number];

export type WatchRound = readonly [agoMs: number, ...WatchCounts];
/** The age, then the counts in the order of WatchCounts; no end can have received more than was sent. */
const watchRound = z
  .tuple([count, count, count, count, count, count, count, count, count])
  .refine(([, sent6, , received6, sent4, , received4]) => received6 <= sent6 && received4 <= sent4);

/** Of one end of a link: IPv6 and IPv4. */
const farAddresses = rows(text, 2);

/** A link that this node probes; the other end does not. */
export type LinkMonitor = Omit<Wire<typeof linkWatch>, 'rounds'> & {
  /** Oldest first. */
  readonly rounds: readonly WatchRound[];
};
export const linkWatch = z.object({
  ifname: text,
  /** Addresses of the other end. */
  far: farAddresses,
  rounds: rows(watchRound, LIMITS.monitorRounds),
});

/** A clock that drifts back makes a one-way delay shorter than it was. */
const change = z.int();

/** A round trip that has risen and stayed so. */
export type LinkRise = Wire<typeof linkRise>;
export const linkRise = z
  .object({
    ifname: text,
    /** Addresses of the other end. */
    far: farAddresses,
    /** How long ago the first slow round ended. */
    agoMs: count,
    /** The longest of the least round trips of the rounds just before. */
    quickUs: count,
    /** The least since, and of how many rounds. */
    slowUs: count,
    slowRounds: count,
    /**
     * How much more each direction took just after it than just before, and how far apart those rounds were: two clocks drifted meanwhile.
     * Absent where that was not measured.
     */
    ways: z.object({ outUs: change, backUs: change, spanMs: count }).exactOptional(),
  })
  .refine(({ quickUs, slowUs }) => slowUs > quickUs);

/** Losses over a link that come again and again, and have not stopped. */
export type RecurringLoss = Wire<typeof recurringLoss>;
export const recurringLoss = z
  .object({
    ifname: text,
    /** Addresses of the other end. */
    far: farAddresses,
    /** How long ago the first and the last round ended in which probes were lost, and in how many they were. */
    firstAgoMs: count,
    lastAgoMs: count,
    lossyRounds: count,
    /** Probes of all rounds since the first lossy one; of these lost on the way out, on the way back, and of IPv4 alone both ways. */
    sent: count,
    lostOut: count,
    lostBack: count,
    lost4: count,
  })
  .refine(({ sent, lostOut, lostBack }) => lostOut + lostBack <= sent && lostOut + lostBack > 0);

/** `[agoMs, packets]`: how many packets with a wrong checksum the node had noticed since start, IPv4 headers included. */
export const damage = z.tuple([count, count]);

/** A link that one end is to probe. */
export type WatchTarget = Wire<typeof watchTarget>;
export const watchTarget = z
  .strictObject(
    { ifname: interfaceName, far4: ipv4Address.exactOptional(), far6: onLinkAddress.exactOptional() },
    { error: 'a link with the address of its other end' },
  )
  .refine(({ far4, far6 }) => far4 !== undefined || far6 !== undefined, 'an address of the other end');

export const linkWatchRequest = z.strictObject({ links: listOf(watchTarget, LIMITS.monitoredLinks, 'links') });
