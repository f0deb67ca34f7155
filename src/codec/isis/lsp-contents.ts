// What the TLVs of one LSP say, as far as discovery needs it: neighbours, host name, areas, generic information, and whether
// a password is in use. What comes before a faulty TLV is kept, as routers do; the fault is given beside it.
import { decodeGenericInformation, type GenericInformation } from './geninfo.ts';
import { TLV, type Tlv } from './tlv.ts';

export type LspContents = {
  /** Node ids (system id and pseudonode octet), 14 hex digits. */
  readonly neighbours: readonly string[];
  readonly hostname?: string;
  readonly generic: readonly GenericInformation[];
  readonly authenticated: boolean;
  readonly faults: readonly string[];
};

const NODE_ID_BYTES = 7;
/** Node id, 3 octets of metric, length of sub-TLVs (RFC 5305 §3). */
const WIDE_BYTES = 11;
/** 4 octets of narrow metrics, node id (ISO/IEC 10589 §9.9). */
const NARROW_BYTES = 11;
/** A link that must not be used for ordinary routes (RFC 5305 §3). */
const UNUSABLE_METRIC = 0xff_ffff;

export function readLspContents(octets: Uint8Array): LspContents {
  const { tlvs, fault } = leadingTlvs(octets);
  const faults = fault === undefined ? [] : [fault];
  const generic: GenericInformation[] = [];
  let hostname: string | undefined;
  for (const { type, value } of tlvs) {
    if (type === TLV.hostname) hostname = printable(value);
    if (type !== TLV.generic) continue;
    const decoded = decodeGenericInformation(value);
    if (decoded.ok) generic.push(decoded.value);
    else faults.push(`TLV 251: ${decoded.reason}`);
  }
  return {
    neighbours: tlvs.flatMap((tlv) => neighboursOf(tlv)),
    ...(hostname === undefined ? {} : { hostname }),
    generic,
    authenticated: tlvs.some(({ type }) => type === TLV.authentication),
    faults,
  };
}

/** The TLVs before the first that is cut off. */
function leadingTlvs(octets: Uint8Array): { readonly tlvs: readonly Tlv[]; readonly fault?: string } {
  const tlvs: Tlv[] = [];
  let at = 0;
  while (at + 2 <= octets.length) {
    const end = at + 2 + octets[at + 1]!;
    if (end > octets.length) break;
    tlvs.push({ type: octets[at]!, value: octets.subarray(at + 2, end) });
    at = end;
  }
  return at === octets.length ? { tlvs } : { tlvs, fault: 'a TLV that runs over the end' };
}

function neighboursOf({ type, value }: Tlv): readonly string[] {
  switch (type) {
    case TLV.neighbours:
      return narrowNeighbours(value.subarray(1));
    case TLV.extendedNeighbours:
      return wideNeighbours(value);
    case TLV.topologyNeighbours:
      return wideNeighbours(value.subarray(2));
    default:
      return [];
  }
}

function narrowNeighbours(value: Uint8Array): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at + NARROW_BYTES <= value.length; at += NARROW_BYTES)
    found.push(hex(value.subarray(at + 4, at + 11)));
  return found;
}

function wideNeighbours(value: Uint8Array): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at + WIDE_BYTES <= value.length; at += WIDE_BYTES + value[at + 10]!) {
    const metric = (value[at + 7]! << 16) | (value[at + 8]! << 8) | value[at + 9]!;
    if (metric !== UNUSABLE_METRIC) found.push(hex(value.subarray(at, at + NODE_ID_BYTES)));
  }
  return found;
}

/** Device text: printable ASCII only, and not long. */
function printable(value: Uint8Array): string {
  return Buffer.from(value.subarray(0, 64))
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, '?');
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
