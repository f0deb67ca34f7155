// Ends an open change that was not confirmed, or finishes one that was confirmed. The same few lines serve the configuration
// helper and parley-rollback; the first of them does it under the lock, and doing it twice changes nothing.
import { readFile } from 'node:fs/promises';
import { ParleyError } from '#base/error.ts';
import { writeFileDurably } from '#base/files.ts';
import type { Failpoint } from './failpoint.ts';
import type { FrrPrograms } from './frr-programs.ts';
import type { CommitRecord, Journal } from './journal.ts';
import { CONFIG_HELPER_LIMITS } from './limits.ts';
import type { LivePrograms } from './live.ts';
import { isAlive, type Moment, type MomentSource } from './moment.ts';
import { fingerprint } from './text.ts';

export type Decision =
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'roll-back'; readonly reason: string }
  | { readonly kind: 'finish' };

export type RecoverParts = {
  readonly journal: Journal;
  readonly frr: FrrPrograms;
  readonly live: LivePrograms;
  readonly now: MomentSource;
  readonly failpoint: Failpoint;
  /** The start-up configuration, for example /etc/frr/frr.conf. */
  readonly startupPath: string;
};

/** What is to be done with an open change. RFC 6241 §8.4: a reboot, a lost session without `persist`, or the deadline undo it. */
export function decide(record: CommitRecord, now: Moment, ownerAlive: boolean): Decision {
  if (record.state === 'CONFIRMED' || record.state === 'ROLLED_BACK') return { kind: 'finish' };
  const { deadline, undoing } = record;
  if (undoing !== undefined) return { kind: 'roll-back', reason: undoing };
  if (now.bootId !== deadline.bootId) return { kind: 'roll-back', reason: 'the node was started anew' };
  if (now.uptimeMs >= deadline.uptimeMs) return { kind: 'roll-back', reason: 'not confirmed in time' };
  if (!ownerAlive && record.state === 'PREPARED') return { kind: 'roll-back', reason: 'ended while it was applied' };
  if (!ownerAlive && record.persist === undefined) return { kind: 'roll-back', reason: 'the session was lost' };
  return { kind: 'wait', forMs: deadline.uptimeMs - now.uptimeMs };
}

export async function decideNow(parts: Pick<RecoverParts, 'now'>, record: CommitRecord): Promise<Decision> {
  return decide(record, await parts.now(), await isAlive(record.owner));
}

/** Under the lock. Rejects, with the change still open, when FRR cannot be brought back yet: try again. */
export async function rollBack(parts: RecoverParts, record: CommitRecord, reason: string): Promise<CommitRecord> {
  await parts.failpoint('rollback.wanted');
  await parts.journal.useRoom();
  const told = record.undoing ?? (await reasonToTell(parts, record, reason).catch(() => reason));
  // On disk first: an undoing that dies half way is finished at once, not at the deadline.
  if (record.undoing === undefined) await parts.journal.write({ ...record, undoing: told });
  await parts.frr.endLeftovers();
  const gone = await restore(parts, record);
  const { undoing: _begun, ...rest } = record;
  const ended: CommitRecord = { ...rest, state: 'ROLLED_BACK', reason: [told, ...gone].join('; ') };
  await parts.journal.write(ended);
  await parts.journal.settle(ended);
  return ended;
}

/** Under the lock. A confirmed change reaches the start-up configuration here and nowhere else. */
export async function finish(parts: RecoverParts, record: CommitRecord): Promise<CommitRecord> {
  await parts.journal.useRoom();
  if (record.state === 'CONFIRMED') {
    await parts.frr.endLeftovers();
    const text = await parts.journal.readImage(record.id, 'after');
    // After a reboot the daemons run the old start-up configuration: what was confirmed must run as well. Within one boot, what runs
    // otherwise was configured since by an operator, and stays.
    if ((await parts.now()).bootId !== record.deadline.bootId) await bringTo(parts, text, record.after, false);
    await writeFileDurably(parts.startupPath, text, 0o640, (step) => parts.failpoint(`startup.${step}`));
  }
  await parts.journal.settle(record);
  return record;
}

/** What ran before comes back as a whole: what others changed meanwhile goes with it, and the record says so. */
async function reasonToTell(parts: RecoverParts, record: CommitRecord, reason: string): Promise<string> {
  const isApplied = record.state === 'APPLIED' || record.state === 'VERIFIED';
  if (!isApplied || (await parts.now()).bootId !== record.deadline.bootId) return reason;
  const runs = fingerprint(await parts.frr.readRunning());
  return runs === record.after || runs === record.before ? reason : `${reason}; changes made beside it went with it`;
}

/** What stands in the start-up configuration; undefined when there is none. */
export async function readStartup(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Resolves with the live settings that there is nothing to put back to. */
async function restore(parts: RecoverParts, record: CommitRecord): Promise<readonly string[]> {
  try {
    await bringTo(parts, await parts.journal.readImage(record.id, 'before'), record.before, true);
  } catch (error) {
    // Neither waits for the other: what can be put back is.
    await undoLive(parts, record);
    throw error;
  }
  return undoLive(parts, record);
}

async function undoLive(parts: RecoverParts, { live, deadline }: CommitRecord): Promise<readonly string[]> {
  // What was set before a reboot is gone with it.
  const isSet = live !== undefined && (await parts.now()).bootId === deadline.bootId;
  const gone = isSet ? await parts.live.undo(live) : [];
  await parts.failpoint('live.undone');
  return gone;
}

async function bringTo(parts: RecoverParts, text: string, wanted: string, rollingBack: boolean): Promise<void> {
  const at = async (name: 'started' | 'first-line' | 'ended' | 'read-back') => {
    if (rollingBack) await parts.failpoint(`rollback.${name}`);
  };
  let last: unknown;
  for (let attempt = 0; attempt < CONFIG_HELPER_LIMITS.rollbackAttempts; attempt++) {
    if (fingerprint(await parts.frr.readRunning()) === wanted) return await at('read-back');
    try {
      await parts.frr.apply(text, {
        onStarted: () => at('started'),
        onLine: (index) => (index === 0 ? at('first-line') : undefined),
      });
    } catch (error) {
      // frr-reload.py also fails over lines that do not matter; what counts is what runs afterwards.
      last = error;
    }
    await at('ended');
  }
  if (fingerprint(await parts.frr.readRunning()) === wanted) return await at('read-back');
  throw new ParleyError(
    'node/rollback-failed',
    'expected the configuration of before the change to run again, another one does',
    {
      cause: last,
    },
  );
}
