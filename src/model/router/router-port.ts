// RouterPort: the only way to the node behind the agent. linux-frr, netconf and embedded drivers implement it and
// run one contract suite. Reads change nothing; a probe or a capture leaves no state behind, also when killed (TS-22).

import type { Wire } from '../wire/fields.ts';
import type { filterMatch } from '../wire/filter-rule.ts';
import type { ConfigurationPort } from './configuration.ts';
import type { History } from './control-plane.ts';
import type { DhcpAnswer, DhcpAsk } from './dhcp.ts';
import type { HostPort, HostScanRequest, ServiceProbeRequest, ServiceProbeResult } from './hosts.ts';
import type {
  captureFilter,
  captureRequest,
  inputRoute,
  probeKeyRequest,
  probeRequest,
  probeResult,
  reachRequest,
  reachResult,
  ribRoute,
  routeAnswer,
  routeOrigin,
  trainTimes,
} from './probe-schema.ts';
import type { Remembered, RememberedRequest } from './remembered-days.ts';
import type {
  adjacency,
  filterRule,
  interfaceState,
  inventory,
  neighbour,
  nodeState,
  readingAges,
  sid,
} from './state-schema.ts';

export type Inventory = Wire<typeof inventory>;
export type InterfaceState = Wire<typeof interfaceState>;
export type InterfaceCounters = InterfaceState['counters'];
export type Sid = Wire<typeof sid>;
export type Neighbour = Wire<typeof neighbour>;
export type Adjacency = Wire<typeof adjacency>;
export type FilterMatch = Wire<typeof filterMatch>;
export type FilterField = FilterMatch['field'];
export type FilterRule = Wire<typeof filterRule>;
export type RouteOrigin = Wire<typeof routeOrigin>;
export type NodeCounters = NodeState['nodeCounters'];

export type NodeState = Omit<Wire<typeof nodeState>, 'history'> & {
  readonly history?: History;
  /** On request: states of the last minutes that were unlike the present one, newest first. */
  readonly past?: readonly PastState[];
};

/**
 * A whole state that was read by the driver itself or for a question, and how long ago. Where hosts are not remembered it has no neighbour table, no
 * history and no LLDP neighbours on ports to hosts. It stays the last one for as long as no other can be read.
 */
export type KeptState = { readonly state: NodeState; readonly ageMs: number };

/** A state that a node was in. */
export type PastState = Wire<typeof readingAges> & { readonly state: NodeState };

/**
 * How much of the state is read: `wire` is what a question about one path needs, `all` adds protocols, tables, queues and the
 * node's own history, and takes several times as long; `past` adds the states that it was in and is in no longer; `log` is `wire` and what
 * the node's log says of its neighbours.
 */
export const STATE_PARTS = ['wire', 'all', 'past', 'log'] as const;
export type StateParts = (typeof STATE_PARTS)[number];

export type RouteAnswer = Wire<typeof routeAnswer>;
export type RibRoute = Wire<typeof ribRoute>;
export type InputRoute = Wire<typeof inputRoute>;
export type ProbeRequest = Wire<typeof probeRequest>;
export type TrainTimes = Wire<typeof trainTimes>;
export type ProbeResult = Wire<typeof probeResult>;
export type CaptureRequest = Wire<typeof captureRequest>;
export type CaptureFilter = Wire<typeof captureFilter>;
export type ReachRequest = Wire<typeof reachRequest>;
export type ProbeKey = Wire<typeof probeKeyRequest>;
export type ReachResult = Wire<typeof reachResult>;
export type ReachTraffic = NonNullable<ReachResult['traffic']>;

/** A bounded packet capture in PCAP format. */
export type Capture = { readonly pcap: Uint8Array; readonly packets: number; readonly truncated: boolean };

/** A part of a state that is missing: with the privileged helper goes most of the others. */
export const HELPER_PART = 'privileged-helper';

export type CutList = NonNullable<NodeState['cut']>[number];

/** Lists of which a state has no room for all, in words. */
export const CUT_PARTS: ReadonlyMap<string, string> = new Map([
  ['static-routes', 'static routes'],
  ['neighbour-entries', 'entries of the neighbour table'],
  ['forwarding-interfaces', 'forwarding settings of interfaces'],
  ['bgp-own-prefixes', 'own prefixes in BGP'],
]);

/** Nothing, where all was read. */
export function cutPart(part: string, read: number, of: number): readonly CutList[] {
  return read >= of ? [] : [{ part, read, of }];
}

export function cutWords({ read, of }: CutList): string {
  return `${read} of ${of} were read`;
}

/** Every method rejects with ParleyError `node/...` when the node itself cannot answer. */
export type RouterPort = {
  readonly driver: Inventory['driver'];
  /** `wire` when not said otherwise. */
  state(signal?: AbortSignal, parts?: StateParts): Promise<NodeState>;
  /** Only interface counters and SIDs: the cheapest read. */
  counters(signal?: AbortSignal): Promise<Pick<Inventory, 'interfaces' | 'sids'>>;
  /** The last whole state that the driver has kept: it costs no reading. Undefined until there is one, absent where the driver keeps none. */
  latest?(): KeptState | undefined;
  /** What the node remembers of days; absent where it remembers none. */
  remembered?(request: RememberedRequest, signal?: AbortSignal): Promise<Remembered>;
  route(destination: string, signal?: AbortSignal): Promise<RouteAnswer>;
  /** Many lookups at once, in the order asked; absent where the driver has none. */
  routes?(destinations: readonly string[], signal?: AbortSignal): Promise<readonly RouteAnswer[]>;
  /** Probes to many addresses at once: to the reflectors there, or what any kernel answers; absent where the driver has none. */
  reach?(request: ReachRequest, signal?: AbortSignal): Promise<readonly ReachResult[]>;
  /** From now on the reflector knows the probes of this question, and this node's own prove it; absent where the driver has no reflector. */
  admitProbes?(key: ProbeKey, signal?: AbortSignal): Promise<void>;
  /** Tells of an address whether it is on a network of one of this node's links; absent where the driver sends no packets. */
  onLink?(): (address: string) => boolean;
  /** Who answers on ports that lead to hosts; absent where the driver has none. */
  hosts?(request: HostScanRequest, signal?: AbortSignal): Promise<readonly HostPort[]>;
  /** Services tried at addresses; absent where the driver has none. */
  serviceProbe?(request: ServiceProbeRequest, signal?: AbortSignal): Promise<readonly ServiceProbeResult[]>;
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
