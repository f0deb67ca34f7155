// How a session stands in the audit trail: who it was, and what it asked beside its calls (TS-31).
import { isoTime } from '#base/clock.ts';
import type { SessionSummary } from '#mcp/session-count.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';

/** Members of each record of what a party did. */
export function recordedParty({ kind, name, localUser }: Party): { readonly party: string; readonly asker?: string } {
  return { party: `${kind}/${name}`, ...(localUser === undefined ? {} : { asker: localUser }) };
}

export function sessionRecord({ party, transport, sinceMs, endedMs, requests }: SessionSummary): AuditRecord {
  const detail = { transport, since: isoTime(sinceMs), seconds: Math.round((endedMs - sinceMs) / 1_000), requests };
  return { event: 'session', ...recordedParty(party), detail };
}
