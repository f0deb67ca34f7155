// IS-IS level-2 PDUs as far as one point-to-point speaker needs them (ISO/IEC 10589 §9, RFC 5303): hello, LSP, CSNP, PSNP.
// Ids are lower-case hex: system 12, node 14, LSP 16 digits. Total: what cannot be read is a fault with its offset.
import { bad, ok, type Result } from '#base/result.ts';
import { fletcherChecksum } from './fletcher.ts';
import { decodeTlvs, encodeTlvs, type Tlv } from './tlv.ts';

export type Hello = {
  readonly kind: 'hello';
  /** 1: level 1 only, 2: level 2 only, 3: both. */
  readonly circuitType: number;
  readonly systemId: string;
  readonly holdSeconds: number;
  readonly circuitId: number;
  readonly tlvs: readonly Tlv[];
};

export type Lsp = {
  readonly kind: 'lsp';
  readonly lifetimeSeconds: number;
  readonly lspId: string;
  readonly sequence: number;
  readonly checksum: number;
  readonly overload: boolean;
  /** The octets of its TLVs, not yet taken apart: an LSP with a faulty TLV must still be acknowledged. */
  readonly contents: Uint8Array;
};

export type LspEntry = {
  readonly lifetimeSeconds: number;
  readonly lspId: string;
  readonly sequence: number;
  readonly checksum: number;
};

export type SequenceNumbers = {
  /** Complete (with the range that it covers) or partial. */
  readonly kind: 'csnp' | 'psnp';
  readonly systemId: string;
  readonly first: string;
  readonly last: string;
  readonly tlvs: readonly Tlv[];
};

export type OtherPdu = { readonly kind: 'other'; readonly type: number };
export type IsisPdu = Hello | Lsp | SequenceNumbers | OtherPdu;

const FIRST_LSP_ID = '0'.repeat(16);
const LAST_LSP_ID = 'f'.repeat(16);

/** PDU types of level 2 (and of both levels for the point-to-point hello), with the octets of their fixed parts. */
const PDU = {
  hello: { type: 17, headBytes: 20 },
  lsp: { type: 20, headBytes: 27 },
  csnp: { type: 25, headBytes: 33 },
  psnp: { type: 27, headBytes: 17 },
} as const;

const DISCRIMINATOR = 0x83;
const COMMON_BYTES = 8;
const LSP_ID_AT = 12;
const ENTRY_BYTES = 16;
const ENTRIES_PER_TLV = 15;
/** LSP entries of one PDU of at most 1,492 octets. */
export const ENTRIES_PER_PDU = 90;
const OVERLOAD = 0x04;
const LEVEL_2 = 0x03;

export function decodePdu(octets: Uint8Array): Result<IsisPdu> {
  if (octets.length < COMMON_BYTES) return bad('shorter than the common header', octets.length);
  if (octets[0] !== DISCRIMINATOR) return bad('another protocol discriminator', 0);
  if (octets[2] !== 1 || octets[5] !== 1) return bad('another version', 2);
  if (octets[3] !== 0 && octets[3] !== 6) return bad('system ids of another length', 3);
  const type = octets[4]! & 0x1f;
  const form = Object.entries(PDU).find(([, each]) => each.type === type);
  if (form === undefined) return ok({ kind: 'other', type });
  const [kind, { headBytes }] = form as [keyof typeof PDU, { readonly headBytes: number }];
  if (octets[1] !== headBytes || octets.length < headBytes) return bad('a fixed part of another length', 1);
  const pduBytes = word(octets, kind === 'hello' ? 17 : 8);
  if (pduBytes < headBytes || pduBytes > octets.length) return bad('a length that does not fit', 8);
  const pdu = octets.subarray(0, pduBytes);
  if (kind === 'lsp') return decodeLsp(pdu);
  const tlvs = decodeTlvs(pdu.subarray(headBytes));
  if (!tlvs.ok) return bad(tlvs.reason, headBytes + (tlvs.offset ?? 0));
  if (kind === 'hello') return ok(helloOf(pdu, tlvs.value));
  const systemId = hex(pdu, 10, 16);
  const range = kind === 'csnp' ? { first: hex(pdu, 17, 25), last: hex(pdu, 25, 33) } : WHOLE_RANGE;
  return ok({ kind, systemId, ...range, tlvs: tlvs.value });
}

const WHOLE_RANGE = { first: FIRST_LSP_ID, last: LAST_LSP_ID } as const;

export function encodeHello(hello: Omit<Hello, 'kind'>): Result<Uint8Array> {
  const body = encodeTlvs(hello.tlvs);
  if (!body.ok) return body;
  const { headBytes } = PDU.hello;
  const fixed = [
    hello.circuitType,
    ...unhex(hello.systemId),
    ...words(hello.holdSeconds, headBytes + body.value.length),
  ];
  return ok(Uint8Array.from([...commonHeader('hello'), ...fixed, hello.circuitId, ...body.value]));
}

