// The audit trail of a state folder, and beside it the records that outlast a flood. Without the second, as on a disk that was full when it was
// first made, the agent goes on, says so of each record that they lack, and tries again.
import { join } from 'node:path';
import { LASTING_FOLDER, LASTING_RETENTION, openLasting, withLasting } from '#audit/lasting.ts';
import { AUDIT_LIMITS } from '#audit/limits.ts';
import { type AuditTrail, openAuditTrail } from '#audit/trail.ts';
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { Log } from '#base/log.ts';

export async function openTrails(state: string, clock: Clock, log: Log): Promise<AuditTrail> {
  const trail = await openAuditTrail({ dir: join(state, 'audit'), clock });
  const failed = (error: unknown) =>
    log.error('lasting audit records cannot be kept beside the trail', { reason: messageOf(error) });
  const open = () =>
    openAuditTrail({
      ...{ dir: join(state, ...LASTING_FOLDER), clock, retention: LASTING_RETENTION },
      fileBytes: AUDIT_LIMITS.auditLastingFileBytes,
    });
  return withLasting(trail, await openLasting(open, clock), failed);
}
