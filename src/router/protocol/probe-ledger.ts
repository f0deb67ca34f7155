// The bookkeeping of one probe run: what went out, what came back, and what the reflector says it received.
// Pure: time is an argument. RFC 8762's stateful reflector is what tells forward loss from reverse loss.
import type { ProbeResult } from '#model/router/router-port.ts';
import type { ProbeMessage } from './probe-message.ts';

export type ProbeLedger = {
  /** Numbers of the probes handed to the stack so far; the next probe's sequence. */
  readonly sentCount: number;
  /** Probe `sentCount` was accepted by the stack. */
  recordSent(nowMs: number): void;
  /** The stack refused probe `sentCount`, or it never came to be sent. */
  recordRefused(reason: string): void;
  /** A reflection, a status or a refusal of this session came in. True for a probe that is back for the first time. */
  recordReflection(message: ProbeMessage, nowMs: number): boolean;
  /** What comes back from now on is late. */
  callLate(): void;
  /** Reflections so far, each probe's counted once. */
  readonly receivedCount: number;
  /** The reflector has answered at all. */
  readonly heard: boolean;
  /** It answered a query, which waited in its queue behind the probes. */
  readonly told: boolean;
  /** Everything that was accepted came back. */
  readonly complete: boolean;
  /** The reflector answered a query, and everything that it received came back: waiting longer brings nothing. */
  readonly settled: boolean;
  result(): ProbeResult;
  /** Of the lengths that the probes had in turn, which were lost, and which nothing was measured of. */
  byLength(payloads: readonly number[]): Pick<ProbeResult, 'lostPayloadBytes' | 'untestedPayloadBytes'>;
};

export function createProbeLedger(count: number): ProbeLedger {
  const sentAtMs = new Float64Array(count);
  const received = new Uint8Array(count);
  const turnedAway = new Set<number>();
  const refused = new Set<number>();
  const trips = roundTrips();
  let sentCount = 0;
  let sendErrors = 0;
  let sendErrorReason: string | undefined;
  let receivedCount = 0;
  let duplicates = 0;
  let reflectorReceived: number | undefined;
  let reflectorRefused = 0;
  let statusHeard = false;
  let isLate = false;
  let lateCount = 0;

  const noteCounts = (message: ProbeMessage) => {
    reflectorReceived = Math.max(reflectorReceived ?? 0, message.reflectorReceived);
    reflectorRefused = Math.max(reflectorRefused, message.reflectorRefused);
  };
  const noteProbe = (sequence: number, nowMs: number): boolean => {
    if (received[sequence] === 1) {
      duplicates += 1;
      return false;
    }
    received[sequence] = 1;
    receivedCount += 1;
    if (isLate) lateCount += 1;
    trips.note(nowMs - sentAtMs[sequence]!);
    return true;
  };

  // What was turned away arrived too, and no count of the reflector holds it.
  const reached = () =>
    Math.min(sentCount - sendErrors, Math.max(reflectorReceived ?? 0, receivedCount) + turnedAway.size);

  return {
    get sentCount() {
      return sentCount;
    },
    recordSent(nowMs) {
      sentAtMs[sentCount++] = nowMs;
    },
    recordRefused(reason) {
      refused.add(sentCount);
      sentCount += 1;
      sendErrors += 1;
      sendErrorReason ??= reason;
    },
    recordReflection(message, nowMs) {
      if (message.kind === 'status') {
        statusHeard = true;
        noteCounts(message);
      } else if (message.kind === 'reflection' && message.sequence < sentCount) {
        noteCounts(message);
        return noteProbe(message.sequence, nowMs);
      } else if (message.kind === 'refusal' && message.sequence < sentCount) turnedAway.add(message.sequence);
      return false;
    },
    callLate() {
      isLate = true;
    },
    get receivedCount() {
      return receivedCount;
    },
    get heard() {
      return reflectorReceived !== undefined;
    },
    get told() {
      return statusHeard;
    },
    get complete() {
      return receivedCount + turnedAway.size >= sentCount - sendErrors;
    },
    get settled() {
      return statusHeard && reflectorReceived !== undefined && reflectorReceived - reflectorRefused <= receivedCount;
    },
    byLength: (payloads) => fatesByLength(received.subarray(0, sentCount), [turnedAway, refused], payloads),
    result: () => ({
      sent: sentCount,
      ...(reflectorReceived === undefined && turnedAway.size === 0 ? {} : { reflected: reached() }),
      received: receivedCount,
      duplicates,
      rttMs: trips.told(),
      ...(lateCount === 0 ? {} : { late: lateCount }),
      ...(reflectorRefused + turnedAway.size === 0 ? {} : { reflectorRefused: reflectorRefused + turnedAway.size }),
      sendErrors,
      ...(sendErrorReason === undefined ? {} : { sendErrorReason }),
    }),
  };
}

function fatesByLength(
  received: Uint8Array,
  untestable: readonly ReadonlySet<number>[],
  payloads: readonly number[],
): ReturnType<ProbeLedger['byLength']> {
  const open = Array.from(received).flatMap((back, sequence) => (back === 1 ? [] : [sequence]));
  const isUntested = (sequence: number) => untestable.some((each) => each.has(sequence));
  const lengthsOf = (sequences: readonly number[]) =>
    sequences.map((sequence) => payloads[sequence % payloads.length]!).sort((one, other) => one - other);
  const untested = lengthsOf(open.filter(isUntested));
  return {
    lostPayloadBytes: lengthsOf(open.filter((sequence) => !isUntested(sequence))),
    ...(untested.length === 0 ? {} : { untestedPayloadBytes: untested }),
  };
}

function roundTrips() {
  const rtt = { minMs: Number.POSITIVE_INFINITY, maxMs: 0, sumMs: 0, count: 0 };
  return {
    note(rttMs: number) {
      rtt.minMs = Math.min(rtt.minMs, rttMs);
      rtt.maxMs = Math.max(rtt.maxMs, rttMs);
      rtt.sumMs += rttMs;
      rtt.count += 1;
    },
    told: (): ProbeResult['rttMs'] =>
      rtt.count === 0 ? null : { min: round(rtt.minMs), avg: round(rtt.sumMs / rtt.count), max: round(rtt.maxMs) },
  };
}

function round(valueMs: number): number {
  return Math.round(valueMs * 1000) / 1000;
}
