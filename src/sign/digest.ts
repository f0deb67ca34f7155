// SHA-256 over bytes and over the canonical form of values: what signed heads refer to.
import { hash } from 'node:crypto';
import type { JsonValue } from '#base/json.ts';
import { encodeCanonicalJson } from '#codec/canonical-json.ts';
import type { CallContent } from '#model/call.ts';

/** Lower-case hex; of a text's UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** Over RFC 8785 JSON. Throws ParleyError `us/not-canonical`. */
export function canonicalSha256(value: JsonValue): string {
  return sha256Hex(encodeCanonicalJson(value));
}

/** Over RFC 8785 JSON of exactly `{method, params}`; a `_meta` in `params` is left out. */
export function requestSha256Of(content: CallContent): string {
  const { _meta, ...params } = content.params;
  return canonicalSha256({ method: content.method, params });
}
