// Sends the probes of one `ietf-srv6-ping` and listens for their reflections. Two sockets, both gone when it ends or when
// the process dies; no route, no rule, no SID is ever made (TS-22).
import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { type Random, randomHex } from '#base/random.ts';
import type { ProbeRequest, ProbeResult } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { addressBytes, loopbackAddresses } from '../../native/addresses.ts';
import { type Libc, loadLibc, type RawSocket } from '../../native/libc.ts';
import { createProbeLedger, type ProbeLedger } from '../../protocol/probe-ledger.ts';
import {
  decodeProbeMessage,
  encodeProbeMessage,
  type ProbeKind,
  type ProbeMessage,
} from '../../protocol/probe-message.ts';
import { buildProbePacket, type PacketAddresses } from '../../protocol/probe-packet.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { openHop } from './link-layer-next-hop.ts';
import { createPacer, TURN_MS } from './pacing.ts';
import type { ProbeKeys } from './probe-keys.ts';
import { createTrainClock, type TrainClock } from './train-times.ts';

/** Queries for the reflector's counts after the last probe, when something is missing; spread over the linger. */
const QUERIES = 4;
/** Further ones to a reflector that is too busy to answer those. */
const PATIENT_QUERIES = 16;
const DRAIN_MS = 20;
/** Packets of a session on the wire carry zero counts until the reflector fills them in. */
const NO_COUNTS = { reflectorSequence: 0, reflectorReceived: 0, reflectorRefused: 0 } as const;

export type ProberParts = { readonly clock: Clock; readonly random: Random; readonly reflectPort: number };
/** Of probes to reflectors, which know those of a question by its key. */
export type ProvenParts = ProberParts & { readonly keys: Pick<ProbeKeys, 'proofOf'> };

/** Runs one probe request whose bounds were checked (arguments.ts). Rejects with the signal's reason when aborted. */
export async function sendProbes(request: ProbeRequest, parts: ProvenParts, signal: AbortSignal): Promise<ProbeResult> {
  const libc = await loadLibc();
  const family = request.destination.includes(':') ? 'IPv6' : 'IPv4';
  const source = request.source ?? loopbackAddresses(family)[0];
  if (source === undefined)
    throw new ParleyError('node/no-loopback', `expected a global ${family} address on the loopback, got none`);
  const receivers: Socket[] = [];
  const raw = request.via === undefined ? openRaw(libc, family) : await openHop(libc, request.via);
  try {
    if ('refused' in raw)
      throw new ParleyError('node/probe-not-permitted', `expected a raw socket, got ${raw.refused}`);
    const session = randomHex(parts.random, 8);
    const ledger = createProbeLedger(request.count);
    const train = request.train === true ? createTrainClock() : undefined;
    const arrivals = createArrivals(session, ledger, train, parts.clock);
    for (let flow = 0; flow < (request.flows ?? 1); flow++) receivers.push(bindReceiver(libc, source, arrivals));
    const flows = receivers.map((receiver) => packetAddresses(request, source, receiver.address().port, parts));
    const proof = parts.keys.proofOf(request.question, session);
    const send = createSender(raw, flows, { session, ...(proof === undefined ? {} : { proof }) }, request);
    if (train === undefined) await sendAll(request, ledger, send, parts.clock, signal);
    else await sendTrain(request, ledger, train, send, parts.clock, signal);
    await linger(request, ledger, send, arrivals, signal);
    const times = train?.times();
    const lengths = request.eachPayloadBytes;
    return {
      ...ledger.result(),
      ...(lengths === undefined ? {} : ledger.byLength(lengths)),
      ...(times === undefined ? {} : { train: times }),
    };
  } finally {
    if (!('refused' in raw)) raw.close();
    for (const receiver of receivers) receiver.close();
  }
}

function openRaw(libc: Libc, family: 'IPv4' | 'IPv6'): ReturnType<Libc['openRawIpv6']> {
  return family === 'IPv6' ? libc.openRawIpv6() : libc.openRawIpv4();
}

export type Send = (kind: ProbeKind, sequence: number) => ReturnType<RawSocket['send']>;

function createSender(
  raw: RawSocket,
  flows: readonly PacketAddresses[],
  who: Pick<ProbeMessage, 'session' | 'proof'>,
  { payloadBytes, eachPayloadBytes: lengths, train }: ProbeRequest,
): Send {
  return (kind, sequence) => {
    const addresses = flows[sequence % flows.length]!;
    const message = { kind, ...who, sequence, ...NO_COUNTS, ...(train === true ? { timed: train } : {}) };
    // A query asks for counts: it must not have a length that is lost.
    const bytes = kind === 'probe' ? (lengths?.[sequence % lengths.length] ?? payloadBytes) : payloadBytes;
    return raw.send(
      buildProbePacket(addresses, encodeProbeMessage(message, bytes)),
      addresses.segments[0] ?? addresses.destination,
    );
  };
}

/** Back to back, from one turn of the event loop: what else this process has to do must not stand between two of them. */
async function sendTrain(
  request: ProbeRequest,
  ledger: ProbeLedger,
  train: TrainClock,
  send: Send,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (ledger.sentCount < request.count) {
    signal.throwIfAborted();
    const beforeMs = clock.monotonicMs();
    const outcome = send('probe', ledger.sentCount);
    train.noteSent(beforeMs, clock.monotonicMs());
    if (outcome.kind === 'sent') ledger.recordSent(beforeMs);
    else if (outcome.kind === 'refused') ledger.recordRefused(outcome.reason);
    else await clock.sleep(TURN_MS, signal);
  }
}

