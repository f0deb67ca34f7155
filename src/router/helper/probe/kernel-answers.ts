// Probes of the kinds that users' traffic has and any kernel answers by itself: TCP connection requests and echoes, over IPv4 and IPv6. Where
// nothing listens a TCP port is refused, which is an answer too; where something does, this kernel, which has no such connection,
// resets it before it is one. Bounded in destinations, probes and time; one socket for each own address that is probed from, all gone
// when it ends (TS-22). Refuses to choose the port: that of agents alone.
import { decodeEchoNumbers, ECHO_REPLY, ECHO6_REPLY, encodeEcho, encodeEcho6 } from '#codec/icmp.ts';
import { decodeSynAnswer, encodeSyn } from '#codec/tcp.ts';
import type { ReachRequest, ReachResult, ReachTraffic } from '#model/router/router-port.ts';
import { addressBytes, answerableSource } from '../../native/addresses.ts';
import {
  accept,
  and,
  assemble,
  type BpfProgram,
  DROP,
  ifEqual,
  label,
  loadByte,
  loadByteAfter,
  loadHalf,
  loadHalfAfter,
  loadHeaderLength,
} from '../../native/bpf.ts';
import { type Libc, loadLibc, type MessageSocket } from '../../native/libc.ts';
import type { ProberParts } from './prober.ts';
import { type Sources, sourcesIn } from './sources.ts';

/** The default port of agents: what a policy lets pass between routers at all. */
const AGENT_PORT = 9_514;
/** Source ports beyond those that kernels give out; every probe to one destination has its own, so that none meets what another left. */
const FIRST_PORT = 0xf000;
const PORTS = 128;
const PORT_BLOCKS = 32;
const LINGER_MS = 400;
const LOOK_MS = 5;
/** Probes sent before a pause of a millisecond: no burst that a queue would drop. */
const BURST = 4;
/** Between two large echoes to one address: of 1,500 octets 0.24 Mbit/s each way, answers not counted. */
const LARGE_PAUSE_MS = 50;
const ICMP = { 4: 1, 6: 58 } as const;
const PROTOCOL = { tcp: { 4: 6, 6: 6 }, icmp: ICMP, 'large-icmp': ICMP } as const;
const IP_HEADER_BYTES = { 4: 20, 6: 40 } as const;
const IPV4_TTL = 8;
const MOST_HOPS = 255;
const ALL = 0xffff;

type Tally = {
  readonly destination: string;
  readonly bytes: Uint8Array;
  readonly source: Uint8Array | undefined;
  socket: MessageSocket | undefined;
  readonly sentAtMs: number[];
  readonly trips: Map<number, number>;
  ttl: number | undefined;
};

/** What makes the probes of one run ours: nothing else is counted. */
type Mark = {
  readonly port: number;
  readonly first: number;
  readonly identifier: number;
  /** Length of a large packet, its IP header included. */
  readonly packetBytes: number;
};

/** Messages of one protocol: how the probe `index` to the destination `place` is written, and which one an answer is to. */
type Kind = {
  encode(tally: Tally, place: number, index: number, mark: Mark): Uint8Array;
  answered(message: Uint8Array, mark: Mark): { readonly place: number; readonly index: number } | undefined;
};

const KINDS: Readonly<Record<ReachTraffic, Kind>> = {
  tcp: {
    encode: ({ source, bytes: destination }, place, index, { port, first }) =>
      encodeSyn(
        { source: source!, destination },
        { from: port + index, to: AGENT_PORT },
        first + place * PORTS + index,
      ),
    answered(message, { port, first }) {
      const answer = decodeSynAnswer(message);
      if (answer === undefined || answer.from !== AGENT_PORT) return undefined;
      const number = (answer.sequence - first) >>> 0;
      const index = number % PORTS;
      return answer.to === port + index ? { place: Math.floor(number / PORTS), index } : undefined;
    },
  },
  icmp: {
    encode: (tally, place, index, mark) => encodeEchoTo(tally, place, index, { ...mark, packetBytes: 0 }),
    answered: answeredEcho,
  },
  'large-icmp': { encode: encodeEchoTo, answered: answeredEcho },
};

function encodeEchoTo(
  { bytes: { length } }: Tally,
  place: number,
  index: number,
  { identifier, packetBytes }: Mark,
): Uint8Array {
  const [encode, headerBytes] = length === 4 ? [encodeEcho, IP_HEADER_BYTES[4]] : [encodeEcho6, IP_HEADER_BYTES[6]];
  return encode((identifier + place) & ALL, index, packetBytes - headerBytes);
}

function answeredEcho(message: Uint8Array, { identifier }: Mark) {
  const numbers = decodeEchoNumbers(message);
  return numbers && { place: (numbers.identifier - identifier) & ALL, index: numbers.sequence };
}

