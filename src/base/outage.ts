// One line when something breaks, and one when it works again, with how often it failed in between and for how long. What fails twice a second
// would else fill a disk, and hide what else went wrong.
import type { Clock } from './clock.ts';
import { messageOf } from './error.ts';
import { LIMITS } from './limits.ts';
import type { Log, LogFields } from './log.ts';

export type Outage = {
  /** Logs the first failure. Then one with another reason than the last line gave, but not soon: reasons that take turns are no news each time. */
  failed(reason: unknown, fields?: LogFields): void;
  worked(): void;
};

/** `broken` and `back` are constant sentences: "our LLDP TLV could not be set", "our LLDP TLV is set again". */
export function createOutage(init: {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly broken: string;
  readonly back: string;
}): Outage {
  const { log, clock, broken, back } = init;
  let failures = 0;
  let sinceMs = 0;
  let toldMs = 0;
  let told: string | undefined;
  return {
    failed(error, fields = {}) {
      const reason = messageOf(error);
      const nowMs = clock.monotonicMs();
      failures += 1;
      if (failures === 1) sinceMs = nowMs;
      if (failures > 1 && (reason === told || nowMs - toldMs < LIMITS.outageLineMs)) return;
      [told, toldMs] = [reason, nowMs];
      log.warn(broken, { ...fields, reason, ...(failures > 1 ? { failures } : {}) });
    },
    worked() {
      if (failures === 0) return;
      const seconds = Math.round((clock.monotonicMs() - sinceMs) / 1_000);
      log.info(back, { failures, seconds });
      failures = 0;
    },
  };
}
