// What hosts on a port ask for, and what a server there answers, as it passes: questions for names (UDP 53) and for addresses (UDP 67).
// Listens and sends nothing. Of a question for a name only the two addresses are read; of DHCP also what is offered (dhcp-signs.ts), and not
// to whom. One socket a port, kept open between two calls; frames that nobody fetches in time are dropped by the kernel.
import { LIMITS } from '#base/limits.ts';
import { ETHERTYPE_IPV4 } from '#codec/arp.ts';
import { isReply } from '#codec/dhcp.ts';
import type { Heard } from '#model/router/dhcp.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import type { BpfProgram } from '../../native/libc.ts';
import { createPortTaps } from '../../native/port-sockets.ts';
import { dhcpSignIn } from './dhcp-events.ts';

const UDP = 17;
const DNS = 53;
const DHCP_SERVER = 67;
const DHCP_CLIENT = 68;
/** Ethernet, IPv4 without options, UDP, and one octet. */
const LEAST_BYTES = 43;
/** Enough for the headers, with options, and that octet. */
const HEAD_BYTES = 96;
/** A DHCP message that every host must take (RFC 2131 §2), with headers. */
const MESSAGE_BYTES = 640;
const ICMP = 1;
const PORT_UNREACHABLE = 0x0303;
/** An IPv4 header without options, as its first octet. */
const PLAIN_HEADER = 0x45;

/**
 * Classic BPF over Ethernet frames: IPv4, UDP, no later fragment, from port 67, or to port 53 or 67; and ICMP that says of port 67 that nobody
 * listens there. So many octets of each, or as many of DHCP as the second number says.
 */
export const heardFilter = (frameBytes: number, dhcpBytes: number = frameBytes): BpfProgram => [
  [0x28, 0, 0, 12],
  [0x15, 0, 20, ETHERTYPE_IPV4],
  [0x30, 0, 0, 23],
  [0x15, 0, 8, UDP],
  [0x28, 0, 0, 20],
  [0x45, 16, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 14],
  [0x15, 15, 0, DHCP_SERVER],
  [0x48, 0, 0, 16],
  [0x15, 12, 0, DNS],
  [0x15, 12, 10, DHCP_SERVER],
  [0x15, 0, 9, ICMP],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 14],
  [0x15, 0, 6, PORT_UNREACHABLE],
  [0x50, 0, 0, 31],
  [0x15, 0, 4, UDP],
  [0x50, 0, 0, 22],
  [0x15, 0, 2, PLAIN_HEADER],
  [0x48, 0, 0, 44],
  [0x15, 2, 0, DHCP_SERVER],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, frameBytes],
  [0x06, 0, 0, dhcpBytes],
];

export type HeardRow = Omit<Heard, 'agoMs'>;
export type HeardNow = { readonly rows: readonly HeardRow[]; readonly signs: readonly DhcpSign[] };
export type HeardListener = (ifnames: readonly string[]) => Promise<HeardNow>;

export function createHeardListener(): HeardListener {
  const taps = createPortTaps({ protocol: ETHERTYPE_IPV4, program: heardFilter(HEAD_BYTES, MESSAGE_BYTES) });
  return async (ifnames) => {
    const heard = (await taps(ifnames)).flatMap(({ ifname, frames }) => frames.map((each) => heardOn(ifname, each)));
    return { rows: heard.flatMap(({ rows }) => rows), signs: heard.flatMap(({ signs }) => signs) };
  };
}

function heardOn(ifname: string, frames: Iterable<Uint8Array>): HeardNow {
  const found = new Map<string, HeardRow>();
  const signs: DhcpSign[] = [];
  for (const frame of frames) {
    const row = heardIn(frame);
    if (row !== undefined) found.set(JSON.stringify(row), { ifname, ...row });
    const sign = row?.what === 'dns-query' || signs.length >= LIMITS.dhcpSigns ? undefined : dhcpSignIn(frame);
    if (sign !== undefined) signs.push({ ifname, ...sign });
  }
  return { rows: [...found.values()], signs };
}

export function heardIn(frame: Uint8Array): Omit<HeardRow, 'ifname'> | undefined {
  const start = 14 + (frame[14]! & 0x0f) * 4;
  if (frame.length < LEAST_BYTES || frame.length < start + 9 || frame[23] !== UDP) return undefined;
  const port = (at: number) => frame[start + at]! * 256 + frame[start + at + 1]!;
  const addresses = { from: frame.subarray(26, 30).join('.'), to: frame.subarray(30, 34).join('.') };
  const reply = isReply(frame.subarray(start + 8));
  if (port(0) === DHCP_SERVER && reply) return { what: 'dhcp-reply', ...addresses };
  if (port(0) === DHCP_CLIENT && port(2) === DHCP_SERVER && !reply) return { what: 'dhcp-request', ...addresses };
  return port(2) === DNS ? { what: 'dns-query', ...addresses } : undefined;
}
