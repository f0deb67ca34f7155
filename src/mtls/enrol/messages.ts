// The messages of one enrolment, in their order: hello, challenge, proof, certificate; a refusal in place of either answer. Schemas
// only: sent by frames.ts, exchanged by ask-registrar.ts and answered by registrar.ts.
import { z } from 'zod';
import { CODE_ID } from './code.ts';
import { ENROL_LIMITS } from './limits.ts';

/** Of this protocol; the ALPN name carries no version, the first message does. */
export const ENROL_ALPN = 'parley-enrol';
export const ENROL_VERSION = 1;
/** RFC 8446 §7.5: the value that both ends of one TLS session share, and no two sessions. Experimental: the label is not registered. */
export const EXPORTER_LABEL = 'EXPERIMENTAL-parley-enrolment';
export const EXPORTER_BYTES = 32;

const hex = (byteCount: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * byteCount}}$`));
const base64 = (chars: number) =>
  z
    .string()
    .min(4)
    .max(chars)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/);
const certificate = base64(8_192);

/** Node to registrar. */
export const helloSchema = z.strictObject({
  type: z.literal('hello'),
  version: z.literal(ENROL_VERSION),
  code: z.string().regex(CODE_ID),
  requestSha256: hex(32),
  shareP: hex(65),
});

export const challengeSchema = z.strictObject({ type: z.literal('challenge'), shareV: hex(65), confirmV: hex(32) });

export const proofSchema = z.strictObject({
  type: z.literal('proof'),
  confirmP: hex(32),
  request: z.string().max(ENROL_LIMITS.requestChars),
});

export const REFUSALS = [
  'unknown-code',
  'locked',
  'too-often',
  'wrong-code',
  'bad-request',
  'other-name',
  'other-serial',
  'ended',
  'used',
  'failed',
] as const;
export type RefusalReason = (typeof REFUSALS)[number];

export const refusalSchema = z.strictObject({
  type: z.literal('refusal'),
  reason: z.enum(REFUSALS),
  detail: z.string().max(500),
});
export type Refusal = z.infer<typeof refusalSchema>;

/** What the registrar gives: over the network, and as a file. */
export const grantSchema = z.strictObject({
  type: z.literal('certificate'),
  requestSha256: hex(32),
  /** Base64 DER, leaf first, without the domain's CA. */
  chain: z.array(certificate).min(1).max(4),
  ca: certificate,
  /** The registrar's time, milliseconds since the epoch: the node's own clock may stand in 1970. */
  timeMs: z.number().int().min(0),
});
export type Grant = z.infer<typeof grantSchema>;

export const answerToHello = z.discriminatedUnion('type', [challengeSchema, refusalSchema]);
export const answerToProof = z.discriminatedUnion('type', [grantSchema, refusalSchema]);

/** The certification request as text. */
export const requestSchema = z.strictObject({
  parley: z.literal('enrolment-request'),
  version: z.literal(1),
  kind: z.enum(['node', 'operator']),
  name: z.string().min(1).max(63),
  serial: z.string().min(1).max(ENROL_LIMITS.serialChars).optional(),
  csr: base64(4_096),
  signingKeyProof: base64(128),
});
export type RequestBody = z.infer<typeof requestSchema>;
