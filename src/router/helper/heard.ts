// What hosts on a port ask for, and what a server there answers, as it passes: questions for names (UDP 53) and for addresses (UDP 67).
// Listens and sends nothing. Of a packet only the two addresses are read, and whether it is a question; which name or which host is
// asked about is not. One socket a port, kept open between two calls; frames that nobody fetches in time are dropped by the kernel.
import { ETHERTYPE_IPV4 } from '#codec/arp.ts';
import { isReply } from '#codec/dhcp.ts';
import type { Heard } from '#model/dhcp.ts';
import type { BpfProgram } from './libc.ts';
import { createPortTaps } from './port-sockets.ts';

const UDP = 17;
const DNS = 53;
const DHCP_SERVER = 67;
const DHCP_CLIENT = 68;
/** Ethernet, IPv4 without options, UDP, and one octet. */
const LEAST_BYTES = 43;
/** Enough for the headers, with options, and that octet. */
const HEAD_BYTES = 96;

/** Classic BPF over Ethernet frames: IPv4, UDP, no later fragment, from port 67, or to port 53 or 67; so many octets of each. */
export const heardFilter = (frameBytes: number): BpfProgram => [
  [0x28, 0, 0, 12],
  [0x15, 0, 10, ETHERTYPE_IPV4],
  [0x30, 0, 0, 23],
  [0x15, 0, 8, UDP],
  [0x28, 0, 0, 20],
  [0x45, 6, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 14],
  [0x15, 4, 0, DHCP_SERVER],
  [0x48, 0, 0, 16],
  [0x15, 2, 0, DNS],
  [0x15, 1, 0, DHCP_SERVER],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, frameBytes],
];

export type HeardRow = Omit<Heard, 'agoMs'>;
export type HeardListener = (ifnames: readonly string[]) => Promise<readonly HeardRow[]>;

export function createHeardListener(): HeardListener {
  const taps = createPortTaps({ protocol: ETHERTYPE_IPV4, program: heardFilter(HEAD_BYTES) });
  return async (ifnames) =>
    (await taps(ifnames)).flatMap(({ ifname, frames }) => frames.flatMap((each) => rowsIn(ifname, each)));
}

function rowsIn(ifname: string, frames: Iterable<Uint8Array>): readonly HeardRow[] {
  const found = new Map<string, HeardRow>();
  for (const frame of frames) {
    const row = heardIn(frame);
    if (row !== undefined) found.set(JSON.stringify(row), { ifname, ...row });
  }
  return [...found.values()];
}

export function heardIn(frame: Uint8Array): Omit<HeardRow, 'ifname'> | undefined {
  const start = 14 + (frame[14]! & 0x0f) * 4;
  if (frame.length < LEAST_BYTES || frame.length < start + 9) return undefined;
  const port = (at: number) => frame[start + at]! * 256 + frame[start + at + 1]!;
  const addresses = { from: frame.subarray(26, 30).join('.'), to: frame.subarray(30, 34).join('.') };
  const reply = isReply(frame.subarray(start + 8));
  if (port(0) === DHCP_SERVER && reply) return { what: 'dhcp-reply', ...addresses };
  if (port(0) === DHCP_CLIENT && port(2) === DHCP_SERVER && !reply) return { what: 'dhcp-request', ...addresses };
  return port(2) === DNS ? { what: 'dns-query', ...addresses } : undefined;
}
