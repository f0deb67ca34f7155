// What a planned call is for: one tagged union of every purpose. It travels typed from the planner to the outcome, the evidence and the report,
// so that nothing has to be read from a call's id. A call's own node is beside the purpose, and is repeated only where it is one of two.
import type { LinkEnd } from './names.ts';
import type { ReachTraffic } from './router/router-port.ts';

/** The first measurement, the confirmation of what it put in doubt, and an extended one where doubt remains. */
export type Round = 'first' | 'confirmation' | 'extended';
type EarlyRound = Exclude<Round, 'extended'>;

/** What a neighbour can be asked on behalf of a node that routing has lost. */
export type RelayedPurpose = Extract<Purpose, { readonly kind: 'state' | 'host-scan' }>;

/** Hosts that are known; the same again with all IPv6 nodes of the link; likely places of hosts that lost their address; routers that DHCP offered. */
export type HostScanAim = 'known' | 'confirmation' | 'search' | 'offered' | 'moved';

/** Why a service is probed. */
export type ServiceProbeReason =
  /** A filter may drop it. */
  | 'filters'
  /** The question names it, or the host. */
  | 'asked'
  | 'asked-echo'
  /** It was seen to be served. */
  | 'seen'
  /** Hosts on this node's ports use it: tried from the address of such a port. */
  | 'used'
  /** Operators said that it must be there. */
  | 'expected'
  /** Hosts ask for names where no name server is known. */
  | 'asked-names'
  /** A host's mask shows from afar alone. */
  | 'far-echo'
  /** A name server was slow. */
  | 'name-times'
  /** DHCP offers it as a name server. */
  | 'offered-names';

export type PlannedPurpose =
  | { readonly kind: 'state'; readonly when: 'before' | 'after' }
  /** Asked of a neighbour for `node`. */
  | { readonly kind: 'relay'; readonly node: string; readonly of: RelayedPurpose }
  /** Counters read in quiet before and after the extended round. */
  | { readonly kind: 'counters'; readonly reading: 'first' | 'last' }
  | { readonly kind: 'logs' }
  /** Along a path, in SRv6 or over the link between the two. */
  | { readonly kind: 'path-probe'; readonly from: string; readonly to: string }
  /** Many flows over one link of a path. */
  | { readonly kind: 'path-flows'; readonly from: string; readonly to: string }
  /** As large as the smallest MTU along a path lets them be, from its head to its tail. */
  | { readonly kind: 'path-full'; readonly from: string; readonly to: string }
  /** The same once more, where a limiter of the node that they came to may have taken some beside the others. */
  | { readonly kind: 'path-full-again'; readonly from: string; readonly to: string }
  /** The same over one link of it, in one IP version, where the path lost some. */
  | { readonly kind: 'hop-full'; readonly from: LinkEnd; readonly to: LinkEnd; readonly family: 4 | 6 }
  /** Over a link, of lengths all over the range that it carries, and again of those around the lost ones. */
  | { readonly kind: 'length-probe'; readonly from: LinkEnd; readonly to: LinkEnd; readonly round: EarlyRound }
  /** The same along a path, from its head to its tail. */
  | { readonly kind: 'path-lengths'; readonly from: string; readonly to: string }
  | { readonly kind: 'sid-statistics' }
  /** Probes as they leave the head of a path. */
  | { readonly kind: 'probe-capture' }
  /** Of a node on a path, while probes run along it: all of its state, of which the readings before and after have what is quick. */
  | { readonly kind: 'path-state' }
  | { readonly kind: 'handshake-capture'; readonly ifname: string }
  /** Many small probes over a link. */
  | { readonly kind: 'link-probe'; readonly from: LinkEnd; readonly to: LinkEnd; readonly round: Round }
  /** A train of large probes over a link; the first is number 1. */
  | { readonly kind: 'link-train'; readonly from: LinkEnd; readonly to: LinkEnd; readonly train: number }
  /** In SRv6 over a link where a filter may be against that. */
  | { readonly kind: 'srv6-probe'; readonly from: LinkEnd; readonly to: LinkEnd }
  /** With a DSCP that a rule changes; `to` has no interface where the far node gives no state. */
  | { readonly kind: 'dscp-probe'; readonly from: LinkEnd; readonly to: FarEnd; readonly dscp: number }
  /** Through a node that may damage what it forwards. */
  | { readonly kind: 'transit-probe'; readonly from: string; readonly through: string; readonly to: LinkEnd }
  /** Through a node that packets from end to end may have been lost in: from one neighbour of it to another. */
  | {
      readonly kind: 'bisecting-transit';
      readonly from: LinkEnd;
      readonly through: string;
      readonly to: LinkEnd;
      readonly round: 'confirmation';
    }
  /** Through a node that gives no state: back to the same end, or to another neighbour of it. */
  | {
      readonly kind: 'non-reporting-transit';
      readonly from: LinkEnd;
      readonly through: string;
      readonly to: LinkEnd;
      readonly round: EarlyRound;
    }
  /** Steered through these nodes in the order of travel; the last is the sender. */
  | { readonly kind: 'loop'; readonly visits: readonly string[] }
  /** Where a node forwards to; many destinations are asked about in parts, of which the first is number 1. */
  | { readonly kind: 'lookups'; readonly part: number; readonly round: EarlyRound }
  /** On the path to what the question asks about. */
  | { readonly kind: 'path-lookup'; readonly destination: string }
  /**
   * Loopbacks and own addresses of other nodes; in the confirmation those that lost probes, from another address of the node where the first
   * look's had no way back.
   */
  | { readonly kind: 'reach'; readonly round: EarlyRound; readonly sender?: string }
  /** Along a path: from an end's own address on a network of hosts to those that the other end has. */
  | { readonly kind: 'network-reach'; readonly sender: string; readonly round: EarlyRound }
  /** IPv4 over the node's links; in the confirmation over one of them; in the extended round several runs. */
  | { readonly kind: 'link-echoes'; readonly round: 'first' }
  | { readonly kind: 'link-echoes'; readonly round: 'confirmation'; readonly ifname: string }
  | { readonly kind: 'link-echoes'; readonly round: 'extended'; readonly run: number }
  /** One class of users' traffic over the node's links; over those in doubt again, in the extended round in several runs from number 1. */
  | {
      readonly kind: 'link-classes';
      readonly traffic: ReachTraffic;
      readonly round: Round;
      readonly run: number;
    }
  /** To the far ends of links behind which a node was heard that gives no state, though the port has a carrier. */
  | { readonly kind: 'silent-echoes' }
  /** Over links without IPv6 addresses. */
  | { readonly kind: 'plain-links' }
  /** Addresses that the question names. */
  | { readonly kind: 'asked-reach' }
  /** An IPv6 host that the question names: echoes, which its kernel answers. */
  | { readonly kind: 'host-echo' }
  /**
   * The host that the question names, where no echo came back: what its kernel answers by itself, from another address of the node where the first
   * try's had no way back.
   */
  | {
      readonly kind: 'host-try';
      readonly traffic: 'tcp' | 'icmp';
      readonly round: 'confirmation';
      readonly sender?: string;
    }
  | { readonly kind: 'host-scan'; readonly aim: HostScanAim }
  /** `ifname`: of services that hosts use, the port from whose address they are tried. `family`: over IPv6; absent: over IPv4. */
  | {
      readonly kind: 'service-probe';
      readonly reason: ServiceProbeReason;
      readonly round: EarlyRound;
      readonly ifname?: string;
      readonly family?: 6;
    }
  | { readonly kind: 'dhcp'; readonly round: EarlyRound }
  /** What a node remembers of days. */
  | { readonly kind: 'remembered' };

