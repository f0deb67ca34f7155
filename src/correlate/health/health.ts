// The positive proof of health (docs/design.md §7, step 5): every link up and adjacent at both ends, every probe back, both ends'
// counters agreeing. What is lacking keeps the verdict from being `healthy`; nothing here accuses a node.

import type { Remark } from '#model/finding.ts';
import { type LinkEnd, linkResource } from '#model/names.ts';
import { additionsOf } from '../baseline/expected.ts';
import { type CaseFile, factsOf, type ProbeLoss, type Proof, type Wire } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { isStray, LEAST_PROBES, type LossSymptom } from '../engine/loss-symptom.ts';
import { CROSSED } from '../engine/second-witness.ts';
import { drainedLinks } from '../faults/isis/isis-metric.ts';
import { unusableRemarks } from '../faults/sessions/unusable.ts';
import { oddLinks, saidOfLink } from '../network/link-rows.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { LinkFact } from '../network/topology.ts';
import { directionsOf } from '../network/world.ts';
import { settledBy } from '../observe/extended-measurement.ts';
import { isDoubtful, wireAgrees } from '../observe/wire.ts';
import { goneClampRemarks } from '../packet-filter/gone-clamps.ts';
import { linkDownSymptom } from '../symptoms/links/link-down.ts';
import { smallerLinks } from '../symptoms/links/mtu.ts';
import { longLinks, unwatchedLongLinks } from '../symptoms/links/slow-link.ts';
import { filterRemarks } from '../symptoms/service.ts';
import { sessionsOutOfUse } from '../symptoms/sessions.ts';

/** `excused` are losses that are explained without accusing the network; `meant` is odd, and no fault. */
export function proofOfHealth(file: CaseFile, excused: readonly LossSymptom[], meant: readonly Proposal[]): Proof {
  const proven: string[] = [];
  const lacking = [
    ...[...missingParts(file), ...unlinkedHops(file), ...uncrossedLinks(file)],
    ...[...unwatchedLongLinks(file.world, file.facts), ...file.planned.lacking],
  ];
  for (const { value } of factsOf(file, 'link')) {
    const ends = `${nodeRef(value.from.node)} ${value.from.ifname} – ${nodeRef(value.to.node)} ${value.to.ifname}`;
    if (value.unused || isMeant(file, meant, value)) continue;
    const isUnproven = value.shared !== undefined && !isByProbesAlone(file, value);
    const symptoms = [...(isUnproven ? [value.shared] : []), ...value.symptoms];
    if (symptoms.length > 0) lacking.push(...symptoms.map((symptom) => `${ends}: ${symptom}`));
    else
      proven.push(
        `${ends}: both ends up${value.signs.includes('isis') ? ', IS-IS adjacency up on both' : ''} (${saidOfLink(value)})`,
      );
  }
  for (const { value } of factsOf(file, 'wire')) {
    if (isBeside(file, value)) continue;
    const again = isDoubtful(value) ? lookedAgain(file, value) : undefined;
    if (again !== undefined && wireAgrees(again)) proven.push(`${wireLine(again)}, in a second look`);
    else (wireAgrees(value) ? proven : lacking).push(wireLine(value));
  }
  for (const fact of factsOf(file, 'probe-loss')) {
    const explained = excused.some((symptom) => symptom.fact === fact);
    const passed = explained && settledBy(file, fact.value)?.kind === 'clean';
    (explained || isSound(fact.value) || isAllThatCame(fact.value, excused) ? proven : lacking).push(
      probeLine(fact.value, explained, passed),
    );
  }
  for (const { value } of factsOf(file, 'send-errors')) {
    lacking.push(`${nodeRef(value.from)} could not send ${value.packets} probes to ${nodeRef(value.to)}`);
  }
  for (const { value } of factsOf(file, 'round-trip')) {
    const [avg, max] = [value.avg, value.max].map((ms) => Math.round(ms * 1000) / 1000);
    proven.push(
      `round trip ${nodeRef(value.from)} – ${nodeRef(value.to)}: ${avg} ms on average, ${max} ms at most, as measured`,
    );
  }
  for (const { value } of factsOf(file, 'filter-hits')) {
    if (value.packets === undefined) continue;
    proven.push(`${value.acl} on ${nodeRef(value.node)} dropped ${value.packets} other packets in the window`);
  }
  return { proven: [...proven, ...file.planned.proven], lacking };
}

