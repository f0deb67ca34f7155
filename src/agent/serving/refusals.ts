// Refused requests in log and audit trail: one record each while they are few, then a count, so that a party cannot fill either by being
// refused on purpose.
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type Refusal = Pick<AuditRecord, 'method' | 'sessionId' | 'asker'> & {
  readonly party: string;
  readonly reason: string;
};

const MINUTE_MS = 60_000;

export function createRefusalRecorder(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
}): (refusal: Refusal) => void {
  const { clock, log, record } = parts;
  let beganMs = clock.monotonicMs();
  let counts = new Map<string, number>();

  const tellRest = () => {
    for (const [party, count] of counts) {
      const rest = count - AGENT_LIMITS.refusalRecords;
      if (rest > 0) record({ event: 'refused', party, reason: `${rest} more in the same minute` });
    }
  };
  return (refusal) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - beganMs >= MINUTE_MS) {
      tellRest();
      beganMs = nowMs;
      counts = new Map();
    }
    const count = (counts.get(refusal.party) ?? 0) + 1;
    counts.set(refusal.party, count);
    if (count > AGENT_LIMITS.refusalRecords) return;
    log.warn('refused', { party: refusal.party, reason: refusal.reason });
    record({ event: 'refused', ...refusal });
  };
}
