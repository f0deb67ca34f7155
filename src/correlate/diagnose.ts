// Evidence → diagnosis: facts, losses, proposals of every rule, ranking, verdict, words. Pure; the same evidence gives the
// same diagnosis, at every node and at every time (docs/design.md §7). Implements TS-17's deterministic part.
import type { Expectation } from '#model/baseline.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Said } from '#model/expectations.ts';
import type { Candidate, Diagnosis, Finding, SegmentLoss, Verdict } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { caseFileOf } from './case-file.ts';
import { withAgainst } from './contrary-evidence.ts';
import { withWitness } from './corroboration.ts';
import { believed } from './engine/alike.ts';
import { type CaseFile, type FactWith, factsOf, hopsBetween, type ProbeLoss } from './engine/facts.ts';
import type { Proposal } from './engine/fault-definition.ts';
import { type LossSymptom, lossSymptomsOf, percentOf } from './engine/loss-symptom.ts';
import { merged, type Ranked, rank } from './engine/rank.ts';
import { isExcepted, withoutExcepted } from './except.ts';
import { packetLoss } from './faults/link/packet-loss.ts';
import { FAULT_DEFINITIONS } from './faults/registry.ts';
import { provenPast } from './health/history-proof.ts';
import { causeOf } from './history/caused-by.ts';
import { changesBefore, changesOn } from './history/changes-before.ts';
import { isAnsweredNow, isOnLink, resolvedFaults } from './history/resolved.ts';
import { changesBeforeFaults, changesDiagnosis, namedChanges } from './history/what-changed.ts';
import { type Meant, maintainedThen, meantOf } from './meant/meant.ts';
import { linkRows } from './network/link-rows.ts';
import { type NameNodes, namedDetails, nodeNamer } from './network/node-ref.ts';
import type { World } from './network/world.ts';
import { lostAtFullSize } from './symptoms/links/large-probes.ts';
import { withRoundTrips } from './tables/round-trips.ts';
import { historyTable, tableDiagnosis, toldTable } from './tables/tables.ts';
import { cluesOf } from './text/clues.ts';

import { hypothesisOf } from './text/hypothesis.ts';
import { sentenceOf } from './text/sentence.ts';
import { type Unsettled, unsettledIn } from './unsettled.ts';
import { allRemarks, verdictOf } from './verdict.ts';

export type DiagnoseInput = {
  readonly intent: Intent;
  /** Verified evidence of this exchange; order means nothing. */
  readonly evidence: readonly Evidence[];
  /** Every call's outcome, with how long the asker waited: the only time that joins two nodes. */
  readonly outcomes: readonly Outcome[];
  /** Resolved names of the path's nodes, head first. */
  readonly nodeNames: readonly string[];
  /** What the network is expected to look like; questions about a path have no use for it. */
  readonly expected?: readonly Expectation[];
  /** What operators said is meant, and when that is judged; absent: nothing. */
  readonly said?: Said;
};

/** What the evidence shows and which causes explain it, before it is put into words. */
export type Weighed = Pick<DiagnoseInput, 'intent' | 'nodeNames' | 'said'> & {
  readonly file: CaseFile;
  /** All evidence, sorted by id. */
  readonly ordered: readonly Evidence[];
  readonly losses: readonly LossSymptom[];
  readonly ranked: Ranked;
};

/** Total: whatever the evidence holds, there is a verdict. */
export function diagnose(input: DiagnoseInput): Diagnosis {
  return conclude(weigh(input));
}

const PAST_NOTE = 'what is over is not listed, as something is wrong now; name a time to ask for it';

