// The form of a segment: one record a line, `crc32 json`. A line whose checksum does not fit is damage: at the end it is what a power cut
// left of the last write, and is cut off. Pure.
import { crc32Hex } from '#base/checksum.ts';
import type { Wire } from '#model/wire/fields.ts';
import { STORE_VERSION, segmentHead } from './records.ts';

export type Segment =
  | {
      readonly kind: 'read';
      readonly lines: readonly string[];
      /** Octets up to the end of the last good line. */
      readonly goodBytes: number;
      /** Octets behind that: a torn record. */
      readonly tornBytes: number;
      /** When it was begun, by its head. */
      readonly beganMs?: number;
      /** Lines before it that are damaged. */
      readonly damaged: number;
    }
  /** Written by another version of this software: kept, and not read. */
  | { readonly kind: 'unknown'; readonly version?: number };

/** Eight digits and a space. */
const JSON_AT = 9;
const NEWLINE = 0x0a;

export function encodeLine(json: string): string {
  return `${crc32Hex(json)} ${json}\n`;
}

export function headLine(atMs: number): string {
  return encodeLine(JSON.stringify({ parley: 'memory', version: STORE_VERSION, atMs }));
}

/** `lines` of `read` are the JSON texts behind the head, in order. */
export function decodeSegment(octets: Uint8Array): Segment {
  const buffer = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const lines: string[] = [];
  let [goodBytes, damaged, doubtful] = [0, 0, 0];
  let beganMs: number | undefined;
  for (let start = 0; start < buffer.length; ) {
    const newline = buffer.indexOf(NEWLINE, start);
    if (newline < 0) break;
    const json = goodJson(buffer.subarray(start, newline));
    start = newline + 1;
    if (json === undefined) {
      doubtful += 1;
      continue;
    }
    if (lines.length === 0) {
      const head = headOf(json);
      if (head?.version !== STORE_VERSION)
        return { kind: 'unknown', ...(head === undefined ? {} : { version: head.version }) };
      beganMs = head.atMs;
    }
    lines.push(json);
    [goodBytes, damaged, doubtful] = [start, damaged + doubtful, 0];
  }
  const tornBytes = buffer.length - goodBytes;
  return {
    kind: 'read',
    lines: lines.slice(1),
    goodBytes,
    tornBytes,
    damaged,
    ...(beganMs === undefined ? {} : { beganMs }),
  };
}

function goodJson(line: Buffer): string | undefined {
  if (line.length <= JSON_AT || line[JSON_AT - 1] !== 0x20) return undefined;
  const json = line.subarray(JSON_AT);
  return line.toString('latin1', 0, JSON_AT - 1) === crc32Hex(json) ? json.toString('utf8') : undefined;
}

/** Undefined for what is no head of ours. */
function headOf(json: string): Wire<typeof segmentHead> | undefined {
  try {
    const head = segmentHead.safeParse(JSON.parse(json));
    return head.success ? head.data : undefined;
  } catch {
    return undefined;
  }
}
