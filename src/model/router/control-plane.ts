// What a node says of its routing protocols, routes and neighbour tables: optional parts of its state. Text of devices
// (reasons, names of policies) is repeated for people and never decides anything. Secrets are never in here.

import type { Heard } from './dhcp.ts';
import type { WatchedDhcp } from './dhcp-history.ts';
import type { FilterDrop } from './filter-drops.ts';
import type { WatchedHosts } from './host-history.ts';
import type { Host, Served } from './hosts.ts';
import type { Damage, LinkRise, LinkWatch, Watched } from './link-monitor.ts';

/** A 64-bit counter as a decimal string. */
type Counter64 = string;

export type IsisLevel = '1' | '2' | '1-2';

/** One interface on which IS-IS is configured. */
export type IsisCircuit = {
  readonly ifname: string;
  readonly level: IsisLevel;
  readonly network: 'point-to-point' | 'broadcast';
  readonly passive: boolean;
  /** Whether and how hellos are authenticated; the secret itself never leaves the router. */
  readonly password: 'none' | 'clear' | 'md5';
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  readonly helloSeconds?: number;
  readonly metric?: number;
  /** Hellos of neighbours that were refused, since start. */
  readonly rejects?: Counter64;
};

export type IsisState = {
  /** FRR's area tag, which names the process in its configuration. */
  readonly tag?: string;
  readonly systemId: string;
  readonly areas: readonly string[];
  readonly level: IsisLevel;
  readonly areaPassword: 'none' | 'clear' | 'md5';
  readonly circuits: readonly IsisCircuit[];
};

export type BgpSession = {
  readonly peer: string;
  readonly localAddress?: string;
  readonly remoteAs: number;
  readonly localAs: number;
  readonly state: string;
  readonly shutdown: boolean;
  readonly password: boolean;
  /** Why it was reset last, in FRR's words. */
  readonly lastReset?: string;
  /** RFC 4271 code and subcode of the last NOTIFICATION, four hex digits: `0202` is Bad Peer AS. */
  readonly lastError?: string;
  readonly notification?: string;
  /** How long ago the last message came, in whole seconds. */
  readonly heardAgoMs?: number;
  readonly established: number;
  readonly dropped: number;
  /** For how long it has been up; absent when it is not, or the node does not tell. */
  readonly upMs?: number;
  /** Address families whose prefixes it carries (RFC 4760); absent when the node does not tell. */
  readonly families?: readonly ('ipv4' | 'ipv6')[];
  /** Policies of this session, as configured: `route-map RM out`. */
  readonly policies: readonly string[];
};

/** One prefix of this node as BGP sees it: to whom it is advertised. */
export type BgpOwnPrefix = {
  readonly prefix: string;
  /** True when a `network` statement or redistribution brings it into BGP. */
  readonly originated: boolean;
  readonly advertisedTo: readonly string[];
};

export type BgpState = {
  readonly asn: number;
  readonly routerId?: string;
  readonly networks: readonly string[];
  readonly redistribute: readonly string[];
  readonly sessions: readonly BgpSession[];
  readonly ownPrefixes: readonly BgpOwnPrefix[];
};

export type BfdSession = {
  readonly peer: string;
  readonly ifname?: string;
  readonly status: 'up' | 'down' | 'init' | 'shutdown';
  readonly diagnostic: string;
  readonly remoteDiagnostic: string;
};

export type OspfInterface = {
  readonly ifname: string;
  readonly area: string;
  readonly network: string;
  readonly cost?: number;
  readonly helloMs?: number;
  readonly deadMs?: number;
  readonly mtu?: number;
  readonly passive: boolean;
  readonly neighbours: readonly { readonly routerId: string; readonly address: string; readonly state: string }[];
};

/** A route that somebody set by hand, or that throws packets away. */
export type StaticRoute = {
  readonly prefix: string;
  readonly kind: 'unicast' | 'blackhole' | 'unreachable' | 'prohibit';
  readonly protocol: string;
  readonly nextHop?: string;
  readonly ifname?: string;
  /** SRv6 segments that it puts on (RFC 8986 H.Encaps). */
  readonly segments?: readonly string[];
};

/** One row of the ARP or ND table. */
export type NeighbourEntry = {
  readonly address: string;
  readonly ifname: string;
  readonly mac?: string;
  readonly state: string;
};

export type Qdisc = {
  readonly ifname: string;
  readonly kind: string;
  /** Its own handle and where it hangs, as `tc` prints them: an interface has several with `mq` or classes. */
  readonly handle?: string;
  readonly parent?: string;
  readonly drops: Counter64;
  readonly overlimits: Counter64;
  /** Packets that it sent. */
  readonly packets?: Counter64;
};

/** A routing daemon that was started here, and whether it still answers. */
export type Daemon = {
  readonly name: string;
  readonly alive: boolean;
  /** How long it has been running, by the node's own monotonic clock; absent when that cannot be told. */
  readonly upMs?: number;
};

/** What happened on this node before the question, from its own ring of samples; `agoMs` by its own monotonic clock. */
export type History = {
  /** How far back the ring reaches. */
  readonly spanMs: number;
  readonly events: readonly HistoryEvent[];
  /** Who was heard last on each interface. */
  readonly lastHeard: readonly { readonly ifname: string; readonly name: string; readonly port?: string }[];
  /** Packets that interfaces had counted at moments before, oldest first; only where it was asked for. */
  readonly traffic?: readonly Traffic[];
  /** Who was there on each port while the node looked: an address and the MAC address that had it, the first that it had. */
  readonly hosts?: readonly Host[];
  /** Rules of packet filters that dropped something lately. */
  readonly filterDrops?: readonly FilterDrop[];
  /** What they were seen to serve lately. */
  readonly services?: readonly Served[];
  /** Standing probes over links, and damaged packets that the node noticed; only where it was asked for. */
  readonly watch?: readonly LinkWatch[];
  readonly damage?: readonly Damage[];
  /** Links over which round trips have risen and stayed so; absent where there is none. */
  readonly rises?: readonly LinkRise[];
  /** What this node watches, and for how long it has; only where it was asked for. */
  readonly watched?: readonly Watched[];
  /** What they were heard to ask for lately, and DHCP servers to answer. */
  readonly heard?: readonly Heard[];
  /** What it watches hosts for. */
  readonly watchedHosts?: WatchedHosts;
  /** How hosts got their addresses, as it passed. */
  readonly watchedDhcp?: WatchedDhcp;
};

/** By the node's own monotonic clock; counters since start. */
export type Traffic = {
  readonly ifname: string;
  readonly samples: readonly (readonly [agoMs: number, rxPackets: number, txPackets: number])[];
};

export type HistoryEvent = {
  readonly agoMs: number;
  readonly kind: 'carrier' | 'adjacency' | 'session';
  /** Interface, or peer address of a session. */
  readonly subject: string;
  readonly up: boolean;
  /** How often it changed between the two samples. */
  readonly changes: number;
};