/** What a call of a report was for is not known where the report does not say: those of earlier programs do not. */
export type Purpose = PlannedPurpose | { readonly kind: 'unknown' };

export type PurposeKind = Purpose['kind'];
export type PurposeOf<K extends PurposeKind> = Extract<Purpose, { readonly kind: K }>;
export type FarEnd = { readonly node: string; readonly ifname?: string };

/** What has the purpose of this kind, typed; undefined for any other. */
export function purposeOf<K extends PurposeKind>(
  { purpose }: { readonly purpose: Purpose },
  kind: K,
): PurposeOf<K> | undefined {
  return purpose.kind === kind ? (purpose as PurposeOf<K>) : undefined;
}

/** For operators: what a call of `node` is about, as `pe1:eth1 p2:eth0 link`. */
export function purposeText(node: string, purpose: Purpose): string {
  return purposeWords(node, purpose).join(' ');
}

/** Words that tell a call of `node` from its others. */
export function purposeWords(node: string, purpose: Purpose): readonly string[] {
  const words = WORDS[purpose.kind] as (purpose: Purpose, node: string) => readonly string[];
  return words(purpose, node);
}

const nameOf = ({ node, ifname }: FarEnd) => (ifname === undefined ? node : `${node}:${ifname}`);
const LINK_ROUNDS: Readonly<Record<Round, string>> = { first: 'link', confirmation: 'again', extended: 'long' };
/** Numbered from the second on. */
const numbered = (words: readonly string[], number: number) => (number === 1 ? words : [...words, String(number)]);
const SERVICE_WORDS: Readonly<Record<ServiceProbeReason, readonly string[]>> = {
  filters: [],
  asked: ['asked'],
  'asked-echo': ['echo'],
  seen: ['seen'],
  used: ['used'],
  expected: ['expected'],
  'asked-names': ['names'],
  'far-echo': ['far'],
  'name-times': ['times'],
  'offered-names': ['offered'],
};

