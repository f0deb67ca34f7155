// The entity tag of a resource's content (TS-2): the same content has the same tag for every caller at every time.
import { createHash } from 'node:crypto';
import type { JsonValue } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';

/** SHA-256 over the text, or over the RFC 8785 JSON, cut to 16 bytes of lower-case hex. */
export function contentIdOf(content: JsonValue): string {
  const text = typeof content === 'string' ? content : canonicalJsonText(content);
  return contentIdOfSha256(createHash('sha256').update(text).digest('hex'));
}

/** The same, where the digest of the text is known. */
export function contentIdOfSha256(sha256: string): string {
  return sha256.slice(0, 32);
}
