// Reports refused connections to log and audit trail, at a bounded rate.
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Party } from '#model/identity.ts';
import { MTLS_LIMITS } from './limits.ts';

export type RefusedConnection = {
  readonly reason: string;
  readonly remoteAddress: string;
  /** Set when the certificate named a party. */
  readonly party?: Party;
  /** Refusals since the last report that were counted only. */
  readonly suppressed?: number;
};

export type RefusalReporterInit = {
  readonly log: Log;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onRefused: (refused: RefusedConnection) => void;
};

const MINUTE_MS = 60_000;

/** A flood of bad connections must not become a flood of audit records. */
export function createRefusalReporter(init: RefusalReporterInit): (refused: RefusedConnection) => void {
  let windowStartMs = Number.NEGATIVE_INFINITY;
  let reported = 0;
  let suppressed = 0;
  return (refused) => {
    const nowMs = init.clock.monotonicMs();
    if (nowMs - windowStartMs >= MINUTE_MS) {
      windowStartMs = nowMs;
      reported = 0;
    }
    if (reported >= MTLS_LIMITS.refusalReportsPerMinute) {
      suppressed += 1;
      return;
    }
    reported += 1;
    const complete = suppressed === 0 ? refused : { ...refused, suppressed };
    suppressed = 0;
    const { party, ...fields } = complete;
    init.log.warn('connection refused', party === undefined ? fields : { ...fields, party: party.name });
    init.onRefused(complete);
  };
}
