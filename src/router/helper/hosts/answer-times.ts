// How long a name server takes to answer, and how long its host takes for an echo: both several times and at the same time, from the same
// address, so that a slow service can be told from a slow path to it. Sends empty queries, which are answered without asking another server.
// Bounded in questions and time; sockets close when it ends.
import { createSocket } from 'node:dgram';
import { afterInput } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import { encodeQuestion } from '#codec/dns.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import { loadLibc } from '../../native/libc.ts';
import { HELPER_LIMITS } from '../limits.ts';
import type { ProberParts } from '../probe/prober.ts';
import { type Echoes, isReplyOf, isSameAddress, openEchoes } from './echoes.ts';

const QUESTION_ID = 0x706d;
const TURN_MS = 2;
const APART_MS = 40;

export type AnswerTimes = {
  readonly sent: number;
  readonly answered: boolean;
  readonly open: boolean;
  /** Of those that were answered, in milliseconds. */
  readonly tookMs: readonly number[];
  readonly echoMs: readonly number[];
};

export async function timeAnswers(
  { destination, port = 0 }: ServiceProbe,
  source: string,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<AnswerTimes> {
  const turns = Array.from({ length: LIMITS.timedQueries }, (_, turn) => turn);
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const asked = Promise.all(
    turns.map((turn) => timeQuestion(destination, port, source, turn * APART_MS, parts, either)),
  );
  const [times, echoMs] = await Promise.all([
    asked.finally(() => ended.abort()),
    timeEchoes(destination, source, turns.length, parts, either),
  ]);
  signal.throwIfAborted();
  const tookMs = times.filter((time) => time !== undefined);
  return { sent: turns.length, answered: tookMs.length > 0, open: tookMs.length > 0, tookMs, echoMs };
}

/** Undefined when nothing came in time, or a refusal did. */
function timeQuestion(
  destination: string,
  port: number,
  source: string,
  afterMs: number,
  { clock }: ProberParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(destination.includes(':') ? 'udp6' : 'udp4');
    let sentMs = clock.monotonicMs();
    let ended = false;
    const end = (took?: number) => {
      if (ended) return;
      ended = true;
      clearTimeout(start);
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
      socket.close();
      resolve(took);
    };
    const stop = () => end();
    const start = setTimeout(() => {
      sentMs = clock.monotonicMs();
      socket.send(encodeQuestion(QUESTION_ID), port, destination, () => {});
    }, afterMs);
    const late = setTimeout(() => afterInput().then(stop), afterMs + HELPER_LIMITS.timedAnswerMs);
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', stop);
    socket.once('message', (_, from) => {
      if (isSameAddress(from.address, destination)) end(clock.monotonicMs() - sentMs);
    });
    socket.bind({ port: 0, address: source });
  });
}

async function timeEchoes(
  destination: string,
  source: string,
  count: number,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const socket = openEchoes(await loadLibc(), source);
  if (socket === undefined) return [];
  const first = Number.parseInt(Buffer.from(parts.random.bytes(2)).toString('hex'), 16);
  const times: number[] = [];
  try {
    for (let turn = 0; turn < count && !signal.aborted; turn++) {
      const took = await timeEcho(socket, destination, (first + turn) & 0xffff, parts, signal);
      if (took !== undefined) times.push(took);
    }
    return times;
  } finally {
    socket.close();
  }
}

async function timeEcho(
  socket: Echoes,
  destination: string,
  identifier: number,
  { clock }: ProberParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const sentMs = clock.monotonicMs();
  socket.send(identifier, 0, destination);
  while (clock.monotonicMs() - sentMs < HELPER_LIMITS.serviceProbeMs && !signal.aborted) {
    for (let packet = socket.receive(); packet !== undefined; packet = socket.receive())
      if (isReplyOf(packet, identifier, destination, 1)) return clock.monotonicMs() - sentMs;
    await clock.sleep(TURN_MS, signal).catch(() => {});
  }
  return undefined;
}
