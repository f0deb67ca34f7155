// Headers of IP in Ethernet frames (RFC 791 §3.1, RFC 8200 §3), as far as what passes on a port is read: addresses, protocol and ports. Also how
// programs for the kernel (bpf.ts) begin that read them. Of IPv6 one header of options is passed, hop by hop or for the destination (RFC 8200 §4.3,
// §4.6); a fragment, a packet with a routing header, which may still be on its way to others, and any other extension are left unread. Pure.
import { formatIpv6 } from '#base/ipv6-text.ts';
import { ETHERTYPE_IPV4 } from '#codec/arp.ts';
import { ETHERTYPE_IPV6 } from '#codec/icmp.ts';
import {
  add,
  type BpfLine,
  copyToX,
  ifAnySet,
  ifEqual,
  label,
  loadByte,
  loadHalf,
  loadHeaderLength,
  setX,
  shiftLeft,
} from '../../native/bpf.ts';

export const TCP = 6;
export const UDP = 17;
/** Of the IPv4 field that says where a fragment belongs. */
const FRAGMENT_OFFSET = 0x1fff;
/** Next Header of the options of IPv6. */
const HOP_BY_HOP = 0;
const DESTINATION_OPTIONS = 60;
/** TCP flags (RFC 9293 §3.1). */
export const SYN = 0x02;
export const SYN_ACK = 0x12;
/** The client ends a connection that it was given. */
export const FIN_RST = 0x05;

export const IP_AT = 14;
const LEAST_HEADER_BYTES = 20;
const IPV6_HEADER_BYTES = 40;
/** Where the header of the protocol, or one of options, begins behind the fixed header of IPv6. */
const BEHIND_IPV6 = IP_AT + IPV6_HEADER_BYTES;

export type Family = 4 | 6;
export const ETHERTYPES = { 4: ETHERTYPE_IPV4, 6: ETHERTYPE_IPV6 } as const;
/** More octets than in a frame of IPv4, where the same is read: the longer header, and options of the usual length. */
export const LONGER_BYTES = { 4: 0, 6: 28 } as const;

/** A ← protocol of a packet of this family; any other frame goes on at `drop`. Of IPv6 also X ← length of the headers before that of the protocol. */
export const PROTOCOL: Readonly<Record<Family, readonly BpfLine[]>> = {
  4: [loadHalf(12), ifEqual(ETHERTYPE_IPV4, { no: 'drop' }), loadByte(23)],
  6: [
    loadHalf(12),
    ifEqual(ETHERTYPE_IPV6, { no: 'drop' }),
    setX(IPV6_HEADER_BYTES),
    loadByte(20),
    ifEqual(HOP_BY_HOP, { yes: 'options' }),
    ifEqual(DESTINATION_OPTIONS, { no: 'protocol' }),
    label('options'),
    // Units of eight octets beyond the first (RFC 8200 §4.3).
    loadByte(BEHIND_IPV6 + 1),
    add(1),
    shiftLeft(3),
    add(IPV6_HEADER_BYTES),
    copyToX,
    loadByte(BEHIND_IPV6),
    label('protocol'),
  ],
};

/** X ← length of the IP headers, behind which the ports are; a later fragment, which has none, goes on at `drop`. */
export const PORTS_BEHIND_HEADER: Readonly<Record<Family, readonly BpfLine[]>> = {
  4: [loadHalf(20), ifAnySet(FRAGMENT_OFFSET, { yes: 'drop' }), loadHeaderLength(IP_AT)],
  // Already there, and a fragment has another protocol.
  6: [],
};

export type IpHeaders = {
  readonly from: string;
  readonly to: string;
  readonly protocol: number;
  /** Where the header of the protocol begins, of which the two ports are read. */
  readonly start: number;
  readonly fromPort: number;
  readonly toPort: number;
  /** What a copy of the packet has in common with it, and the same data sent again mostly has not: identification, or flow label. */
  readonly mark: string;
};

/** Where the payload of IPv4 begins; undefined where the header says that it is shorter than a header can be. */
export function payloadStart(frame: Uint8Array): number | undefined {
  const bytes = ((frame[IP_AT] ?? 0) & 0x0f) * 4;
  return bytes < LEAST_HEADER_BYTES ? undefined : IP_AT + bytes;
}

/** Of either family; undefined for a frame that is too short, and for addresses that are the same on every link (RFC 4291 §2.5.6). */
export function headersIn(frame: Uint8Array): IpHeaders | undefined {
  const isIpv6 = frame[12]! * 256 + frame[13]! === ETHERTYPE_IPV6;
  return isIpv6 ? headers6(frame) : headers4(frame);
}

function headers4(frame: Uint8Array): IpHeaders | undefined {
  const start = payloadStart(frame);
  if (start === undefined || frame.length < start + 4) return undefined;
  return {
    from: frame.subarray(26, 30).join('.'),
    to: frame.subarray(30, 34).join('.'),
    protocol: frame[23]!,
    ...portsAt(frame, start),
    mark: latin1(frame, 18, 20),
  };
}

function headers6(frame: Uint8Array): IpHeaders | undefined {
  if (frame.length < BEHIND_IPV6 + 4 || isOfLink(frame, 22) || isOfLink(frame, 38)) return undefined;
  const first = frame[20]!;
  const hasOptions = first === HOP_BY_HOP || first === DESTINATION_OPTIONS;
  const protocol = hasOptions ? frame[BEHIND_IPV6]! : first;
  const start = hasOptions ? BEHIND_IPV6 + (frame[BEHIND_IPV6 + 1]! + 1) * 8 : BEHIND_IPV6;
  if (frame.length < start + 4) return undefined;
  return {
    from: formatIpv6(frame, 22),
    to: formatIpv6(frame, 38),
    ...{ protocol, ...portsAt(frame, start), mark: flowLabel(frame) },
  };
}

function portsAt(frame: Uint8Array, start: number): Pick<IpHeaders, 'start' | 'fromPort' | 'toPort'> {
  const portAt = (at: number) => frame[at]! * 256 + frame[at + 1]!;
  return { start, fromPort: portAt(start), toPort: portAt(start + 2) };
}

/** The low 20 bits of the first word (RFC 8200 §3): the traffic class before them may be written anew on the way through this node. */
function flowLabel(frame: Uint8Array): string {
  return String(((frame[IP_AT + 1]! & 0x0f) << 16) | (frame[IP_AT + 2]! << 8) | frame[IP_AT + 3]!);
}

/** fe80::/10. */
function isOfLink(frame: Uint8Array, at: number): boolean {
  return frame[at] === 0xfe && (frame[at + 1]! & 0xc0) === 0x80;
}

function latin1(frame: Uint8Array, from: number, to: number): string {
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('latin1', from, to);
}
