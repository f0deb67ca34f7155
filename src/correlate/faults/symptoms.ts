// Everything that is not as it should be, other than lost probes: found kind by kind, each once. Nothing here accuses a node.
import type { Outcome } from '#model/call.ts';
import type { CaseFile, Fact } from '../engine/facts.ts';
import type { Memory, Past } from '../engine/fault-definition.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import type { Symptom } from '../engine/symptom.ts';
import { withOwedReaches } from '../network/owed.ts';
import { interfaceOf, type World, type WorldLink } from '../network/world.ts';
import { addressConflicts } from '../symptoms/address-conflict.ts';
import { adjacencySymptoms } from '../symptoms/adjacency.ts';
import { changedNextHopSymptoms } from '../symptoms/changed-next-hops.ts';
import { deadDaemons } from '../symptoms/dead-daemons.ts';
import { detourSymptoms } from '../symptoms/detours.ts';
import { starvedSymptoms } from '../symptoms/dropped-keepalives.ts';
import { duplicateAddresses } from '../symptoms/duplicate-addresses.ts';
import { narrowLinks } from '../symptoms/links/bottleneck.ts';
import { classLosses } from '../symptoms/links/class-loss.ts';
import { contradictionSymptoms } from '../symptoms/links/contradiction.ts';
import { lengthLosses } from '../symptoms/links/length-loss.ts';
import { linkDownSymptom, linkDownSymptoms } from '../symptoms/links/link-down.ts';
import { linkFlapSymptoms } from '../symptoms/links/link-flap.ts';
import { mtuSymptoms } from '../symptoms/links/mtu.ts';
import { nonReportingSymptoms } from '../symptoms/links/non-reporting.ts';
import { queueSymptoms } from '../symptoms/links/queue-overflow.ts';
import { recurringLosses } from '../symptoms/links/recurring-loss.ts';
import { slowLinkSymptom, slowLinks } from '../symptoms/links/slow-link.ts';
import { lossyTransits } from '../symptoms/lossy-transit.ts';
import { missingSids } from '../symptoms/missing-sids.ts';
import { wrongEntries } from '../symptoms/neighbour-entries.ts';
import { pastSymptoms } from '../symptoms/recovered.ts';
import { type RouteDetail, routeSymptom, routeSymptoms } from '../symptoms/routes.ts';
import { unansweredServices } from '../symptoms/service.ts';
import { sessionSymptoms } from '../symptoms/sessions.ts';
import { silentNodes } from '../symptoms/silent-nodes.ts';
import { unansweredEchoes } from '../symptoms/unanswered-echoes.ts';
import { usedServiceSymptoms } from '../symptoms/used-service.ts';
import { wrongChecksums } from '../symptoms/wrong-checksums.ts';
import { FAULT_DEFINITIONS } from './registry.ts';

/** `past`: set for a remembered moment. */
export function symptomsOf(
  { path, world }: Pick<CaseFile, 'path' | 'world'>,
  facts: readonly Fact[],
  outcomes: readonly Outcome[],
  past?: Past,
): readonly Symptom[] {
  if (path.length > 0) return symptomsAlong(world, facts);
  const slice = { world, facts, ...(past === undefined ? {} : { past }) };
  const all = [
    ...linkDownSymptoms(world),
    ...linkFlapSymptoms(world),
    ...mtuSymptoms(world, facts),
    ...adjacencySymptoms(world),
    ...slowLinks(world, facts),
    ...narrowLinks(world, facts),
    ...classLosses(world, facts),
    ...lengthLosses(world, facts),
    ...queueSymptoms(world),
    ...(past === undefined ? recurringLosses(world, facts) : []),
    ...wrongChecksums(facts),
    ...nonReportingSymptoms(world, facts),
    ...contradictionSymptoms(world, facts),
    ...sessionSymptoms(world),
    ...starvedSymptoms(world, facts),
    ...deadDaemons(world),
    ...silentNodes(world, facts, outcomes),
    ...wrongEntries(world),
    ...duplicateAddresses(world),
    ...routeSymptoms(world),
    ...unansweredEchoes(world, facts),
    ...lossyTransits(world, facts),
    ...detourSymptoms(world),
    ...changedNextHopSymptoms(world),
    ...missingSids(world),
    ...pastSymptoms(world),
    ...unansweredServices(world, facts),
    ...(past === undefined ? usedServiceSymptoms(world) : []),
    ...addressConflicts(world),
    ...FAULT_DEFINITIONS.flatMap(({ detect }) => detect?.(slice) ?? []),
  ];
  return eachOnce(all);
}

