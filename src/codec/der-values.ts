// The DER primitives that certificates are made of, each in its one permitted form (X.690 §11, RFC 5280 §4.1.2.5).
// Total: a wrong tag or form is a value with the byte offset.
import { bad, ok, type Result } from '#base/result.ts';
import { DER, type DerNode } from './der.ts';
import { encodeHex } from './hex.ts';

const TEXT_TAGS: readonly number[] = [DER.utf8String, DER.printableString, DER.ia5String];
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Dotted decimal. */
export function decodeOid(node: DerNode): Result<string> {
  const wrong = wrongTag(node, DER.oid) ?? (node.content.length === 0 ? 'an empty object identifier' : undefined);
  if (wrong !== undefined) return bad(`expected an object identifier, got ${wrong}`, node.offset);
  const arcs: number[] = [];
  let arc = 0;
  let isFirstOctet = true;
  for (const octet of node.content) {
    if (isFirstOctet && octet === 0x80) return bad('expected the shortest object identifier, got padding', node.offset);
    arc = arc * 128 + (octet & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) return bad('expected an arc within 53 bits, got a larger one', node.offset);
    isFirstOctet = (octet & 0x80) === 0;
    if (!isFirstOctet) continue;
    arcs.push(arc);
    arc = 0;
  }
  if (!isFirstOctet) return bad('expected the end of an arc, got the end of the identifier', node.offset);
  const [head = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(head / 40));
  return ok([root, head - root * 40, ...rest].join('.'));
}

/** Content octets of a minimal INTEGER, big-endian two's complement, as hex. */
export function decodeIntegerHex(node: DerNode): Result<string> {
  const wrong = wrongTag(node, DER.integer);
  if (wrong !== undefined) return bad(`expected an integer, got ${wrong}`, node.offset);
  const [first, second = 0] = node.content;
  if (first === undefined) return bad('expected an integer, got no octets', node.offset);
  const isPadded = node.content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  return isPadded ? bad('expected the shortest integer, got padding', node.offset) : ok(encodeHex(node.content));
}

/** A non-negative INTEGER that fits in 32 bits. */
export function decodeSmallInteger(node: DerNode): Result<number> {
  const hex = decodeIntegerHex(node);
  if (!hex.ok) return hex;
  const value = Number.parseInt(hex.value, 16);
  if (node.content[0]! >= 0x80 || value > 0xffff_ffff) return bad('expected a small number, got another', node.offset);
  return ok(value);
}

export function decodeBoolean(node: DerNode): Result<boolean> {
  const octet = node.content[0];
  if (node.tag !== DER.boolean || node.content.length !== 1 || (octet !== 0x00 && octet !== 0xff)) {
    return bad('expected a boolean of 00 or ff, got another', node.offset);
  }
  return ok(octet === 0xff);
}

/** Octets of a BIT STRING without unused bits. */
export function decodeBitOctets(node: DerNode): Result<Uint8Array> {
  if (node.tag !== DER.bitString || node.content[0] !== 0)
    return bad('expected whole octets in a bit string, got another', node.offset);
  return ok(node.content.subarray(1));
}

/** Numbers of the bits that are set in a named bit list (X.690 §11.2.2: no trailing zero bits). */
export function decodeNamedBits(node: DerNode): Result<number[]> {
  const unused = node.content[0] ?? 8;
  const octets = node.content.subarray(1);
  const last = octets[octets.length - 1];
  const isExact = last === undefined ? unused === 0 : unused < 8 && (last & ((1 << (unused + 1)) - 1)) === 1 << unused;
  if (node.tag !== DER.bitString || !isExact) return bad('expected a named bit list, got another', node.offset);
  const bits: number[] = [];
  octets.forEach((octet, index) => {
    for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) bits.push(index * 8 + bit);
  });
  return ok(bits);
}

/** UTF8String, PrintableString or IA5String; undefined for other string types. */
export function decodeText(node: DerNode): string | undefined {
  if (!TEXT_TAGS.includes(node.tag)) return undefined;
  try {
    const text = strictUtf8.decode(node.content);
    return node.tag === DER.utf8String || /^[\x20-\x7e]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** Milliseconds since the epoch. RFC 5280 §4.1.2.5: UTCTime up to 2049, GeneralizedTime from 2050, seconds, `Z`. */
export function decodeTime(node: DerNode): Result<number> {
  const form = node.tag === DER.utcTime ? UTC_TIME : node.tag === DER.generalizedTime ? GENERALIZED_TIME : undefined;
  const fields = form?.exec(String.fromCharCode(...node.content.subarray(0, 16)));
  if (form === undefined || fields === null || fields === undefined || node.content.length > 15) {
    return bad('expected a time with seconds and Z, got another', node.offset);
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.slice(1).map(Number);
  const fullYear = node.tag === DER.utcTime ? year + (year < 50 ? 2000 : 1900) : year;
  if (node.tag === DER.generalizedTime && fullYear < 2050)
    return bad('expected UTCTime before 2050, got GeneralizedTime', node.offset);
  const timeMs = Date.UTC(fullYear, month - 1, day, hour, minute, second);
  const date = new Date(timeMs);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return isReal ? ok(timeMs) : bad('expected a time that exists, got another', node.offset);
}

function wrongTag(node: DerNode, tag: number): string | undefined {
  return node.tag === tag ? undefined : `tag 0x${node.tag.toString(16).padStart(2, '0')}`;
}