const WORDS: { readonly [K in PurposeKind]: (purpose: PurposeOf<K>, node: string) => readonly string[] } = {
  state: (_, node) => [node, 'parley-node-state'],
  relay: ({ node, of }, by) => [by, 'parley-relay', ...(of.kind === 'state' ? [node] : purposeWords(node, of))],
  counters: ({ reading }, node) => [node, 'counts', reading],
  logs: (_, node) => [node, 'log'],
  'path-probe': ({ from, to }) => [from, to],
  'path-flows': ({ from, to }) => [from, to, 'flows'],
  'path-full': ({ from, to }) => [from, to, 'full'],
  'path-full-again': ({ from, to }) => [from, to, 'full', LINK_ROUNDS.confirmation],
  'hop-full': ({ from, to, family }) => [nameOf(from), nameOf(to), 'full', `ipv${family}`],
  'length-probe': ({ from, to, round }) => [
    ...[nameOf(from), nameOf(to), 'lengths'],
    ...(round === 'first' ? [] : [LINK_ROUNDS[round]]),
  ],
  'path-lengths': ({ from, to }) => [from, to, 'lengths'],
  'sid-statistics': (_, node) => [node, 'sid-statistics'],
  'probe-capture': (_, node) => [node, 'capture'],
  'path-state': (_, node) => [node, 'parley-node-state'],
  'handshake-capture': ({ ifname }, node) => [node, 'capture', ifname],
  'link-probe': ({ from, to, round }) => [nameOf(from), nameOf(to), LINK_ROUNDS[round]],
  'link-train': ({ from, to, train }) => numbered([nameOf(from), nameOf(to), 'large'], train),
  'srv6-probe': ({ from, to }) => [nameOf(from), nameOf(to), 'srv6'],
  'dscp-probe': ({ from, to, dscp }) => [nameOf(from), nameOf(to), 'marked', String(dscp)],
  'transit-probe': ({ from, through, to }) => [from, 'cross', through, nameOf(to)],
  'bisecting-transit': ({ from, through, to }) => [nameOf(from), 'across', through, nameOf(to)],
  'non-reporting-transit': ({ from, through, to }) => [nameOf(from), 'past', through, nameOf(to)],
  loop: ({ visits }, node) => [node, 'loop', ...visits],
  lookups: ({ part }, node) => numbered([node, 'parley-lookups'], part),
  'path-lookup': ({ destination }, node) => [node, 'parley-lookups', destination],
  reach: ({ round, sender }, node) => [
    ...[node, 'parley-reach', ...(round === 'first' ? [] : ['again'])],
    ...(sender === undefined ? [] : ['from', sender]),
  ],
  'network-reach': ({ round, sender }, node) => [
    ...[node, 'parley-reach', 'hosts', sender, ...(round === 'first' ? [] : ['again'])],
  ],
  'link-echoes': (purpose, node) => [node, 'parley-reach', ...echoWords(purpose)],
  'link-classes': ({ traffic, round, run }, node) =>
    numbered([node, 'parley-reach', traffic, ...(round === 'first' ? [] : [LINK_ROUNDS[round]])], run),
  'silent-echoes': (_, node) => [node, 'parley-reach', 'silent'],
  'plain-links': (_, node) => [node, 'parley-reach', 'plain'],
  'asked-reach': (_, node) => [node, 'parley-reach', 'asked'],
  'host-echo': (_, node) => [node, 'parley-reach', 'host'],
  'host-try': ({ traffic, sender }, node) => [
    ...[node, 'parley-reach', 'host', traffic],
    ...(sender === undefined ? [] : ['from', sender]),
  ],
  'host-scan': ({ aim }, node) => [
    ...[node, 'parley-host-scan'],
    ...(aim === 'known' || aim === 'confirmation' ? [] : [aim]),
  ],
  'service-probe': ({ reason, ifname, family }, node) => [
    ...[node, 'parley-service-probe', ...SERVICE_WORDS[reason]],
    ...(ifname === undefined ? [] : [ifname]),
    ...(family === undefined ? [] : ['ipv6']),
  ],
  dhcp: (_, node) => [node, 'parley-dhcp'],
  remembered: (_, node) => [node, 'parley-history'],
  unknown: (_, node) => [node],
};

function echoWords(purpose: PurposeOf<'link-echoes'>): readonly string[] {
  if (purpose.round === 'first') return ['links'];
  return purpose.round === 'confirmation' ? ['again', purpose.ifname] : ['long', String(purpose.run)];
}