/** With its checksum; a purge (lifetime 0) has no TLVs (ISO/IEC 10589 §7.3.16.4). */
export function encodeLsp(
  lsp: Omit<Lsp, 'kind' | 'checksum' | 'contents'> & { readonly tlvs: readonly Tlv[] },
): Result<Uint8Array> {
  const body = encodeTlvs(lsp.tlvs);
  if (!body.ok) return body;
  const flags = LEVEL_2 | (lsp.overload ? OVERLOAD : 0);
  const lengths = words(PDU.lsp.headBytes + body.value.length, lsp.lifetimeSeconds);
  const identity = [...unhex(lsp.lspId), ...words(lsp.sequence >>> 16, lsp.sequence & 0xffff)];
  const pdu = Uint8Array.from([...commonHeader('lsp'), ...lengths, ...identity, 0, 0, flags, ...body.value]);
  pdu.set(words(fletcherChecksum(pdu.subarray(LSP_ID_AT))), 24);
  return ok(pdu);
}

/** `entries`: at most ENTRIES_PER_PDU. */
export function encodeSequenceNumbers(
  kind: 'csnp' | 'psnp',
  systemId: string,
  entries: readonly LspEntry[],
): Result<Uint8Array> {
  if (entries.length > ENTRIES_PER_PDU) return bad(`expected at most ${ENTRIES_PER_PDU} entries`);
  const tlvs: Tlv[] = [];
  for (let at = 0; at < entries.length; at += ENTRIES_PER_TLV) {
    const value = entries.slice(at, at + ENTRIES_PER_TLV).flatMap((entry) => entryOctets(entry));
    tlvs.push({ type: 9, value: Uint8Array.from(value) });
  }
  const body = encodeTlvs(tlvs);
  if (!body.ok) return body;
  const range = kind === 'csnp' ? [...unhex(FIRST_LSP_ID), ...unhex(LAST_LSP_ID)] : [];
  const fixed = [...words(PDU[kind].headBytes + body.value.length), ...unhex(systemId), 0, ...range];
  return ok(Uint8Array.from([...commonHeader(kind), ...fixed, ...body.value]));
}

/** The entries of one TLV 9; octets behind the last whole entry are ignored. */
export function decodeLspEntries(value: Uint8Array): readonly LspEntry[] {
  const entries: LspEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= value.length; at += ENTRY_BYTES) {
    entries.push({
      lifetimeSeconds: word(value, at),
      lspId: hex(value, at + 2, at + 10),
      sequence: word(value, at + 10) * 0x1_0000 + word(value, at + 12),
      checksum: word(value, at + 14),
    });
  }
  return entries;
}

function helloOf(pdu: Uint8Array, tlvs: readonly Tlv[]): Hello {
  const fixed = {
    circuitType: pdu[8]! & 0x03,
    systemId: hex(pdu, 9, 15),
    holdSeconds: word(pdu, 15),
    circuitId: pdu[19]!,
  };
  return { kind: 'hello', ...fixed, tlvs };
}

/** A purge's checksum says nothing about what it purges; every other must be right (§7.3.14.2). */
function decodeLsp(pdu: Uint8Array): Result<Lsp> {
  const lifetimeSeconds = word(pdu, 10);
  const checksum = word(pdu, 24);
  if (lifetimeSeconds > 0 && checksum !== fletcherChecksum(pdu.subarray(LSP_ID_AT))) return bad('a wrong checksum', 24);
  return ok({
    kind: 'lsp',
    lifetimeSeconds,
    lspId: hex(pdu, 12, 20),
    sequence: word(pdu, 20) * 0x1_0000 + word(pdu, 22),
    checksum,
    overload: (pdu[26]! & OVERLOAD) !== 0,
    contents: pdu.subarray(PDU.lsp.headBytes),
  });
}

function commonHeader(kind: keyof typeof PDU): number[] {
  return [DISCRIMINATOR, PDU[kind].headBytes, 1, 0, PDU[kind].type, 1, 0, 0];
}

function entryOctets(entry: LspEntry): number[] {
  const { lifetimeSeconds, lspId, sequence, checksum } = entry;
  return [...words(lifetimeSeconds), ...unhex(lspId), ...words(sequence >>> 16, sequence & 0xffff, checksum)];
}

function word(octets: Uint8Array, at: number): number {
  return (octets[at]! << 8) | octets[at + 1]!;
}

function words(...values: readonly number[]): number[] {
  return values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]);
}

function hex(octets: Uint8Array, start: number, end: number): string {
  return Buffer.from(octets.subarray(start, end)).toString('hex');
}

function unhex(text: string): Uint8Array {
  return Buffer.from(text, 'hex');
}
