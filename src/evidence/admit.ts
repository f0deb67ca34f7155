// Admits answers as evidence (TS-16): the signature of the session's verified party over exactly this answer to exactly
// this call, fresh, once, and bounded. What does not pass is an outcome `untrusted: <reason>`, never an exception,
// and its content is not looked at any further.

import { bad, ok, type Result } from '#base/result.ts';
import { encodeCanonicalJson } from '#codec/canonical-json.ts';
import { decodeHex } from '#codec/hex.ts';
import type { ExchangedCall, Outcome, PlannedCall } from '#model/call.ts';
import type { AdmittedEvidence } from '#model/evidence.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { verifyResult } from '#sign/call.ts';
import type { NonceWindow } from '#sign/nonce-window.ts';
import { EVIDENCE_LIMITS } from './limits.ts';

export type AnswerToAdmit = {
  readonly call: PlannedCall;
  readonly outcome: Outcome;
  /** Absent when nothing came back: the outcome then stands as it is. */
  readonly exchanged: ExchangedCall | undefined;
  /** The verified party at the other end of the session, or this node for its own answers. */
  readonly callee: Party;
  readonly chain: CertificateChain;
  /** Collaboration domain id. */
  readonly sessionId: string;
  /** Our own name, which the callee signed as its caller. */
  readonly caller: string;
  readonly window: NonceWindow;
};

/** `evidence` only for an answered call that passed; a signed refusal that passed keeps its outcome and is no evidence. */
export type Admission = { readonly outcome: Outcome; readonly evidence?: AdmittedEvidence };

export function admitAnswer(answer: AnswerToAdmit): Admission {
  const { call, outcome, exchanged } = answer;
  if (exchanged === undefined) return { outcome };
  const checked = check(answer, exchanged);
  if (!checked.ok) return { outcome: { ...outcome, untrusted: checked.reason } };
  const { envelope, body, status } = exchanged.answer;
  if (status !== 'answered' || envelope === undefined) return { outcome };
  const evidence: AdmittedEvidence = {
    id: call.id,
    purpose: call.purpose,
    node: call.node,
    kind: call.evidence,
    phase: call.phase,
    request: exchanged.request,
    requestEnvelope: exchanged.requestEnvelope,
    body,
    envelope,
    chain: answer.chain,
  };
  return { outcome, evidence };
}

function check(answer: AnswerToAdmit, exchanged: ExchangedCall): Result<void> {
  const { callee, call } = answer;
  const { envelope, body, status } = exchanged.answer;
  if (envelope === undefined) return bad('the answer is not signed');
  // A session that was opened towards one node must not speak for another.
  if (callee.kind !== 'node' || callee.name !== call.node) return bad(`the answer comes from ${callee.name}`);
  if (callee.signingKey === undefined) return bad('the certificate binds no signing key');
  const signerKey = decodeHex(callee.signingKey, 32);
  if (!signerKey.ok) return signerKey;
  const bodyBytes = encodeCanonicalJson(body).length;
  if (bodyBytes > EVIDENCE_LIMITS.evidenceBytes)
    return bad(`expected at most ${EVIDENCE_LIMITS.evidenceBytes} bytes, got ${bodyBytes}`);
  const verified = verifyResult({
    envelope,
    status,
    body,
    content: exchanged.request,
    challenge: exchanged.challenge,
    session: answer.sessionId,
    signerKey: signerKey.value,
    expectedSigner: call.node,
    caller: answer.caller,
    window: answer.window,
  });
  return verified.ok ? ok(undefined) : verified;
}
