// RFC 8785 (JCS) text and bytes of a JSON value: the one form over which hashes and signatures are made [TS-16].
// Refuses what has no canonical form: NaN, Infinity, lone surrogates, undefined, exotic objects, nesting too deep to decode.
import canonicalize from 'canonicalize';
import { ParleyError } from '#base/error.ts';
import type { JsonValue } from '#base/json.ts';
import { CODEC_LIMITS } from './limits.ts';

const encoder = new TextEncoder();

/** UTF-8 of `canonicalJsonText`. Throws ParleyError `us/not-canonical`: values from peers went through `decodeStrictJson`. */
export function encodeCanonicalJson(value: JsonValue): Uint8Array {
  return encoder.encode(canonicalJsonText(value));
}

/** RFC 8785 text of `value`. Throws ParleyError `us/not-canonical`. */
export function canonicalJsonText(value: JsonValue): string {
  refuseUncanonical(value, 0);
  return canonicalize(value) as string;
}

/** The library drops undefined and calls toJSON; a signature must cover what the caller saw, so both are refused here. */
function refuseUncanonical(value: unknown, depth: number): void {
  switch (typeof value) {
    case 'boolean':
      return;
    case 'string':
      if (!value.isWellFormed()) throw notCanonical('a string without lone surrogates', 'a lone surrogate');
      return;
    case 'number':
      if (!Number.isFinite(value)) throw notCanonical('a finite number', String(value));
      return;
    case 'object':
      if (value !== null) refuseUncanonicalObject(value, depth + 1);
      return;
    default:
      throw notCanonical('a JSON value', typeof value);
  }
}

function refuseUncanonicalObject(value: object, depth: number): void {
  if (depth > CODEC_LIMITS.jsonDepth)
    throw notCanonical(`nesting of at most ${CODEC_LIMITS.jsonDepth}`, 'deeper nesting');
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) refuseUncanonical(value[index], depth);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw notCanonical('a plain object', 'an object of a class');
  for (const name of Object.keys(value)) {
    if (!name.isWellFormed()) throw notCanonical('a member name without lone surrogates', 'a lone surrogate');
    refuseUncanonical((value as Record<string, unknown>)[name], depth);
  }
}

function notCanonical(expected: string, got: string): ParleyError {
  return new ParleyError('us/not-canonical', `expected ${expected}, got ${got}`);
}
