// Everything that is not as it should be, other than lost probes: found kind by kind, each once. Nothing here accuses anybody.
import type { Outcome } from '#model/call.ts';
import type { Fact } from '../engine/facts.ts';
import type { Past } from '../engine/fault-definition.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import type { Symptom } from '../engine/symptom.ts';
import type { World } from '../network/world.ts';
import { adjacencySymptoms } from '../symptoms/adjacency.ts';
import { narrowLinks } from '../symptoms/bottleneck.ts';
import { contradictionSymptoms } from '../symptoms/contradiction.ts';
import { linkDownSymptoms } from '../symptoms/link-down.ts';
import { linkFlapSymptoms } from '../symptoms/link-flap.ts';
import { mtuSymptoms } from '../symptoms/mtu.ts';
import { silentSymptoms } from '../symptoms/non-reporting.ts';
import { queueSymptoms } from '../symptoms/queue-overflow.ts';
import { pastSymptoms } from '../symptoms/recovered.ts';
import { slowLinks } from '../symptoms/slow-link.ts';
import { wrongChecksums } from '../symptoms/wrong-checksums.ts';
import { sessionSymptoms } from './bgp/session-symptoms.ts';
import { starvedSymptoms } from './filters/dropped-keepalives.ts';
import { hostSymptoms } from './hosts/host-symptoms.ts';
import { ownMacElsewhere } from './nodes/mac-symptoms.ts';
import { nodeSymptoms } from './nodes/node-symptoms.ts';
import { FAULT_DEFINITIONS } from './registry.ts';
import { detourSymptoms } from './routing/detour-symptoms.ts';
import { routeSymptoms } from './routing/route-symptoms.ts';
import { dhcpSymptoms } from './services/dhcp-symptoms.ts';
import { recordSymptoms } from './services/dns-record-symptoms.ts';
import { nameSymptoms } from './services/name-symptoms.ts';
import { serviceSymptoms } from './services/service-symptoms.ts';
import { srv6Symptoms } from './srv6/srv6-symptoms.ts';

/** Along a path: checksums that did not match at a node to which probes were lost. */
export function pathSymptoms(facts: readonly Fact[]): readonly Symptom[] {
  const lossy = facts.flatMap((fact) =>
    fact.predicate === 'probe-loss' && isLoss(fact.value.sent, fact.value.lost) ? [fact.value.to] : [],
  );
  return wrongChecksums(facts).filter(({ nodes }) => nodes.some((node) => lossy.includes(node)));
}

/** `past`: set for a remembered moment. */
export function symptomsOf(
  world: World,
  facts: readonly Fact[],
  outcomes: readonly Outcome[],
  past?: Past,
): readonly Symptom[] {
  const slice = { world, facts, ...(past === undefined ? {} : { past }) };
  const all = [
    ...linkDownSymptoms(world),
    ...linkFlapSymptoms(world),
    ...mtuSymptoms(world, facts),
    ...adjacencySymptoms(world),
    ...slowLinks(world, facts),
    ...narrowLinks(world, facts),
    ...queueSymptoms(world),
    ...wrongChecksums(facts),
    ...silentSymptoms(world, facts),
    ...contradictionSymptoms(world, facts),
    ...sessionSymptoms(world),
    ...starvedSymptoms(world, facts),
    ...nodeSymptoms(world, outcomes),
    ...ownMacElsewhere(world),
    ...routeSymptoms(world),
    ...detourSymptoms(world),
    ...srv6Symptoms(world),
    ...pastSymptoms(world),
    ...serviceSymptoms(world, facts),
    ...hostSymptoms(world),
    ...dhcpSymptoms(world, facts),
    ...nameSymptoms(world),
    ...recordSymptoms(world),
    ...FAULT_DEFINITIONS.flatMap(({ detect }) => detect?.(slice) ?? []),
  ];
  return [...new Map(all.map((symptom) => [symptom.id, symptom])).values()];
}
