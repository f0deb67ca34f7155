// Evidence and the typed facts that are drawn from it.

import type { JsonValue } from '#base/json.ts';
import type { CallContent, EvidenceKind, Phase } from './call.ts';
import type { SignedEnvelope } from './envelope.ts';
import type { CertificateChain } from './identity.ts';
import type { Purpose } from './purpose.ts';

/** An answered call whose signature, freshness and size were checked (evidence/admit.ts). */
export type Evidence = {
  /** The planned call's id. */
  readonly id: string;
  readonly purpose: Purpose;
  readonly node: string;
  readonly kind: EvidenceKind;
  readonly phase: Phase;
  readonly request: CallContent;
  /** The result without `_meta`. */
  readonly body: JsonValue;
  readonly envelope: SignedEnvelope;
  readonly chain: CertificateChain;
};

/** Evidence with the signed request that it answers: what a report needs so that others can verify it offline. */
export type AdmittedEvidence = Evidence & { readonly requestEnvelope: SignedEnvelope };

/** A typed fact. `window` joins facts that were measured between the same two moments of an exchange. */
export type Observation = {
  /** Resource id, or `path/<head>><tail>` for probes along a path. */
  readonly subject: string;
  readonly predicate: string;
  readonly value: JsonValue;
  /** Evidence ids it stands on. */
  readonly source: readonly string[];
  readonly window?: string;
};