/** What is strange about links that stand all the same: told with every verdict, and no part of it. */
export function remarksOf(file: CaseFile): readonly Remark[] {
  const links = factsOf(file, 'link').flatMap(({ value, source }) =>
    value.remarks.map((remark) => ({
      ...{ kind: 'link_signs', why: 'no-harm' as const, resource: linkResource(value.from, value.to) },
      ...{ text: `${remark}; the addresses and both ends say otherwise`, evidence: [...source].sort() },
    })),
  );
  return [
    ...links,
    ...oddLinks(file.world),
    ...outOfUse(file),
    ...sessionsOutOfUse(file.world),
    ...unusableRemarks(file.world),
    ...lateProbes(file),
    ...longLinks(file.world, file.facts),
    ...smallerLinks(file.world),
    ...goneClampRemarks(file.world),
    ...drainedLinks(file.world),
    ...filterRemarks(file),
    ...additionsOf(file),
  ];
}

/** Not up, and a remark says why; any other remark leaves the link to be proven. */
function isMeant({ symptoms }: CaseFile, meant: readonly Proposal[], { from, to }: LinkFact): boolean {
  const settled = new Set(meant.flatMap(({ explains }) => explains.map(({ symptom }) => symptom)));
  return symptoms.some(
    (symptom) => linkDownSymptom.is(symptom) && settled.has(symptom.id) && symptom.link?.key === linkResource(from, to),
  );
}

/**
 * A link that several nodes share, whose counters prove nothing. Along a path the counters of every hop are part of the proof: there, probes over this
 * very hop stand for them.
 */
function isByProbesAlone(file: CaseFile, { shared, from, to }: LinkFact): boolean {
  if (shared === undefined) return false;
  if (file.path.length === 0) return true;
  const key = linkResource(from, to);
  const rows = factsOf(file, 'probe-loss').filter(({ value }) => value.link === undefined || value.link === key);
  return directionsOf({ from, to }).every((way) => {
    const mine = rows.filter(({ value }) => value.from === way.from.node && value.to === way.to.node);
    return mine.length > 0 && mine.every(({ value }) => isSound(value));
  });
}

/** Links whose counters tell nothing of the network's health: those out of use, and shared ones. */
function isBeside(file: CaseFile, { from, to }: Wire): boolean {
  const ends = [from, to].map(({ node, ifname }) => `${node} ${ifname}`);
  return factsOf(file, 'link').some(
    ({ value }) =>
      (isByProbesAlone(file, value) || value.unused === true) &&
      [value.from, value.to].every(({ node, ifname }) => ends.includes(`${node} ${ifname}`)),
  );
}

function lateProbes(file: CaseFile): readonly Remark[] {
  return factsOf(file, 'late-probes').map(({ value: { from, to, late, sent }, source }) => ({
    ...{ kind: 'late_probes', why: 'method', evidence: [...source].sort() },
    text: `${nodeRef(from)} ↔ ${nodeRef(to)}: ${late} of ${sent} probes came back late and were not lost: one of the two, or the link, was busy`,
  }));
}

function outOfUse(file: CaseFile): readonly Remark[] {
  return factsOf(file, 'link').flatMap(({ value, source }): readonly Remark[] => {
    const found = { resource: linkResource(value.from, value.to), evidence: [...source].sort() };
    const ends = `${nodeRef(value.from.node)} ${value.from.ifname} – ${nodeRef(value.to.node)} ${value.to.ifname}`;
    if (value.unused) return [{ ...found, kind: 'link_down', why: 'policy', text: `${ends}: shut down at both ends` }];
    return !isByProbesAlone(file, value)
      ? []
      : [{ ...found, kind: 'shared_link', why: 'method', text: `${ends}: ${value.shared}, judged by probes alone` }];
  });
}

/** Enough probes, and all but a stray arrived. */
function isSound({ sent, lost }: ProbeLoss): boolean {
  return sent >= LEAST_PROBES && (lost === 0 || isStray(sent, lost));
}

