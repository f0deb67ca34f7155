// What one round of measurements leaves open, as diagnosis finds it and the next round's planners read it. Types only: how much of it is
// measured again is the planners' choice.
import type { Link } from '#model/links/links.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { HostPort, ServiceProbeResult } from '#model/router/hosts.ts';
import type { ReachTraffic } from '#model/router/router-port.ts';
import type { LengthRange } from './lengths.ts';
import type { States } from './states.ts';

/** After the first round, or after the confirmation. */
export type Doubts = {
  /** Links over which some probes were lost, the worst first; and those over which all were. */
  readonly lossy: readonly Link[];
  readonly dead: readonly Link[];
  /** Links over which IPv4 echoes were lost. */
  readonly echoesLost: readonly Link[];
  /** Links over which some packets of one class of traffic were lost, and no other class was. */
  readonly classes: readonly LinkClass[];
  /** Links over which probes of some lengths were lost, and small ones were not, the worst first; absent: none. */
  readonly lengths?: readonly LostLengths[];
  /** Links that hold packets back. */
  readonly slow: readonly Link[];
  /** Links that may pass few packets a second, the worst first, then some to compare them with. */
  readonly narrow: readonly NarrowLink[];
  readonly reaches: readonly Reach[];
  /** Absent: none. */
  readonly muteHosts?: readonly MuteHost[];
  /** Along a path, from an address on a network of hosts of one end to one of the other. */
  readonly networks?: readonly NetworkPair[];
  /** Ways from and to nodes whose links are not known, over which few probes came back: many are to prove them. */
  readonly unseen: readonly Reach[];
  /** Nodes that may have lost probes from end to end as they forwarded them, those of most such probes first. */
  readonly through: readonly string[];
  /** What the last round's host scans and service probes found. */
  readonly scans: readonly HostScanned[];
  readonly tries: readonly ServiceTried[];
  /** All that was found of address assignment and services so far. */
  readonly dhcp: readonly DhcpTried[];
  readonly serviceProbes: readonly ServiceTried[];
  /** Keys of nodes without a state through which probes were lost. */
  readonly nonReporting: ReadonlySet<string>;
  /** Nodes at the ends of routing symptoms, those of the first symptom first. */
  readonly routingEnds: readonly string[];
  /** Somewhere a path fails by its routes. */
  readonly routes: boolean;
  /** Along a path, from its head to its tail: full-size probes came in part, and the node that they came to limits what is for itself. */
  readonly limited?: readonly { readonly from: string; readonly to: string }[];
  /** Of a question about a path, where a rule that was not there before took packets that its node forwards: whole states of its nodes. */
  readonly filtered?: States;
};

/** With the payloads to look at again. */
export type LostLengths = LengthRange & { readonly link: Link };
export type LinkClass = { readonly link: Link; readonly traffic: ReachTraffic };
/** With how its first train came through, where that is what put it in doubt. */
export type NarrowLink = { readonly link: Link; readonly heldMs?: number; readonly megabits?: number };
/**
 * An address that this node probes; `sender`: the node's own address to try next, where there is a route back to it and none to the one that was
 * tried.
 */
export type Reach = { readonly from: string; readonly destination: string; readonly sender?: string };
/** A host that the question names, of which no echo came back to this node; `used`: the own address that it tried from, where one was named. */
export type MuteHost = Reach & { readonly used?: string };
export type NetworkPair = { readonly from: string; readonly sender: string; readonly destination: string };
export type HostScanned = HostPort & { readonly node: string };
/** `sender`: the address that it was to be sent from, where one was named. */
export type ServiceTried = ServiceProbeResult & { readonly from: string; readonly sender?: string };
export type DhcpTried = DhcpAnswer & { readonly from: string };

/** After all rounds: links that lost probes and links that may damage packets, the worst first, where nothing that was measured says why. */
export type Unsettled = {
  readonly losses: readonly LossyLink[];
  readonly damage: readonly Link[];
  /** Of which the second look lost as well. */
  readonly classes: readonly LinkClass[];
};

export type LossyLink = {
  readonly link: Link;
  /** Share of the probes that were lost before. */
  readonly share: number;
  /** What it passes a second, where its trains were held up: faster probes would be lost because of us. */
  readonly megabits?: number;
};
