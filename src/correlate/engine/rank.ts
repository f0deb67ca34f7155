// The smallest set of proposals that explains every symptom (docs/design.md §7, step 4). Consequences of a chosen proposal need
// no other; what lost is kept with the reason. Two equally good explanations are no explanation: both stay candidates.

import { nodesOf } from '#model/names.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { joined } from './exact-change.ts';
import type { Proposal } from './fault-definition.ts';
import type { LossSymptom } from './loss-symptom.ts';
import type { Symptom } from './symptom.ts';

export type Ranked = {
  readonly chosen: readonly Proposal[];
  readonly lost: readonly { readonly proposal: Proposal; readonly why: string }[];
  readonly unexplained: readonly LossSymptom[];
  /** Symptoms without a cause. */
  readonly open: readonly Symptom[];
  /** Explanations that are equally good: none of them becomes a finding. */
  readonly ambiguous: readonly Proposal[];
};

/** Proposals that stand or fall together. */
type Unit = readonly Proposal[];
type Choice = { readonly set: readonly Unit[]; readonly covered: readonly string[]; readonly score: number };

/** What wants an explanation. */
type Wanted = { readonly losses: readonly LossSymptom[]; readonly symptoms: readonly Symptom[] };

/** What has a name comes first; places alone (`lastResort`) are weighed for what is left, and not where a finding with a name lies beside them. */
export function rank(
  proposals: readonly Proposal[],
  losses: readonly LossSymptom[],
  symptoms: readonly Symptom[] = [],
): Ranked {
  const isPlace = ({ lastResort }: Proposal) => lastResort === true;
  const named = rankAlike(
    proposals.filter((proposal) => !isPlace(proposal)),
    losses,
    symptoms,
  );
  const places = proposals.filter(isPlace);
  if (places.length === 0) return named;
  const left = leftFor(named);
  const free = places.flatMap((place) => {
    const explains = place.explains.filter(({ symptom }) => left.has(symptom));
    const isLeft = explains[0] !== undefined && explains[0] === place.explains[0];
    return isLeft && !named.chosen.some((chosen) => isBeside(chosen, place)) ? [{ ...place, explains }] : [];
  });
  const others = rankAlike(free, named.unexplained, named.open);
  return {
    ...others,
    chosen: [...named.chosen, ...others.chosen],
    ambiguous: [...named.ambiguous, ...others.ambiguous],
    lost: [...named.lost, ...others.lost],
  };
}

/** Ids of what no proposal explains; what two explain equally well is not left. */
function leftFor({ unexplained, open, ambiguous }: Ranked): ReadonlySet<string> {
  const disputed = new Set(ambiguous.flatMap(({ explains }) => explains.map(({ symptom }) => symptom)));
  return new Set([...unexplained, ...open].map(({ id }) => id).filter((id) => !disputed.has(id)));
}

/** An accusation of a node at which the place lies may have more consequences than its definition knows. */
function isBeside(chosen: Proposal, place: Proposal): boolean {
  const [mine, its] = [chosen, place].map(({ resource }) => nodesOf(resource));
  return chosen.accuses !== false && mine!.some((node) => its!.includes(node));
}

function rankAlike(
  proposals: readonly Proposal[],
  losses: readonly LossSymptom[],
  symptoms: readonly Symptom[],
): Ranked {
  const wanted = { losses, symptoms };
  const withheld = proposals.filter((proposal) => proposal.withheld !== undefined);
  const open = proposals.filter((proposal) => proposal.withheld === undefined && proposal.explains.length > 0);
  const groups = groupsOf(unitsOf(open)).map((group) => rankGroup(group, wanted));
  const ambiguous = groups.flatMap((group) => group.ambiguous);
  const certain = withObserved(
    groups.flatMap((group) => group.certain),
    open.filter((proposal) => !ambiguous.includes(proposal)),
  );
  const covered = new Set(coveredBy(certain, wanted));
  return {
    chosen: certain,
    ambiguous,
    unexplained: losses.filter((symptom) => !covered.has(symptom.id)),
    open: symptoms.filter((symptom) => !covered.has(symptom.id)),
    lost: [
      ...withheld.map((proposal) => ({ proposal, why: proposal.withheld! })),
      ...ambiguous.map((proposal) => ({ proposal, why: 'another explanation is as good' })),
      ...open
        .filter((proposal) => !certain.includes(proposal) && !ambiguous.includes(proposal))
        .map((proposal) => ({ proposal, why: 'what it explains is explained by fewer or stronger findings' })),
      ...certain
        .filter(({ accuses }) => accuses === false)
        .map((proposal) => ({ proposal, why: proposal.remark ?? 'explains lost probes, but accuses no node' })),
    ],
  };
}

