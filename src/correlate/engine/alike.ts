// More than a handful of findings of one kind, each judged by likeness or by what was overheard, are first a suspicion against the method:
// one remark says so. What is a contradiction, costs packets or breaks an expectation stands by itself, however often it is there.
import type { Remark } from '#model/finding.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import type { Proposal } from './fault-definition.ts';
import type { LossSymptom } from './loss-symptom.ts';
import type { Ranked } from './rank.ts';
import type { Symptom } from './symptom.ts';

/** Natures of symptoms that show neither harm nor a contradiction: something is unlike the rest, or was overheard from hosts. */
const BY_LIKENESS: ReadonlySet<string> = new Set([
  ...['slow', 'narrow', 'metric', 'rewrite', 'queue', 'filter', 'host', 'dhcp', 'names'],
]);

export type Believed = {
  /** Those of too many stay explanations and accuse no node. */
  readonly ranked: Ranked;
  readonly remarks: readonly Remark[];
};

export function believed(
  { losses, symptoms }: { readonly losses: readonly LossSymptom[]; readonly symptoms: readonly Symptom[] },
  ranked: Ranked,
): Believed {
  const natures = new Map<string, string>([
    ...losses.map(({ id }) => [id, 'loss'] as const),
    ...symptoms.map(({ id, kind, clue = kind, detail }) => [id, hasGrounds(detail) ? 'grounds' : clue] as const),
  ]);
  const isByLikeness = ({ explains, details }: Proposal) =>
    details['expected'] === undefined &&
    explains.every(({ symptom }) => BY_LIKENESS.has(natures.get(symptom) ?? 'unknown'));
  const weak = ranked.chosen.filter((each) => each.accuses !== false && isByLikeness(each));
  const many = [...Map.groupBy(weak, ({ fault }) => fault)].filter(
    ([, alike]) => alike.length > CORRELATE_LIMITS.alikeFindings,
  );
  if (many.length === 0) return { ranked, remarks: [] };
  const doubted = new Set(many.flatMap(([, alike]) => alike));
  const why = 'one of too many alike, and nothing shows that packets suffer from it';
  return {
    ranked: {
      ...ranked,
      chosen: ranked.chosen.map((each) => (doubted.has(each) ? { ...each, accuses: false as const } : each)),
      lost: [...ranked.lost, ...[...doubted].map((proposal) => ({ proposal, why }))],
    },
    remarks: many.map(([kind, alike]) => groupedRemark(kind, alike)),
  };
}

/** It was otherwise, or is expected to be. */
function hasGrounds({ rose, expected, was }: Symptom['detail']): boolean {
  return rose === true || expected === true || was !== undefined;
}

function groupedRemark(kind: string, alike: readonly Proposal[]): Remark {
  const places = [...new Set(alike.map(({ resource }) => resource))].sort();
  const rest = places.length - CORRELATE_LIMITS.alikePlaces;
  const named = places.slice(0, CORRELATE_LIMITS.alikePlaces).join(', ');
  return {
    ...{ kind, why: 'method' },
    text: `${alike.length} findings of ${kind} at once (${named}${rest > 0 ? ` and ${rest} more` : ''}), with no packets known to suffer from it: rather the network is built so, or the method is wrong, than that each is a fault`,
    evidence: [...new Set(alike.flatMap(({ evidence }) => evidence))].sort(),
  };
}
