// RouterPort: the only way to the node behind the agent. linux-frr, netconf and embedded drivers implement it and
// run one contract suite. Reads change nothing; a probe or a capture leaves no state behind, also when killed (TS-22).

import type { ConfigurationPort } from './configuration.ts';
import type {
  BfdSession,
  BgpState,
  Daemon,
  History,
  IsisState,
  NeighbourEntry,
  OspfInterface,
  Qdisc,
  StaticRoute,
} from './control-plane.ts';
import type { DhcpAnswer, DhcpAsk } from './dhcp.ts';
import type { HostPort, HostScanRequest, ServiceProbe, ServiceProbeResult } from './hosts.ts';
import type { LogSign } from './log-events.ts';

/** A 64-bit counter as a decimal string: JSON numbers end at 2^53. */
export type Counter64 = string;

export type Inventory = {
  readonly node: string;
  readonly driver: 'linux-frr' | 'netconf' | 'embedded';
  readonly system: { readonly kernel: string; readonly routing: string; readonly hostname: string };
  readonly interfaces: readonly InterfaceState[];
  readonly sids: readonly Sid[];
  /** Address that probes and sessions of this node use as their own (its loopback). */
  readonly loopbacks: readonly string[];
};

export type InterfaceState = {
  readonly name: string;
  readonly kind: 'loopback' | 'physical' | 'bridge' | 'other';
  readonly adminUp: boolean;
  readonly operUp: boolean;
  readonly mtu: number;
  readonly mac?: string;
  /** `198.18.0.1/31`, `fd00::1/64`. */
  readonly addresses: readonly string[];
  /** Carrier losses and gains since start. */
  readonly carrierChanges: number;
  /** Segmentation or receive offload that makes both ends count different units. */
  readonly offloads: readonly string[];
  readonly counters: InterfaceCounters;
};

/** Frames and bytes as the interface counts them (RFC 8343 statistics). */
export type InterfaceCounters = {
  readonly rxPackets: Counter64;
  readonly txPackets: Counter64;
  readonly rxBytes: Counter64;
  readonly txBytes: Counter64;
  readonly rxErrors: Counter64;
  readonly txErrors: Counter64;
  readonly rxDropped: Counter64;
  readonly txDropped: Counter64;
};

/** A local SRv6 SID (RFC 8986 behaviours). */
export type Sid = {
  readonly sid: string;
  readonly behavior: string;
  /** Routing table in which End.T and End.DT6 look up: `main`, `local`, `101`. */
  readonly table?: string;
  readonly ifname?: string;
  readonly packets?: Counter64;
  readonly bytes?: Counter64;
  readonly errors?: Counter64;
};

/** What LLDP says about the other end of a local interface; device text, never trusted. */
export type Neighbour = {
  readonly ifname: string;
  readonly chassisId: string;
  readonly portId: string;
  readonly systemName?: string;
  /** Organizationally specific TLVs: `oui` and `hex` are lower-case hex digits without separators. */
  readonly unknownTlvs: readonly { readonly oui: string; readonly subtype: number; readonly hex: string }[];
};

export type Adjacency = {
  readonly protocol: 'isis';
  readonly ifname: string;
  readonly systemId: string;
  readonly hostname?: string;
  readonly level: 1 | 2;
  readonly state: 'up' | 'initializing' | 'down';
  readonly holdSeconds?: number;
};

/**
 * One demand of a rule on a packet: `field` is one of `values`, or none of them when negated. `next-header` follows the IPv6
 * header itself, `protocol` is the last in the chain, `extension` is a header in it. `sample` takes a share of the packets
 * that are alike, `5/100`. `llc` are the two octets of an 802.2 header as a number.
 */
export type FilterMatch = {
  readonly field: FilterField;
  readonly values: readonly string[];
  readonly negated?: true;
};

