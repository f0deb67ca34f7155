// Base64 of RFC 4648 §4 in its one canonical spelling: with padding, without line ends, unused bits zero (§3.5).
// Refuses everything else, because two spellings of the same bytes would be two different signed files.
import { bad, ok, type Result } from '#base/result.ts';
import { bytesOf } from './bytes.ts';

export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function decodeBase64(text: string): Result<Uint8Array> {
  if (text.length % 4 !== 0)
    return bad('expected base64 in groups of four characters, got another length', text.length);
  // Buffer skips what it does not know and ignores unused bits; encoding again shows both.
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64');
  if (canonical !== text) return bad('expected canonical base64, got something else', firstDifference(canonical, text));
  return ok(bytesOf(bytes));
}

function firstDifference(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one.charCodeAt(index) === other.charCodeAt(index)) index++;
  return index;
}