/** The second half of `diagnose`: verdict and words. */
export function conclude(weighed: Weighed): Diagnosis {
  const { intent, nodeNames, file, losses, said } = weighed;
  if (intent.kind === 'changes') return changesDiagnosis(file, intent, nodeNamer(intent, nodeNames));
  if (intent.kind === 'data') return tableDiagnosis(file, intent, nodeNamer(intent, nodeNames));
  const { meant, doubts } = beforeNow(weighed);
  const { over } = meant;
  const { ranked: all, remarks: doubted } = believed({ losses, symptoms: file.symptoms }, meant.ranked);
  const isAsked = ({ details, resource }: Proposal) =>
    details['over'] !== true || isOnLink(file.world, intent, resource);
  const ranked = { ...all, chosen: all.chosen.filter(isAsked) };
  // Findings may be about hosts, which are no nodes of the question.
  const accused = [...ranked.chosen, ...ranked.ambiguous, ...ranked.lost.map(({ proposal }) => proposal), ...over];
  const nameNodes = nodeNamer(intent, [...nodeNames, ...accused.map(({ resource }) => resource.split('/')[1] ?? '')]);
  const now = withOver(verdictOf(file, losses, ranked, meant.excuses), over);
  const marked = provenPast(now, file.world, maintainedThen(file.world, said), doubts);
  const pastNote = isAnsweredNow(intent, ranked.chosen) ? [PAST_NOTE] : [];
  const shown = marked.kind === 'fault' ? [...ranked.chosen.filter(accuses), ...over] : [];
  const chosen = shown.filter((proposal) => !isExcepted(intent, proposal));
  const asked = withoutExcepted(
    marked,
    chosen,
    shown.filter((proposal) => isExcepted(intent, proposal)),
  );
  const verdict: Verdict = {
    kind: asked.kind,
    reasons: withMeant([...asked.reasons, ...pastNote], meant).map(nameNodes),
  };
  const findings = chosen
    .map((proposal) =>
      withCause({ ...findingOf(proposal, nameNodes), ...changesBefore(file.world, proposal) }, file.world),
    )
    .sort((one, other) => (one.resource < other.resource ? -1 : 1));
  const segments = segmentsOf(file, chosen);
  const remarks = allRemarks(file, ranked, doubted);
  const diagnosis: Diagnosis = {
    verdict,
    findings,
    ...(remarks.length === 0 ? {} : { remarks: remarks.map((each) => ({ ...each, text: nameNodes(each.text) })) }),
    ...(intent.beforeFault === true ? { changes: namedChanges(changesBeforeFaults(file, findings), nameNodes) } : {}),
    ...(file.world.days === undefined
      ? {}
      : { table: toldTable(historyTable(file.world, [...file.world.views.values()], intent), nameNodes) }),
    candidates: candidatesOf(
      chosen,
      [...ranked.lost, ...doubts.map((each) => ({ proposal: each, why: each.withheld! }))],
      nameNodes,
    ),
    segments,
    links: linkRows(file.world),
    clues: cluesOf(file),
    ...(meant.silenced.length === 0
      ? {}
      : { silenced: meant.silenced.map((each) => ({ ...each, text: nameNodes(each.text) })) }),
    sentence: sentenceOf(file, intent, {
      verdict,
      findings,
      segments,
      lossless: losses.length === 0,
      largeLost: lostAtFullSize(file.facts) > 0,
      silenced: meant.silenced.length,
      maintained: meant.maintained,
      nameNodes,
    }),
    hypothesis:
      findings.length === 0
        ? verdict.kind === 'healthy'
          ? 'none'
          : 'undecided'
        : findings.map((finding) => finding.hypothesis).join('; '),
  };
  return withRoundTrips(diagnosis, file, intent, nameNodes);
}

/** With what was wrong before and is not meant; `doubts` are what may have been wrong, and would not have been meant. */
function beforeNow({ intent, file, ordered, losses, said, ranked }: Weighed): {
  readonly meant: Meant;
  readonly doubts: readonly Proposal[];
} {
  const { sure = [], doubtful = [] } = Object.groupBy(
    resolvedFaults(intent, file.world, ordered, ranked.chosen),
    ({ withheld }) => (withheld === undefined ? 'sure' : 'doubtful'),
  );
  const meant = meantOf(file, losses, said, ranked, sure);
  return { meant, doubts: doubtful.length === 0 ? [] : meantOf(file, losses, said, ranked, doubtful).over };
}

/** What an extended measurement may clear up: links that lost probes or damaged packets for no known reason. */
export function unsettled({ file, losses, ranked }: Weighed): Unsettled {
  return unsettledIn(file, losses, ranked);
}

/** The first half of `diagnose`: total, and the costlier one. */
export function weigh(input: DiagnoseInput): Weighed {
  const { intent, evidence, outcomes, nodeNames, said } = input;
  const ordered = [...evidence].sort((one, other) => (one.id < other.id ? -1 : 1));
  const file = caseFileOf(intent, nodeNames, ordered, outcomes, input.expected, said);
  const losses = lossSymptomsOf(file);
  const proposals = FAULT_DEFINITIONS.flatMap((rule) => rule.propose(file, losses)).map((each) =>
    withWitness(file, each),
  );
  const everything = merged(proposals).map((proposal) => withAgainst(file, losses, proposal));
  const ranked = rank(everything, losses, file.symptoms);
  return { intent, nodeNames, file, ordered, losses, ranked, ...(said === undefined ? {} : { said }) };
}

