// Records of readings go to the audit trail together, once a second, and those that are alike as one with their number: one record for each
// call would cost more than the call. What may change something never goes this way. A crash loses the last second of them.
import { type Clock, isoTime, STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { AuditRecord, AuditSink } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type BatchedRecords = {
  add(record: AuditRecord): void;
  /** Records what waits. */
  close(): Promise<void>;
};

export function createBatchedRecords(init: {
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly log: Log;
}): BatchedRecords {
  const stopped = new AbortController();
  let waiting = new Map<string, Alike>();
  let left = 0;
  const flush = async () => {
    const batch = [...waiting.values()].map(recordOf);
    const missing = left;
    waiting = new Map();
    left = 0;
    const more: AuditRecord[] = missing === 0 ? [] : [{ event: 'records-left-out', detail: { count: missing } }];
    try {
      await Promise.all([...batch, ...more].map((record) => init.audit.append(record)));
    } catch (error) {
      init.log.error('readings could not be recorded', { count: batch.length, reason: messageOf(error) });
    }
  };
  const run = async () => {
    while (!stopped.signal.aborted) {
      await init.clock.sleep(AGENT_LIMITS.recordBatchMs, stopped.signal).catch(() => {});
      if (waiting.size > 0) await flush();
    }
  };
  const done = run();
  return {
    add(record) {
      const { party = '', method = '', sessionId = '', detail } = record;
      const key = `${party}\n${method}\n${sessionId}\n${detail === undefined ? '' : JSON.stringify(detail)}`;
      const alike = waiting.get(key);
      if (alike !== undefined) alike.count += 1;
      else if (waiting.size < AGENT_LIMITS.batchedRecords)
        waiting.set(key, { record, firstMs: init.clock.nowMs(), count: 1 });
      else left += 1;
    },
    async close() {
      stopped.abort(STOPPED);
      await done;
      await flush();
    },
  };
}

type Alike = { readonly record: AuditRecord; readonly firstMs: number; count: number };

function recordOf({ record, firstMs, count }: Alike): AuditRecord {
  return { ...record, detail: { ...record.detail, at: isoTime(firstMs), count } };
}