/** With those of the same faults that were seen to do what they are accused of: parsimony chooses among what is inferred alone. */
function withObserved(chosen: readonly Proposal[], others: readonly Proposal[]): readonly Proposal[] {
  const faults = new Set(chosen.filter(({ accuses }) => accuses !== false).map(({ fault }) => fault));
  const beside = others.filter(
    (proposal) => proposal.observed === true && faults.has(proposal.fault) && !chosen.includes(proposal),
  );
  return [...chosen, ...beside];
}

type GroupRank = { readonly certain: readonly Proposal[]; readonly ambiguous: readonly Proposal[] };

/** Proposals that share nothing to explain never compete: several faults at once stay apart, however many there are. */
function rankGroup(group: readonly Unit[], wanted: Wanted): GroupRank {
  if (group.length <= CORRELATE_LIMITS.rankedProposals) return weighed(group, wanted);
  const needed = group.filter((unit) => isNeeded(unit, group, wanted));
  // Too many to weigh every set: a proposal that alone explains something belongs to every set, and what it explains needs no other.
  const rest = needed.length === 0 ? [] : remaining(group, needed, wanted);
  const smaller = rest.map((part) => rankGroup(part.units, part.wanted));
  const largest = [...group]
    .sort((one, other) => scoreOf(other) - scoreOf(one))
    .slice(0, CORRELATE_LIMITS.rankedProposals);
  const parts = needed.length === 0 ? [weighed(largest, wanted)] : smaller;
  return {
    certain: [...needed.flat(), ...parts.flatMap(({ certain }) => certain)],
    ambiguous: parts.flatMap(({ ambiguous }) => ambiguous),
  };
}

/** Something can be explained by all together, and by all others not. */
function isNeeded(unit: Unit, group: readonly Unit[], wanted: Wanted): boolean {
  const named = new Set(unit.flatMap((proposal) => proposal.explains.map((share) => share.symptom)));
  const mine = {
    losses: wanted.losses.filter(({ id }) => named.has(id)),
    symptoms: wanted.symptoms.filter(({ id }) => named.has(id)),
  };
  const others = group.filter((each) => each !== unit).flat();
  return coveredBy(others, mine).length < coveredBy([...others, ...unit], mine).length;
}

/** What is left to explain beside the needed ones, in groups that share nothing of it. */
function remaining(
  group: readonly Unit[],
  needed: readonly Unit[],
  wanted: Wanted,
): readonly { readonly units: readonly Unit[]; readonly wanted: Wanted }[] {
  const covered = new Set(coveredBy(needed.flat(), wanted));
  const left = {
    losses: wanted.losses.filter(({ id }) => !covered.has(id)),
    symptoms: wanted.symptoms.filter(({ id }) => !covered.has(id)),
  };
  const ids = new Set([...left.losses, ...left.symptoms].map(({ id }) => id));
  const useful = group.filter(
    (unit) =>
      !needed.includes(unit) && unit.some((proposal) => proposal.explains.some(({ symptom }) => ids.has(symptom))),
  );
  return groupsOf(useful, ids).map((units) => ({ units, wanted: left }));
}

/** Every set of the units is weighed: two to the power of their number. */
function weighed(group: readonly Unit[], wanted: Wanted): GroupRank {
  const eligible = [...group].sort((one, other) => scoreOf(other) - scoreOf(one));
  const choices = choicesOf(eligible, wanted);
  const best = choices[0] ?? { set: [], covered: [], score: 0 };
  const equals = choices.filter((choice) => sameWorth(choice, best));
  const certain = best.set.filter((unit) => equals.every((choice) => choice.set.includes(unit)));
  const ambiguous = eligible.filter(
    (unit) => !certain.includes(unit) && equals.some((choice) => choice.set.includes(unit)),
  );
  return { certain: certain.flat(), ambiguous: ambiguous.flat() };
}

