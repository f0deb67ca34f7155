// A case: all that one diagnosis was made of, and what that diagnosis said. Signatures and certificates are no part of it.
import type { DiagnoseInput } from '#correlate/diagnose.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';

/** Without the signature and the chain, which diagnosis does not read. Members of later versions stay. */
export type CaseEvidence = Omit<Evidence, 'envelope' | 'chain'>;

export type ReplayCase = {
  /** Id of the report. */
  readonly id: string;
  readonly creator: string;
  readonly intent: Intent;
  /** Names of the scope's nodes as the program resolved them; in path order for a question about a path. */
  readonly nodeNames: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly evidence: readonly CaseEvidence[];
  readonly expected: ExpectedDiagnosis;
  /** What the diagnosis was made of beside this, and a report does not hold. */
  readonly lacking: readonly string[];
};

/** A report has no clues, and a language model's sentence instead of the template's; a recorded diagnosis has all. */
export type ExpectedDiagnosis = Omit<Diagnosis, 'clues' | 'links' | 'sentence'> &
  Partial<Pick<Diagnosis, 'clues' | 'links' | 'sentence'>>;

export function inputOf({ intent, nodeNames, outcomes, evidence }: ReplayCase): DiagnoseInput {
  return { intent, nodeNames, outcomes, evidence: evidence as readonly Evidence[] };
}
