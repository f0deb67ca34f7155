// Who stands behind a call of another node, and who is named to the nodes that are called in turn. A certificate is verified here, a
// signature of the asker as well; for all else the calling node vouches, up to the role that this node's configuration grants its word.
// Refuses a statement that does not hold; decides no rule (mcp/catalog/).
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { bad, ok, type Result } from '#base/result.ts';
import {
  type AskerClaim,
  type AskerRules,
  type Asking,
  type Behind,
  type Ceiling,
  DEFAULT_ASKER_RULES,
  OWN_UPKEEP,
} from '#model/asker.ts';
import type { CallContext } from '#model/definition.ts';
import { PAYLOAD_TYPES, type SignedCall, type SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { AdmittedCall, IncomingCall } from '#model/ports.ts';
import { isDoorName } from '#mtls/party.ts';
import { verifyAsker, verifyAskerOf, verifyAssertion } from '#sign/asker.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { SIGN_LIMITS } from '#sign/limits.ts';
import { userOf } from './session-record.ts';

export type AskerParts = {
  /** This node. */
  readonly self: Party;
  readonly rules: AskerRules;
  readonly clock: Clock;
  /** Against the domain's CA, now. */
  readonly verifyChain: (chain: CertificateChain) => Result<Party>;
  /** The certificates that this caller's connection was opened with; undefined for callers without any. */
  readonly chainOf: (caller: Party) => CertificateChain | undefined;
};

/** `signed`: the verified call. A node's own part of a plan was admitted as a question already: its asker is named, and no rule asked again. */
export function behindOf(
  parts: AskerParts,
  call: IncomingCall,
  signed: SignedCall | undefined,
): Result<Behind | undefined> {
  const { caller, asker } = call;
  if (caller.kind === 'controller' && asker?.payloadType === PAYLOAD_TYPES.asker)
    return parentsWord(parts, call, asker);
  if (caller.kind !== 'node') return ownWord(parts, call);
  const isOwn = caller === parts.self;
  // Who may send unsigned calls names no asker in them.
  if (signed === undefined) return isOwn ? ok(undefined) : unnamed(parts, caller);
  if (asker === undefined) return isOwn ? ok(undefined) : unnamed(parts, caller);
  const claim = verifyAsker(asker, Buffer.from(caller.signingKey ?? '', 'hex'), signed);
  if (!claim.ok) return claim;
  if (!isOwn) return standing(parts, claim.value, caller);
  const behind = standing({ ...parts, rules: DEFAULT_ASKER_RULES }, claim.value, caller);
  return behind.ok ? ok({ ...behind.value, parties: [] }) : behind;
}

/** Who is named to other nodes that are called for this call. Throws ParleyError `caller/relayed-too-far` or `us/no-asker`. */
export function askingFor(parts: AskerParts, call: AdmittedCall): Asking {
  const { caller, behind } = call;
  const { traceparent } = call;
  const asker = { ...claimFor(parts, call), ...(traceparent === undefined ? {} : { traceparent }) };
  return { asker, askedBy: behind?.claim ? behind.label : namedAs(caller) };
}

function namedAs(party: Party): string {
  const user = userOf(party);
  return user === undefined ? `${party.kind}/${party.name}` : `${party.kind}/${party.name}, ${user}`;
}

function claimFor(parts: AskerParts, call: AdmittedCall): AskerClaim {
  const { caller, behind } = call;
  if (caller === parts.self) return behind?.claim ?? OWN_UPKEEP;
  if (caller.kind === 'node') return passedOn(caller.name, behind?.claim ?? OWN_UPKEEP);
  // Its parent, which said for whom it asks.
  if (behind?.claim !== undefined) return passedOn(caller.name, behind.claim);
  if (caller.thumbprint === undefined) return { kind: 'local', via: [], name: caller.name };
  const chain = parts.chainOf(caller);
  if (chain === undefined) throw noAsker();
  // As it was made: `behindOf` verified it, and whether its time is right is for each node that gets it, by that node's clock.
  return { kind: 'certificate', via: [], chain, ...(call.asker === undefined ? {} : { assertion: call.asker }) };
}

/** Of a call that `serve.ts` did not handle, as within this process, only a user without a certificate can be named. Throws `us/no-asker`. */
export function askerIn({ asker, caller }: Pick<CallContext, 'asker' | 'caller'>): Asking {
  if (asker !== undefined) return asker();
  if (caller.kind !== 'operator' || caller.thumbprint !== undefined) throw noAsker();
  return { asker: { kind: 'local', via: [], name: caller.name }, askedBy: namedAs(caller) };
}

/** Of an aggregator with which this node has registered: it says for whom it asks, as far as it knows (decision 0069). */
function parentsWord(parts: AskerParts, call: IncomingCall, asker: SignedEnvelope): Result<Behind> {
  const { caller, content, sessionId: session = '' } = call;
  if (caller.signingKey === undefined) return bad('expected a parent with a signing key, got one without');
  const about = { signer: caller.name, session, requestSha256: requestSha256Of(content) };
  const claim = verifyAskerOf(asker, Buffer.from(caller.signingKey, 'hex'), about);
  return claim.ok ? standing(parts, claim.value, caller) : claim;
}

/** An assertion of the caller itself must hold for this request to this node, whatever its time: this node's own clock may be off. */
function ownWord({ self, clock }: AskerParts, { asker, caller, content }: IncomingCall): Result<undefined> {
  if (asker === undefined) return ok(undefined);
  if (caller.signingKey === undefined) return bad('expected a caller with a signing key, got one without');
  const held = verifyAssertion(asker, Buffer.from(caller.signingKey, 'hex'), {
    signer: caller.name,
    node: self.name,
    nowMs: clock.nowMs(),
    requestSha256: requestSha256Of(content),
  });
  return held.ok ? ok(undefined) : held;
}

function passedOn(caller: string, claim: AskerClaim): AskerClaim {
  const via = [...claim.via, caller];
  if (via.length <= SIGN_LIMITS.askerVia) return { ...claim, via };
  throw new ParleyError(
    'caller/relayed-too-far',
    `expected at most ${SIGN_LIMITS.askerVia} nodes between, got one more`,
  );
}

function unnamed({ rules, self }: AskerParts, caller: Party): Result<Behind> {
  if (rules.absent === 'node') return ok({ parties: [], label: 'not named' });
  if (rules.absent === 'refused') return bad('expected a call that says who asked, got one without');
  return ok({ parties: [upTo(self, `unnamed@${caller.name}`, rules.absent)], label: 'not named' });
}

function standing(parts: AskerParts, claim: AskerClaim, caller: Party): Result<Behind> {
  const { self, rules } = parts;
  const asked = claim.via[0] ?? caller.name;
  // The hops above an aggregator are aggregators too, and have the same rights as its parent.
  const kind = caller.kind === 'controller' ? 'controller' : 'node';
  const between = claim.via.map((name): Party => ({ kind, domain: self.domain, name }));
  const vouched = `(vouched for by ${caller.name})`;
  if (claim.kind === 'node') {
    const label = claim.via.length === 0 ? `node/${asked}` : `node/${asked} ${vouched}`;
    return ok({ parties: between, label, account: `node/${asked}`, claim });
  }
  if (claim.kind === 'local') {
    const user = `${claim.name}@${asked}`;
    if (rules.local === 'refused') return bad('users of other nodes without a certificate may not ask here');
    const parties = [upTo(self, user, rules.local), ...between];
    return ok({ parties, label: `operator/${user} ${vouched}`, account: `users of ${asked}`, claim });
  }
  const verified = parts.verifyChain(claim.chain);
  if (!verified.ok) return bad(`certificate of who asked: ${verified.reason}`);
  const party = verified.value;
  if (isDoorName(party.name)) return bad('expected a certificate of a party, got one with the name of a local entry');
  const isSigned = signedFor(parts, claim, party, asked);
  if (!isSigned.ok) return isSigned;
  const who = `${party.kind}/${party.name}`;
  if (isSigned.value) return ok({ parties: [party, ...between], label: `${who} (signed)`, account: who, claim });
  if (rules.vouched === 'refused')
    return bad('expected a question that its asker signed, got one that a node vouches for');
  const bound = upTo(self, `vouched@${caller.name}`, rules.vouched);
  return ok({ parties: [party, bound, ...between], label: `${who} ${vouched}`, account: who, claim });
}

/** False without an assertion, and where its time is not of these minutes here: one of two clocks may be off. */
function signedFor(
  { clock }: AskerParts,
  { assertion }: Extract<AskerClaim, { kind: 'certificate' }>,
  party: Party,
  node: string,
): Result<boolean> {
  if (assertion === undefined) return ok(false);
  if (party.signingKey === undefined) return bad('expected a certificate with a signing key, got one without');
  const key = Buffer.from(party.signingKey, 'hex');
  const held = verifyAssertion(assertion, key, { signer: party.name, node, nowMs: clock.nowMs() });
  return held.ok ? ok(held.value.isFresh) : held;
}

/** A user whom a node vouches for. No certificate carries an `@`: such a name is no other party's. */
function upTo({ domain }: Party, name: string, role: Exclude<Ceiling, 'refused'>): Party {
  return { kind: 'operator', domain, name, role };
}

function noAsker(): ParleyError {
  return new ParleyError('us/no-asker', 'expected a call whose asker can be named to other nodes, got another');
}
