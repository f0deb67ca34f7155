// Who asked, signed by the node that calls, and what an asker signs itself. A statement holds for exactly one signed call: it carries that
// call's challenge and digest, and the call's nonce is accepted once. Refuses misshapen and oversized statements. Says nothing of
// certificates: the caller verifies the chain.
import { type Clock, isoTime } from '#base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { AskerClaim } from '#model/asker.ts';
import { PAYLOAD_TYPES, type SignedCall, type SignedEnvelope } from '#model/envelope.ts';
import type { CertificateChain } from '#model/identity.ts';
import { isNodeName } from '#model/names.ts';
import type { Signer } from '#model/ports.ts';
import { openEnvelope, parseEnvelope } from './envelope.ts';
import { SIGN_LIMITS } from './limits.ts';
import { keyIdOf } from './signer.ts';

/** Fields of the signed call that a statement belongs to. */
export type AskedCall = Pick<SignedCall, 'session' | 'challenge' | 'requestSha256'>;

const LOCAL_USER = /^[a-z0-9][a-z0-9_.-]{0,62}$/;

export function sealAsker(signer: Signer, clock: Clock, claim: AskerClaim, call: AskedCall): SignedEnvelope {
  const { session, challenge, requestSha256 } = call;
  return signer.seal(PAYLOAD_TYPES.asker, {
    type: PAYLOAD_TYPES.asker,
    signer: signer.node,
    keyId: signer.keyId,
    time: isoTime(clock.nowMs()),
    session,
    challenge,
    requestSha256,
    asker: claimJson(claim),
  });
}

/** The claim of a statement that `signed.signer` made for exactly this verified call. */
export function verifyAsker(envelope: unknown, publicKeyRaw: Uint8Array, signed: SignedCall): Result<AskerClaim> {
  const opened = openBounded(envelope, publicKeyRaw, PAYLOAD_TYPES.asker);
  if (!opened.ok) return opened;
  const { asker, time, ...head } = opened.value;
  const expected: JsonObject = {
    type: PAYLOAD_TYPES.asker,
    signer: signed.signer,
    keyId: keyIdOf(publicKeyRaw),
    session: signed.session,
    challenge: signed.challenge,
    requestSha256: signed.requestSha256,
  };
  const fault = unlike(head, expected);
  if (fault !== undefined) return bad(`expected the ${fault} of this call in the statement of who asked, got another`);
  if (typeof time !== 'string') return bad('expected a time in the statement of who asked, got none');
  return readClaim(asker);
}

/**
 * The claim of a statement that an aggregator made for a call that is not signed itself: the session's TLS proves who calls, and the
 * statement is for this request in this session.
 */
export function verifyAskerOf(
  envelope: unknown,
  publicKeyRaw: Uint8Array,
  expected: { readonly signer: string; readonly session: string; readonly requestSha256: string },
): Result<AskerClaim> {
  const opened = openBounded(envelope, publicKeyRaw, PAYLOAD_TYPES.asker);
  if (!opened.ok) return opened;
  const { asker, time, challenge, ...head } = opened.value;
  const fault = unlike(head, { type: PAYLOAD_TYPES.asker, keyId: keyIdOf(publicKeyRaw), ...expected });
  if (fault !== undefined) return bad(`expected the ${fault} of this call in the statement of who asked, got another`);
  if (typeof time !== 'string' || typeof challenge !== 'string')
    return bad('expected a time and a challenge in the statement of who asked, got none');
  return readClaim(asker);
}

/** What an asker signs for the node that it asks: that it asks that node, this, now. */
export function sealAssertion(
  signer: Signer,
  clock: Clock,
  asked: { readonly node: string; readonly requestSha256: string; readonly challenge: string },
): SignedEnvelope {
  return signer.seal(PAYLOAD_TYPES.assertion, {
    type: PAYLOAD_TYPES.assertion,
    signer: signer.node,
    keyId: signer.keyId,
    time: isoTime(clock.nowMs()),
    ...asked,
  });
}

export type AssertionExpectation = {
  readonly signer: string;
  /** The node that was asked. */
  readonly node: string;
  readonly nowMs: number;
  /** Known to the node that was asked alone. */
  readonly requestSha256?: string;
};

