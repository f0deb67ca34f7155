// A deadline joined with the caller's own signal. It can be restarted, and leaves no listener behind when stopped.
import { afterInput, type Clock, STOPPED } from '#base/clock.ts';

export type Deadline = { readonly signal: AbortSignal; readonly expired: boolean; restart(): void; stop(): void };

/** A deadline joined with the caller's signal; stopping it leaves no listener behind on that signal. */
export function startDeadline(
  clock: Clock,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Deadline {
  const joined = new AbortController();
  let timer = new AbortController();
  let expired = false;
  const onAbort = () => joined.abort(options.signal?.reason);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const begin = () => {
    const mine = new AbortController();
    timer = mine;
    clock
      .sleep(options.timeoutMs, mine.signal)
      .then(afterInput)
      .then(
        () => {
          if (mine.signal.aborted) return;
          expired = true;
          joined.abort(new Error('no answer in time'));
        },
        () => {},
      );
  };
  begin();
  return {
    signal: joined.signal,
    get expired() {
      return expired;
    },
    restart() {
      timer.abort(STOPPED);
      begin();
    },
    stop() {
      timer.abort(STOPPED);
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}