function scoreOf(unit: Unit): number {
  return Math.max(...unit.map((proposal) => proposal.score));
}

function unitsOf(proposals: readonly Proposal[]): readonly Unit[] {
  const units = new Map<string, Proposal[]>();
  for (const [index, proposal] of proposals.entries()) {
    const key = proposal.together === undefined ? `${index}` : `${proposal.fault} ${proposal.together}`;
    units.set(key, [...(units.get(key) ?? []), proposal]);
  }
  return [...units.values()];
}

/** The same accusation reached in two ways is one: it explains what either does. */
export function merged(proposals: readonly Proposal[]): readonly Proposal[] {
  const found = new Map<string, Proposal>();
  for (const proposal of proposals) {
    const { fault, resource, withheld } = proposal;
    const key = `${fault} ${resource} ${withheld === undefined ? '' : 'withheld'} ${proposal.key ?? ''}`;
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, proposal);
      continue;
    }
    const [strong, weak] = isStronger(proposal, known) ? [proposal, known] : [known, proposal];
    const more = weak.explains.filter((share) => !strong.explains.some((each) => each.symptom === share.symptom));
    const evidence = [...new Set([...strong.evidence, ...weak.evidence])];
    const remedy = joined(strong.remedy, weak.remedy);
    const rest = { explains: [...strong.explains, ...more], evidence, ...(remedy === undefined ? {} : { remedy }) };
    found.set(key, { ...strong, ...rest });
  }
  return [...found.values()];
}

/** An accusation with grounds is stronger than one without, whatever their scores. */
function isStronger(one: Proposal, other: Proposal): boolean {
  const [mine, its] = [one, other].map(({ remark }) => remark === undefined);
  return mine === its ? one.score > other.score : mine!;
}

/** Units that explain something in common, of the ids that count, are one group. */
function groupsOf(units: readonly Unit[], counted?: ReadonlySet<string>): readonly (readonly Unit[])[] {
  const groups: { ids: Set<string>; members: Unit[] }[] = [];
  for (const unit of units) {
    const all = unit.flatMap((proposal) => proposal.explains.map((share) => share.symptom));
    const ids = new Set(all.filter((id) => counted === undefined || counted.has(id)));
    const touching = groups.filter((group) => [...ids].some((id) => group.ids.has(id)));
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push({
      ids: new Set([...ids, ...touching.flatMap((group) => [...group.ids])]),
      members: [...touching.flatMap((group) => group.members), unit],
    });
  }
  return groups.map((group) => group.members);
}

/** Every useful set, best first: most losses explained, then fewest members, then the highest total score. */
function choicesOf(eligible: readonly Unit[], wanted: Wanted): readonly Choice[] {
  const choices: Choice[] = [];
  for (let mask = 1; mask < 1 << eligible.length; mask++) {
    const set = eligible.filter((_, index) => (mask >> index) & 1);
    const covered = coveredBy(set.flat(), wanted);
    if (covered.length > 0) choices.push({ set, covered, score: set.reduce((sum, unit) => sum + scoreOf(unit), 0) });
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

/**
 * Ids of what a set explains. Lost probes are explained when what remains of them is within chance, a symptom when a proposal
 * accounts for it.
 */
function coveredBy(set: readonly Proposal[], { losses, symptoms }: Wanted): readonly string[] {
  const shares = set.flatMap((proposal) => proposal.explains);
  const named = new Set(shares.map((share) => share.symptom));
  const lossy = losses.filter(({ id, fact }) => {
    const mine = shares.filter((share) => share.symptom === id);
    if (mine.length === 0) return false;
    const accounted = mine.reduce((sum, share) => sum + share.lost, 0);
    const spread = Math.hypot(Math.sqrt(fact.value.lost), ...mine.map((share) => share.spread));
    return fact.value.lost - accounted <= Math.max(3, 4 * spread);
  });
  return [...lossy, ...symptoms.filter(({ id }) => named.has(id))].map(({ id }) => id);
}
