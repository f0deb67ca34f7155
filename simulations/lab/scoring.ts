// The score of one run, as the NIKA benchmark defines it: precision, recall and F1 over sets of (resource, fault) pairs, rounded to four
// decimals. Pure. An extra guess costs precision; any guess about a healthy network scores zero.

export type Pair = { readonly resource: string; readonly fault: string };

export type Prediction = { readonly anomaly: boolean; readonly causes: readonly Pair[] };

export type Prf = { readonly precision: number; readonly recall: number; readonly f1: number };

export type Score = {
  /** 1 when predicted and true agree that something is, or is not, wrong. */
  readonly detection: 0 | 1;
  readonly localization: Prf;
  readonly faultType: Prf;
  readonly rca: Prf;
};

export function scoreRun(predicted: Prediction, truth: readonly Pair[]): Score {
  const pairs = (list: readonly Pair[]) => list.map((pair) => JSON.stringify([pair.resource, pair.fault]));
  const resources = (list: readonly Pair[]) => list.map((pair) => pair.resource);
  const faults = (list: readonly Pair[]) => list.map((pair) => pair.fault);
  return {
    detection: predicted.anomaly === truth.length > 0 ? 1 : 0,
    localization: prf(resources(predicted.causes), resources(truth)),
    faultType: prf(faults(predicted.causes), faults(truth)),
    rca: prf(pairs(predicted.causes), pairs(truth)),
  };
}

/** What an answer is worth: one that decides nothing scores nothing, whatever it names. `anomaly`: what it says, where that is not its verdict. */
export function scoreAnswer(
  answer: { readonly verdict: string; readonly causes: readonly Pair[]; readonly anomaly?: boolean },
  truth: readonly Pair[],
): Score {
  const { verdict, causes, anomaly = verdict === 'fault' } = answer;
  if (verdict === 'fault' || verdict === 'healthy') return scoreRun({ anomaly, causes }, truth);
  const nothing: Prf = { precision: 0, recall: 0, f1: 0 };
  return { detection: 0, localization: nothing, faultType: nothing, rca: nothing };
}

/** Over sets: duplicates collapse; two empty sets agree wholly. */
export function prf(predicted: readonly string[], truth: readonly string[]): Prf {
  const guessed = new Set(predicted);
  const actual = new Set(truth);
  if (guessed.size === 0 && actual.size === 0) return { precision: 1, recall: 1, f1: 1 };
  const hits = guessed.intersection(actual).size;
  const precision = guessed.size === 0 ? 0 : hits / guessed.size;
  const recall = actual.size === 0 ? 0 : hits / actual.size;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision: rounded(precision), recall: rounded(recall), f1: rounded(f1) };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
