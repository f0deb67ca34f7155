// What a node reports of its routing protocols, routes and neighbour tables: optional parts of its state. Text of devices
// (reasons, names of policies) is repeated for people and never decides anything. Secrets are never in here.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import {
  count,
  counter64,
  filledRows,
  flag,
  mark,
  neededRows,
  oneOf,
  rows,
  someRows,
  text,
  type Wire,
} from '../wire/fields.ts';
import { COMMIT_STATES } from './configuration.ts';
import { heard } from './dhcp.ts';
import { watchedDhcp } from './dhcp-history.ts';
import { forwardingState } from './forwarding.ts';
import { watchedHosts } from './host-history.ts';
import { host, served } from './hosts.ts';
import { damage, type LinkMonitor, linkRise, linkWatch, recurringLoss, watched } from './link-monitor.ts';
import { settingChange } from './setting-history.ts';

const isisLevel = z.enum(['1', '2', '1-2']);
export type IsisLevel = Wire<typeof isisLevel>;
/** Whether and how hellos or LSPs are authenticated; the secret itself never leaves the router. */
const password = z.enum(['none', 'clear', 'md5']).catch('none');

/** One interface on which IS-IS is configured. */
export type IsisCircuit = Wire<typeof isisCircuit>;
const isisCircuit = z.object({
  ifname: text,
  level: isisLevel,
  network: z.enum(['point-to-point', 'broadcast']),
  passive: flag,
  password,
  ipv4: flag,
  ipv6: flag,
  helloSeconds: count.exactOptional(),
  metric: count.exactOptional(),
  /** Hellos of neighbours that were refused, since start. */
  rejects: counter64.exactOptional(),
});

export type IsisState = Wire<typeof isisState>;
const isisState = z.object({
  /** FRR's area tag, which names the process in its configuration. */
  tag: text.exactOptional(),
  systemId: text.catch(''),
  areas: rows(text),
  level: isisLevel,
  /** Of what it floods on level 1. */
  areaPassword: password,
  /** Of what it floods on level 2; absent where `areaPassword` may be of either. */
  domainPassword: z.enum(['none', 'clear', 'md5']).exactOptional(),
  /** Which TLVs carry metrics (RFC 5305 §3, §4): `narrow` and `wide` do not understand each other. */
  metricStyle: z.enum(['narrow', 'transition', 'wide']).exactOptional(),
  circuits: rows(isisCircuit),
});

/** RFC 9234 §4.1. */
export const BGP_ROLES = ['provider', 'customer', 'peer', 'rs-server', 'rs-client'] as const;
export type BgpRole = (typeof BGP_ROLES)[number];

export type BgpSession = Wire<typeof bgpSession>;
const bgpSession = z.object({
  peer: text,
  localAddress: text.exactOptional(),
  remoteAs: count.catch(0),
  localAs: count.catch(0),
  state: text,
  shutdown: flag,
  password: flag,
  /** Why it was reset last, in FRR's words. */
  lastReset: text.exactOptional(),
  /** RFC 4271 code and subcode of the last NOTIFICATION, four hex digits: `0202` is Bad Peer AS. */
  lastError: text.exactOptional(),
  notification: text.exactOptional(),
  /** How long ago the last message arrived, in whole seconds. */
  heardAgoMs: count.exactOptional(),
  established: count.catch(0),
  dropped: count.catch(0),
  /** For how long it has been up; absent when it is not, or the node does not report it. */
  upMs: count.exactOptional(),
  /** Address families that are activated for it (RFC 4760), up or not; absent when the node does not report them. */
  families: someRows(z.enum(['ipv4', 'ipv6'])),
  /** Policies of this session, as configured: `route-map RM out`. */
  policies: rows(text),
  /** Hops from which its packets may come (RFC 5082, `ttl-security`), and that its own may make (`ebgp-multihop`); absent where not set. */
  ttlSecurityHops: count.exactOptional(),
  multihop: count.exactOptional(),
  /** An external peer may be on no link of the node (`disable-connected-check`); packets to it still make one hop. */
  unconnected: mark,
  /** Interface or address that it connects from, where one is set. */
  updateSource: text.exactOptional(),
  /** It waits for the peer to connect. */
  passive: mark,
  /** What this node is to the peer (RFC 9234 §4), where that is configured; `roleDemanded`: it takes no peer that does not say what it is. */
  role: z.enum(BGP_ROLES).exactOptional(),
  roleDemanded: mark,
});

