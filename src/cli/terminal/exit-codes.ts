// Exit codes of every command (docs/design.md §9), and the exit code of each error.
import { ParleyError } from '#base/error.ts';
import type { VerdictKind } from '#model/finding.ts';

export const EXIT = {
  ok: 0,
  findings: 1,
  usage: 2,
  incomplete: 3,
  denied: 4,
  signature: 5,
} as const;

/** Refused by the node or by an approver. */
const DENIED: ReadonlySet<string> = new Set([
  'peer/refused',
  'peer/enrolment-refused',
  'caller/renewal-refused',
  'peer/registrar-not-proven',
  'caller/no-consent',
  'caller/not-permitted',
  'caller/not-approver',
  'caller/no-such-consent',
  'caller/bad-consent',
  'caller/consent-settled',
]);

/** Refusals of a registrar that time alone ends. */
const PASSING: ReadonlySet<unknown> = new Set(['locked', 'too-often']);

/** 0 healthy or answered, 1 findings, 3 evidence incomplete. */
export function exitCodeOfVerdict(verdict: VerdictKind): number {
  return { healthy: EXIT.ok, answered: EXIT.ok, fault: EXIT.findings, inconclusive: EXIT.incomplete }[verdict];
}

/** The caller's mistakes are usage errors; refusals are denials; anything else means that the answer is incomplete. */
export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof ParleyError)) return EXIT.incomplete;
  // A lock ends: the code is as good as before, and the same command may succeed later.
  if (error.code === 'peer/enrolment-refused' && PASSING.has(error.data?.['reason'])) return EXIT.incomplete;
  if (DENIED.has(error.code)) return EXIT.denied;
  if (error.code === 'peer/unverified-report') return EXIT.signature;
  if (error.code.startsWith('caller/')) return EXIT.usage;
  return EXIT.incomplete;
}
