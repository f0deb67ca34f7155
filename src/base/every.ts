// Does something again and again by the injected clock until it is stopped, whether or not the last time has ended.
import type { Clock } from './clock.ts';

/** The first time after `intervalMs`; ends, quietly, with `signal`. */
export async function every(
  clock: Pick<Clock, 'sleep'>,
  intervalMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (await slept(clock, intervalMs, signal)) void work().catch(() => {});
}

/** False where `signal` ended the wait. */
export function slept(clock: Pick<Clock, 'sleep'>, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  );
}
