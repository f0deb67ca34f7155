// How a session stands in the audit trail: who it was, and what it asked beside its calls (TS-31).
import { isoTime } from '#base/clock.ts';
import type { SessionSummary } from '#mcp/session-count.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';

/** Members of each record of what a party did. */
export function recordedParty(party: Party): { readonly party: string; readonly asker?: string } {
  const asker = userOf(party);
  return { party: `${party.kind}/${party.name}`, ...(asker === undefined ? {} : { asker }) };
}

/** Who acts as this party, where more than its name is known: the user of the local socket, or the subject of the access token (TS-29). */
export function userOf({ localUser, token }: Party): string | undefined {
  return token === undefined ? localUser : `${token.subject} (token ${token.id} of ${token.issuer})`;
}

export function sessionRecord({ party, transport, sinceMs, endedMs, requests }: SessionSummary): AuditRecord {
  const detail = { transport, since: isoTime(sinceMs), seconds: Math.round((endedMs - sinceMs) / 1_000), requests };
  return { event: 'session', ...recordedParty(party), detail };
}