/** One prefix of this node as BGP sees it: to which peers it is advertised. */
export type BgpOwnPrefix = Wire<typeof bgpOwnPrefix>;
const bgpOwnPrefix = z.object({
  prefix: text,
  /** True when a `network` statement or redistribution brings it into BGP. */
  originated: flag,
  advertisedTo: rows(text),
  /** Moves with every change of it in BGP; only while this node itself brings it in. */
  version: count.exactOptional(),
});

/** A named policy of the configuration, as `route-map ADVERTISE`, and its statements in a few words, equal exactly if those are. */
export type BgpPolicy = Wire<typeof bgpPolicy>;
const bgpPolicy = z.object({
  name: text,
  content: text,
  /** All statements, where `content` is cut and all policies together are not too long for a state. */
  whole: text.exactOptional(),
});

export type BgpState = Wire<typeof bgpState>;
const bgpState = z.object({
  asn: count,
  routerId: text.exactOptional(),
  networks: rows(text),
  redistribute: rows(text),
  /** It may have sessions that are not listed: of other VRFs, or from addresses that no neighbour statement names (`bgp listen range`). */
  unlisted: mark,
  sessions: rows(bgpSession),
  ownPrefixes: rows(bgpOwnPrefix),
  /** Absent where the node does not report them. */
  policies: someRows(bgpPolicy),
});

export type BfdSession = Wire<typeof bfdSession>;
const bfdSession = z.object({
  peer: text,
  ifname: text.exactOptional(),
  status: z.enum(['up', 'down', 'init', 'shutdown']),
  diagnostic: text.catch(''),
  remoteDiagnostic: text.catch(''),
});

/** One interface on which OSPF runs, of one version: where both run over it, it has a row of each. */
export type OspfInterface = Wire<typeof ospfInterface>;
const ospfInterface = z.object({
  /** OSPFv3 (RFC 5340), which has router ids, areas and neighbours of its own; absent: OSPFv2. */
  version: z.literal(3).exactOptional(),
  ifname: text,
  area: text.catch(''),
  network: text.catch(''),
  cost: count.exactOptional(),
  helloMs: count.exactOptional(),
  deadMs: count.exactOptional(),
  mtu: count.exactOptional(),
  /** The MTU of a neighbour is not compared with the own one (`mtu-ignore`). */
  mtuIgnored: mark,
  /** Of OSPFv3 (RFC 5340 §2.4); absent when the node does not report it. */
  instanceId: count.exactOptional(),
  /** Of the router, as it speaks on this interface. */
  routerId: text.exactOptional(),
  /** Whether and how packets are authenticated (RFC 2328 §D, RFC 7166: `trailer`); absent when the node does not report it. */
  authentication: z.enum(['none', 'clear', 'md5', 'trailer']).exactOptional(),
  passive: flag,
  /** Addresses of OSPFv3 are link-local. */
  neighbours: rows(z.object({ routerId: text, address: text.catch(''), state: text })),
});

export const OSPF_VERSIONS = [2, 3] as const;
export type OspfVersion = (typeof OSPF_VERSIONS)[number];
export const OSPF_NAMES = { 2: 'OSPF', 3: 'OSPFv3' } as const satisfies Readonly<Record<OspfVersion, string>>;
export const OSPF_DAEMONS = { 2: 'ospfd', 3: 'ospf6d' } as const satisfies Readonly<Record<OspfVersion, string>>;

/** What OSPF of a row is called. */
export function ospfName({ version }: Pick<OspfInterface, 'version'>): string {
  return OSPF_NAMES[version ?? 2];
}

type SpeaksOspf = {
  readonly ospf?: readonly OspfInterface[];
  readonly ospf6?: readonly OspfInterface[];
  readonly daemons?: readonly Daemon[];
};

/** Rows of one version, or of both. Whatever compares two rows, or finds one by its interface, says which version. */
export function ospfRows({ ospf = [], ospf6 = [] }: SpeaksOspf, version?: OspfVersion): readonly OspfInterface[] {
  if (version === undefined) return [...ospf, ...ospf6];
  return version === 3 ? ospf6 : ospf;
}

/** The node says on which interfaces this version runs, be it on none. */
export function saysOspf({ ospf, ospf6 }: SpeaksOspf, version: OspfVersion): boolean {
  return (version === 3 ? ospf6 : ospf) !== undefined;
}

/** Which version carries routes of the family of this address or prefix. */
export function ospfVersionFor(address: string): OspfVersion {
  return address.includes(':') ? 3 : 2;
}

/** Its daemon was started and does not answer. One that answers without a list is read by an agent of an earlier version, as far as OSPFv3 goes. */
export function isOspfDead({ daemons = [] }: SpeaksOspf, version: OspfVersion): boolean {
  return daemons.some(({ name, alive, silent }) => name === OSPF_DAEMONS[version] && (!alive || silent === true));
}