/** `isFresh` is false where only the time is not of the last minutes: clocks of nodes may be off, and that is no lie. */
export function verifyAssertion(
  envelope: unknown,
  publicKeyRaw: Uint8Array,
  expected: AssertionExpectation,
): Result<{ readonly isFresh: boolean }> {
  const opened = openBounded(envelope, publicKeyRaw, PAYLOAD_TYPES.assertion);
  if (!opened.ok) return opened;
  const { time, challenge, requestSha256, ...head } = opened.value;
  const { signer, node } = expected;
  const fault = unlike(head, { type: PAYLOAD_TYPES.assertion, signer, keyId: keyIdOf(publicKeyRaw), node });
  if (fault !== undefined) return bad(`expected the ${fault} of this question in the asker's assertion, got another`);
  if (typeof challenge !== 'string' || typeof requestSha256 !== 'string' || typeof time !== 'string')
    return bad('expected a time, a challenge and a digest in the asker’s assertion');
  if (expected.requestSha256 !== undefined && requestSha256 !== expected.requestSha256)
    return bad("expected this request in the asker's assertion, got another");
  const timeMs = Date.parse(time);
  if (Number.isNaN(timeMs)) return bad("expected a time in the asker's assertion, got another text");
  return ok({ isFresh: Math.abs(timeMs - expected.nowMs) <= SIGN_LIMITS.assertionMs });
}

function openBounded(
  envelope: unknown,
  publicKeyRaw: Uint8Array,
  type: typeof PAYLOAD_TYPES.asker | typeof PAYLOAD_TYPES.assertion,
): Result<JsonObject> {
  // Before decoding: a node sends one with every call.
  const parsed = parseEnvelope(envelope);
  if (!parsed.ok) return parsed;
  if (parsed.value.payload.length > SIGN_LIMITS.askerChars)
    return bad(`expected at most ${SIGN_LIMITS.askerChars} characters to say who asked, got more`);
  return openEnvelope(parsed.value, publicKeyRaw, type);
}

/** The first member that differs, is missing or is more than expected. */
function unlike(got: JsonObject, expected: JsonObject): string | undefined {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
  return names.find((name) => got[name] !== expected[name])?.slice(0, 32);
}

function claimJson(claim: AskerClaim): JsonObject {
  const via = [...claim.via];
  if (claim.kind === 'node') return { kind: 'node', via };
  if (claim.kind === 'local') return { kind: 'local', via, name: claim.name };
  const { chain, assertion } = claim;
  return {
    kind: 'certificate',
    via,
    chain: [...chain],
    ...(assertion === undefined ? {} : { assertion: { ...assertion } }),
  };
}

function readClaim(value: JsonValue | undefined): Result<AskerClaim> {
  if (!isJsonObject(value)) return bad('expected who asked as an object, got another type');
  const { kind, via, ...rest } = value;
  if (!Array.isArray(via) || via.length > SIGN_LIMITS.askerVia || !via.every(isName))
    return bad(`expected at most ${SIGN_LIMITS.askerVia} names of nodes between, got others`);
  const between = via as string[];
  const members = Object.keys(rest).toSorted().join(' ');
  if (kind === 'node' && members === '') return ok({ kind, via: between });
  if (kind === 'local' && members === 'name') {
    const { name } = rest;
    return typeof name === 'string' && LOCAL_USER.test(name)
      ? ok({ kind, via: between, name })
      : bad('expected the name of a local user, got another text');
  }
  if (kind !== 'certificate' || (members !== 'chain' && members !== 'assertion chain'))
    return bad('expected who asked as a node, a local user or a certificate, got another form');
  const chain = readChain(rest['chain']);
  if (!chain.ok) return chain;
  if (rest['assertion'] === undefined) return ok({ kind, via: between, chain: chain.value });
  const assertion = parseEnvelope(rest['assertion']);
  return assertion.ok ? ok({ kind, via: between, chain: chain.value, assertion: assertion.value }) : assertion;
}

function readChain(value: JsonValue | undefined): Result<CertificateChain> {
  if (!Array.isArray(value) || value.length === 0 || value.length > LIMITS.chainCertificates)
    return bad(`expected 1 to ${LIMITS.chainCertificates} certificates of the asker, got another number`);
  return value.every((text: JsonValue) => typeof text === 'string')
    ? ok(value as string[])
    : bad('expected certificates of the asker as texts, got another type');
}

function isName(value: JsonValue): boolean {
  return typeof value === 'string' && isNodeName(value);
}
