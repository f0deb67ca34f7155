// Time as a component: wall clock, monotonic clock and cancellable sleep. Everything else takes one of these.

export type Clock = {
  /** Wall-clock time, milliseconds since the Unix epoch. Never subtract two nodes' wall clocks. */
  nowMs(): number;
  /** Monotonic time in milliseconds with a fraction; only differences mean anything. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when it aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
};

/** A reason for what is no longer needed: without one each abort would make an exception with its stack. */
export const STOPPED = new Error('stopped');

/** The machine's clock, optionally set off and drifting: labs give every agent a clock of its own. */
export function createSystemClock(init: { readonly offsetMs?: number; readonly driftPpm?: number } = {}): Clock {
  const offsetMs = init.offsetMs ?? 0;
  const rate = 1 + (init.driftPpm ?? 0) / 1e6;
  const startedMs = Date.now();
  return {
    nowMs: () => Math.round(startedMs + (Date.now() - startedMs) * rate + offsetMs),
    monotonicMs: () => performance.now(),
    sleep: (delayMs, signal) => sleepFor(delayMs, signal),
  };
}

/** RFC 3339 time in UTC with milliseconds. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** How far local time is ahead of UTC at a moment, minutes. */
export function localOffsetMinutes(timeMs: number): number {
  return -new Date(timeMs).getTimezoneOffset();
}

/** How long before `nowMs` it was this time of day (`HH:MM`) last, in a time zone so far ahead of UTC. */
export function sinceTimeOfDayMs(nowMs: number, timeOfDay: string, offsetMinutes: number): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
  const dayMs = 86_400_000;
  const ofDayMs = (((nowMs + offsetMinutes * 60_000) % dayMs) + dayMs) % dayMs;
  return (ofDayMs - (hours * 60 + minutes) * 60_000 + dayMs) % dayMs;
}

function sleepFor(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves once what had come in was handed over: where this process is late for a deadline, it must not overtake answers that wait. */
export function afterInput(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