/** Rows of the version that carries this family. Of a node that says nothing of OSPFv3, those of OSPFv2 stand for both. */
export function ospfRowsFor(state: SpeaksOspf, address: string): readonly OspfInterface[] {
  const version = ospfVersionFor(address);
  return ospfRows(state, saysOspf(state, version) || isOspfDead(state, version) ? version : 2);
}

/** A route that was set by hand, or that throws packets away. */
export type StaticRoute = Wire<typeof staticRoute>;
const staticRoute = z.object({
  prefix: text,
  kind: z.enum(['unicast', 'blackhole', 'unreachable', 'prohibit']),
  /** Who wrote it: `static` is of the routing daemon's configuration; another name or number is of the kernel alone. */
  protocol: text.catch(''),
  nextHop: text.exactOptional(),
  ifname: text.exactOptional(),
  /** As the kernel lists it; absent: none, which the kernel takes for 0. */
  metric: count.exactOptional(),
  /** Name or number of its routing table; absent: the main one. */
  table: text.exactOptional(),
  /** SRv6 segments that it puts on (RFC 8986 H.Encaps). */
  segments: filledRows(text),
  /** The segment routing header that it puts on has no HMAC (RFC 8754 §2.1.2). */
  unsigned: mark,
});

/** What the kernel takes for addresses that nothing else leads to. */
export type DefaultRoute = Wire<typeof defaultRoute>;
const defaultRoute = z.object({
  /** `0.0.0.0/0` or `::/0`. */
  prefix: text,
  /** Who made it, as the kernel says: `ospf`. */
  protocol: text.catch(''),
  /** All equally good ones, of IPv6 the one that the lookup took; empty where it is not known whether there is a route. */
  hops: rows(z.object({ nextHop: text.exactOptional(), ifname: text.exactOptional() })),
});

/** One row of the ARP or ND table. */
export type NeighbourEntry = Wire<typeof neighbourEntry>;
const neighbourEntry = z.object({ address: text, ifname: text, mac: text.exactOptional(), state: text });

export type Qdisc = Wire<typeof qdisc>;
const qdisc = z.object({
  ifname: text,
  kind: text.catch(''),
  /** Its own handle and where it hangs, as `tc` prints them: an interface has several with `mq` or classes. */
  handle: text.exactOptional(),
  parent: text.exactOptional(),
  drops: counter64,
  overlimits: counter64.catch('0'),
  /** Packets that it sent. */
  packets: counter64.exactOptional(),
});

/** A routing daemon that was started here, and whether it still answers. */
export type Daemon = Wire<typeof daemon>;
const daemon = z.object({
  name: text,
  alive: z.boolean(),
  /** It runs, and did not answer within its time: it hangs, or is very busy. */
  silent: mark,
  /** How long it has been running, by the node's own monotonic clock; absent when that is not known. */
  upMs: count.exactOptional(),
  /** Of FRR, as the running process says it, which need not be what is installed: `8.4.4`. */
  version: text.exactOptional(),
  /** Files and sockets that it has open, and the most that it may; absent where the kernel does not count them (before Linux 6.2). */
  descriptors: z.object({ open: count, most: count }).exactOptional(),
  /** Processes of its control group that the kernel has killed for want of memory. */
  killed: counter64.exactOptional(),
});

export type HistoryEvent = Wire<typeof historyEvent>;
export const historyEvent = z.object({
  agoMs: count,
  kind: z.enum(['carrier', 'adjacency', 'session']),
  /** Interface, or peer address of a session. */
  subject: text,
  up: flag,
  /** How often it changed between the two samples. */
  changes: count,
});

/**
 * When rules of a packet filter last dropped anything, as their node remembers it: what meets a rule seldom, a hello every ten seconds or a
 * session that is tried every two minutes, need not pass while a question is answered.
 */
export type FilterDrop = Wire<typeof filterDrop>;
const filterDrop = z.object({
  family: text,
  table: text,
  chain: text,
  handle: count,
  /** How long ago its counter was seen to have moved. */
  agoMs: count,
});

/** One interface's packets by the node's own monotonic clock; counters since start. */
export type Traffic = Omit<Wire<typeof traffic>, 'samples'> & {
  readonly samples: readonly (readonly [agoMs: number, rxPackets: number, txPackets: number])[];
};
const traffic = z.object({
  ifname: text,
  samples: neededRows(z.tuple([count, count, count]), LIMITS.trafficSamples),
});

/** How often a prefix of this node came, went or changed in BGP, as readings of its whole state saw it; `gone`: those that found it withdrawn. */
export type PrefixTurns = Wire<typeof prefixTurns>;
const prefixTurns = z.object({ prefix: text, turns: count, gone: count, firstAgoMs: count, lastAgoMs: count });

