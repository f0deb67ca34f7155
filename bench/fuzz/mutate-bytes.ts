// Changes octets without knowing what they mean: the oldest way, and the one that finds missing length checks.
import type { Random } from './random.ts';

const EDGES = [0, 1, 0x7f, 0x80, 0xfe, 0xff, 0x20, 0x22, 0x5c, 0x7b];
const LENGTHS = [0, 1, 2, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
/** Of an input. */
export const MOST_BYTES = 70_000;

/** One to four changes. `others` gives what is spliced in. */
export function mutateBytes(input: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let bytes = Uint8Array.from(input);
  for (let count = 1 + random.below(4); count > 0; count--) bytes = changed(bytes, random, others);
  return bytes.length > MOST_BYTES ? bytes.subarray(0, MOST_BYTES) : bytes;
}

function changed(
  bytes: Uint8Array<ArrayBuffer>,
  random: Random,
  others: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  const span = Math.min(bytes.length - at, 1 + random.below(random() < 0.8 ? 8 : 256));
  switch (random.below(9)) {
    case 0:
      if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << random.below(8));
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = random.pick(EDGES);
      return bytes;
    case 2:
      if (at < bytes.length) bytes[at] = random.below(256);
      return bytes;
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at + span));
    case 4:
      return joined(bytes.subarray(0, at), bytes.subarray(at, at + span), bytes.subarray(at));
    case 5:
      return joined(
        bytes.subarray(0, at),
        Uint8Array.from({ length: span }, () => random.below(256)),
        bytes.subarray(at),
      );
    case 6:
      return bytes.slice(0, at);
    case 7: {
      const other = random.pick(others);
      return joined(bytes.subarray(0, at), other.subarray(random.below(other.length + 1)));
    }
    default:
      return withLength(bytes, at, random);
  }
}

/** Lengths are where parsers trust: two or four octets become one that is at an edge. */
function withLength(bytes: Uint8Array<ArrayBuffer>, at: number, random: Random): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = random() < 0.7 ? random.pick(LENGTHS) : bytes.length - at + random.below(5) - 2;
  if (random() < 0.5 && at + 4 <= bytes.length) view.setUint32(at, value >>> 0);
  else if (at + 2 <= bytes.length) view.setUint16(at, value & 0xffff);
  return bytes;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