/** Answers to probes of which most were taken on the way there, for a reason that is known: few, and none of them was lost. */
function isAllThatCame({ from, to, sent, lost }: ProbeLoss, excused: readonly LossSymptom[]): boolean {
  const isBack = ({ fact: { value } }: LossSymptom) => value.from === to && value.to === from;
  return sent > 0 && lost === 0 && excused.some(isBack);
}

/** The same direction between quiet readings, where it was looked at once more. */
function lookedAgain(file: CaseFile, { from, to }: Wire): Wire | undefined {
  const isSame = (one: LinkEnd, other: LinkEnd) => one.node === other.node && one.ifname === other.ifname;
  return factsOf(file, 'extended-measurement').find(({ value }) => isSame(value.from, from) && isSame(value.to, to))
    ?.value.wire;
}

function wireLine(wire: Wire): string {
  const way = `${nodeRef(wire.from.node)} ${wire.from.ifname} → ${nodeRef(wire.to.node)} ${wire.to.ifname}`;
  if (!wire.comparable) return `${way}: counters not comparable: ${wire.why}`;
  const counted = `${way}: ${wire.txPackets} sent, ${wire.rxPackets} received`;
  if (wireAgrees(wire)) return wire.txPackets === wire.rxPackets ? counted : `${counted}, within measurement error`;
  return `${way}: the counters say that at least ${wire.lostAtLeast} of ${wire.txPackets} packets were lost, the probes do not`;
}

function probeLine(probe: ProbeLoss, explained: boolean, passed: boolean): string {
  const way = `${nodeRef(probe.from)} → ${nodeRef(probe.to)}`;
  const limited = probe.unanswered > 0 && probe.from !== probe.measuredBy;
  const note = limited
    ? `; ${probe.unanswered} more were not answered, ${nodeRef(probe.from)} limits how many it answers`
    : '';
  const base = `${way}: ${probe.sent - probe.lost} of ${probe.sent} probes arrived${note}`;
  if (passed) return `${base}; both ends’ counters account for the rest and a longer look lost none: a node was busy`;
  if (explained) return `${base}; ${nodeRef(probe.to)} itself dropped the rest, the network delivered them`;
  if (isStray(probe.sent, probe.lost)) return `${base}; ${probe.lost} lost is a stray, too few for a verdict`;
  return probe.sent >= LEAST_PROBES ? base : `${base}, too few for a proof`;
}

function missingParts(file: CaseFile): readonly string[] {
  return factsOf(file, 'missing').map(({ value }) => `${nodeRef(value.node)}: no ${value.what} (${value.why})`);
}

function unlinkedHops(file: CaseFile): readonly string[] {
  const links = factsOf(file, 'link');
  const known = new Set(factsOf(file, 'missing').map(({ value }) => value.node));
  return file.path.slice(1).flatMap((to, index) => {
    const from = file.path[index]!;
    const linked = links.some(({ value }) => value.from.node === from && value.to.node === to);
    return linked || known.has(from) || known.has(to)
      ? []
      : [`no link between ${nodeRef(from)} and ${nodeRef(to)} is known`];
  });
}

/** Probes of a segment that arrived by another way prove nothing of the link between its ends. */
function uncrossedLinks(file: CaseFile): readonly string[] {
  return factsOf(file, 'probe-loss').flatMap(({ value: { scope, from, to, measuredBy, sent, refused } }) => {
    const hop = file.path.indexOf(from) >= 0 && Math.abs(file.path.indexOf(from) - file.path.indexOf(to)) === 1;
    if (scope !== 'segment' || measuredBy !== from || !hop) return [];
    const wires = factsOf(file, 'wire').filter(({ value }) => value.from.node === from && value.to.node === to);
    if (wires.length === 0 || wires.some(({ value }) => !value.comparable)) return [];
    const crossed = wires.reduce((sum, { value }) => sum + value.txPackets, 0);
    const wanted = sent - refused;
    return crossed >= wanted * CROSSED
      ? []
      : [
          `${nodeRef(from)} → ${nodeRef(to)}: ${wanted} probes were sent and only ${crossed} packets left over the link between them: the rest went another way`,
        ];
  });
}
