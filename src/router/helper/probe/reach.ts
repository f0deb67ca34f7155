// A few probes to many addresses at once, IPv4 and IPv6, over the node's own routing: who can be reached from here. Bounded
// in destinations, probes and time; four sockets at most, all gone when it ends (TS-22). A reflector that is busy is waited for: what it answers
// late is not lost.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Clock } from '#base/clock.ts';
import { randomHex } from '#base/random.ts';
import type { ReachRequest, ReachResult } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { loopbackAddresses, onLinkTest } from '../../native/addresses.ts';
import { RECEIVE_BUFFER_BYTES } from '../../native/libc.ts';
import { decodeProbeMessage, encodeProbeMessage } from '../../protocol/probe-message.ts';
import type { ProberParts, ProvenParts } from './prober.ts';
import { type Sources, sourcesIn } from './sources.ts';

const NO_COUNTS = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;
const LINGER_MS = 300;
/** Probes, or queries, sent before a pause of a millisecond: no burst that a queue would drop. */
const BURST = 4;

/** While a reply is outstanding, each reflector is asked for its counts this often. */
const ASK_MS = 100;
/** A destination that has answered nothing is waited for this long in all. */
const SILENT_MS = 1_000;
/** Between two looks at who is still waited for. */
const LOOK_MS = 10;

export type Tally = {
  readonly destination: string;
  sent: number;
  /** The local stack refused to send: nothing can come back. */
  refused: boolean;
  /** The reflector answered a query, which waited in its queue behind the probes. */
  told: boolean;
  /** Probes that arrived and were not counted, as the reflector had no place for them. */
  readonly turnedAway: Set<number>;
  readonly answered: Map<number, number>;
  readonly sentAtMs: number[];
};

export async function reachAll(
  request: ReachRequest,
  parts: ProvenParts,
  signal: AbortSignal,
): Promise<readonly ReachResult[]> {
  const sources = sourcesIn(request.sources);
  const tallies = new Map<string, Tally>();
  for (const destination of request.destinations) tallies.set(randomHex(parts.random, 8), newTally(destination));
  const proofs = new Map(
    [...tallies.keys()].map((session) => {
      const proof = parts.keys.proofOf(request.question, session);
      return [session, proof === undefined ? {} : { proof }];
    }),
  );
  const isOnLink = onLinkTest();
  const ways = new Map(
    request.destinations.map((destination) => [destination, wayTo(destination, isOnLink(destination))]),
  );
  const sockets = new Map<string, Socket>();
  for (const { type, near } of ways.values())
    if (!sockets.has(`${type} ${near}`))
      sockets.set(`${type} ${near}`, await open({ type, near }, sources, tallies, parts));
  try {
    const send: Send = (kind, session, sequence, tally) => {
      const message = encodeProbeMessage({ kind, session, sequence, ...NO_COUNTS, ...proofs.get(session) });
      // What the local stack refuses is lost like any other: the address cannot be reached from here.
      const { type, near } = ways.get(tally.destination)!;
      sockets.get(`${type} ${near}`)!.send(message, parts.reflectPort, tally.destination, (error) => {
        if (error !== null && error !== undefined) tally.refused = true;
      });
    };
    await sendProbes(request.count, tallies, send, parts.clock, signal);
    await hearAll(tallies, send, parts.clock, signal);
    return [...tallies.values()].map(resultOf);
  } finally {
    for (const socket of sockets.values()) socket.close();
  }
}

type Send = (kind: 'probe' | 'query', session: string, sequence: number, tally: Tally) => void;
type Tallies = ReadonlyMap<string, Tally>;

async function sendProbes(
  count: number,
  tallies: Tallies,
  send: Send,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const pace = inBursts(clock, signal);
  for (let sequence = 0; sequence < count; sequence++) {
    for (const [session, tally] of tallies) {
      signal.throwIfAborted();
      tally.sentAtMs[sequence] = clock.monotonicMs();
      tally.sent += 1;
      send('probe', session, sequence, tally);
      await pace();
    }
  }
}