async function sendAll(
  request: ProbeRequest,
  ledger: ProbeLedger,
  send: Send,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const pacer = createPacer({ startMs: clock.monotonicMs(), count: request.count, intervalMs: request.intervalMs });
  for (;;) {
    signal.throwIfAborted();
    for (let due = pacer.due(clock.monotonicMs(), ledger.sentCount); due > 0; due--) {
      const sentAtMs = clock.monotonicMs();
      const outcome = send('probe', ledger.sentCount);
      if (outcome.kind === 'busy') break;
      if (outcome.kind === 'sent') ledger.recordSent(sentAtMs);
      else ledger.recordRefused(outcome.reason);
    }
    if (ledger.sentCount >= request.count) return;
    await clock.sleep(pacer.waitMs(clock.monotonicMs(), ledger.sentCount), signal);
  }
}

/**
 * Waits until everything is back, or the reflector says that nothing more can come, or the time is up. A reflector that has answered
 * before and now says nothing is busy: what waits in its queue, or in ours, is late and not lost.
 */
export async function linger(
  request: Pick<ProbeRequest, 'lingerMs'>,
  ledger: ProbeLedger,
  send: Send,
  waiting: Waiting,
  signal: AbortSignal,
): Promise<void> {
  const stepMs = request.lingerMs / (QUERIES + 1);
  for (let query = 0; query <= QUERIES; query++) {
    await waiting.until(() => ledger.complete || (query > 0 && ledger.settled), stepMs, signal);
    if (ledger.complete || ledger.settled) return;
    if (query < QUERIES) send('query', query);
  }
  ledger.callLate();
  const isOver = () => ledger.told || ledger.complete;
  for (let query = 0; ledger.heard && !isOver() && query < PATIENT_QUERIES; query++) {
    send('query', QUERIES + query);
    await waiting.until(isOver, ROUTER_LIMITS.reflectorBusyMs / PATIENT_QUERIES, signal);
  }
  await drain(ledger, waiting, signal);
}

/**
 * What has arrived and was not read yet, because this process was busy: read until nothing more comes, or for as long as that may take.
 * A reflector that spares its answers must not keep the run.
 */
async function drain(ledger: ProbeLedger, waiting: Waiting, signal: AbortSignal): Promise<void> {
  let heard = -1;
  for (let turn = 0; turn < HELPER_LIMITS.probeDrainMs / DRAIN_MS && heard < ledger.receivedCount; turn++) {
    heard = ledger.receivedCount;
    await waiting.until(() => ledger.complete || ledger.settled, DRAIN_MS, signal);
    if (ledger.complete || ledger.settled) return;
  }
}

/** Lets the linger end as soon as the ledger is satisfied, without polling. */
export type Waiting = { until(done: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<void> };

type Arrivals = Waiting & {
  /** One datagram that a receiver read; `returnedUs` asks its kernel when that arrived. */
  note(bytes: Uint8Array, returnedUs: () => number | undefined): void;
  /** Arrivals are timed. */
  readonly timed: boolean;
};

function createArrivals(session: string, ledger: ProbeLedger, train: TrainClock | undefined, clock: Clock): Arrivals {
  let wake: (() => void) | undefined;
  return {
    timed: train !== undefined,
    note(bytes, returnedUs) {
      const decoded = decodeProbeMessage(bytes);
      // A stranger does not know the 64-bit session: what is not ours is not counted.
      if (!decoded.ok || decoded.value.session !== session) return;
      const isFresh = ledger.recordReflection(decoded.value, clock.monotonicMs());
      if (isFresh) train?.noteArrival(decoded.value.arrivedUs, returnedUs());
      wake?.();
    },
    async until(done, timeoutMs, signal) {
      signal.throwIfAborted();
      if (done()) return;
      const early = new AbortController();
      wake = () => {
        if (done()) early.abort();
      };
      try {
        await clock.sleep(timeoutMs, AbortSignal.any([signal, early.signal]));
      } catch (error) {
        if (signal.aborted) throw error;
      } finally {
        wake = undefined;
      }
    },
  };
}

/** The kernel picks a free port and keeps it ours for the run; binding also proves that `source` is an address of this node. */
function bindReceiver(libc: Libc, source: string, arrivals: Arrivals): Socket {
  const opened = libc.openUdp(addressBytes(source)!, 0);
  if ('refused' in opened) {
    throw new ParleyError('caller/bad-argument', `expected an own address as source, got ${source}: ${opened.refused}`);
  }
  const receiver = createSocket({ type: source.includes(':') ? 'udp6' : 'udp4' });
  const arrivalUs = () => libc.arrivalUs(opened.fd);
  if (arrivals.timed) arrivalUs();
  receiver.on('message', (bytes) => arrivals.note(bytes, arrivalUs));
  receiver.bind({ fd: opened.fd });
  return receiver;
}

function packetAddresses(
  request: ProbeRequest,
  source: string,
  sourcePort: number,
  parts: ProberParts,
): PacketAddresses {
  return {
    source: addressBytes(source)!,
    destination: addressBytes(request.destination)!,
    segments: request.segments.slice(0, LIMITS.probeSegments).map((segment) => addressBytes(segment)!),
    sourcePort,
    destinationPort: parts.reflectPort,
    trafficClass: request.trafficClass ?? 0,
    flowLabel: Number.parseInt(randomHex(parts.random, 3), 16) & 0xf_ffff,
  };
}
