// What a network looked like at one moment, without loads and counters: links, adjacencies, sessions, sizes, addresses and ways.
// Two of them can be compared; one that was known to be good is a baseline (docs/operations/comparing.md).
import type { LinkEnd, ResourceId } from './names.ts';

export const PROFILE_PARTS = ['link', 'mtu', 'address', 'adjacency', 'session', 'sid', 'prefix', 'route'] as const;
export type ProfilePart = (typeof PROFILE_PARTS)[number];

/** The value of a prefix that is announced to none. */
export const NO_PEER = 'to no peer';

export type ProfileEntry = {
  readonly part: ProfilePart;
  /** One name within its part: `link/r1:eth1--r2:eth1`, `bgp r1 to 198.18.0.1`. */
  readonly subject: string;
  /** Nodes that must have answered for the entry to be there at all. */
  readonly nodes: readonly string[];
  readonly value: string;
  /** The resource it belongs to. */
  readonly resource: ResourceId;
  /** Both ends of a link; the interface of what lies on one. */
  readonly ends?: readonly LinkEnd[];
};

export type Profile = {
  /** Nodes that told their state. */
  readonly nodes: readonly string[];
  /** `<node> <part>` of what each node could tell: what is not here is not known, not absent. */
  readonly told: readonly string[];
  readonly entries: readonly ProfileEntry[];
  /** Round trips by pair of nodes: smallest and average of the probes, milliseconds. */
  readonly roundTrips: readonly RoundTripBand[];
};

export type RoundTripBand = {
  readonly from: string;
  readonly to: string;
  readonly minMs: number;
  readonly avgMs: number;
};

/** True when a profile can tell whether this entry is there. */
export function canTell(
  { told }: Pick<Profile, 'told'>,
  { part, nodes }: Pick<ProfileEntry, 'part' | 'nodes'>,
): boolean {
  return nodes.every((node) => told.includes(`${node} ${part}`));
}
