// What hosts on a port ask for, and what a server there answers, as it passes: questions for names (UDP 53) and for addresses (UDP 67).
// Listens and sends nothing. Of a question for a name only the two addresses are read; of DHCP also what is offered (dhcp-events.ts), and not
// to whom. One socket a port, kept open between two calls; the kernel drops frames that are not fetched in time.

import { isReply } from '#codec/dhcp.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import {
  accept,
  assemble,
  type BpfProgram,
  DROP,
  ifEqual,
  label,
  loadByteAfter,
  loadHalfAfter,
  loadHeaderLength,
} from '../../native/bpf.ts';
import type { HeardNow, HeardRow } from '../../protocol/read-operations.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { createPortTaps } from '../port-sockets.ts';
import { dhcpSignIn } from './dhcp-events.ts';
import { ETHERTYPES, headersIn, IP_AT, LONGER_BYTES, PORTS_BEHIND_HEADER, PROTOCOL, UDP } from './ip-frames.ts';

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
 * Classic BPF over Ethernet frames: IPv4, UDP, no later fragment, from port 67, or to port 53 or 67; and ICMP that says of port 67 that no process
 * listens there. So many octets of each, or as many of DHCP as the second number says.
 */
export const heardFilter = (frameBytes: number, dhcpBytes: number = frameBytes): BpfProgram =>
  assemble([
    ...PROTOCOL[4],
    ifEqual(UDP, { no: 'not udp' }),
    ...PORTS_BEHIND_HEADER[4],
    loadHalfAfter(14),
    ifEqual(DHCP_SERVER, { yes: 'dhcp' }),
    loadHalfAfter(16),
    ifEqual(DNS, { yes: 'dns' }),
    ifEqual(DHCP_SERVER, { yes: 'dhcp', no: 'drop' }),
    label('not udp'),
    ifEqual(ICMP, { no: 'drop' }),
    loadHeaderLength(IP_AT),
    loadHalfAfter(14),
    ifEqual(PORT_UNREACHABLE, { no: 'drop' }),
    // The packet that was refused stands behind the ICMP header: its protocol, its own first octet, its destination port.
    loadByteAfter(31),
    ifEqual(UDP, { no: 'drop' }),
    loadByteAfter(22),
    ifEqual(PLAIN_HEADER, { no: 'drop' }),
    loadHalfAfter(44),
    ifEqual(DHCP_SERVER, { yes: 'dhcp' }),
    label('drop'),
    DROP,
    label('dns'),
    accept(frameBytes),
    label('dhcp'),
    accept(dhcpBytes),
  ]);

/** The same of IPv6 for questions for names alone: IPv6, UDP, to port 53. */
export const questionsFilter6 = (frameBytes: number): BpfProgram =>
  assemble([
    ...PROTOCOL[6],
    ifEqual(UDP, { no: 'drop' }),
    ...PORTS_BEHIND_HEADER[6],
    loadHalfAfter(16),
    ifEqual(DNS, { no: 'drop' }),
    accept(frameBytes),
    label('drop'),
    DROP,
  ]);

export type HeardListener = (ifnames: readonly string[]) => Promise<HeardNow>;

export function createHeardListener(): HeardListener {
  const taps = createPortTaps(
    { protocol: ETHERTYPES[4], program: heardFilter(HEAD_BYTES, MESSAGE_BYTES) },
    { protocol: ETHERTYPES[6], program: questionsFilter6(HEAD_BYTES + LONGER_BYTES[6]) },
  );
  return async (ifnames) => {
    const ports = new Map<string, PortSigns>();
    await taps(ifnames, ({ ifname, kind, frames }) => {
      const known = ports.get(ifname) ?? { rows: new Map(), signs: [] };
      ports.set(ifname, known);
      readHeard(ifname, frames, known, kind === QUESTIONS6);
    });
    const heard = [...ports.values()];
    return { rows: heard.flatMap(({ rows }) => [...rows.values()]), signs: heard.flatMap(({ signs }) => signs) };
  };
}

/** Taps in their order. */
const QUESTIONS6 = 1;

type PortSigns = { readonly rows: Map<string, HeardRow>; readonly signs: DhcpSign[] };

function readHeard(ifname: string, frames: readonly Uint8Array[], { rows, signs }: PortSigns, isIpv6: boolean): void {
  for (const frame of frames) {
    const row = heardIn(frame);
    if (row !== undefined) rows.set(JSON.stringify(row), { ifname, ...row });
    const isOther = isIpv6 || row?.what === 'dns-query';
    const sign = isOther || signs.length >= HELPER_LIMITS.dhcpPackets ? undefined : dhcpSignIn(frame);
    if (sign !== undefined) signs.push({ ifname, ...sign });
  }
}

export function heardIn(frame: Uint8Array): Omit<HeardRow, 'ifname'> | undefined {
  const headers = headersIn(frame);
  if (headers?.protocol !== UDP || frame.length < Math.max(LEAST_BYTES, headers.start + 9)) return undefined;
  const { from, to, fromPort, toPort, start } = headers;
  const reply = isReply(frame.subarray(start + 8));
  const isDhcp = !from.includes(':');
  if (isDhcp && fromPort === DHCP_SERVER && reply) return { what: 'dhcp-reply', from, to };
  if (isDhcp && fromPort === DHCP_CLIENT && toPort === DHCP_SERVER && !reply) return { what: 'dhcp-request', from, to };
  return toPort === DNS ? { what: 'dns-query', from, to } : undefined;
}
