// A strict walker for DER (X.690 §8, §10): definite minimal lengths, single-octet tags, nothing left over.
// Total: bad input is a value with the byte offset. Bounded in depth and in the number of elements.

import { bad, ok, type Result } from '#base/result.ts';
import { CODEC_LIMITS } from './limits.ts';

export type DerNode = {
  /** Identifier octet: class, constructed bit and tag number. */
  readonly tag: number;
  /** Position of the identifier octet in the whole. */
  readonly offset: number;
  /** Identifier, length and content: what a signature covers. */
  readonly bytes: Uint8Array;
  readonly content: Uint8Array;
  /** Elements of a constructed one; empty for a primitive one. */
  readonly children: readonly DerNode[];
};

/** Identifier octets of the universal types that certificates use. */
export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const CONSTRUCTED = 0x20;
const HIGH_TAG = 0x1f;

/** The one element that `bytes` holds, with everything inside it. */
export function decodeDer(bytes: Uint8Array): Result<DerNode> {
  const walk = { bytes, nodeCount: 0 };
  const node = readNode(walk, 0, bytes.length, 1);
  if (!node.ok) return node;
  const end = node.value.bytes.length;
  return end === bytes.length ? node : bad('expected the end of the DER, got more bytes', end);
}

type Walk = { readonly bytes: Uint8Array; nodeCount: number };
type Header = { readonly tag: number; readonly contentStart: number; readonly end: number };

function readNode(walk: Walk, offset: number, limit: number, depth: number): Result<DerNode> {
  if (depth > CODEC_LIMITS.derDepth)
    return bad(`expected nesting of at most ${CODEC_LIMITS.derDepth}, got deeper`, offset);
  if (++walk.nodeCount > CODEC_LIMITS.derNodes)
    return bad(`expected at most ${CODEC_LIMITS.derNodes} elements, got more`, offset);
  const header = readHeader(walk.bytes, offset, limit);
  if (!header.ok) return header;
  const { tag, contentStart, end } = header.value;
  const children: DerNode[] = [];
  for (let at = contentStart; (tag & CONSTRUCTED) !== 0 && at < end; ) {
    const child = readNode(walk, at, end, depth + 1);
    if (!child.ok) return child;
    children.push(child.value);
    at += child.value.bytes.length;
  }
  return ok({
    tag,
    offset,
    bytes: walk.bytes.subarray(offset, end),
    content: walk.bytes.subarray(contentStart, end),
    children,
  });
}

function readHeader(bytes: Uint8Array, offset: number, limit: number): Result<Header> {
  if (limit - offset < 2) return bad('expected a tag and a length, got the end', offset);
  const tag = bytes[offset]!;
  if ((tag & HIGH_TAG) === HIGH_TAG) return bad('expected a tag of one octet, got a longer one', offset);
  const first = bytes[offset + 1]!;
  if (first < 0x80) return checkedEnd({ tag, contentStart: offset + 2, end: offset + 2 + first }, limit);
  const lengthBytes = first & 0x7f;
  // 0x80 is BER's indefinite length; four octets already say more than any bound here.
  if (lengthBytes < 1 || lengthBytes > 4)
    return bad('expected a definite length of at most four octets, got another', offset + 1);
  const contentStart = offset + 2 + lengthBytes;
  if (contentStart > limit) return bad('expected a length, got the end', offset + 1);
  let length = 0;
  for (let at = offset + 2; at < contentStart; at++) length = length * 256 + bytes[at]!;
  if (length < 0x80 || length < 256 ** (lengthBytes - 1))
    return bad('expected the shortest length, got a longer form', offset + 1);
  return checkedEnd({ tag, contentStart, end: contentStart + length }, limit);
}

function checkedEnd(header: Header, limit: number): Result<Header> {
  if (header.end <= limit) return ok(header);
  return bad(
    `expected ${header.end - header.contentStart} content bytes, got ${limit - header.contentStart}`,
    header.contentStart,
  );
}
