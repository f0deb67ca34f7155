// The typed facts that rules read. Each is an Observation (docs/design.md §7): subject, predicate, value, the evidence it stands
// on, and the window it was measured in. A rule never sees evidence itself.
import type { Expectation } from '#model/baseline.ts';
import type { Observation } from '#model/evidence.ts';
import type { NonReportingLink } from '#model/links/non-reporting-links.ts';
import type { LinkEnd, ResourceId } from '#model/names.ts';
import type { KnownRule } from '#model/router/live-setting.ts';
import type { FilterMatch, ReachTraffic } from '#model/router/router-port.ts';
import type { LinkFact } from '../network/topology.ts';
import type { World, WorldLink } from '../network/world.ts';
import type { Symptom } from './symptom.ts';

/** Probes that travelled `from` → `to`: over one segment, or along the whole path. */
export type ProbeLoss = {
  readonly scope: 'segment' | 'path';
  readonly from: string;
  readonly to: string;
  /** Node that ran the probe: `from` for the way out, `to` for the way back. */
  readonly measuredBy: string;
  readonly sent: number;
  /** Those that the sender's own node refused to send are among them. */
  readonly lost: number;
  /** Probes that the sender's own node refused to send: no link and no other node has seen them. */
  readonly refused: number;
  /** True unless the sender gave another reason for refusing than that it is not permitted. */
  readonly refusedByFilter: boolean;
  /** Probes that arrived and were not answered, because of the reflector's rate limit. */
  readonly unanswered: number;
  /** Addresses of the probes, as they were asked for. */
  readonly probe?: { readonly source?: string; readonly destination?: string; readonly segments: readonly string[] };
  /** Set when the probes used many source ports over one link: then other traffic need not have fared like them. */
  readonly flows?: number;
  /** The link that the probes crossed, where a question has no path. */
  readonly link?: ResourceId;
  /** The counts of the confirmation round alone, in which both ends probe at the same time. */
  readonly again?: { readonly sent: number; readonly lost: number };
  /** False when nothing came back at all: then the loss lies on the way out or on the way back. */
  readonly directionKnown: boolean;
};

/** One direction of one link: what the sender sent against what the receiver received, over the same window. */
export type Wire = {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  /** False: the two counts mean different things, and `why` says so. */
  readonly comparable: boolean;
  readonly why?: string;
  /** More was received than sent: not comparable for that. */
  readonly gained?: boolean;
  readonly txPackets: number;
  readonly rxPackets: number;
  /** Best estimate of packets lost on the wire, the two windows' lengths taken into account; negative when rx exceeds tx. */
  readonly estimate: number;
  /** What the exchange itself can prove: packets that may lie between two reads are counted for and against. */
  readonly lostAtLeast: number;
  readonly lostAtMost: number;
};

export type FilterHits = {
  readonly node: string;
  readonly acl: string;
  readonly hook: string;
  readonly inInterfaces: readonly string[];
  readonly outInterfaces: readonly string[];
  /** Packets dropped in the window; undefined when the rule has no counter. */
  readonly packets: number | undefined;
  /** Packet family of its table: `ip6`, `inet`, `ip`, `arp`, `netdev`. */
  readonly family?: string;
  /** What the rule demands of a packet (model/router/router-port.ts); absent when its node cannot say. */
  readonly matches?: readonly FilterMatch[];
  readonly matchesRest?: boolean;
  /** That it demands more than `matches` says, in the words of its node's packet filter. */
  readonly unread?: readonly string[];
  /** An earlier rule of its chain lets some of the same kind through. */
  readonly lets?: true;
  /** Its rules as `nft` names them: `inet foo input handle 3`. */
  readonly rules?: readonly string[];
  /** The same, typed, with what they said; a rule whose names nft would quote has none. */
  readonly places?: readonly KnownRule[];
};

/** Packets of TCP handshakes with one address and port of a node, as a capture on that node saw them. */
export type Handshakes = {
  readonly node: string;
  readonly ifname: string;
  readonly address: string;
  readonly port: number;
  readonly syns: number;
  readonly synAcks: number;
  readonly resets: number;
};

