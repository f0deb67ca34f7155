// What hosts on a port show of themselves as it passes: which services they serve (the first answers of web and name servers), for
// which names a server is the authority, for whom they ask by ARP, and which connections they ask for. Listens and sends nothing; the kernel hands over those few
// packets only. The address of a host that asked for a name is kept as a digest, in this process alone (dns-clients.ts). Sockets are kept open between two calls, so
// that nothing is missed; the kernel drops frames that are not fetched in time.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { decodeArp, ETHERTYPE_ARP } from '#codec/arp.ts';
import { type NameAnswer, nameAnswerIn } from '#codec/dns.ts';
import type { HeardAsk, HeardName } from '#model/router/host-history.ts';
import { isHostName, type Served } from '#model/router/hosts.ts';
import {
  accept,
  and,
  assemble,
  type BpfProgram,
  DROP,
  ifEqual,
  label,
  loadByteAfter,
  loadHalf,
  loadHalfAfter,
} from '../../native/bpf.ts';
import type { HostSigns } from '../../protocol/read-operations.ts';
import { createPortTaps } from '../port-sockets.ts';
import { createConnectionRequests, requestsFilter } from './connection-requests.ts';
import { createNameAskers, type NameAskers } from './dns-clients.ts';
import {
  ETHERTYPES,
  type Family,
  headersIn,
  LONGER_BYTES,
  PORTS_BEHIND_HEADER,
  PROTOCOL,
  SYN_ACK,
  TCP,
  UDP,
} from './ip-frames.ts';

/** What is kept of a datagram: a question's name has 255 octets at most, headers before it 82. */
const SNAP_BYTES = 384;
const UDP_HEADER_BYTES = 8;
const DNS_PORT = 53;
const ARP_REQUEST = 1;
/** More than an ARP frame has. */
const ARP_BYTES = 64;

/** Over Ethernet frames: IP of one family, no later fragment, and SYN with ACK from TCP port 80 or 443, or anything from UDP port 53. */
export const servedFilter = (family: Family): BpfProgram =>
  assemble([
    ...PROTOCOL[family],
    ifEqual(TCP, { yes: 'tcp' }),
    ifEqual(UDP, { yes: 'udp', no: 'drop' }),
    label('tcp'),
    ...PORTS_BEHIND_HEADER[family],
    loadByteAfter(27),
    and(SYN_ACK),
    ifEqual(SYN_ACK, { no: 'drop' }),
    loadHalfAfter(14),
    ifEqual(80, { yes: 'keep' }),
    ifEqual(443, { yes: 'keep', no: 'drop' }),
    label('udp'),
    ...PORTS_BEHIND_HEADER[family],
    loadHalfAfter(14),
    ifEqual(DNS_PORT, { yes: 'keep' }),
    label('drop'),
    DROP,
    label('keep'),
    accept(SNAP_BYTES + LONGER_BYTES[family]),
  ]);

/** ARP requests alone (RFC 826): replies are not read. */
export const ASKS_FILTER: BpfProgram = assemble([
  loadHalf(20),
  ifEqual(ARP_REQUEST, { no: 'drop' }),
  accept(ARP_BYTES),
  label('drop'),
  DROP,
]);

export type ServedListener = (ifnames: readonly string[]) => Promise<HostSigns>;

export function createServedListener(clock: Pick<Clock, 'monotonicMs'>): ServedListener {
  const taps = createPortTaps(
    { protocol: ETHERTYPES[4], program: servedFilter(4) },
    { protocol: ETHERTYPE_ARP, program: ASKS_FILTER },
    { protocol: ETHERTYPES[4], program: requestsFilter(4) },
    { protocol: ETHERTYPES[6], program: servedFilter(6) },
    { protocol: ETHERTYPES[6], program: requestsFilter(6) },
  );
  const askers = createNameAskers();
  const requests = createConnectionRequests();
  return async (ifnames) => {
    const ports = new Map<string, PortSigns>();
    await taps(ifnames, ({ ifname, kind, frames }) => {
      const signs = ports.get(ifname) ?? { services: new Map(), names: new Map(), asks: new Map() };
      ports.set(ifname, signs);
      if (kind === ANSWERS || kind === ANSWERS6) readAnswers(ifname, frames, askers, signs);
      else if (kind === ASKS) readAsks(ifname, frames, signs);
      else requests.heard(ifname, frames, clock.monotonicMs());
    });
    const all = [...ports.values()];
    return {
      services: all.flatMap(({ services }) => [...services.values()]),
      names: all.flatMap(({ names }) => [...names.values()]),
      asks: all.flatMap(({ asks }) => [...asks.values()]),
      connections: requests.known(clock.monotonicMs()),
    };
  };
}

/** Taps in their order. */
const [ANSWERS, ASKS, ANSWERS6] = [0, 1, 3];

/** Of one port, each once. */
type PortSigns = {
  readonly services: Map<string, HostSigns['services'][number]>;
  readonly names: Map<string, HeardName>;
  readonly asks: Map<string, HeardAsk>;
};

function readAnswers(
  ifname: string,
  frames: readonly Uint8Array[],
  askers: NameAskers,
  { services, names }: PortSigns,
): void {
  for (const frame of frames) {
    const row = servedIn(frame);
    if (row === undefined) continue;
    services.set(JSON.stringify(row), { ifname, ...row });
    const answer = nameAnswerOf(frame);
    const heard = answer === undefined ? undefined : askers({ ifname, address: row.address, ...answer });
    const key = `${row.address} ${heard?.name}`;
    if (heard !== undefined && (names.has(key) || names.size < LIMITS.dnsRecords)) names.set(key, heard);
  }
}

function readAsks(ifname: string, frames: readonly Uint8Array[], { asks }: PortSigns): void {
  for (const frame of frames) {
    const ask = askIn(frame);
    if (ask !== undefined && asks.size < LIMITS.arpRequests) asks.set(JSON.stringify(ask), { ifname, ...ask });
  }
}

/** Who sent an answer, and from which port. */
export function servedIn(frame: Uint8Array): Pick<Served, 'address' | 'service' | 'port'> | undefined {
  const headers = headersIn(frame);
  if (headers === undefined) return undefined;
  return { address: headers.from, service: headers.protocol === TCP ? 'tcp' : 'udp', port: headers.fromPort };
}

/** What the sender says of a name of its own, and to whom; what a resolver has from elsewhere is not its own and is not read. */
export function nameAnswerOf(frame: Uint8Array): (NameAnswer & { readonly asker: string }) | undefined {
  const headers = headersIn(frame);
  if (headers === undefined || headers.protocol === TCP || headers.fromPort !== DNS_PORT) return undefined;
  const answer = nameAnswerIn(frame.subarray(headers.start + UDP_HEADER_BYTES));
  if (answer === undefined || !isHostName(answer.name)) return undefined;
  return { ...answer, asker: headers.to };
}

/** Sender and target of an ARP request; a probe before an address is taken (RFC 5227) and an announcement ask for no other host. */
export function askIn(frame: Uint8Array): Omit<HeardAsk, 'ifname'> | undefined {
  const arp = decodeArp(frame);
  if (arp?.operation !== 'request' || arp.senderAddress === '0.0.0.0') return undefined;
  if (arp.senderAddress === arp.targetAddress) return undefined;
  return { mac: arp.senderMac, sender: arp.senderAddress, target: arp.targetAddress };
}
