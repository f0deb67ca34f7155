// Removes reports that are older than their kind is kept also on a node that makes no new ones; the store does so by itself with each
// new report.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { slept } from '#base/every.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import type { StoreLimits } from '#report/store-eviction.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';

export function createReportRetention(parts: {
  readonly store: { sweep(): Promise<number> };
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
}): Part {
  const { store, clock, log } = parts;
  const ended = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  const run = async () => {
    while (await slept(clock, AGENT_LIMITS.reportSweepMs, ended.signal)) {
      const removed = await store.sweep().catch((error) => {
        log.warn('old reports could not be removed', { reason: messageOf(error) });
        return 0;
      });
      if (removed > 0) log.info('old reports were removed', { removed });
    }
  };
  return {
    name: 'report retention',
    start: async () => {
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
    },
  };
}

/** What the configuration says of the store, in its own units. */
export function storeLimitsOf({ reports }: Pick<Config, 'reports'>): StoreLimits {
  const { healthy, inconclusive, fault, acknowledged } = reports.keepDays;
  const keepMs = {
    healthy: healthy * DAY_MS,
    inconclusive: inconclusive * DAY_MS,
    fault: fault * DAY_MS,
    acknowledged: acknowledged * DAY_MS,
  };
  return { count: LIMITS.reportCount, bytes: reports.quotaBytes, keepMs };
}

const DAY_MS = 86_400_000;
