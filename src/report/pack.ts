// How a report lies in the store: a report file is base64 in JSON in base64, which hides from a compressor what repeats. The base64 is
// taken out, level by level, and what remains is compressed. The way back gives the same bytes, since only canonical base64 is
// taken out; `pack` proves it for each report. Nothing here checks a signature: what comes back is verified by its readers.
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { messageOf, ParleyError } from '#base/error.ts';
import { REPORT_LIMITS } from './limits.ts';

/** A string of base64 in JSON. Shorter ones would save less than the two chunk headers that they cost. */
const BASE64 = /"([A-Za-z0-9+/]{96,}={0,2})"/g;
const CHUNK = { literal: 0, base64: 1 } as const;
/** One octet of kind, four of length, big-endian. */
const HEADER_BYTES = 5;
/** Half of the highest: level 11 is no smaller by a tenth, and costs a router fifty times as much. */
const QUALITY = 5;

/** `text` as it is stored. Throws `us/report-damaged` where the way back gives another text: lone surrogates. */
export function pack(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const packed = brotliCompressSync(takenApart(bytes, REPORT_LIMITS.packDepth), {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  if (unpack(packed, bytes.length) !== text) throw damaged('a text that can be packed');
  return packed;
}

/**
 * The text that was packed. Throws `us/report-damaged` for anything else, and never makes more than `textBytes` octets of it: a
 * few kilobytes that another process wrote into the database may decompress to gigabytes.
 */
export function unpack(packed: Uint8Array, textBytes: number): string {
  let apart: Buffer;
  try {
    // Taken apart it is never longer than the text and the header around it.
    apart = brotliDecompressSync(packed, { maxOutputLength: textBytes + HEADER_BYTES });
  } catch (error) {
    throw damaged(`a compressed report of ${textBytes} bytes`, messageOf(error));
  }
  const bytes = putTogether(apart, REPORT_LIMITS.packDepth, textBytes);
  if (bytes.length !== textBytes) throw damaged(`a report of ${textBytes} bytes`, `one of ${bytes.length}`);
  return bytes.toString('utf8');
}

function takenApart(bytes: Buffer, depth: number): Buffer {
  const chunks: Buffer[] = [];
  let end = 0;
  // Latin-1: one character is one octet, whatever the octets mean.
  const found = depth === 0 ? [] : bytes.toString('latin1').matchAll(BASE64);
  for (const match of found) {
    const text = match[1]!;
    const inner = Buffer.from(text, 'base64');
    if (inner.toString('base64') !== text) continue;
    const start = match.index + 1;
    chunks.push(...chunkOf(CHUNK.literal, bytes.subarray(end, start)));
    chunks.push(...chunkOf(CHUNK.base64, takenApart(inner, depth - 1)));
    end = start + text.length;
  }
  return Buffer.concat([...chunks, ...chunkOf(CHUNK.literal, bytes.subarray(end))]);
}

function chunkOf(kind: number, bytes: Buffer): readonly Buffer[] {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind);
  header.writeUInt32BE(bytes.length, 1);
  return [header, bytes];
}

function putTogether(apart: Buffer, depth: number, mostBytes: number): Buffer {
  const pieces: Buffer[] = [];
  let madeBytes = 0;
  for (let at = 0; at < apart.length; ) {
    if (at + HEADER_BYTES > apart.length) throw damaged('a chunk header', 'the end');
    const kind = apart.readUInt8(at);
    const end = at + HEADER_BYTES + apart.readUInt32BE(at + 1);
    const content = apart.subarray(at + HEADER_BYTES, end);
    if (end > apart.length || kind > CHUNK.base64 || (kind === CHUNK.base64 && depth === 0))
      throw damaged('a chunk', 'something else');
    const piece =
      kind === CHUNK.literal ? content : Buffer.from(putTogether(content, depth - 1, mostBytes).toString('base64'));
    madeBytes += piece.length;
    if (madeBytes > mostBytes) throw damaged(`a report of ${mostBytes} bytes`, 'a longer one');
    pieces.push(piece);
    at = end;
  }
  return Buffer.concat(pieces);
}

function damaged(expected: string, got = 'something else'): ParleyError {
  return new ParleyError('us/report-damaged', `expected ${expected} in the store, got ${got}`);
}
