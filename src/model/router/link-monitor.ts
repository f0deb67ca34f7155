// What a node remembers of its own standing probes over its links, and since when it has been watching what. Ages are by the
// node's own monotonic clock.

/** What a node watches all the time, beside its own state. */
export const WATCHED_KINDS = ['links', 'hosts'] as const;

export type Watched = {
  readonly what: (typeof WATCHED_KINDS)[number];
  /** For how long it has been doing so without a break. */
  readonly forMs: number;
};

/**
 * Probes of one round: IPv6, then IPv4, each sent, reflected by the other end, received back; the least round trip in microseconds, 0
 * when nothing came back; probes in runs that were lost, or all when the round says nothing.
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
 * Of one round the least times that IPv6 probes took there and back, in microseconds from beginnings that nobody knows: the reflector
 * counts from the first probe of the session, whose number stands third. They mean nothing but by how they change within one session.
 */
export type WatchWays = readonly [outUs: number, backUs: number, session: number];

export type WatchRound = readonly [agoMs: number, ...WatchCounts];

/** A link that this node probes; the other end does not. */
export type LinkWatch = {
  readonly ifname: string;
  /** Addresses of the other end. */
  readonly far: readonly string[];
  /** Oldest first. */
  readonly rounds: readonly WatchRound[];
};

/** A round trip that has risen and stayed so. */
export type LinkRise = {
  readonly ifname: string;
  /** Addresses of the other end. */
  readonly far: readonly string[];
  /** How long ago the first slow round ended. */
  readonly agoMs: number;
  /** The longest of the least round trips of the rounds just before. */
  readonly quickUs: number;
  /** The least since, and of how many rounds. */
  readonly slowUs: number;
  readonly slowRounds: number;
  /**
   * How much more either way took just after it than just before, and how far apart those rounds were: two clocks drifted meanwhile.
   * Absent where that was not measured.
   */
  readonly ways?: { readonly outUs: number; readonly backUs: number; readonly spanMs: number };
};

/** How many packets with a wrong checksum the node had noticed since start, IPv4 headers included. */
export type Damage = readonly [agoMs: number, packets: number];

/** A link that one end is to probe. */
export type WatchTarget = { readonly ifname: string; readonly far4?: string; readonly far6?: string };