/** Waits for what may still come back, and asks those that are waited for what they have received. */
export async function hearAll(tallies: Tallies, send: Send, clock: Clock, signal: AbortSignal): Promise<void> {
  const pace = inBursts(clock, signal);
  const startMs = clock.monotonicMs();
  const awaited = () => [...tallies].filter(([, tally]) => isAwaited(tally, clock.monotonicMs() - startMs));
  let askedMs = startMs;
  for (let open = awaited(); open.length > 0; open = awaited()) {
    if (clock.monotonicMs() >= askedMs + ASK_MS) {
      askedMs = clock.monotonicMs();
      for (const [session, tally] of open) {
        send('query', session, 0, tally);
        await pace();
      }
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

/** A pause of a millisecond after every few datagrams. */
function inBursts(clock: Clock, signal: AbortSignal): () => Promise<void> {
  let sent = 0;
  return async () => {
    sent += 1;
    if (sent % BURST === 0) await clock.sleep(1, signal);
  };
}

export function newTally(destination: string): Tally {
  return {
    destination,
    sent: 0,
    refused: false,
    told: false,
    turnedAway: new Set(),
    answered: new Map(),
    sentAtMs: [],
  };
}

/** True as long as something may still come back, `waitedMs` after the last probe. */
export function isAwaited({ sent, answered, turnedAway, refused, told }: Tally, waitedMs: number): boolean {
  if (answered.size + turnedAway.size >= sent) return false;
  if (waitedMs < LINGER_MS) return true;
  if (refused || told) return false;
  return waitedMs < (answered.size > 0 ? ROUTER_LIMITS.reflectorBusyMs : SILENT_MS);
}

function resultOf(tally: Tally): ReachResult {
  const times = [...tally.answered.values()];
  return {
    destination: tally.destination,
    // What the reflector turned away is neither lost nor measured.
    sent: Math.max(times.length, tally.sent - tally.turnedAway.size),
    received: times.length,
    rttMs: times.length === 0 ? null : Math.round(Math.min(...times) * 1000) / 1000,
  };
}

/** `near`: on a network of this node's own links, which need no route to answer. */
type Way = { readonly type: 'udp4' | 'udp6'; readonly near: boolean };

function wayTo(destination: string, near: boolean): Way {
  return { type: destination.includes(':') ? 'udp6' : 'udp4', near };
}

/**
 * Sends from the address that the request names, else from the node's own where it has one, so that the answers find back wherever they
 * start; to a neighbour on a link from the link's address, as the neighbour may have no route to any other.
 */
async function open({ type, near }: Way, sources: Sources, tallies: Tallies, parts: ProberParts): Promise<Socket> {
  const socket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES });
  socket.on('error', () => {});
  socket.on('message', (bytes) => {
    const decoded = decodeProbeMessage(bytes);
    if (!decoded.ok) return;
    const tally = tallies.get(decoded.value.session);
    if (decoded.value.kind === 'status' && tally !== undefined) tally.told = true;
    if (decoded.value.kind === 'refusal' && tally?.sentAtMs[decoded.value.sequence] !== undefined)
      tally.turnedAway.add(decoded.value.sequence);
    if (decoded.value.kind !== 'reflection') return;
    const sentAtMs = tally?.sentAtMs[decoded.value.sequence];
    if (tally === undefined || sentAtMs === undefined || tally.answered.has(decoded.value.sequence)) return;
    tally.answered.set(decoded.value.sequence, parts.clock.monotonicMs() - sentAtMs);
  });
  const family = type === 'udp4' ? 'IPv4' : 'IPv6';
  const address = near ? undefined : (sources[family] ?? loopbackAddresses(family)[0]);
  socket.bind({ port: 0, ...(address === undefined ? {} : { address }) });
  await once(socket, 'listening');
  return socket;
}
