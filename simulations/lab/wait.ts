// Waiting in labs: polls a condition until it holds or its time is up. Nothing in a lab sleeps for a fixed time to hope.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';

const clock = createSystemClock();

export type WaitOptions = {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
};

/** What a probe of a condition says: nothing when it holds, else what is still missing. */
export type Probe = () => Promise<string | undefined> | string | undefined;

/** Resolves with the milliseconds it took; rejects with what was still missing at the end. */
export async function waitUntil(what: string, probe: Probe, options: WaitOptions): Promise<number> {
  const started = performance.now();
  for (;;) {
    options.signal?.throwIfAborted();
    const missing = await probe();
    const elapsed = performance.now() - started;
    if (missing === undefined) return elapsed;
    if (elapsed > options.timeoutMs) {
      throw new ParleyError(
        'node/lab-timeout',
        `expected ${what} within ${options.timeoutMs} ms, still missing: ${missing}`,
      );
    }
    await pause(options.intervalMs ?? 50, options.signal);
  }
}

/** Ends early, with the signal's reason, when it aborts. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return clock.sleep(delayMs, signal);
}
