// What an operator asked.

/** Structured intent. Node names are spelled as typed in `as` and resolved in `node`. */
export type Intent = {
  readonly kind: IntentKind;
  /** As typed. */
  readonly text: string;
  /** What was understood, in words that mean the same when they are typed; absent for a structure. */
  readonly understoodAs?: string;
  /** Understood by a language model: the reader of questions does not know the sentence. */
  readonly byModel?: true;
  /** Words of the question that the answer makes no use of. */
  readonly notUsed?: readonly string[];
  /** What about it is asked; absent for a structure. */
  readonly topic?: Topic;
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
  /** Host without an agent from which packets come; the router that has it on a port is the first of `path`, as soon as that is known. */
  readonly fromHost?: FromHost;
  /** Service that is to be there at the destination, as the operator says. */
  readonly service?: AskedService;
  /** What is over counts too, when it was this long ago or less. */
  readonly sinceMs?: number;
  /** What began less than this long ago does not count; absent: until now. */
  readonly untilMs?: number;
  /** The time that was asked about, of which the asked node's own clock makes `sinceMs` and `untilMs`: `today`, `since-14:00`, `past`. */
  readonly when?: string;
  /** The nodes are the two ends of one link. */
  readonly isLink?: true;
  /** Nodes about which nothing is asked. */
  readonly except?: readonly NamedNode[];
  /** Asks for the changes before what is wrong, beside what is wrong. */
  readonly beforeFault?: true;
  /** Asked again while a remedy runs unconfirmed: the earlier report, the finding, and the commit on its node. */
  readonly remedy?: AppliedRemedy;
};

export type FromHost = {
  readonly address: string;
  /** The router's port on the network of the host. */
  readonly ifname?: string;
};

export type AppliedRemedy = {
  readonly report: string;
  readonly finding: string;
  readonly node: string;
  readonly commit: string;
};

/** `record` is a name that the server is to know. `tcp`: whether the port accepts connections, whatever serves there. */
export type AskedService = {
  readonly name: 'dns' | 'http' | 'tcp';
  readonly port: number;
  readonly record?: string;
};

/**
 * `path-loss`: packet loss along a named path. `symptom`: what is wrong, with the named nodes or everywhere. `neighbour-down`:
 * why a routing neighbour is lost. `interface-symptom`: what is wrong with a link. `reachability`: why one node cannot reach another.
 * `changes`: what changed; nothing is measured for it. `data`: what nodes say of themselves, as a table.
 */
export type IntentKind =
  | 'path-loss'
  | 'fault'
  | 'neighbour-down'
  | 'interface-fault'
  | 'reachability'
  | 'changes'
  | 'data';

/** What about the network is asked. Those of `DATA_TOPICS` are answered with a table, and with no judgement. */
export type Topic =
  | 'trouble'
  | 'loss'
  | 'delay'
  | 'jitter'
  | 'capacity'
  | 'mtu'
  | 'reach'
  | 'errors'
  | 'flap'
  | 'session'
  | 'changes'
  | DataTopic;

export const DATA_TOPICS = [
  ...(['neighbours', 'connected', 'path', 'traffic', 'counters', 'uptime', 'where'] as const),
  ...(['interfaces', 'nodes', 'history'] as const),
] as const;
export type DataTopic = (typeof DATA_TOPICS)[number];

/** A question about the loss along its path, which is then the whole scope; of other kinds the path only names nodes. */
export function isAlongPath({ kind }: Pick<Intent, 'kind'>): boolean {
  return kind === 'path-loss';
}

export type RoutingProtocol = 'isis' | 'bgp' | 'ospf' | 'bfd';

/** The operator's spelling and the normal form by which nodes are matched (names.ts `nodeKey`). */
export type NamedNode = { readonly as: string; readonly key: string };
