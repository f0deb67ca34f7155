// The trust list of a domain: which CAs it has, and what is revoked (TS-24). Numbered, dated, signed by every CA that it names. A node takes
// one that every CA it trusts has signed, and that is newer than its own: neither a registrar nor an operator can make one, and while the CA is
// replaced the thief of one of two keys cannot either.
import { type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { decodeBase64, encodeBase64 } from '#codec/base64.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import { decodePemAll, encodePem } from '#codec/pem.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import { readCertificate } from '#codec/x509.ts';
import { preAuthEncoding } from '#sign/portable/pae.ts';
import { MTLS_LIMITS } from '../limits.ts';
import { domainOf, thumbprintOf } from '../party.ts';
import { REVOCATION_LIMITS } from './limits.ts';

const TYPE = 'parley/trust-list/v1';

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const thumbprint = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const common = { reason: z.string().min(1).max(REVOCATION_LIMITS.revokedReasonChars), at: time };

/** A certificate by its serial number, a party's or a registrar's; or all that a party or a registrar was enrolled for before a time. */
const revokedSchema = z.union([
  z.strictObject({ serial: z.string().regex(/^[0-9a-f]{2,40}$/), ...common }),
  z.strictObject({
    party: z.string().regex(/^(node|operator|controller|registrar)\/[^/\s]{1,63}$/),
    before: time,
    ...common,
  }),
]);

const contentSchema = z.strictObject({
  type: z.literal(TYPE),
  domain: z.string().min(1).max(253),
  number: z.number().int().min(1),
  issued: time,
  /** DER of the domain's CA, base64; while it is replaced, of the next one as well. */
  anchors: z.array(base64.max(8_192)).min(1).max(MTLS_LIMITS.anchors),
  revoked: z.array(revokedSchema).max(REVOCATION_LIMITS.revoked),
});

const envelopeSchema = z.strictObject({
  payload: base64,
  /** By each CA that signed: the SHA-256 of its certificate and an ECDSA signature with SHA-256 over the payload. */
  signatures: z
    .array(z.strictObject({ anchor: thumbprint, signature: base64.max(128) }))
    .min(1)
    .max(2 * MTLS_LIMITS.anchors),
});

export type Revoked = z.infer<typeof revokedSchema>;
export type TrustListContent = Omit<z.infer<typeof contentSchema>, 'type'>;

export type TrustList = TrustListContent & {
  /** As it travels. */
  readonly text: string;
  /** The CAs that it names, as PEM. */
  readonly anchorsPem: string;
};

/** A CA that signs. */
export type ListSigner = { readonly der: Uint8Array; readonly privateKey: KeyObject };

export function sealTrustList(content: TrustListContent, signers: readonly ListSigner[]): string {
  const payload = Buffer.from(canonicalJsonText({ type: TYPE, ...content } as unknown as JsonObject));
  const signatures = signers.map(({ der, privateKey }) => ({
    anchor: thumbprintOf(der),
    signature: encodeBase64(sign('sha256', preAuthEncoding(TYPE, payload), privateKey)),
  }));
  return `${JSON.stringify({ payload: encodeBase64(payload), signatures })}\n`;
}

/** The list of `text`, where every CA of `trustedPem` and every CA that it names has signed it. */
export function openTrustList(text: string, trustedPem: string, domain: string): Result<TrustList> {
  if (text.length > REVOCATION_LIMITS.trustListChars)
    return bad(`expected a trust list of at most ${REVOCATION_LIMITS.trustListChars} characters, got ${text.length}`);
  const json = decodeStrictJson(Buffer.from(text));
  if (!json.ok) return bad(`expected a trust list: ${json.reason}`);
  const envelope = envelopeSchema.safeParse(json.value);
  if (!envelope.success) return bad('expected a signed trust list, got something else');
  const payload = decodeBase64(envelope.data.payload);
  if (!payload.ok) return payload;
  const content = contentOf(payload.value);
  if (!content.ok) return content;
  if (content.value.domain !== domain)
    return bad(`expected a trust list of ${domain}, got one of ${content.value.domain}`);
  const trusted = decodePemAll(trustedPem, 'CERTIFICATE');
  if (!trusted.ok || trusted.value.length === 0) return bad('expected a CA that is trusted, there is none');
  const named = anchorsOf(content.value);
  if (!named.ok) return named;
  const signed = preAuthEncoding(TYPE, payload.value);
  for (const anchor of [...trusted.value, ...named.value]) {
    const reason = notSignedBy(anchor, envelope.data.signatures, signed);
    if (reason !== undefined) return bad(reason);
  }
  const anchorsPem = named.value.map((der) => encodePem(der, 'CERTIFICATE')).join('');
  const { type: _type, ...rest } = content.value;
  return ok({ ...rest, text, anchorsPem });
}

function contentOf(payload: Uint8Array): Result<z.infer<typeof contentSchema>> {
  const value = decodeStrictJson(payload);
  if (!value.ok) return value;
  const content = contentSchema.safeParse(value.value);
  if (!content.success) return bad('expected the content of a trust list, got something else');
  // Two spellings of one list could be two lists to two readers.
  return Buffer.compare(payload, Buffer.from(canonicalJsonText(value.value))) === 0
    ? ok(content.data)
    : bad('expected RFC 8785 JSON as payload, got another spelling');
}

/** CAs of the list's domain, each once. */
function anchorsOf({ anchors, domain }: TrustListContent): Result<Uint8Array[]> {
  const ders: Uint8Array[] = [];
  for (const text of anchors) {
    const der = decodeBase64(text);
    const fields = der.ok ? readCertificate(der.value) : der;
    const own = fields.ok ? domainOf(fields.value) : fields;
    if (!der.ok || !fields.ok || !own.ok || own.value !== domain || fields.value.basicConstraints?.ca !== true)
      return bad('expected CAs of the domain in a trust list, got another certificate');
    ders.push(der.value);
  }
  return new Set(anchors).size === anchors.length ? ok(ders) : bad('expected each CA once in a trust list');
}

function notSignedBy(
  anchor: Uint8Array,
  signatures: z.infer<typeof envelopeSchema>['signatures'],
  signed: Uint8Array,
): string | undefined {
  const wanted = thumbprintOf(anchor);
  const found = signatures.find((each) => each.anchor === wanted);
  if (found === undefined)
    return `expected the signature of the domain's CA ${wanted.slice(0, 16)}, it is missing: neither a registrar nor an operator makes trust lists`;
  const signature = decodeBase64(found.signature);
  try {
    if (signature.ok && verify('sha256', signed, new X509Certificate(anchor).publicKey, signature.value))
      return undefined;
  } catch {
    // A key of another kind.
  }
  return `expected a valid signature of the domain's CA ${wanted.slice(0, 16)}, got an invalid one`;
}
