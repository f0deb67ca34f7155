// Diagnoses cases again and compares each diagnosis with the expected one. A case that cannot be read, or whose diagnosis fails, differs:
// nothing is left out of the sum.
import { messageOf } from '#base/error.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Diagnosis } from '#model/finding.ts';
import { loadCase, type Recorded } from './case-files.ts';
import { differencesOf } from './compare.ts';
import { type Difference, differs } from './differences.ts';
import { inputOf, type ReplayCase } from './replay-case.ts';
import { translated } from './translate.ts';

/** Case id → why its diagnosis is meant to differ. */
export type Wanted = Readonly<Record<string, string>>;

/** `wanted` differs and is meant to; `stale` is meant to differ and does not. */
export type ReplayState = 'equal' | 'words' | 'differs' | 'wanted' | 'stale';

export type Replayed = {
  readonly path: string;
  readonly id: string;
  readonly state: ReplayState;
  readonly from: 'sealed' | 'recorded';
  readonly differences: readonly Difference[];
  readonly lacking: readonly string[];
  /** Why it is meant to differ. */
  readonly reason?: string;
};

export function replayFile(path: string, recorded: Recorded = {}, wanted: Wanted = {}): Replayed {
  try {
    const { case: found, from } = loadCase(path, recorded);
    const differences = replayCase(found);
    const reason = wanted[found.id];
    const state = stateOf(differences, reason !== undefined);
    return {
      ...{ path, id: found.id, state, from, differences, lacking: found.lacking },
      ...(reason === undefined ? {} : { reason }),
    };
  } catch (error) {
    const differences = [differs('case', 'one that can be diagnosed', messageOf(error))];
    return { path, id: path, state: 'differs', from: 'sealed', differences, lacking: [] };
  }
}

export function replayCase(old: ReplayCase): readonly Difference[] {
  const now = translated(old);
  return differencesOf(now.expected, diagnosisOf(now));
}

/** As it would stand in a file. */
export function diagnosisOf(each: ReplayCase): Diagnosis {
  return JSON.parse(JSON.stringify(diagnose(inputOf(each))));
}

/** That words differ needs no reason; that a diagnosis differs does. */
function stateOf(differences: readonly Difference[], isWanted: boolean): ReplayState {
  if (differences.some(({ kind }) => kind === 'diagnosis')) return isWanted ? 'wanted' : 'differs';
  if (isWanted) return 'stale';
  return differences.length > 0 ? 'words' : 'equal';
}
