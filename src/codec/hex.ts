// Lower-case hexadecimal. Refuses upper case, odd lengths and anything that is not a digit: one spelling for each value.
import { bad, ok, type Result } from '#base/result.ts';
import { bytesOf } from './bytes.ts';

const NOT_HEX = /[^0-9a-f]/;

export function encodeHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** `byteCount`, when given, is the exact length that is expected. */
export function decodeHex(text: string, byteCount?: number): Result<Uint8Array> {
  const offset = text.search(NOT_HEX);
  if (offset !== -1) return bad('expected lower-case hex, got another character', offset);
  if (text.length % 2 !== 0) return bad('expected an even number of hex digits, got an odd one', text.length);
  if (byteCount !== undefined && text.length !== byteCount * 2) {
    return bad(`expected ${byteCount} bytes in hex, got ${text.length / 2}`, text.length);
  }
  return ok(bytesOf(Buffer.from(text, 'hex')));
}
