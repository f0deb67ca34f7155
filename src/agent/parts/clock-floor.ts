// Stores the time on disk while the agent runs: after a power cut the next start must not believe a clock that is years behind, or an
// expired certificate could be used again (TS-24).
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';

export function createClockFloor(parts: {
  readonly trust: { persist(): Promise<void> };
  readonly clock: Clock;
  readonly log: Log;
}): Part {
  const { trust, clock, log } = parts;
  const ended = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  const keep = () =>
    trust.persist().catch((error) => log.warn('the time could not be kept on disk', { reason: messageOf(error) }));
  const run = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(AGENT_LIMITS.clockFloorMs, ended.signal).catch(() => {});
      if (!ended.signal.aborted) await keep();
    }
  };
  return {
    name: 'clock floor',
    start: async () => {
      await keep();
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
      await keep();
    },
  };
}
