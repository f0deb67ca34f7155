// A few probes to many addresses at once, IPv4 and IPv6, over the node's own routing: who can be reached from here. Bounded
// in destinations, probes and time; two sockets, both gone when it ends (TS-22).
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomHex } from '#base/random.ts';
import type { ReachResult } from '#model/router-port.ts';
import { loopbackAddresses } from './addresses.ts';
import { decodeProbeMessage, encodeProbeMessage } from './probe-message.ts';
import type { ProberParts } from './prober.ts';

export type ReachRequest = { readonly destinations: readonly string[]; readonly count: number };

const NO_COUNTS = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;
const LINGER_MS = 300;
/** Probes sent before a pause of a millisecond: no burst that a queue would drop. */
const BURST = 4;

type Tally = { readonly destination: string; sent: number; readonly answered: Map<number, number>; sentAtMs: number[] };

export async function reachAll(
  request: ReachRequest,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<readonly ReachResult[]> {
  const tallies = new Map<string, Tally>();
  for (const destination of request.destinations)
    tallies.set(randomHex(parts.random, 8), { destination, sent: 0, answered: new Map(), sentAtMs: [] });
  const sockets = { 4: await open('udp4', tallies, parts), 6: await open('udp6', tallies, parts) };
  try {
    let inBurst = 0;
    for (let sequence = 0; sequence < request.count; sequence++) {
      for (const [session, tally] of tallies) {
        signal.throwIfAborted();
        const message = encodeProbeMessage({ kind: 'probe', session, sequence, ...NO_COUNTS });
        tally.sentAtMs[sequence] = parts.clock.monotonicMs();
        tally.sent += 1;
        // What the local stack refuses is lost like any other: the address cannot be reached from here.
        sockets[tally.destination.includes(':') ? 6 : 4].send(message, parts.reflectPort, tally.destination, () => {});
        inBurst = (inBurst + 1) % BURST;
        if (inBurst === 0) await parts.clock.sleep(1, signal);
      }
    }
    const complete = () => [...tallies.values()].every((tally) => tally.answered.size === tally.sent);
    const endMs = parts.clock.monotonicMs() + LINGER_MS;
    while (!complete() && parts.clock.monotonicMs() < endMs) await parts.clock.sleep(10, signal);
    return [...tallies.values()].map(resultOf);
  } finally {
    sockets[4].close();
    sockets[6].close();
  }
}

function resultOf(tally: Tally): ReachResult {
  const times = [...tally.answered.values()];
  return {
    destination: tally.destination,
    sent: tally.sent,
    received: times.length,
    rttMs: times.length === 0 ? null : Math.round(Math.min(...times) * 1000) / 1000,
  };
}

/** Sends from the node's own address where it has one, so that the answers find back wherever they start. */
async function open(type: 'udp4' | 'udp6', tallies: ReadonlyMap<string, Tally>, parts: ProberParts): Promise<Socket> {
  const socket = createSocket(type);
  socket.on('error', () => {});
  socket.on('message', (bytes) => {
    const decoded = decodeProbeMessage(bytes);
    if (!decoded.ok || decoded.value.kind !== 'reflection') return;
    const tally = tallies.get(decoded.value.session);
    const sentAtMs = tally?.sentAtMs[decoded.value.sequence];
    if (tally === undefined || sentAtMs === undefined || tally.answered.has(decoded.value.sequence)) return;
    tally.answered.set(decoded.value.sequence, parts.clock.monotonicMs() - sentAtMs);
  });
  const address = loopbackAddresses(type === 'udp4' ? 'IPv4' : 'IPv6')[0];
  socket.bind({ port: 0, ...(address === undefined ? {} : { address }) });
  await once(socket, 'listening');
  return socket;
}
