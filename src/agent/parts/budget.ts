// Gives work a signal that aborts with the caller's, or when its time on the given clock is up.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';

/** `what` was expected in time; the abort's reason names it, as `peer/timeout`. */
export async function withBudget<T>(
  init: { readonly clock: Clock; readonly budgetMs: number; readonly signal: AbortSignal; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, budgetMs, signal, what } = init;
  const over = new AbortController();
  const ended = new AbortController();
  const end = (message: string) => over.abort(new ParleyError('peer/timeout', message));
  if (budgetMs <= 0) end(`expected time for ${what}, got none left`);
  else
    clock.sleep(budgetMs, ended.signal).then(
      () => end(`expected ${what} within ${Math.round(budgetMs)} ms, got none`),
      () => {},
    );
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    ended.abort();
  }
}