export const FILTER_FIELDS = [
  'network',
  'protocol',
  'next-header',
  'extension',
  'source',
  'destination',
  'source-port',
  'destination-port',
  'icmp-type',
  'llc',
  'out',
  'in',
  'sample',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** A packet filter rule of nftables that can drop, with its own counter where it has one. */
export type FilterRule = {
  readonly family: string;
  readonly table: string;
  readonly chain: string;
  /** Chains from the hook to this rule's chain; the first is the base chain. */
  readonly path: readonly string[];
  /** `ingress`, `prerouting`, `input`, `forward`, `output`, `postrouting`, `egress`. */
  readonly hook: string;
  readonly handle: number;
  /** What a rule that drops or rejects says, counters aside; a handle names another rule after a reload. */
  readonly ruleSha256?: string;
  readonly verdict: 'drop' | 'reject' | 'accept' | 'other';
  /** Interfaces that the rule or its callers match on: `oifname`, `iifname`, or the device of a netdev hook. */
  readonly outInterfaces: readonly string[];
  readonly inInterfaces: readonly string[];
  readonly packets?: Counter64;
  readonly bytes?: Counter64;
  readonly comment?: string;
  /** Name of the ACL as an operator would call it: the user chain or named counter. */
  readonly acl?: string;
  /** What the rule and its callers demand of a packet beside the interfaces; all of it holds. Absent when the driver cannot tell. */
  readonly matches?: readonly FilterMatch[];
  /** The rule demands more than `matches` says. */
  readonly matchesRest?: boolean;
  /** What it writes into packets: `tcp checksum = 57005`, `ip dscp ef = cs0` where it demands the old value. */
  readonly rewrites?: readonly string[];
};

/** Counters of the IP layer that speak of drops inside the node (`/proc/net/snmp6`, RFC 4293 names). */
export type NodeCounters = Readonly<Record<string, Counter64>>;

/** Everything correlation wants of a node at one moment, read as close together as the node can. */
export type NodeState = {
  readonly inventory: Inventory;
  readonly neighbours: readonly Neighbour[];
  readonly adjacencies: readonly Adjacency[];
  readonly filters: readonly FilterRule[];
  readonly nodeCounters: NodeCounters;
  /**
   * The node's own monotonic clock when the interface counters were read, milliseconds with a fraction. Only the difference
   * of two readings of one node means anything: it is how long that node's counters ran, never a moment shared with others.
   */
  readonly countersReadMs?: number;
  /** Absent where the protocol does not run or the driver cannot tell. */
  readonly isis?: IsisState;
  readonly bgp?: BgpState;
  readonly bfd?: readonly BfdSession[];
  readonly ospf?: readonly OspfInterface[];
  readonly staticRoutes?: readonly StaticRoute[];
  /** Addresses, of what this node puts into SRv6 or did lately and of the SIDs that it sends to, to which it has no way. */
  readonly noWayTo?: readonly string[];
  readonly neighbourTable?: readonly NeighbourEntry[];
  readonly qdiscs?: readonly Qdisc[];
  readonly daemons?: readonly Daemon[];
  readonly history?: History;
  /** Interface → what the operator wrote beside it; device text. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** On request: states of the last minutes that were unlike the present one, newest first. */
  readonly past?: readonly PastState[];
  /** On request: what the log says of neighbours; absent where it cannot be read. */
  readonly logSigns?: readonly LogSign[];
  /** Parts that could not be read, with the reason: absence is not emptiness. */
  readonly missing: readonly { readonly part: string; readonly reason: string }[];
};

/** A state that a node was in: first and last seen so long ago, by its own clock. */
export type PastState = { readonly fromAgoMs: number; readonly untilAgoMs: number; readonly state: NodeState };

/**
 * How much of the state is read: `wire` is what a question about one path needs, `all` adds protocols, tables, queues and the
 * node's own history, and takes several times as long; `past` adds the states that it was in and is in no longer; `log` is `wire` and what
 * the node's log says of its neighbours.
 */
export const STATE_PARTS = ['wire', 'all', 'past', 'log'] as const;
export type StateParts = (typeof STATE_PARTS)[number];

/** Route of one destination, asked of the kernel and the routing daemon; never the whole table. */
export type RouteAnswer = {
  readonly destination: string;
  readonly kind: 'unicast' | 'blackhole' | 'unreachable' | 'local' | 'none';
  readonly nextHop?: string;
  readonly ifname?: string;
  readonly protocol?: string;
  readonly segments?: readonly string[];
  /** Prefix of the route that matched. */
  readonly matched?: string;
  /** Interfaces of all equally good next hops, where there are several. */
  readonly ifnames?: readonly string[];
};

/** A neighbour of one interface, by its MAC address. */
export type LinkHop = { readonly ifname: string; readonly mac: string };

export type ProbeRequest = {
  /** Address of the reflector at the tail. */
  readonly destination: string;
  readonly source?: string;
  /** SIDs in the order they are visited; empty for a plain IPv6 probe. */
  readonly segments: readonly string[];
  readonly count: number;
  readonly intervalMs: number;
  readonly payloadBytes: number;
  /** UDP source ports that the probes use in turn, one when absent: a fault may hit some flows and spare all others. */
  readonly flows?: number;
  /** Traffic class of its packets (RFC 8200 §7), 0 when absent: DSCP and two bits for ECN. */
  readonly trafficClass?: number;
  /** Handed to this neighbour on the link itself, whatever the routes say: for the first hop to one that routing has lost. */
  readonly via?: LinkHop;
  /** How long to wait for reflections after the last probe. */
  readonly lingerMs: number;
  /** All of them back to back and timed by the kernels on arrival; the interval counts for nothing, `LIMITS.probeTrainBytes` bounds them. */
  readonly train?: boolean;
};

/** How a train of probes came through, in microseconds: a narrow link lets them out one by one, however close they went in. */
export type TrainTimes = {
  /** Times between handing one to the stack and the next, and until the last was handed over. */
  readonly sentUs: readonly number[];
  /** Times between one arrival and the next, in order: at the reflector, by its kernel, and of the reflections here. */
  readonly reachedUs: readonly number[];
  readonly returnedUs: readonly number[];
};

/**
 * Result of a probe in the manner of RFC 8762 (stateful reflector): the reflector numbers what it receives, so the
 * forward and the reverse loss are known apart from each other.
 */
export type ProbeResult = {
  /** Probes that were handed to the local stack, those that it refused (`sendErrors`) included: lost = sent - received. */
  readonly sent: number;
  /** Probes that reached the reflector; undefined when nothing came back at all. */
  readonly reflected?: number;
  readonly received: number;
  readonly duplicates: number;
  readonly rttMs: { readonly min: number; readonly avg: number; readonly max: number } | null;
  /** Reflections that came after the asked wait, because the reflector or this node was busy: they are among `received`. */
  readonly late?: number;
  /** Of a train, where at least two came through and the reflector's kernel told when. */
  readonly train?: TrainTimes;
  /** Probes that reached the reflector and were not answered because of its rate limit: no loss of the network. */
  readonly reflectorRefused?: number;
  /** Probes that the local stack refused to send (a filter of this node, no route), with the first reason. */
  readonly sendErrors: number;
  readonly sendErrorReason?: string;
};

export type CaptureRequest = {
  readonly ifname: string;
  /** pcap filter expression from a closed set, built by the caller from typed fields. */
  readonly filter: CaptureFilter;
  readonly packetCount: number;
  readonly timeoutMs: number;
};

/**
 * `probe`: the flow of our own probes and their reflections, headers only. `handshake`: SYN and RST of one TCP port, which carry no
 * data. Neighbours see the first, and of the second BGP's.
 */
export type CaptureFilter =
  | { readonly kind: 'probe' }
  | { readonly kind: 'handshake'; readonly port: number }
  | { readonly kind: 'srv6' }
  | { readonly kind: 'udp-port'; readonly port: number }
  | { readonly kind: 'tcp-port'; readonly port: number };

/** A bounded packet capture in PCAP format. */
export type Capture = { readonly pcap: Uint8Array; readonly packets: number; readonly truncated: boolean };

/** A few probes to one address, IPv4 or IPv6, as the node's own routing sends them. */
export type ReachResult = {
  readonly destination: string;
  readonly sent: number;
  readonly received: number;
  readonly rttMs: number | null;
};

/** Every method rejects with ParleyError `node/...` when the node itself cannot answer. */
export type RouterPort = {
  readonly driver: Inventory['driver'];
  /** `wire` when not said otherwise. */
  state(signal?: AbortSignal, parts?: StateParts): Promise<NodeState>;
  /** Only interface counters and SIDs: the cheapest read. */
  counters(signal?: AbortSignal): Promise<Pick<Inventory, 'interfaces' | 'sids'>>;
  route(destination: string, signal?: AbortSignal): Promise<RouteAnswer>;
  /** Many lookups at once, in the order asked; absent where the driver has none. */
  routes?(destinations: readonly string[], signal?: AbortSignal): Promise<readonly RouteAnswer[]>;
  /** Probes to the reflectors at many addresses at once; absent where the driver has none. */
  reach?(destinations: readonly string[], probeCount: number, signal?: AbortSignal): Promise<readonly ReachResult[]>;
  /** Who answers on ports that lead to hosts; absent where the driver has none. */
  hosts?(request: HostScanRequest, signal?: AbortSignal): Promise<readonly HostPort[]>;
  /** Services tried at addresses; absent where the driver has none. */
  serviceProbe?(serviceProbes: readonly ServiceProbe[], signal?: AbortSignal): Promise<readonly ServiceProbeResult[]>;
  /** What DHCP servers offer for networks of this node; absent where the driver has no way to ask. */
  dhcp?(asks: readonly DhcpAsk[], patient: boolean, signal?: AbortSignal): Promise<readonly DhcpAnswer[]>;
  probe(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeResult>;
  capture(request: CaptureRequest, signal?: AbortSignal): Promise<Capture>;
  /** Absent where nothing may be configured. */
  readonly configuration?: ConfigurationPort;
  close(): Promise<void>;
};

/**
 * The running LLDP daemon (lldpd) as discovery needs it. Only our own OUI and subtype are ever added or removed.
 * An `oui` is six lower-case hex digits without separators.
 */
export type LldpPort = {
  /** Sets our organizationally specific TLV on every port; re-reads it and rejects when the daemon does not show it. */
  announce(oui: string, subtype: number, information: Uint8Array): Promise<void>;
  /** Removes exactly our TLV. */
  withdraw(oui: string, subtype: number): Promise<void>;
  neighbours(signal?: AbortSignal): Promise<readonly Neighbour[]>;
  /** Calls back when neighbours may have changed; returns the way to stop. */
  watch(changed: () => void): Promise<() => void>;
};

/**
 * A minimal IS-IS speaker beside the local router (level 2, point-to-point), as discovery needs it. It announces one piece of
 * information in a TLV 251 of its own LSP and tells what the area's other systems announce in theirs.
 */
export type IsisPort = {
  /** Speaks until the signal aborts, which purges our LSP; rejects with the reason when it ends before. */
  speak(request: IsisSpeakRequest, onEvent: (event: IsisEvent) => void, signal: AbortSignal): Promise<void>;
  /** Replaces the information of the speaker that runs at `ifname`; does nothing when there is none. */
  announce(ifname: string, information: Uint8Array): Promise<void>;
};

export type IsisSpeakRequest = {
  /** The router's end of the veth pair between router and speaker. */
  readonly ifname: string;
  /** The node's name: the LSP's host name is made of it. */
  readonly node: string;
  /** 12 lower-case hex digits; the speaker's own, not the router's. */
  readonly systemId: string;
  /** Area address in lower-case hex; the router's when absent. */
  readonly area?: string;
  readonly information: Uint8Array;
};

export type IsisEvent =
  | { readonly kind: 'adjacency'; readonly state: 'up' | 'down' }
  /** A reachable system with announcements; comes again when they change. Octets in lower-case hex. */
  | {
      readonly kind: 'system';
      readonly systemId: string;
      readonly hostname?: string;
      readonly announcements: readonly string[];
      readonly faults: readonly string[];
    }
  /** A system that was told of has purged its announcement, let it expire, or cannot be reached any more. */
  | { readonly kind: 'gone'; readonly systemId: string }
  /** A PDU that cannot be read. */
  | { readonly kind: 'malformed'; readonly detail: string };
