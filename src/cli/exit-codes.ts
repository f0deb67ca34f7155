// Exit codes of every command (docs/design.md §9), and which error ends with which.
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

/** 0 healthy, 1 findings, 3 evidence incomplete. */
export function exitCodeOfVerdict(verdict: VerdictKind): number {
  return { healthy: EXIT.ok, fault: EXIT.findings, inconclusive: EXIT.incomplete }[verdict];
}

/** The caller's faults are usage; refusals are denials; everything else means the answer is incomplete. */
export function exitCodeOfError(error: unknown): number {
  if (!(error instanceof ParleyError)) return EXIT.incomplete;
  if (error.code === 'peer/refused') return EXIT.denied;
  if (error.code.startsWith('caller/')) return EXIT.usage;
  return EXIT.incomplete;
}
