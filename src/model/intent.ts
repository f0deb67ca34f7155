// What an operator asked.
import type { SERVICE_PORTS } from './router/hosts.ts';

/** Structured intent. Node names are spelled as typed in `as` and resolved in `node`. */
export type Intent = {
  readonly kind: IntentKind;
  /** As typed. */
  readonly text: string;
  /** The structured form that a language model made of a sentence which no form of the grammar fits. */
  readonly understoodAs?: string;
  /** Head, mid-points in order, tail: the SID list of TS-12. For other kinds the nodes that the question names; may be empty. */
  readonly path: readonly NamedNode[];
  /** `srv6` when the intent names an SRv6 path. */
  readonly encapsulation: 'srv6' | 'ip';
  /** Protocol whose neighbour is asked about. */
  readonly protocol?: RoutingProtocol;
  /** Neighbour that is asked about, as typed: a node's name or an address. */
  readonly neighbour?: string;
  /** Interface that is asked about. */
  readonly ifname?: string;
  /** Addresses or prefixes that are asked about. */
  readonly destination?: string;
  /** Service that is to be there at the destination, as the operator says. */
  readonly service?: AskedService;
  /** What is over counts too, when it was this long ago or less. */
  readonly sinceMs?: number;
  /** The time of day that `sinceMs` stands for, by the asked node's own clock and time zone: `14:00`. */
  readonly sinceClock?: string;
  /** Asks for the changes before what is wrong, beside what is wrong. */
  readonly beforeFault?: true;
  /** Asked again while a remedy runs unconfirmed: the earlier report, the finding, and the commit on its node. */
  readonly remedy?: AppliedRemedy;
};

export type AppliedRemedy = {
  readonly report: string;
  readonly finding: string;
  readonly node: string;
  readonly commit: string;
};

/** `record` is a name that the server is to know. */
export type AskedService = {
  readonly name: 'dns' | 'http';
  readonly port: (typeof SERVICE_PORTS)[number];
  readonly record?: string;
};

/**
 * `path-loss`: packet loss along a named path. `symptom`: what is wrong, with the named nodes or everywhere. `neighbour-down`:
 * why a routing neighbour is lost. `interface-symptom`: what is wrong with a link. `reachability`: why one node cannot reach another.
 * `changes`: what changed; nothing is measured for it.
 */
export type IntentKind = 'path-loss' | 'fault' | 'neighbour-down' | 'interface-fault' | 'reachability' | 'changes';

/** A question about the loss along its path, which is then the whole scope; of other kinds the path only names nodes. */
export function isAlongPath({ kind }: Pick<Intent, 'kind'>): boolean {
  return kind === 'path-loss';
}

export type RoutingProtocol = 'isis' | 'bgp' | 'ospf' | 'bfd';

/** The operator's spelling and the normal form by which nodes are matched (names.ts `nodeKey`). */
export type NamedNode = { readonly as: string; readonly key: string };
