// Who asked, where a node calls another: it travels with every call between agents, so that a node that answers applies its rules to
// the one who asked and not only to the node that passes the question on.
import type { SignedEnvelope } from './envelope.ts';
import type { CertificateChain, Party } from './identity.ts';

/**
 * What a calling node says of who asked. `via`: the nodes through which it got the question, first the one that was asked; without
 * the calling node itself.
 */
export type AskerClaim = {
  readonly via: readonly string[];
  /** Trace that the question belongs to. It travels beside the statement and is not signed. */
  readonly traceparent?: string;
} & (
  | /** The node that was asked, or the calling node, for itself: upkeep of its own, no question. */ {
      readonly kind: 'node';
    }
  /** A user of the node that was asked, without a certificate: `local` or `loopback`. That node vouches for the name. */
  | { readonly kind: 'local'; readonly name: string }
  /** An operator, a controller or a foreign agent, as its certificate says. */
  | {
      readonly kind: 'certificate';
      /** Leaf first, as in reports. */
      readonly chain: CertificateChain;
      /** What the asker itself signed for the node that was asked. Without it, that node vouches for the asker. */
      readonly assertion?: SignedEnvelope;
    }
);

/** On whose behalf a node calls others. */
export type Asking = {
  readonly asker: AskerClaim;
  /** For this node's own trail: `operator/alice`. */
  readonly askedBy: string;
};

/** A node for itself. */
export const OWN_UPKEEP: AskerClaim = { kind: 'node', via: [] };

/** Who stands behind a call of a node, once that was verified. */
export type Behind = {
  /** Each of them must be permitted what the call does, by the rules of the node that answers. */
  readonly parties: readonly Party[];
  /** For trails and refusals: `operator/alice (signed)`, `operator/local@pe1 (vouched for by pe1)`, `node/pe1`. */
  readonly label: string;
  /** Whose probes it counts as, beside the calling node's: `operator/alice`, `node/pe1`, `users of pe1`; absent as `claim` is. */
  readonly account?: string;
  /** As the calling node sent it, to be passed on; absent where the calling node names no asker. */
  readonly claim?: AskerClaim;
};

/** Up to which role a node's word for another's user counts here; `refused`: not at all. */
export type Ceiling = 'refused' | 'observer' | 'operator';

/** What a node that answers takes the word of other nodes for. */
export type AskerRules = {
  /** A call that names no asker, as agents before this one send: `node` counts it as the calling node itself. */
  readonly absent: Ceiling | 'node';
  /** Users without a certificate at the node that was asked. */
  readonly local: Ceiling;
  /** Holders of a certificate who signed nothing, as behind a browser. */
  readonly vouched: Ceiling;
};

export const DEFAULT_ASKER_RULES: AskerRules = { absent: 'node', local: 'operator', vouched: 'operator' };