export type StateReadings = Wire<typeof stateReadings>;
const stateReadings = z.object({
  /** How far back it is known in which states the node was. */
  reachMs: count,
  /** From the beginning of one whole reading to the end of the next, so long ago; each is longer than all after it. One that lacks a part is not whole. */
  pauses: rows(z.object({ agoMs: count, forMs: count }), MODEL_LIMITS.readingPauses),
});

/** What happened on this node before the question, from its own ring of samples; `agoMs` by its own monotonic clock. */
export type History = Omit<Wire<typeof history>, 'traffic' | 'watch'> & {
  readonly traffic?: readonly Traffic[];
  readonly watch?: readonly LinkMonitor[];
};
const history = z.object({
  /** How far back the ring reaches. */
  spanMs: count.catch(0),
  events: rows(historyEvent),
  /** The LLDP neighbour that was observed last on each interface. */
  lastHeard: rows(z.object({ ifname: text, name: text, port: text.exactOptional() })),
  /** Packets that interfaces had counted at moments before, oldest first; only where it was asked for. */
  traffic: someRows(traffic, LIMITS.nodeInterfaces),
  /** Hosts of each port while the node observed it: an address and the first MAC address that had it. */
  hosts: someRows(host, LIMITS.hosts),
  /** Rules of packet filters that dropped something lately. */
  filterDrops: someRows(filterDrop, LIMITS.filterRules),
  /** What hosts were seen to serve lately. */
  services: someRows(served, LIMITS.hosts),
  /** Standing probes over links, and damaged packets that the node noticed; only where it was asked for. */
  watch: someRows(linkWatch, LIMITS.monitoredLinks),
  damage: someRows(damage, LIMITS.monitorRounds),
  /** Links over which round trips have risen and stayed so; absent where there is none. */
  rises: someRows(linkRise, LIMITS.monitoredLinks),
  /** Links that lose packets again and again, and have not stopped; absent where there is none. */
  recurringLosses: someRows(recurringLoss, LIMITS.monitoredLinks),
  /** What this node monitors, and for how long it has; only where it was asked for. */
  watched: someRows(watched),
  /** What hosts were observed to ask for lately, and DHCP servers to answer. */
  heard: someRows(heard, LIMITS.observedRequests),
  /** What monitoring of hosts found. */
  watchedHosts: watchedHosts.exactOptional(),
  /** How hosts got their addresses, as it passed. */
  watchedDhcp: watchedDhcp.exactOptional(),
  /** Changes of settings, newest first: of days where the node has a disk. Absent where the node does not remember them. */
  settings: someRows(settingChange, MODEL_LIMITS.settingChanges),
  /** For how long changes of settings are remembered: what changed before is not known. */
  settingsSpanMs: count.exactOptional(),
  /** Of whole states. Absent from agents of earlier versions, and where none is remembered. */
  stateReadings: stateReadings.exactOptional(),
  /** Own prefixes that came and went in BGP, or changed there, more than once lately. */
  prefixTurns: someRows(prefixTurns),
  /** Commits of the configuration, newest first; only where the node has a configuration helper that tells them. */
  commits: someRows(
    z.object({ id: text, by: text, state: oneOf(COMMIT_STATES), agoMs: count }),
    MODEL_LIMITS.toldCommits,
  ),
  /**
   * Parts of this history that are not whole, with the reason: `commits`. They are not among the parts that the state misses, since what is
   * wrong now is found without them.
   */
  missing: someRows(z.object({ part: text, reason: text.catch('') }), MODEL_LIMITS.historyParts),
});

/** The parts of a state that a node has only where the protocol runs and the driver can read it. */
export const controlPlaneParts = {
  isis: isisState.exactOptional(),
  bgp: bgpState.exactOptional(),
  bfd: someRows(bfdSession),
  ospf: someRows(ospfInterface),
  /** Rows of OSPFv3, all with their version. Beside `ospf`, so that a reader of earlier versions does not take them for OSPFv2. */
  ospf6: someRows(ospfInterface),
  staticRoutes: someRows(staticRoute),
  /** At most one a family. */
  defaultRoutes: someRows(defaultRoute),
  /** Addresses, of what this node puts into SRv6 or did lately and of the SIDs that it sends to, to which it has no route. */
  noWayTo: someRows(text, LIMITS.srv6Destinations),
  neighbourTable: someRows(neighbourEntry),
  qdiscs: someRows(qdisc),
  forwarding: forwardingState.exactOptional(),
  daemons: someRows(daemon),
  history: history.exactOptional(),
};
