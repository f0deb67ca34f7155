// Watches an open change until it is settled, and settles it when its time is up, its helper has died, or the node was started
// anew. Runs in parley-rollback, and in the configuration helper as well.

import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { CommitRecord } from './journal.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import { withLock } from './lock.ts';
import { decideNow, finish, type RecoverParts, rollBack } from './recover.ts';

export type WatchParts = RecoverParts & { readonly lockPath: string; readonly clock: Clock; readonly log: Log };

/** Resolves when no change is open. `onSeen` hears of each open change before anything is done about it. */
export async function watchUntilSettled(
  parts: WatchParts,
  onSeen: (record: CommitRecord) => Promise<void> = async () => {},
  signal?: AbortSignal,
): Promise<void> {
  let seen = '';
  let told = '';
  for (;;) {
    const record = await parts.journal.open();
    if (record === undefined) return;
    if (record.id !== seen) await onSeen(record);
    seen = record.id;
    const decision = await decideNow(parts, record);
    if (decision.kind === 'wait')
      await parts.clock.sleep(Math.min(decision.forMs, CONFIG_HELPER_LIMITS.rollbackPollMs), signal);
    else told = await settleOnce(parts, told, signal);
  }
}

/** Under the lock everything is looked at anew: the change may have been confirmed while we waited for it. */
export async function settleOpen(parts: WatchParts): Promise<CommitRecord | undefined> {
  return withLock(parts.lockPath, async () => {
    const record = await parts.journal.open();
    if (record === undefined) return undefined;
    const decision = await decideNow(parts, record);
    if (decision.kind === 'finish') return finish(parts, record);
    if (decision.kind === 'wait') return undefined;
    const ended = await rollBack(parts, record, decision.reason);
    parts.log.warn('change rolled back', { commit: ended.id, reason: decision.reason });
    return ended;
  });
}

/** Resolves with what keeps the change open, which is logged once and not at each attempt. */
async function settleOnce(parts: WatchParts, told: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    await settleOpen(parts);
    return '';
  } catch (error) {
    const reason = messageOf(error);
    if (reason !== told) parts.log.error('change not rolled back yet', { reason });
    await parts.clock.sleep(CONFIG_HELPER_LIMITS.rollbackPollMs, signal);
    return reason;
  }
}
