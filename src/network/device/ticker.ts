// Calls back in a steady rhythm as long as there is a listener: one timer for each period, for any number of listeners (NET-5).
import type { Clock } from '#base/clock.ts';

export type Ticker = {
  /** Returns the way to stop. */
  every(periodMs: number, tick: () => void): () => void;
};

export function createTicker(clock: Clock): Ticker {
  const rhythms = new Map<number, { readonly ended: AbortController; readonly ticks: Set<() => void> }>();
  const start = (periodMs: number) => {
    const rhythm = { ended: new AbortController(), ticks: new Set<() => void>() };
    rhythms.set(periodMs, rhythm);
    const run = async () => {
      for (;;) {
        await clock.sleep(periodMs, rhythm.ended.signal);
        for (const tick of rhythm.ticks) tick();
      }
    };
    run().catch(() => {});
    return rhythm;
  };
  return {
    every(periodMs, tick) {
      const rhythm = rhythms.get(periodMs) ?? start(periodMs);
      const own = () => tick();
      rhythm.ticks.add(own);
      return () => {
        rhythm.ticks.delete(own);
        if (rhythm.ticks.size > 0) return;
        rhythms.delete(periodMs);
        rhythm.ended.abort(new Error('no listener is left'));
      };
    },
  };
}
