// A clock that stands still until a test moves it. Sleepers wake in the order of their times, and what they start
// gets to run before time goes on.
import type { Clock } from '#base/clock.ts';
import { HANG_MS } from '../until-written.ts';

export type FakeClock = Clock & {
  /** Lets `deltaMs` pass on both clocks, waking sleepers on the way. */
  advance(deltaMs: number): Promise<void>;
  /** Sets the wall clock only, as NTP or an operator would. */
  setWall(timeMs: number): void;
  /** Number of sleeps that are waiting now. */
  readonly sleepers: number;
  /** Number of those that were asked to last `delayMs`. */
  sleepersOf(delayMs: number): number;
};

type Sleeper = { readonly delayMs: number; readonly dueMs: number; readonly wake: () => void };

/** 2026-01-01T00:00:00.000Z unless told otherwise. */
export function createFakeClock(init: { readonly nowMs?: number } = {}): FakeClock {
  let wallMs = init.nowMs ?? 1_767_225_600_000;
  let monotonicMs = 0;
  const sleepers = new Set<Sleeper>();

  const moveTo = (timeMs: number) => {
    wallMs += timeMs - monotonicMs;
    monotonicMs = timeMs;
  };
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          delayMs,
          dueMs: monotonicMs + delayMs,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    async advance(deltaMs) {
      const endMs = monotonicMs + deltaMs;
      await settle();
      for (;;) {
        const next = earliest(sleepers);
        if (next === undefined || next.dueMs > endMs) break;
        moveTo(Math.max(next.dueMs, monotonicMs));
        next.wake();
        await settle();
      }
      moveTo(endMs);
      await settle();
    },
    setWall(timeMs) {
      wallMs = timeMs;
    },
    get sleepers() {
      return sleepers.size;
    },
    sleepersOf: (delayMs) => [...sleepers].filter((each) => each.delayMs === delayMs).length,
  };
}

/** Lets everything run that is ready to run now. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until `condition` holds; for real files, sockets and processes. The bound of real time is for what hangs: no wait of a sound test comes near it. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  boundMs = HANG_MS,
  everyMs = 5,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedMs > boundMs) throw new Error(`waited ${boundMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function earliest(sleepers: Iterable<Sleeper>): Sleeper | undefined {
  let first: Sleeper | undefined;
  for (const sleeper of sleepers) if (first === undefined || sleeper.dueMs < first.dueMs) first = sleeper;
  return first;
}
