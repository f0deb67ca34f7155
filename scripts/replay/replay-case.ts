// A case: all that one diagnosis was made of, and what that diagnosis said. Signatures and certificates are no part of it.
import type { DiagnoseInput } from '#correlate/diagnose.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Said } from '#model/expectations.ts';
import type { Diagnosis } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import type { Purpose } from '#model/purpose.ts';
import type { ReportedOutcome } from '#model/report.ts';

/** Without the signature and the chain, which diagnosis does not read. Members of later versions stay. */
export type CaseEvidence = Omit<Evidence, 'envelope' | 'chain' | 'purpose'> & Partial<Pick<Evidence, 'purpose'>>;

export type ReplayCase = {
  /** Id of the report. */
  readonly id: string;
  readonly creator: string;
  readonly intent: Intent;
  /** Names of the scope's nodes as the program resolved them; in path order for a question about a path. */
  readonly nodeNames: readonly string[];
  readonly outcomes: readonly ReportedOutcome[];
  readonly evidence: readonly CaseEvidence[];
  /** What operators had said is meant, and when that was judged. */
  readonly said?: Said;
  readonly expected: ExpectedDiagnosis;
  /** What the diagnosis was made of beside this, and a report does not hold. */
  readonly lacking: readonly string[];
};

/** A report has no clues, and a language model's sentence instead of the template's; a recorded diagnosis has all. */
export type ExpectedDiagnosis = Omit<Diagnosis, 'clues' | 'links' | 'sentence'> &
  Partial<Pick<Diagnosis, 'clues' | 'links' | 'sentence'>>;

export function inputOf({ intent, nodeNames, outcomes, evidence, said }: ReplayCase): DiagnoseInput {
  const known = <T extends { readonly purpose?: Purpose }>(each: T) => ({ ...each, purpose: each.purpose ?? UNKNOWN });
  const entries: readonly Omit<Evidence, 'envelope' | 'chain'>[] = evidence.map(known);
  return {
    ...{ intent, nodeNames, outcomes: outcomes.map(known), evidence: entries as readonly Evidence[] },
    ...(said === undefined ? {} : { said }),
  };
}

const UNKNOWN: Purpose = { kind: 'unknown' };
