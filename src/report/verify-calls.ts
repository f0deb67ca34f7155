// Verifies each call of a report: the creator's signed request, the callee's signed result, and that both cover what the
// report shows (TS-16). A result that answers another request, session or caller does not pass, nor one used twice.
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { PAYLOAD_TYPES, type SignedHead } from '#model/envelope.ts';
import type { Party } from '#model/identity.ts';
import type { EvidenceItem, Report, ReportEnvelope } from '#model/report.ts';
import { verifyCall, verifyResult } from '#sign/call.ts';
import { sha256Hex } from '#sign/digest.ts';
import { signedAnswerBytes } from './assemble.ts';
import { type Check, checkOf } from './check.ts';
import { boundKeyOf } from './countersign.ts';
import type { AcceptedSignature } from './second-opinion.ts';

type Parties = ReadonlyMap<string, Party>;

/** What the calls of one report share while they are verified. */
type Context = {
  readonly report: Report;
  readonly parties: Parties;
  readonly nonces: Set<string>;
  readonly signatures: AcceptedSignature[];
};

/**
 * One check for each evidence item's bytes, one for each call, one for each entry of the draft's `signatures`.
 * Accepted signatures are added to `signatures`. `enclosed`: ids of evidence that is in the reports inside this one.
 */
export function verifyCalls(
  report: Report,
  parties: Parties,
  signatures: AcceptedSignature[],
  enclosed: readonly string[],
): readonly Check[] {
  const checks: Check[] = [];
  const context: Context = { report, parties, nonces: new Set(), signatures };
  const ids = new Set<string>();
  for (const [index, item] of report.items.entries()) {
    const bytes = decodeBase64(report.evidence[index]!);
    checks.push(
      checkOf(`evidence ${item.id}`, ids.has(item.id) ? bad('the id is used twice') : checkBytes(item, bytes)),
    );
    ids.add(item.id);
    const [call, ...more] = report.envelopes.filter((each) => each.evidenceId === item.id);
    const verified =
      call === undefined || more.length > 0
        ? bad('expected one signed call for this evidence')
        : bytes.ok
          ? checkCall(item, call, bytes.value, context)
          : bytes;
    checks.push(checkOf(`call ${item.id}`, verified));
  }
  const loose = report.envelopes.find((each) => !ids.has(each.evidenceId));
  checks.push(checkOf('envelopes', loose === undefined ? ok(undefined) : bad('a signed call without evidence')));
  checks.push(
    checkOf('outcomes', checkOutcomes(report)),
    checkOf('findings', checkFindings(report, new Set([...ids, ...enclosed]))),
  );
  return [...checks, ...checkDraftSignatures(report)];
}

function checkBytes(item: EvidenceItem, bytes: Result<Uint8Array>): Result<void> {
  if (!bytes.ok) return bytes;
  return sha256Hex(bytes.value) === item.sha256 ? ok(undefined) : bad('the SHA-256 of the bytes is another');
}

function checkCall(item: EvidenceItem, call: ReportEnvelope, bytes: Uint8Array, context: Context): Result<void> {
  const { report, parties, nonces, signatures } = context;
  const callerKey = signingKeyOf(parties.get(report.creator));
  if (!callerKey.ok) return bad(`request: ${callerKey.reason}`);
  const signerKey = signingKeyOf(parties.get(item.node));
  if (!signerKey.ok) return bad(`result: ${signerKey.reason}`);
  const answer = signedAnswerBytes(item, bytes);
  if (answer === undefined) return bad('media type and content do not fit');
  const body = decodeStrictJson(answer);
  if (!body.ok) return body;

  const { request: content, requestEnvelope, resultEnvelope } = call;
  const session = report['session-id'];
  const expected = { expectedSigner: report.creator, session };
  const request = verifyCall(requestEnvelope, content, callerKey.value, expected);
  if (!request.ok) return bad(`request: ${request.reason}`);
  const result = verifyResult({
    envelope: resultEnvelope,
    status: 'answered',
    body: body.value,
    content,
    challenge: request.value.challenge,
    session,
    signerKey: signerKey.value,
    expectedSigner: item.node,
    caller: report.creator,
  });
  if (!result.ok) return bad(`result: ${result.reason}`);
  if (result.value.resultSha256 !== sha256Hex(answer)) return bad('the evidence is not RFC 8785 JSON');
  const part = `call ${item.id}`;
  signatures.push(
    { part, envelope: requestEnvelope, publicKey: callerKey.value, type: PAYLOAD_TYPES.call },
    { part, envelope: resultEnvelope, publicKey: signerKey.value, type: PAYLOAD_TYPES.result },
  );
  return useOnce(nonces, request.value) && useOnce(nonces, result.value) ? ok(undefined) : bad('a nonce is used twice');
}

/** A node never uses a nonce again, be it for calls or for results: one answer cannot stand for two. */
function useOnce(nonces: Set<string>, head: SignedHead): boolean {
  const nonce = JSON.stringify([head.signer, head.boot, head.nonce]);
  return !nonces.has(nonce) && nonces.add(nonce).has(nonce);
}

function signingKeyOf(party: Party | undefined): Result<Uint8Array> {
  return party === undefined ? bad('the chain of the signer did not verify') : boundKeyOf(party);
}

function checkOutcomes(report: Report): Result<void> {
  const missing = report.items.find(
    (item) =>
      !report.outcomes.some((each) => each.callId === item.id && each.node === item.node && each.status === 'answered'),
  );
  return missing === undefined ? ok(undefined) : bad(`evidence ${missing.id} without an answered call`);
}

function checkFindings(report: Report, ids: ReadonlySet<string>): Result<void> {
  const missing = (each: { readonly evidence: readonly string[] }) => each.evidence.find((id) => !ids.has(id));
  const loose = report.findings.flatMap((finding) => missing(finding) ?? [])[0];
  if (loose !== undefined) return bad(`a finding stands on ${loose}, which is not in the report`);
  const odd = (report.remarks ?? []).flatMap((remark) => missing(remark) ?? [])[0];
  return odd === undefined ? ok(undefined) : bad(`a remark stands on ${odd}, which is not in the report`);
}

/** TS-18's `signatures`: each callee's over its last result, and no other. */
function checkDraftSignatures(report: Report): readonly Check[] {
  const last = new Map(report.items.map((item) => [item.node, item.id]));
  const nodes = [...new Set([...last.keys(), ...Object.keys(report.signatures)])].sort();
  return nodes.map((node) => {
    const call = report.envelopes.find((each) => each.evidenceId === last.get(node));
    const fits = call !== undefined && report.signatures[node] === call.resultEnvelope.signature;
    return checkOf(
      `signatures ${node}`,
      fits ? ok(undefined) : bad('not the signature of the last result of this node'),
    );
  });
}
