// What a node remembers of the hosts on its own ports without having been asked: looks that were not as usual, asks for addresses
// that are not on the link, names that a server has lost. Ages are by the node's own monotonic clock. Who asked for a name is not in here.
import type { HostPort, ServiceProbeResult } from './hosts.ts';

/** Looks at hosts that found the same, one after another: only what was not as usual is kept. */
export type HostLook = {
  readonly fromAgoMs: number;
  readonly untilAgoMs: number;
  readonly ports: readonly LookedPort[];
  /** Services that refused, and name servers that were timed and late. */
  readonly tries: readonly ServiceProbeResult[];
};

export type LookedPort = HostPort & {
  /** Addresses that were asked for. */
  readonly asked: readonly string[];
};

/** A host asked on its link for an address that no network of that port has. */
export type FarAsk = {
  readonly ifname: string;
  readonly mac: string;
  readonly sender: string;
  readonly target: string;
  /** How often, since the node remembers. */
  readonly count: number;
  readonly agoMs: number;
};

/** A name that a server on a port gave this node, or somebody behind it, an address for, and later did not give the same asker. */
export type LostName = {
  readonly ifname: string;
  readonly address: string;
  readonly name: string;
  /** When it last gave an address; less than `lostAgoMs`: it knows the name again. */
  readonly okAgoMs: number;
  readonly lostAgoMs: number;
  /** It was given to others alone, of whom none has asked again: this node may be one that it is not for. */
  readonly othersOnly?: true;
};

export type WatchedHosts = {
  /** For how long hosts have been looked at without a gap; absent: they are not. */
  readonly hostsMs?: number;
  readonly servicesMs?: number;
  readonly asks: readonly FarAsk[];
  readonly names: readonly LostName[];
  /** Newest first; only where the past was asked for. */
  readonly looks?: readonly HostLook[];
};

/** What the passive listener hands over since it was last asked: requests, and names that a server is the authority for. */
export type HeardAsk = Pick<FarAsk, 'ifname' | 'mac' | 'sender' | 'target'>;
export type HeardName = Pick<LostName, 'ifname' | 'address' | 'name'> & {
  /** Whom it was given is told that there is none. */
  readonly taken?: true;
};
