// Waiting in labs: polls a condition until it holds or its time is up. Nothing in a lab sleeps for a fixed time to hope.
import { ParleyError } from '#base/error.ts';

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
    await pause(options.intervalMs ?? 50);
  }
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