/**
 * A question about a path is about its loss, and probes are not all that is sent along it: how its nodes forward packets for each other's
 * addresses, for hosts behind them and for the services that these use. That a node has no route may be meant, which its few nodes cannot
 * tell, unless the node remembers one.
 */
function symptomsAlong(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const hops = new Set<string>(facts.flatMap(({ predicate, subject }) => (predicate === 'link' ? [subject] : [])));
  return eachOnce([
    // A path that is long always was; one that became so delays what users send.
    ...slowLinks(world, facts).filter((symptom) => slowLinkSymptom.is(symptom) && symptom.detail.rose === true),
    ...shutBesideOthers(world).filter(({ link }) => hops.has(link?.key ?? '')),
    ...checksumsAlong(facts),
    // An interior protocol that is down on a link of the path leads packets of others elsewhere.
    ...adjacencySymptoms(world).filter(({ link }) => hops.has(link?.key ?? '')),
    ...routeSymptoms(world).filter(
      (symptom) => routeSymptom.is(symptom) && (DISCARDED.has(symptom.detail.how) || symptom.detail.lost !== undefined),
    ),
    ...unansweredServices(world, facts),
    ...usedServiceSymptoms(world),
    ...recurringLosses(world, facts),
    ...classLosses(world, facts),
    ...lengthLosses(world, facts),
    ...mtuSymptoms(world, facts).filter(({ link }) => hops.has(link?.key ?? '')),
    ...unansweredEchoes(withOwedReaches(world), facts),
    ...FAULT_DEFINITIONS.flatMap(({ alongPath, detect }) => (alongPath && detect?.({ world, facts })) || []),
  ]);
}

const DISCARDED: ReadonlySet<RouteDetail['how']> = new Set<RouteDetail['how']>(['blackhole', 'unreachable', 'loop']);

/** Shut at one end, which may be meant for as long as another link joins the two nodes. */
function shutBesideOthers(world: World): readonly Symptom[] {
  return linkDownSymptoms(world).filter(
    (symptom) =>
      linkDownSymptom.is(symptom) &&
      symptom.link !== undefined &&
      [symptom.detail.from, symptom.detail.to].includes('shut') &&
      isBesideAnother(world, symptom.link),
  );
}

/** Another link that is up joins the same two nodes: what is sent along the path need not cross this one. */
function isBesideAnother(world: World, { key, from, to }: WorldLink): boolean {
  const both = [from.node, to.node];
  return world.links.some(
    (other) =>
      other.key !== key &&
      other.from.node !== other.to.node &&
      [other.from, other.to].every((end) => both.includes(end.node) && interfaceOf(world, end)?.operUp === true),
  );
}

function eachOnce(symptoms: readonly Symptom[]): readonly Symptom[] {
  return [...new Map(symptoms.map((symptom) => [symptom.id, symptom])).values()];
}

/** Checksums that did not match at a node to which probes were lost. */
function checksumsAlong(facts: readonly Fact[]): readonly Symptom[] {
  const lossy = facts.flatMap((fact) =>
    fact.predicate === 'probe-loss' && isLoss(fact.value.sent, fact.value.lost) ? [fact.value.to] : [],
  );
  return wrongChecksums(facts).filter(({ nodes }) => nodes.some((node) => lossy.includes(node)));
}

/** Symptoms that several faults share, in what nodes kept of a time that is over. */
export function sharedSymptomsKept(world: World, memory: Memory): readonly Symptom[] {
  return memory === 'host-scans' ? addressConflicts(world) : [];
}
