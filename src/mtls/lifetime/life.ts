// The life of a certificate: when it was issued, when it is to be renewed, how long to wait after a failure, and when to warn of its end
// (TS-24). Pure: functions of times.
import { DER, decodeDer } from '#codec/der.ts';
import { decodeText } from '#codec/der-values.ts';
import type { CertificateFields } from '#codec/x509.ts';
import { ENROLLED_OID } from '../oids.ts';
import { LIFETIME_LIMITS } from './limits.ts';

/** Certificates begin a little in the past, for nodes whose clocks are behind the CA's. */
export const BACKDATED_MS = 300_000;

const HOUR_MS = 3_600_000;
/** A node warns so long before the end of its certificate: time to act in for people who work by day. */
const WARN_BEFORE_MS = [48 * HOUR_MS, 24 * HOUR_MS, 2 * HOUR_MS];

export type Life = { readonly notBeforeMs: number; readonly notAfterMs: number };

/** When the CA signed it, to the second; a certificate of another issuer counts as not backdated where it would have been issued after its end. */
export function issuedAtMs({ notBeforeMs, notAfterMs }: Life): number {
  const issuedMs = notBeforeMs + BACKDATED_MS;
  return issuedMs < notAfterMs ? issuedMs : notBeforeMs;
}

/** From its issue to its end. */
export function lifeMs(life: Life): number {
  return life.notAfterMs - issuedAtMs(life);
}

/**
 * When the party proved itself anew: a renewed certificate carries that time, others were issued at it. A list that revokes a party up to
 * a time therefore takes what was renewed from its certificate as well. A form that cannot be read counts as the earliest time.
 */
export function enrolledAtMs(fields: CertificateFields): number {
  const value = fields.extensions.get(ENROLLED_OID);
  if (value === undefined) return issuedAtMs(fields);
  const node = decodeDer(value);
  const text = node.ok && node.value.tag === DER.utf8String ? decodeText(node.value) : undefined;
  const timeMs = Date.parse(text ?? '');
  return Number.isFinite(timeMs) ? Math.min(timeMs, issuedAtMs(fields)) : 0;
}

/**
 * Two thirds of its life, or earlier by up to a fifteenth of it. The thumbprint (lower-case hex) decides by how much, so that a restart changes
 * nothing and certificates of one rack are not renewed at once.
 */
export function renewAtMs(life: Life, thumbprint: string): number {
  const share = Number.parseInt(thumbprint.slice(0, 8), 16) / 0xffffffff;
  return issuedAtMs(life) + Math.floor(lifeMs(life) * (2 / 3 - share / 15));
}

/**
 * `failures`: 1 after the first. `jitter`: 0 to 1. Doubled each time, short enough for many tries in the last third of a short life, and at most a
 * quarter of what is left of it.
 */
export function retryAfterMs(life: Life, failures: number, jitter: number, nowMs: number): number {
  const leftMs = life.notAfterMs - nowMs;
  const third = lifeMs(life) / 3;
  const first = Math.min(LIFETIME_LIMITS.renewRetryFirstMs, third / 20);
  const longest = Math.min(LIFETIME_LIMITS.renewRetryLongestMs, third / 8);
  const quarter = leftMs > 0 ? Math.max(leftMs / 4, first) : longest;
  return Math.min(first * 2 ** Math.min(failures - 1, 30), longest, quarter) * (0.5 + jitter / 2);
}

/** Times before its end at which a certificate that was not renewed is warned of, the longest first. */
export function warningsMs(life: Life): readonly number[] {
  // Before two thirds of its life nothing is late.
  const late = lifeMs(life) / 3;
  const usual = WARN_BEFORE_MS.filter((beforeMs) => beforeMs < late);
  return usual.length > 0 ? usual : [late / 2, late / 4];
}

/** The warning that holds now, as its time before the end; undefined where none does. */
export function warningNow(life: Life, nowMs: number): number | undefined {
  return warningsMs(life).findLast((beforeMs) => life.notAfterMs - nowMs <= beforeMs);
}

/** From then on no new call goes over a session with this certificate: what is under way can end before the certificate does. */
export function staleAtMs(life: { readonly issuedAtMs: number; readonly notAfterMs: number }): number {
  const left = Math.min((life.notAfterMs - life.issuedAtMs) / 6, LIFETIME_LIMITS.sessionLeftMs);
  return life.notAfterMs - left;
}
