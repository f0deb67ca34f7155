// The verdict: `fault`, `healthy` on positive proof alone, else `inconclusive` with what was missing (docs/design.md §7, step 5).
import type { Remark, Verdict } from '#model/finding.ts';
import { type CaseFile, factsOf, type NodeErrors, type ProbeLoss } from './engine/facts.ts';
import type { Proposal } from './engine/fault-definition.ts';
import type { LossSymptom } from './engine/loss-symptom.ts';
import type { Ranked } from './engine/rank.ts';
import { boundedRemarks, settledRemarks } from './engine/remark.ts';
import type { Symptom } from './engine/symptom.ts';
import { proofOfHealth, remarksOf } from './health/health.ts';
import { nodeRef } from './network/node-ref.ts';
import { unjudgedRates } from './symptoms/links/bottleneck.ts';
import { hypothesisOf } from './text/hypothesis.ts';

/** Reasons carry node references; the caller puts the names in. `isMeant`: what is lacking because of something that is meant. */
export function verdictOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  ranked: Ranked,
  isMeant: (lacking: string) => boolean = () => false,
): Verdict {
  const accusing = ranked.chosen.filter(({ accuses }) => accuses !== false);
  const odd = ranked.chosen.filter(({ remark }) => remark !== undefined);
  const open = [
    ...ranked.unexplained.map((symptom) => openLine(file, symptom, ranked)),
    ...ranked.open.map((symptom) => openSymptom(symptom, ranked)),
  ];
  if (accusing.length > 0) {
    const unknown = [
      ...factsOf(file, 'missing').map(({ value }) => `${nodeRef(value.node)}: no ${value.what} (${value.why})`),
      ...file.planned.unanswered,
      ...unjudgedRates(file.world, file.facts),
    ].map((line) => `not known: ${line}`);
    return { kind: 'fault', reasons: [...accusing.map(hypothesisOf), ...open, ...unknown] };
  }
  const silenced = new Set(
    ranked.chosen.flatMap((proposal) => (proposal.meant ? proposal.explains.map(({ symptom }) => symptom) : [])),
  );
  const excused = losses.filter((symptom) => !ranked.unexplained.includes(symptom) && !silenced.has(symptom.id));
  const proof = proofOfHealth(file, excused, odd);
  const lacking = proof.lacking.filter((line) => !isMeant(line));
  if (open.length === 0 && lacking.length === 0) return { kind: 'healthy', reasons: proof.proven };
  return {
    kind: 'inconclusive',
    reasons: [...open, ...lacking.filter((line) => !open.includes(line))],
  };
}

/** What is odd and no fault, beside every verdict: `doubted` (engine/alike.ts), what ranking settled as remarks, and what stands all the same. */
export function allRemarks(
  file: CaseFile,
  { chosen }: Pick<Ranked, 'chosen'>,
  doubted: readonly Remark[] = [],
): readonly Remark[] {
  return boundedRemarks([...doubted, ...settledRemarks(chosen), ...remarksOf(file)]);
}

/** A loss without a finding: both ends are named, and the reason why no fault could be. */
function openLine(file: CaseFile, { id, fact }: LossSymptom, ranked: Ranked): string {
  const { value } = fact;
  const way = `${nodeRef(value.from)} ${value.directionKnown ? '→' : '↔'} ${nodeRef(value.to)}`;
  const lost = `${way}: ${value.lost} of ${value.sent} probes lost`;
  const { rivals, withheld } = consideredFor(id, ranked);
  if (rivals.length > 0) return `${lost}; ${rivals.join(' and ')} explain it equally well`;
  const notes = [...new Set([...withheld, ...nodeNotes(file, value)])];
  const place = value.scope === 'segment' ? endsOf(file, value) : 'though no single segment explains it';
  return `${lost}, ${place}${notes.length === 0 ? '' : `; ${notes.join('; ')}`}`;
}

/** A symptom without a cause: what it is, and what was considered. */
function openSymptom(symptom: Symptom, ranked: Ranked): string {
  const { rivals, withheld } = consideredFor(symptom.id, ranked);
  if (rivals.length > 0) return `${symptom.text}; ${rivals.join(' and ')} explain it equally well`;
  return [symptom.text, ...new Set(withheld)].join('; ');
}

/** Causes that explain a symptom equally well, and the reasons why others may not be accused of it. */
function consideredFor(symptom: string, ranked: Ranked) {
  const explains = (proposal: Proposal) => proposal.explains.some((share) => share.symptom === symptom);
  return {
    rivals: ranked.ambiguous.filter(explains).map(hypothesisOf),
    withheld: ranked.lost
      .filter(({ proposal }) => proposal.withheld !== undefined && explains(proposal))
      .map(({ why }) => why),
  };
}

function endsOf(file: CaseFile, value: ProbeLoss): string {
  const link = factsOf(file, 'link').find(
    ({ value: entry }) =>
      (entry.from.node === value.from && entry.to.node === value.to) ||
      (entry.from.node === value.to && entry.to.node === value.from),
  )?.value;
  const ends =
    link === undefined
      ? [nodeRef(value.from), nodeRef(value.to)]
      : [link.from, link.to].map((end) => `${nodeRef(end.node)} ${end.ifname}`);
  return `at ${ends[0]}, at ${ends[1]} or between them`;
}

/** Probes that this very question had a node send to addresses that it has no route to. */
function isOfOurOwn({ world }: CaseFile, { node, counter, packets }: NodeErrors): boolean {
  const tried = world.reach.filter(({ from, destination }) => from === node && destination.includes(':'));
  return counter === 'Ip6OutNoRoutes' && packets <= tried.reduce((sum, { sent, received }) => sum + sent - received, 0);
}

/** Drop counters of the two nodes that moved, and dropping rules without a counter: hints for people, no accusation. */
function nodeNotes(file: CaseFile, value: ProbeLoss): readonly string[] {
  const ours = (node: string) => node === value.from || node === value.to;
  const errors = factsOf(file, 'node-errors').filter((fact) => ours(fact.value.node) && !isOfOurOwn(file, fact.value));
  const silent = factsOf(file, 'filter-hits').filter(
    (fact) => ours(fact.value.node) && fact.value.packets === undefined,
  );
  const wires = factsOf(file, 'wire').filter(
    (fact) => fact.value.from.node === value.from && fact.value.to.node === value.to && !fact.value.comparable,
  );
  const refused = factsOf(file, 'send-errors').filter(
    (fact) => fact.value.from === value.from && fact.value.to === value.to,
  );
  return [
    ...refused.map((fact) => `${nodeRef(value.from)} itself refused to send ${fact.value.packets} of them`),
    ...wires.map((fact) => `counters not comparable: ${fact.value.why}`),
    ...errors.map((fact) => `${fact.value.counter} of ${nodeRef(fact.value.node)} rose by ${fact.value.packets}`),
    ...silent.map((fact) => `${fact.value.acl} on ${nodeRef(fact.value.node)} can drop and has no counter`),
  ];
}