export type NodeErrors = { readonly node: string; readonly counter: string; readonly packets: number };
export type RoundTrip = {
  readonly from: string;
  readonly to: string;
  readonly min: number;
  readonly avg: number;
  readonly max: number;
  /** Of few probes, over a link that no loop of probes crosses. */
  readonly alone?: true;
};
/** Probes of `from` that came back after the asked wait: not lost, `to` or `from` was busy. */
export type LateProbes = { readonly from: string; readonly to: string; readonly late: number; readonly sent: number };
/** Probes of `from` that came back, and how many came back once more; `link`: the one that all of them crossed, where it is known. */
export type ReturnedProbes = {
  readonly from: string;
  readonly to: string;
  readonly received: number;
  readonly duplicates: number;
  readonly link?: ResourceId;
};
/** Echoes to the far end of a port behind which a node was heard that gives no state. */
export type SilentEchoes = {
  readonly near: LinkEnd;
  readonly address: string;
  readonly sent: number;
  readonly received: number;
};
/** The extended measurement of one direction of one link: probes of both ends, and both ends' counters read just before and after. */
export type ExtendedMeasurement = {
  readonly link: ResourceId;
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly counts: readonly { readonly measuredBy: string; readonly sent: number; readonly lost: number }[];
  readonly wire: Wire;
};
/** One class of users' traffic over a link: of the first look what was sent and lost, and of all later ones; addresses that answered none. */
export type LinkClass = {
  readonly link: ResourceId;
  readonly traffic: ReachTraffic;
  readonly sent: number;
  readonly lost: number;
  readonly again?: { readonly sent: number; readonly lost: number };
  readonly silent: readonly string[];
};
/** The same in the extended round: round trips of both ends, and one direction by both ends' counters. */
export type LinkClassWire = {
  readonly link: ResourceId;
  readonly traffic: LinkClass['traffic'];
  readonly sent: number;
  readonly lost: number;
  readonly wire: Wire;
};
export type SendErrors = { readonly from: string; readonly to: string; readonly packets: number };
/** A short train of probes nearly as large as the link's MTU. */
export type LargeProbes = {
  readonly link: string;
  readonly from: string;
  readonly to: string;
  readonly sent: number;
  readonly received: number;
  /** Bytes of all of them on the wire. */
  readonly bytes: number;
  /** How they passed, there and back again, where the kernels at both ends timed them. */
  readonly there?: Passage;
  readonly back?: Passage;
};
/** Of probes as large as a path lets them be, one way along it: of `from` sent and lost before `to`. */
export type FullSize = {
  readonly from: string;
  readonly to: string;
  /** The node that ran them: `from` for the way out, `to` for the way back. */
  readonly measuredBy: string;
  /** Of each, IP header included. */
  readonly packetBytes: number;
  readonly sent: number;
  readonly lost: number;
  /** False when nothing came back at all: then they were lost on the way out or on the way back. */
  readonly directionKnown: boolean;
};
/** The same over one link of it, in one direction, as one end measured it in the second look. */
export type HopFullSize = Pick<FullSize, 'measuredBy' | 'packetBytes' | 'sent' | 'lost' | 'directionKnown'> & {
  readonly link: ResourceId;
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly family: 4 | 6;
};
/** Probes of many lengths, in octets with all headers, ascending; what left each end of it, and what of that was lost. */
export type LengthRun = {
  readonly measuredBy: string;
  /** Of each of these, beside the payload. */
  readonly headerBytes: number;
  readonly tested: readonly number[];
  readonly lost: readonly number[];
  readonly out: { readonly sent: number; readonly lost: number };
  readonly back: { readonly sent: number; readonly lost: number };
};
export type LinkLengths = LengthRun & { readonly link: ResourceId; readonly round: 'first' | 'confirmation' };
export type PathLengths = LengthRun & { readonly from: string; readonly to: string };
/** One way of a train over a link. */
export type Passage = {
  /** From the first arrival to the last, without the longest time between two: a pause of the machine is one, a rate is all of them. */
  readonly heldMs: number;
  /** Of its second half, which no bucket has paid for. */
  readonly megabits: number;
  /** The most that it can have been: where packets are missing, the time between two others is longer. */
  readonly mostMegabits: number;
  /** They were sent so far apart that this may be all that shows. */
  readonly loose: boolean;
};
/** Probes that went round by one node after the other and came back to the last, which had sent them. */
export type Loop = { readonly visits: readonly string[]; readonly min: number };
/** Probes with a DSCP that left over an interface on which a rule changes that DSCP. */
export type Marked = { readonly node: string; readonly ifname: string; readonly dscp: number; readonly sent: number };
/** Probes and reflections from one neighbour of a node to another, forwarded by it. */
export type Crossing = {
  readonly from: string;
  readonly through: string;
  readonly to: string;
  readonly sent: number;
  readonly lost: number;
};
/** Probes that a non-reporting router forwarded, from one of its links to another or back over the same: sent, and lost on the way there. */
export type NonReportingTransit = {
  readonly from: NonReportingLink;
  readonly to: NonReportingLink;
  readonly sent: number;
  readonly lost: number;
  /** Of the confirmation round. */
  readonly again: boolean;
};
/** Probes that a node's own rounds lost over a link in one direction, within one span of a time that is over. */
export type MonitoredLoss = {
  readonly link: WorldLink;
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly sent: number;
  readonly lost: number;
  /** Of those sent. */
  readonly share: number;
  /** Packets that the receiver noticed as damaged; absent where the loss is not theirs. */
  readonly damaged?: number;
  readonly seconds: number;
};
/** Round trips of a node's own rounds over a link that were long for a while, in ms. */
export type MonitoredDelay = {
  readonly link: WorldLink;
  readonly ends: readonly LinkEnd[];
  readonly roundTripMs: number;
  readonly usualMs: number;
};
/** Packets that one end of a link counted as sent, within one span of a time that is over, and the other never as received. */
export type CountedLoss = {
  readonly link: WorldLink;
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly sent: number;
  readonly lost: number;
};
/** By a node’s own wall clock, when it signed its first state, and its last. */
export type ClockReading = { readonly node: string; readonly signedMs: number; readonly lastMs?: number };
/** Probes along a path from an end's own address on a network of hosts to one of the other end's. */
export type NetworkReach = {
  readonly from: string;
  readonly to: string;
  readonly sender: string;
  readonly destination: string;
  readonly sent: number;
  readonly received: number;
  /** Those of the second look, when there was one. */
  readonly again?: { readonly sent: number; readonly received: number };
};
export type Missing = { readonly node: string; readonly what: string; readonly why: string };