/** Rows in the order asked. What this node cannot send is lost like any other: the address cannot be reached from here. */
export async function askKernels(
  {
    destinations,
    count,
    packetBytes = 0,
    sources: wanted,
  }: Pick<ReachRequest, 'destinations' | 'count' | 'packetBytes' | 'sources'>,
  traffic: ReachTraffic,
  { clock, random }: ProberParts,
  signal: AbortSignal,
): Promise<readonly ReachResult[]> {
  const sources = sourcesIn(wanted);
  const libc = await loadLibc();
  const mark = { ...markOf(random.bytes(7)), packetBytes };
  const sockets = new Map<string, MessageSocket>();
  const tallies = destinations.map((destination) => tallyOf(destination, { libc, traffic, mark, sources }, sockets));
  const hear = () => {
    for (const [own, socket] of sockets)
      for (let packet = socket.receive(); packet !== undefined; packet = socket.receive())
        note(packet, !own.includes(':'), traffic, mark, tallies, clock.monotonicMs());
  };
  try {
    let sent = 0;
    for (let index = 0; index < count; index++) {
      for (const [place, tally] of tallies.entries()) {
        signal.throwIfAborted();
        tally.sentAtMs[index] = clock.monotonicMs();
        tally.socket?.send(KINDS[traffic].encode(tally, place, index, mark), tally.bytes);
        sent += 1;
        if (sent % BURST === 0) {
          await clock.sleep(1, signal);
          hear();
        }
      }
      if (traffic === 'large-icmp') {
        await clock.sleep(LARGE_PAUSE_MS, signal);
        hear();
      }
    }
    const endMs = clock.monotonicMs() + LINGER_MS;
    for (hear(); tallies.some(({ trips }) => trips.size < count) && clock.monotonicMs() < endMs; hear())
      await clock.sleep(LOOK_MS, signal);
    return tallies.map((tally) => resultOf(tally, traffic, count));
  } finally {
    for (const socket of sockets.values()) socket.close();
  }
}

function markOf(bytes: Uint8Array): Omit<Mark, 'packetBytes'> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const port = FIRST_PORT + (view.getUint8(6) % PORT_BLOCKS) * PORTS;
  return { port, first: view.getUint32(0), identifier: view.getUint16(4) };
}

type Run = {
  readonly libc: Libc;
  readonly traffic: ReachTraffic;
  readonly mark: Mark;
  readonly sources: Sources;
};

function tallyOf(
  destination: string,
  { libc, traffic, mark, sources }: Run,
  sockets: Map<string, MessageSocket>,
): Tally {
  const own = answerableSource(destination, sources);
  const source = own === undefined ? undefined : addressBytes(own);
  if (own !== undefined && source !== undefined && !sockets.has(own)) {
    const family = source.length === 4 ? 4 : 6;
    const opened = libc.openTransport(
      source,
      PROTOCOL[traffic][family],
      traffic === 'tcp' ? tcpAnswers(family === 4, mark.port) : echoReplies(family === 4),
    );
    if (!('refused' in opened)) sockets.set(own, opened);
  }
  const socket = own === undefined ? undefined : sockets.get(own);
  return {
    destination,
    bytes: addressBytes(destination)!,
    source,
    socket,
    sentAtMs: [],
    trips: new Map(),
    ttl: undefined,
  };
}

function note(
  packet: Uint8Array,
  isIpv4: boolean,
  traffic: ReachTraffic,
  mark: Mark,
  tallies: readonly Tally[],
  nowMs: number,
): void {
  const headerBytes = isIpv4 ? ((packet[0] ?? 0) & 0x0f) * 4 : 0;
  const found = KINDS[traffic].answered(packet.subarray(headerBytes), mark);
  const tally = found === undefined ? undefined : tallies[found.place];
  const sentAtMs = found === undefined ? undefined : tally?.sentAtMs[found.index];
  if (found === undefined || tally === undefined || sentAtMs === undefined || tally.trips.has(found.index)) return;
  tally.trips.set(found.index, nowMs - sentAtMs);
  if (isIpv4) tally.ttl = Math.min(tally.ttl ?? MOST_HOPS, packet[IPV4_TTL] ?? MOST_HOPS);
}

function resultOf({ destination, trips, ttl }: Tally, traffic: ReachTraffic, count: number): ReachResult {
  const times = [...trips.values()];
  return {
    ...{ destination, sent: count, received: times.length, traffic },
    rttMs: times.length === 0 ? null : Math.round(Math.min(...times) * 1000) / 1000,
    ...(ttl === undefined ? {} : { ttl }),
  };
}

/** Of TCP those to our ports; over IPv4 a packet begins with its header, over IPv6 with the message. */
function tcpAnswers(isIpv4: boolean, port: number): BpfProgram {
  return assemble([
    ...(isIpv4 ? [loadHeaderLength(0), loadHalfAfter(2)] : [loadHalf(2)]),
    and(ALL & ~(PORTS - 1)),
    ifEqual(port, { no: 'drop' }),
    accept(ALL),
    label('drop'),
    DROP,
  ]);
}

function echoReplies(isIpv4: boolean): BpfProgram {
  return assemble([
    ...(isIpv4 ? [loadHeaderLength(0), loadByteAfter(0)] : [loadByte(0)]),
    ifEqual(isIpv4 ? ECHO_REPLY : ECHO6_REPLY, { no: 'drop' }),
    accept(ALL),
    label('drop'),
    DROP,
  ]);
}
