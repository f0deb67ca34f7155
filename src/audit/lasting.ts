// The records that must outlast a flood: what an admin, the domain's CA or this node itself did. The trail as a whole is kept by age and size,
// and a caller that may only read can fill it with readings. These are written a second time, to a trail of their own with a chain of its own,
// in which no other party can write. A copy: what must be durable before an effect is so in the trail itself.
import type { AuditRecord } from '#model/ports.ts';
import { AUDIT_LIMITS } from './limits.ts';
import type { Retention } from './retain.ts';
import type { AuditTrail } from './trail.ts';

/** Where it lies in a state folder: in a folder of its own, since heads beside a trail are those of that trail. */
export const LASTING_FOLDER = ['lasting', 'audit'] as const;

export const LASTING_RETENTION: Retention = {
  keepBytes: AUDIT_LIMITS.auditLastingBytes,
  keepMs: AUDIT_LIMITS.auditAgeMs,
};

/** Each needs an admin, a CA, or this node itself. What any caller can have recorded is not here, such as `consent-asked` and `refused`. */
const LASTING: ReadonlySet<string> = new Set([
  'agent-started',
  'agent-stopped',
  'certificate-issued',
  'certificate-renewed-twice',
  'consent-approved',
  'consent-denied',
  'consent-returned',
  'consent-standing',
  'consent-used',
  'expectations-changed',
  'order',
  'own-certificate-renewed',
  'trust-list-taken',
]);

/** `approved`: a call that an aggregator let pass because an admin had signed for it. */
function isLasting({ event, status }: AuditRecord): boolean {
  return LASTING.has(event) || event.startsWith('audit/') || status === 'approved';
}

/** `failed` hears that a copy could not be written; the record itself is in `trail`. */
export function withLasting(trail: AuditTrail, lasting: AuditTrail, failed: (error: unknown) => void): AuditTrail {
  return {
    async append(record) {
      await trail.append(record);
      if (isLasting(record)) await lasting.append(record).catch(failed);
    },
    get head() {
      return trail.head;
    },
    settled: async () => {
      await trail.settled();
      await lasting.settled();
    },
    async close() {
      await trail.close();
      await lasting.close();
    },
  };
}
