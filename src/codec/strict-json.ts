// JSON text from a peer, checked before it is believed (RFC 8259, RFC 7493): strict UTF-8 without BOM, no duplicate member
// names, bounded nesting, arrays and number of values, no lone surrogates, no number beyond a double, no `__proto__`, nothing behind the value.
// Total: bad input is a value, with the byte offset unless only the engine's own parser objects; never an exception.
import { messageOf } from '#base/error.ts';
import type { JsonValue } from '#base/json.ts';
import { type Bad, bad, ok, type Result } from '#base/result.ts';
import { CODEC_LIMITS } from './limits.ts';

/** `values`: array items and members in the whole text, at any depth. */
export type JsonBounds = { readonly depth: number; readonly arrayItems: number; readonly values: number };

export const DEFAULT_BOUNDS: JsonBounds = {
  depth: CODEC_LIMITS.jsonDepth,
  arrayItems: CODEC_LIMITS.jsonArrayItems,
  values: CODEC_LIMITS.jsonValues,
};
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A number text shorter than this, without exponent, cannot leave the range of a double. */
const SAFE_NUMBER_CHARS = 300;
const NUMBER_CHARS = /[0-9+\-.eE]*/y;

/** Decodes one JSON text. The caller bounds its length; nesting, arrays and values are bounded here, before anything is built. */
export function decodeStrictJson(bytes: Uint8Array, bounds: JsonBounds = DEFAULT_BOUNDS): Result<JsonValue> {
  const read = readStrictJson(bytes, bounds);
  return read.ok ? ok(read.value.value) : read;
}

/** The same, with the text that was decoded. */
export function readStrictJson(
  bytes: Uint8Array,
  bounds: JsonBounds = DEFAULT_BOUNDS,
): Result<{ readonly text: string; readonly value: JsonValue }> {
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    return bad('expected UTF-8, got an invalid sequence', offsetOfBadUtf8(bytes));
  }
  if (text.charCodeAt(0) === 0xfeff) return bad('expected JSON, got a byte order mark', 0);
  const fault = scan(text, bounds);
  if (fault !== undefined) return bad(fault.reason, byteOffset(text, fault.index));
  try {
    return ok({ text, value: JSON.parse(text) as JsonValue });
  } catch (error) {
    return faultOfParser(messageOf(error), text);
  }
}

/** The engine tells the position of some faults only. */
function faultOfParser(message: string, text: string): Bad {
  if (message.includes('end of JSON input'))
    return bad('expected one JSON value, got the end', Buffer.byteLength(text));
  const index = /position (\d+)/.exec(message)?.[1];
  const reason = 'expected one JSON value, got something else';
  return index === undefined ? bad(reason) : bad(reason, byteOffset(text, Number(index)));
}

type Fault = { readonly reason: string; readonly index: number };
/** `names` is undefined in an array; `items` counts its commas. */
type Level = { readonly names: Set<string> | undefined; items: number; expectsName: boolean };

/**
 * One pass over the text that finds what JSON.parse lets through. It relies on JSON.parse for the grammar: on text that is
 * not JSON it may find nothing, and JSON.parse then refuses it.
 */
function scan(text: string, bounds: JsonBounds): Fault | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let values = 1;
  // Most texts have no escape at all: a string of theirs needs no second look.
  const hasEscapes = text.includes('\\');
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE: {
        const end = hasEscapes ? endOfString(text, index) : text.indexOf('"', index + 1);
        if (end === -1) return { reason: 'expected the end of a string, got the end of the text', index: text.length };
        const expectsName = level?.expectsName === true;
        if (hasEscapes || expectsName) {
          const fault = expectsName ? checkName(text, index, end, level!) : checkString(text, index, end);
          if (fault !== undefined) return fault;
        }
        index = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        if (levels.length >= bounds.depth)
          return { reason: `expected nesting of at most ${bounds.depth}, got deeper`, index };
        level =
          text.charCodeAt(index) === 0x7b
            ? { names: new Set(), items: 0, expectsName: true }
            : { names: undefined, items: 0, expectsName: false };
        levels.push(level);
        if (++values > bounds.values) return tooManyValues(bounds, index);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        level = levels[levels.length - 1];
        break;
      case 0x2c: // ,
        if (level === undefined) break;
        if (++values > bounds.values) return tooManyValues(bounds, index);
        if (level.names !== undefined) level.expectsName = true;
        else if (++level.items >= bounds.arrayItems)
          return { reason: `expected at most ${bounds.arrayItems} array items, got more`, index };
        break;
      case 0x2d: // -
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39: {
        const end = endOfNumber(text, index);
        if (end === -1) return { reason: 'expected a number within the range of a double, got a larger one', index };
        index = end - 1;
      }
    }
  }
  return undefined;
}

function tooManyValues({ values }: JsonBounds, index: number): Fault {
  return { reason: `expected at most ${values} values, got more`, index };
}

/** Index of the closing quote, -1 when there is none. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; ; index++) {
    index = text.indexOf('"', index);
    if (index === -1) return -1;
    let backslashes = 0;
    while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return index;
  }
}

function checkName(text: string, start: number, end: number, level: Level): Fault | undefined {
  const fault = checkString(text, start, end);
  if (fault !== undefined) return fault;
  const raw = text.slice(start + 1, end);
  const name = raw.includes('\\') ? unescaped(text, start, end) : raw;
  // `__proto__` survives JSON.parse as an own member and becomes the prototype in the first Object.assign behind it.
  if (name === '__proto__') return { reason: 'expected a member name, got __proto__', index: start };
  if (name === undefined || level.names === undefined) return undefined;
  // Two readers of one text could each believe another of the two members.
  if (level.names.has(name)) return { reason: 'expected distinct member names, got a duplicate', index: start };
  level.names.add(name);
  level.expectsName = false;
  return undefined;
}

/** A lone surrogate has no UTF-8: hashes over it would not tell two texts apart. Only escapes can bring one. */
function checkString(text: string, start: number, end: number): Fault | undefined {
  if (!text.slice(start, end).includes('\\u')) return undefined;
  if (unescaped(text, start, end)?.isWellFormed() === false) {
    return { reason: 'expected well-formed Unicode, got a lone surrogate', index: start };
  }
  return undefined;
}

/** Undefined when the token is not a JSON string; the grammar check refuses the whole text then. */
function unescaped(text: string, start: number, end: number): string | undefined {
  try {
    return JSON.parse(text.slice(start, end + 1)) as string;
  } catch {
    return undefined;
  }
}

/** Index behind the number, -1 when its value is not finite. */
function endOfNumber(text: string, start: number): number {
  NUMBER_CHARS.lastIndex = start;
  const token = NUMBER_CHARS.exec(text)?.[0] ?? '';
  const mayOverflow = token.length > SAFE_NUMBER_CHARS || token.includes('e') || token.includes('E');
  if (mayOverflow && !Number.isFinite(Number(token)) && !Number.isNaN(Number(token))) return -1;
  return start + Math.max(token.length, 1);
}

function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}

/** The first U+FFFD of a lossy decoding that does not stand for itself in the bytes. */
function offsetOfBadUtf8(bytes: Uint8Array): number {
  const text = lossyUtf8.decode(bytes);
  let offset = 0;
  for (let from = 0; ; ) {
    const index = text.indexOf('\ufffd', from);
    if (index === -1) return offset;
    offset += Buffer.byteLength(text.slice(from, index));
    const isGenuine = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isGenuine) return offset;
    offset += 3;
    from = index + 1;
  }
}
