// Type, length, value: the items of every IS-IS PDU and of their sub-TLVs. Total: a value that runs over the end is a fault
// with its offset, never an exception.
import { bad, ok, type Result } from '#base/result.ts';

export type Tlv = { readonly type: number; readonly value: Uint8Array };

/** Codes used here (IANA "IS-IS TLV Codepoints"). */
export const TLV = {
  areas: 1,
  neighbours: 2,
  lspEntries: 9,
  authentication: 10,
  extendedNeighbours: 22,
  protocols: 129,
  hostname: 137,
  topologyNeighbours: 222,
  ipv6Interfaces: 232,
  threeWay: 240,
  generic: 251,
} as const;

const LONGEST_VALUE = 255;

export function decodeTlvs(octets: Uint8Array): Result<readonly Tlv[]> {
  const tlvs: Tlv[] = [];
  for (let at = 0; at < octets.length; ) {
    if (at + 2 > octets.length) return bad('a TLV without a length', at);
    const end = at + 2 + octets[at + 1]!;
    if (end > octets.length) return bad('a TLV that runs over the end', at);
    tlvs.push({ type: octets[at]!, value: octets.subarray(at + 2, end) });
    at = end;
  }
  return ok(tlvs);
}

/** A value longer than 255 octets is our own mistake and refused. */
export function encodeTlvs(tlvs: readonly Tlv[]): Result<Uint8Array> {
  if (tlvs.some(({ value }) => value.length > LONGEST_VALUE)) return bad(`expected at most ${LONGEST_VALUE} octets`);
  return ok(Uint8Array.from(tlvs.flatMap(({ type, value }) => [type, value.length, ...value])));
}
