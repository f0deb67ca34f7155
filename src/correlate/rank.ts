// The smallest set of proposals that explains every symptom (docs/design.md §7, step 4). Consequences of a chosen proposal need
// no other; what lost is kept with the reason. Two equally good explanations are no explanation: both stay candidates.
import { LIMITS } from '#base/limits.ts';
import type { Proposal, Rule } from './rules/rule.ts';
import type { Symptom } from './symptoms.ts';

export type Ranked = {
  readonly chosen: readonly Proposal[];
  readonly lost: readonly { readonly proposal: Proposal; readonly why: string }[];
  readonly unexplained: readonly Symptom[];
  /** Explanations that are equally good: nobody can be named. */
  readonly ambiguous: readonly Proposal[];
};

type Choice = { readonly set: readonly Proposal[]; readonly covered: readonly Symptom[]; readonly score: number };

export function rank(proposals: readonly Proposal[], symptoms: readonly Symptom[], rules: readonly Rule[]): Ranked {
  const withheld = proposals.filter((proposal) => proposal.withheld !== undefined);
  const open = proposals.filter((proposal) => proposal.withheld === undefined && proposal.explains.length > 0);
  const eligible = [...open].sort((one, other) => other.score - one.score).slice(0, LIMITS.rankedProposals);
  const choices = choicesOf(eligible, symptoms);
  const best = choices[0] ?? { set: [], covered: [], score: 0 };
  const equals = choices.filter((choice) => sameWorth(choice, best));
  const certain = best.set.filter((proposal) => equals.every((choice) => choice.set.includes(proposal)));
  const ambiguous = eligible.filter(
    (entry) => !certain.includes(entry) && equals.some((choice) => choice.set.includes(entry)),
  );
  const covered = coveredBy(certain, symptoms);
  const accuses = (proposal: Proposal) => rules.find((rule) => rule.fault === proposal.fault)?.accuses !== false;
  return {
    chosen: certain,
    ambiguous,
    unexplained: symptoms.filter((symptom) => !covered.includes(symptom)),
    lost: [
      ...withheld.map((proposal) => ({ proposal, why: proposal.withheld! })),
      ...ambiguous.map((proposal) => ({ proposal, why: 'another explanation is as good' })),
      ...open
        .filter((proposal) => !certain.includes(proposal) && !ambiguous.includes(proposal))
        .map((proposal) => ({ proposal, why: 'what it explains is explained by fewer or stronger findings' })),
      ...certain
        .filter((proposal) => !accuses(proposal))
        .map((proposal) => ({ proposal, why: 'explains lost probes, but accuses nobody' })),
    ],
  };
}

/** Every useful set, best first: most symptoms explained, then fewest members, then the highest total score. */
function choicesOf(eligible: readonly Proposal[], symptoms: readonly Symptom[]): readonly Choice[] {
  const choices: Choice[] = [];
  for (let mask = 1; mask < 1 << eligible.length; mask++) {
    const set = eligible.filter((_, index) => (mask >> index) & 1);
    const covered = coveredBy(set, symptoms);
    if (covered.length > 0)
      choices.push({ set, covered, score: set.reduce((sum, proposal) => sum + proposal.score, 0) });
  }
  return choices.sort(
    (one, other) =>
      other.covered.length - one.covered.length || one.set.length - other.set.length || other.score - one.score,
  );
}

function sameWorth(one: Choice, other: Choice): boolean {
  return (
    one.covered.length === other.covered.length && one.set.length === other.set.length && one.score === other.score
  );
}

/** A symptom is explained when what remains of its lost probes is within chance. */
function coveredBy(set: readonly Proposal[], symptoms: readonly Symptom[]): readonly Symptom[] {
  const shares = set.flatMap((proposal) => proposal.explains);
  return symptoms.filter(({ id, fact }) => {
    const mine = shares.filter((share) => share.symptom === id);
    if (mine.length === 0) return false;
    const accounted = mine.reduce((sum, share) => sum + share.lost, 0);
    const spread = Math.hypot(Math.sqrt(fact.value.lost), ...mine.map((share) => share.spread));
    return fact.value.lost - accounted <= Math.max(3, 4 * spread);
  });
}
