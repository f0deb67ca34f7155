// Who asked, between aggregators and our own agents (AX-15): read from the session or from the parent's statement, and stated again, signed,
// for one call to one node below. Nothing of it goes to other servers. Decides no rule: the agent that answers does.
import type { Clock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { type Random, randomHex } from '#base/random.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { AskerClaim } from '#model/asker.ts';
import type { CallContent } from '#model/call.ts';
import {
  ASKER_META,
  PAYLOAD_TYPES,
  SESSION_META,
  type SignedEnvelope,
  TRACE_META,
  traceparentIn,
} from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { Signer } from '#model/ports.ts';
import { sealAsker, verifyAskerOf, verifyAssertion } from '#sign/asker.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { objectOf } from '../names/capability.ts';

/** One request as all hops know it. */
export type Asked = {
  readonly claim: AskerClaim;
  /** For trails: `operator/alice (signed)`. */
  readonly label: string;
  /** Collaboration domain id. */
  readonly sessionId: string;
  readonly traceparent: string;
};

export type AskingSession = {
  readonly party: Party;
  /** The certificates that the session was opened with; absent for users without one. */
  readonly chain?: CertificateChain | undefined;
  /** An aggregator above: it states for whom it asks. */
  readonly isParent: boolean;
};

export type Vouching = {
  /** Who stands behind a request. The reason says what does not hold. */
  askedBy(session: AskingSession, request: { readonly method: string; readonly params: JsonObject }): Result<Asked>;
  /** Members of `_meta` for this call to a node below. */
  metaFor(asked: Asked, content: CallContent): JsonObject;
};

export type VouchingParts = {
  /** Of this aggregator. */
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
};

const SESSION_ID = /^[0-9a-f]{32}$/;
const CHALLENGE_BYTES = 16;

export function createVouching(parts: VouchingParts): Vouching {
  const { signer, clock, random } = parts;
  return {
    askedBy(session, { method, params }) {
      const { _meta, ...rest } = params;
      const meta = objectOf(_meta);
      const about: About = { content: { method, params: rest } as CallContent, meta };
      const who = session.isParent ? parentsWord(parts, session.party, about) : ownWord(parts, session, about);
      return who.ok ? ok({ ...who.value, ...idsIn(meta, random) }) : who;
    },
    metaFor({ claim, sessionId, traceparent }, content) {
      const challenge = randomHex(random, CHALLENGE_BYTES);
      const about = { session: sessionId, challenge, requestSha256: requestSha256Of(content) };
      const statement = sealAsker(signer, clock, claim, about);
      return { [ASKER_META]: { ...statement }, [SESSION_META]: sessionId, [TRACE_META]: traceparent };
    },
  };
}

type About = { readonly content: CallContent; readonly meta: JsonObject };
type Who = Pick<Asked, 'claim' | 'label'>;

/** Those that came with the request, else new ones. */
function idsIn(meta: JsonObject, random: Random): Pick<Asked, 'sessionId' | 'traceparent'> {
  const given = meta[SESSION_META];
  const sessionId = typeof given === 'string' && SESSION_ID.test(given) ? given : randomHex(random, 16);
  const traceparent = traceparentIn(meta[TRACE_META]) ?? `00-${randomHex(random, 16)}-${randomHex(random, 8)}-01`;
  return { sessionId, traceparent };
}

function ownWord(
  { signer, clock }: VouchingParts,
  { party, chain }: AskingSession,
  { content, meta }: About,
): Result<Who> {
  const who = `${party.kind}/${party.name}`;
  if (chain === undefined) return ok({ claim: { kind: 'local', via: [], name: party.name }, label: who });
  const assertion = assertionIn(meta);
  if (assertion === undefined) return ok({ claim: { kind: 'certificate', via: [], chain }, label: who });
  if (party.signingKey === undefined) return bad('expected a caller with a signing key, got one without');
  const held = verifyAssertion(assertion, Buffer.from(party.signingKey, 'hex'), {
    signer: party.name,
    node: signer.node,
    nowMs: clock.nowMs(),
    requestSha256: requestSha256Of(content),
  });
  return held.ok ? ok({ claim: { kind: 'certificate', via: [], chain, assertion }, label: `${who} (signed)` }) : held;
}

function assertionIn(meta: JsonObject): SignedEnvelope | undefined {
  const given = meta[ASKER_META];
  return objectOf(given)['payloadType'] === PAYLOAD_TYPES.assertion ? (given as unknown as SignedEnvelope) : undefined;
}

function parentsWord(parts: VouchingParts, parent: Party, { content, meta }: About): Result<Who> {
  const statement = meta[ASKER_META];
  if (statement === undefined) return ok({ claim: { kind: 'node', via: [parent.name] }, label: `node/${parent.name}` });
  if (parent.signingKey === undefined) return bad('expected a parent with a signing key, got one without');
  const claim = verifyAskerOf(statement, Buffer.from(parent.signingKey, 'hex'), {
    signer: parent.name,
    session: String(meta[SESSION_META] ?? ''),
    requestSha256: requestSha256Of(content),
  });
  if (!claim.ok) return claim;
  const label = labelOf(parts, claim.value, parent.name);
  return label.ok
    ? ok({ claim: { ...claim.value, via: [...claim.value.via, parent.name] }, label: label.value })
    : label;
}

function labelOf({ verifyChain, clock }: VouchingParts, claim: AskerClaim, parent: string): Result<string> {
  const asked = claim.via[0] ?? parent;
  const vouched = `(vouched for by ${parent})`;
  if (claim.kind === 'node') return ok(`node/${asked} ${vouched}`);
  if (claim.kind === 'local') return ok(`operator/${claim.name}@${asked} ${vouched}`);
  const party = verifyChain(claim.chain, clock.nowMs());
  if (!party.ok) return bad(`certificate of who asked: ${party.reason}`);
  const who = `${party.value.kind}/${party.value.name}`;
  const { signingKey = '', name } = party.value;
  if (claim.assertion === undefined) return ok(`${who} ${vouched}`);
  const about = { signer: name, node: asked, nowMs: clock.nowMs() };
  const held = verifyAssertion(claim.assertion, Buffer.from(signingKey, 'hex'), about);
  if (!held.ok) return held;
  return ok(held.value.isFresh ? `${who} (signed)` : `${who} ${vouched}`);
}