/** That a line ended, or is not applied, stands where a list that is cut still shows it. */
function withMeant([first, ...rest]: readonly string[], { remarks, silenced }: Meant): readonly string[] {
  return [...(first === undefined ? [] : [first]), ...remarks, ...rest, ...silenced.map(({ text }) => text)];
}

function withOver(verdict: Verdict, over: readonly Proposal[]): Verdict {
  if (over.length === 0) return verdict;
  const lines = over.map(hypothesisOf);
  return { kind: 'fault', reasons: verdict.kind === 'healthy' ? lines : [...lines, ...verdict.reasons] };
}

function accuses(proposal: Proposal): boolean {
  return proposal.accuses !== false;
}

function findingOf(proposal: Proposal, nameNodes: NameNodes): Finding {
  const { resource, fault, confidence, remedy } = proposal;
  return {
    resource,
    fault,
    confidence,
    evidence: [...new Set(proposal.evidence)].sort(),
    against: [...new Set(proposal.against)].sort(),
    details: namedDetails(proposal.details, nameNodes),
    hypothesis: nameNodes(hypothesisOf(proposal)),
    ...(remedy === undefined ? {} : { remedy: { ...remedy, summary: nameNodes(remedy.summary) } }),
  };
}

/** The cause may be older than the changes that are shown. */
function withCause(finding: Finding, world: World): Finding {
  const cause = causeOf({ ...finding, changes: changesOn(world, finding) });
  return cause === undefined ? finding : { ...finding, causedByChange: cause };
}

function candidatesOf(chosen: readonly Proposal[], lost: Ranked['lost'], nameNodes: NameNodes): readonly Candidate[] {
  const row = (proposal: Proposal, isChosen: boolean, why: string): Candidate => ({
    resource: proposal.resource,
    fault: proposal.fault,
    source: 'rule',
    chosen: isChosen,
    why: nameNodes(why),
  });
  return [
    ...chosen.map((proposal) =>
      row(proposal, true, `explains ${proposal.explains.map((share) => share.symptom).join(', ')}`),
    ),
    ...lost.map(({ proposal, why }) => row(proposal, false, `${why}${againstOf(proposal)}`)),
  ];
}

function againstOf({ against }: Proposal): string {
  return against.length === 0 ? '' : `; against it: ${[...against].sort().join(', ')}`;
}

/** Where no probe came back, the finding says in which direction they were lost. */
function turned(file: CaseFile, value: ProbeLoss, chosen: readonly Proposal[]): ProbeLoss {
  if (value.directionKnown) return value;
  const back = hopsBetween(file.path, value.to, value.from);
  const behind = factsOf(file, 'wire').filter((wire) =>
    back.some(([from, to]) => wire.value.from.node === from && wire.value.to.node === to),
  );
  const wayBack = chosen.some(
    (proposal) => proposal.fault === packetLoss.id && behind.some((wire) => wire.subject === proposal.resource),
  );
  return wayBack ? { ...value, from: value.to, to: value.from } : value;
}

/** The whole path first, then segment by segment from the head, forwards before backwards. */
function rankOf(path: readonly string[], fact: FactWith<'probe-loss'>): number {
  const [from, to] = [path.indexOf(fact.value.from), path.indexOf(fact.value.to)];
  const backwards = from > to ? 1 : 0;
  return (fact.value.scope === 'segment' ? 2 + 2 * Math.min(from, to) : 0) + backwards;
}

/** Measured loss of every stretch in both directions; of parallel links the one with the worst counters. */
function segmentsOf(file: CaseFile, chosen: readonly Proposal[]): readonly SegmentLoss[] {
  const losses = factsOf(file, 'probe-loss')
    .filter((fact) => file.path.length === 0 || fact.value.flows === undefined)
    .sort((one, other) => rankOf(file.path, one) - rankOf(file.path, other));
  return losses.map((fact) => {
    const value = turned(file, fact.value, chosen);
    const wires = factsOf(file, 'wire').filter(
      (wire) => value.scope === 'segment' && wire.value.from.node === value.from && wire.value.to.node === value.to,
    );
    const wire = [...wires].sort((one, other) => other.value.estimate - one.value.estimate)[0]?.value;
    return {
      from: value.from,
      to: value.to,
      ...(wire === undefined ? {} : { ifname: wire.from.ifname }),
      probesSent: value.sent,
      probesLost: value.lost,
      lossPercent: percentOf(value.lost, value.sent),
      ...(wire?.comparable
        ? {
            counters: {
              lostAtLeast: wire.lostAtLeast,
              lostAtMost: wire.lostAtMost,
              txPackets: wire.txPackets,
              rxPackets: wire.rxPackets,
            },
          }
        : {}),
    };
  });
}