type FactOf<P extends string, V> = Omit<Observation, 'predicate' | 'value'> & {
  readonly predicate: P;
  readonly value: V;
};

export type Fact =
  | FactOf<'probe-loss', ProbeLoss>
  | FactOf<'wire', Wire>
  | FactOf<'link', LinkFact>
  | FactOf<'filter-hits', FilterHits>
  | FactOf<'filter-lately', FilterHits>
  | FactOf<'node-errors', NodeErrors>
  /** Damaged IPv4 packets that were counted during the extended measurement. */
  | FactOf<'extended-damage', NodeErrors>
  | FactOf<'handshakes', Handshakes>
  | FactOf<'round-trip', RoundTrip>
  | FactOf<'returned-probes', ReturnedProbes>
  | FactOf<'silent-echoes', SilentEchoes>
  | FactOf<'late-probes', LateProbes>
  | FactOf<'extended-measurement', ExtendedMeasurement>
  | FactOf<'link-class', LinkClass>
  | FactOf<'link-class-wire', LinkClassWire>
  | FactOf<'send-errors', SendErrors>
  | FactOf<'large-probes', LargeProbes>
  | FactOf<'full-size', FullSize>
  | FactOf<'full-size-again', FullSize>
  | FactOf<'hop-full', HopFullSize>
  | FactOf<'link-lengths', LinkLengths>
  | FactOf<'path-lengths', PathLengths>
  | FactOf<'network-reach', NetworkReach>
  | FactOf<'loop', Loop>
  | FactOf<'marked', Marked>
  | FactOf<'crossing', Crossing>
  /** The same, through a node that may have lost what came from end to end. */
  | FactOf<'transit', Crossing>
  | FactOf<'non-reporting-transit', NonReportingTransit>
  | FactOf<'monitored-loss', MonitoredLoss>
  | FactOf<'monitored-delay', MonitoredDelay>
  | FactOf<'counted-loss', CountedLoss>
  | FactOf<'clock', ClockReading>
  | FactOf<'missing', Missing>;

export type FactWith<P extends Fact['predicate']> = Extract<Fact, { readonly predicate: P }>;

/** The evidence of health, and what keeps health from being proven. */
export type Proof = { readonly proven: readonly string[]; readonly lacking: readonly string[] };

/** `unanswered`: planned calls that brought nothing, or less than was asked for; they are lacking too. */
export type PlannedProof = Proof & { readonly unanswered: readonly string[] };

/** Where nothing was planned that would be part of a proof: along a path, and in the past. */
export const NOTHING_PLANNED: PlannedProof = { proven: [], lacking: [], unanswered: [] };

/** What operators said must hold and does not, as `text` says; and the symptoms that say it. */
export type Unmet = {
  /** The node to look at. */
  readonly node: string;
  readonly text: string;
  /** Ids of the evidence that shows it. */
  readonly source: readonly string[];
  readonly symptoms: readonly string[];
  /** Symptoms that it is a result of: it needs no finding of its own unless all of them are settled as remarks. */
  readonly resultOf?: readonly string[];
};

/** Everything about one question: its scope and all facts. */
export type CaseFile = {
  /** Of a question about the loss along a path its nodes, head first; empty for any other: then the scope is the whole world. */
  readonly path: readonly string[];
  readonly facts: readonly Fact[];
  /** The nodes, their links and what they say of themselves and each other. */
  readonly world: World;
  /** What was expected of these nodes and links, if anything. */
  readonly expected: readonly Expectation[];
  /** What is not as it should be, other than lost probes. */
  readonly symptoms: readonly Symptom[];
  /** What operators said must hold and does not; absent: nothing. */
  readonly unmet?: readonly Unmet[];
  /** What was planned, asked about or heard, and came out as it should or was never seen: no rule reads it. */
  readonly planned: PlannedProof;
};

export function factsOf<P extends Fact['predicate']>(
  file: Pick<CaseFile, 'facts'>,
  predicate: P,
): readonly FactWith<P>[] {
  return file.facts.filter((fact): fact is FactWith<P> => fact.predicate === predicate);
}

/** Directed hops from one node of the path to another, in the order of travel; without a path every stretch is one hop. */
export function hopsBetween(path: readonly string[], from: string, to: string): readonly (readonly [string, string])[] {
  if (path.length === 0) return [[from, to]];
  const [start, end] = [path.indexOf(from), path.indexOf(to)];
  if (start < 0 || end < 0) return [];
  const way = start < end ? path.slice(start, end + 1) : path.slice(end, start + 1).reverse();
  return way.slice(1).map((node, index) => [way[index]!, node] as const);
}
