// Calls between agents and what became of them.
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { AskerClaim } from './asker.ts';
import type { SignedEnvelope } from './envelope.ts';
import type { CertificateChain, Party } from './identity.ts';
import type { PlannedPurpose, Purpose } from './purpose.ts';

export type CallKind = 'tool' | 'resource';

/** One tool call or resource read on one node, as a plan holds it. */
export type PlannedCall = {
  /** Unique within a plan, for people to read: what the call is for is in `purpose` alone. */
  readonly id: string;
  readonly purpose: PlannedPurpose;
  readonly node: string;
  readonly kind: CallKind;
  /** Tool name, or the resource's URI. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** Capability that the session must be authorised for. */
  readonly capability: string;
  /** What the content is, for correlation: `state`, `probe`, `sid-statistics`, `capture`. */
  readonly evidence: EvidenceKind;
  readonly phase: Phase;
  readonly timeoutMs: number;
  /** It is sent this long after the others of its phase: looks that are to be independent of each other. */
  readonly afterMs?: number;
};

export type EvidenceKind =
  | 'state'
  | 'probe'
  | 'sid-statistics'
  | 'capture'
  | 'lookups'
  | 'reach'
  | 'relayed'
  | 'host-scan'
  | 'service-probe'
  | 'dhcp'
  | 'remembered';

/** A plan's calls run in these phases; all of one phase end before the next begins, which is what aligns windows. */
export type Phase = 'before' | 'probe' | 'after' | 'deepen';

/**
 * What came back on the wire. `body` is the tool's `structuredContent` or the resource's parsed content;
 * `envelope` is the callee's signature over it, verbatim, not verified yet.
 */
export type RawAnswer = {
  readonly status: 'answered' | 'refused';
  /** JSON-RPC or MCP-NET code of a refusal. */
  readonly code?: number;
  readonly reason?: string;
  /** The result (without `_meta`) or the error object, exactly what `resultSha256` covers. */
  readonly body: JsonValue;
  readonly envelope?: SignedEnvelope;
};

/** Sends one call to a peer over its session; `challenge` and the signed request are made by the session. */
export type PeerSession = {
  readonly peer: Party;
  /** Leaf first, base64 DER: what an offline verifier needs. */
  readonly chain: CertificateChain;
  /** The capability intersection (TS-14), sorted. */
  readonly authorised: readonly string[];
  /** Of the peer's agent, as it says itself; absent where it says none. */
  readonly version?: string;
  /** Nodes that pass the session on, the nearest to the asker first; empty where it goes over a link past the routes; absent where routing carries it. */
  readonly through?: readonly string[];
  /** Rejects with a ParleyError (`peer/timeout`, `peer/unreachable`, `peer/protocol`) when no answer came. */
  call(call: OutgoingCall): Promise<ExchangedCall>;
  readonly closed: boolean;
  close(): Promise<void>;
};

export type OutgoingCall = {
  readonly kind: CallKind;
  readonly name: string;
  readonly arguments: JsonObject;
  /** Collaboration domain id. */
  readonly sessionId: string;
  /** On whose behalf. */
  readonly asker: AskerClaim;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

/** The two halves of one call: the signed request as sent, and the answer as received. */
export type ExchangedCall = {
  /** JSON-RPC method and params without `_meta`: what `requestSha256` covers. */
  readonly request: CallContent;
  readonly requestEnvelope: SignedEnvelope;
  /** 16 random bytes of the caller, lower-case hex. */
  readonly challenge: string;
  readonly answer: RawAnswer;
};

/** `{method: "tools/call", params: {name, arguments}}` or `{method: "resources/read", params: {uri}}`. */
export type CallContent = { readonly method: string; readonly params: JsonObject };

export type OutcomeStatus = 'answered' | 'refused' | 'timed-out' | 'unreachable';

/**
 * The code of the error with which a call ends to a node that the asker knows from its neighbours alone: it announces no agent, no other node told
 * of one, and no session with one was ever open as far as the asker remembers.
 */
export const NO_AGENT = 'peer/no-agent';

/** Outcomes of earlier versions have no code: their reason says it. */
const NO_AGENT_REASON = 'no agent of this node is known';

/** Nothing was ever promised of this node. */
export function isWithoutAgent({ status, code, reason }: Pick<Outcome, 'status' | 'code' | 'reason'>): boolean {
  return status === 'unreachable' && (code === NO_AGENT || (code === undefined && reason === NO_AGENT_REASON));
}

/** What a planned call came back with; never a missing row (TS-21). */
export type Outcome = {
  readonly callId: string;
  readonly purpose: Purpose;
  readonly node: string;
  readonly phase: Phase;
  readonly name: string;
  readonly status: OutcomeStatus;
  readonly reason?: string;
  /** Set when the node timed out or failed authentication. */
  readonly untrusted?: string;
  /** Set where the judgement depends on what ended it: `peer/no-agent`. */
  readonly code?: typeof NO_AGENT;
  /** As of the session that it was sent over. */
  readonly through?: readonly string[];
  readonly elapsedMs: number;
};
