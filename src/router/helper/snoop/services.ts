// What hosts on a port show of themselves as it passes: which services they serve (the first answers of web and name servers), for
// which names a server is the authority, and for whom they ask by ARP. Listens and sends nothing; the kernel hands over those few
// packets only. Who asked for a name is kept as a digest, in this process alone (name-askers.ts). Sockets are kept open between two calls, so
// that nothing is missed; frames that nobody fetches in time are dropped by the kernel.
import { LIMITS } from '#base/limits.ts';
import { decodeArp, ETHERTYPE_ARP, ETHERTYPE_IPV4 } from '#codec/arp.ts';
import { type NameAnswer, nameAnswerIn } from '#codec/dns.ts';
import type { HeardAsk, HeardName } from '#model/router/host-history.ts';
import { isHostName, type Served } from '#model/router/hosts.ts';
import type { BpfProgram } from '../../native/libc.ts';
import { createPortTaps, type TappedPort } from '../../native/port-sockets.ts';
import { createNameAskers, type NameAskers } from './dns-clients.ts';

const TCP = 6;
/** Ethernet and IPv4 headers without options, and both ports. */
const LEAST_BYTES = 38;
/** What is kept of a datagram: a question's name has 255 octets at most, headers before it 82. */
const SNAP_BYTES = 384;
const UDP_HEADER_BYTES = 8;
const DNS_PORT = 53;

/**
 * Classic BPF (code, jump if true, jump if false, constant) over Ethernet frames: IPv4, no later fragment, and SYN with ACK from TCP
 * port 80 or 443, or anything from UDP port 53.
 */
export const SERVED_FILTER: BpfProgram = [
  [0x28, 0, 0, 12],
  [0x15, 0, 17, ETHERTYPE_IPV4],
  [0x30, 0, 0, 23],
  [0x15, 1, 0, TCP],
  [0x15, 9, 14, 17],
  [0x28, 0, 0, 20],
  [0x45, 12, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x50, 0, 0, 27],
  [0x54, 0, 0, 0x12],
  [0x15, 0, 8, 0x12],
  [0x48, 0, 0, 14],
  [0x15, 7, 0, 80],
  [0x15, 6, 5, 443],
  [0x28, 0, 0, 20],
  [0x45, 3, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 14],
  [0x15, 1, 0, 53],
  [0x06, 0, 0, 0],
  [0x06, 0, 0, SNAP_BYTES],
];

/** Requests alone (RFC 826): who answers is nobody's business here. */
export const ASKS_FILTER: BpfProgram = [
  [0x28, 0, 0, 20],
  [0x15, 0, 1, 1],
  [0x06, 0, 0, 64],
  [0x06, 0, 0, 0],
];

/** What passed since the call before. */
export type HostSigns = {
  readonly services: readonly Omit<Served, 'agoMs'>[];
  readonly names: readonly HeardName[];
  readonly asks: readonly HeardAsk[];
};

export type ServedListener = (ifnames: readonly string[]) => Promise<HostSigns>;

export function createServedListener(): ServedListener {
  const taps = createPortTaps(
    { protocol: ETHERTYPE_IPV4, program: SERVED_FILTER },
    { protocol: ETHERTYPE_ARP, program: ASKS_FILTER },
  );
  const askers = createNameAskers();
  return async (ifnames) => {
    const signs = (await taps(ifnames)).map((port) => signsOn(port, askers));
    return {
      services: signs.flatMap((each) => each.services),
      names: signs.flatMap((each) => each.names),
      asks: signs.flatMap((each) => each.asks),
    };
  };
}

function signsOn({ ifname, frames: [answers = [], arp = []] }: TappedPort, askers: NameAskers): HostSigns {
  const services = new Map<string, HostSigns['services'][number]>();
  const names = new Map<string, HeardName>();
  const asks = new Map<string, HeardAsk>();
  for (const frame of answers) {
    const row = servedIn(frame);
    if (row === undefined) continue;
    services.set(JSON.stringify(row), { ifname, ...row });
    const answer = nameAnswerOf(frame);
    const heard = answer === undefined ? undefined : askers({ ifname, address: row.address, ...answer });
    const key = `${row.address} ${heard?.name}`;
    if (heard !== undefined && (names.has(key) || names.size < LIMITS.heardNames)) names.set(key, heard);
  }
  for (const frame of arp) {
    const ask = askIn(frame);
    if (ask !== undefined && asks.size < LIMITS.heardAsks) asks.set(JSON.stringify(ask), { ifname, ...ask });
  }
  return { services: [...services.values()], names: [...names.values()], asks: [...asks.values()] };
}

/** Who sent an answer, and from which port. */
export function servedIn(frame: Uint8Array): Pick<Served, 'address' | 'service' | 'port'> | undefined {
  const start = payloadStart(frame);
  if (frame.length < LEAST_BYTES || frame.length < start + 2) return undefined;
  return {
    address: [...frame.subarray(26, 30)].join('.'),
    service: frame[23] === TCP ? 'tcp' : 'udp',
    port: frame[start]! * 256 + frame[start + 1]!,
  };
}

/** What the sender says of a name of its own, and to whom; what a resolver has from elsewhere is not its own and is not read. */
export function nameAnswerOf(frame: Uint8Array): (NameAnswer & { readonly asker: string }) | undefined {
  const row = servedIn(frame);
  if (row?.service !== 'udp' || row.port !== DNS_PORT) return undefined;
  const answer = nameAnswerIn(frame.subarray(payloadStart(frame) + UDP_HEADER_BYTES));
  if (answer === undefined || !isHostName(answer.name)) return undefined;
  return { ...answer, asker: [...frame.subarray(30, 34)].join('.') };
}

/** Who asks for whom; a probe before an address is taken (RFC 5227) and an announcement ask for nobody. */
export function askIn(frame: Uint8Array): Omit<HeardAsk, 'ifname'> | undefined {
  const arp = decodeArp(frame);
  if (arp?.operation !== 'request' || arp.senderAddress === '0.0.0.0') return undefined;
  if (arp.senderAddress === arp.targetAddress) return undefined;
  return { mac: arp.senderMac, sender: arp.senderAddress, target: arp.targetAddress };
}

function payloadStart(frame: Uint8Array): number {
  return 14 + (frame[14]! & 0x0f) * 4;
}
