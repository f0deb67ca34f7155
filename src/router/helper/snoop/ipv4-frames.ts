// Headers of IPv4 in Ethernet frames (RFC 791 §3.1), as far as what passes on a port is read: addresses, protocol and ports. Also how programs for the
// kernel (bpf.ts) begin that read them. Pure.
import { ETHERTYPE_IPV4 } from '#codec/arp.ts';
import { type BpfLine, ifAnySet, ifEqual, loadByte, loadHalf, loadHeaderLength } from '../../native/bpf.ts';

export const TCP = 6;
export const UDP = 17;
/** Of the IPv4 field that says where a fragment belongs. */
const FRAGMENT_OFFSET = 0x1fff;
/** TCP flags (RFC 9293 §3.1). */
export const SYN = 0x02;
export const SYN_ACK = 0x12;
/** The client ends a connection that it was given. */
export const FIN_RST = 0x05;

export const IPV4_AT = 14;
const LEAST_HEADER_BYTES = 20;

/** A ← protocol of an IPv4 packet; any other frame goes on at `drop`. */
export const IPV4_PROTOCOL: readonly BpfLine[] = [loadHalf(12), ifEqual(ETHERTYPE_IPV4, { no: 'drop' }), loadByte(23)];

/** X ← length of the IPv4 header, behind which the ports are; a later fragment, which has none, goes on at `drop`. */
export const PORTS_BEHIND_HEADER: readonly BpfLine[] = [
  loadHalf(20),
  ifAnySet(FRAGMENT_OFFSET, { yes: 'drop' }),
  loadHeaderLength(IPV4_AT),
];

export type Ipv4Headers = {
  readonly from: string;
  readonly to: string;
  readonly protocol: number;
  /** Where the header of the protocol begins, of which the two ports are read. */
  readonly start: number;
  readonly fromPort: number;
  readonly toPort: number;
};

/** Where the payload of IPv4 begins; undefined where the header says that it is shorter than a header can be. */
export function payloadStart(frame: Uint8Array): number | undefined {
  const bytes = ((frame[IPV4_AT] ?? 0) & 0x0f) * 4;
  return bytes < LEAST_HEADER_BYTES ? undefined : IPV4_AT + bytes;
}

export function headersIn(frame: Uint8Array): Ipv4Headers | undefined {
  const start = payloadStart(frame);
  if (start === undefined || frame.length < start + 4) return undefined;
  const portAt = (at: number) => frame[at]! * 256 + frame[at + 1]!;
  return {
    from: frame.subarray(26, 30).join('.'),
    to: frame.subarray(30, 34).join('.'),
    protocol: frame[23]!,
    ...{ start, fromPort: portAt(start), toPort: portAt(start + 2) },
  };
}
