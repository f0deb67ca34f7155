// Everything that is not as it should be, other than lost probes: found kind by kind, each once. Nothing here accuses anybody.
import type { Outcome } from '#model/call.ts';
import type { Fact } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import type { Trouble } from '../engine/symptom.ts';
import type { World } from '../network/world.ts';
import { sessionTroubles } from './bgp/session-symptoms.ts';
import { starvedTroubles } from './filters/dropped-keepalives.ts';
import { insideTroubles } from './forwarding/forwarding-symptoms.ts';
import { stationTroubles } from './hosts/host-symptoms.ts';
import { contradictionTroubles } from './link/contradiction-symptoms.ts';
import { linkTroubles } from './link/link-symptoms.ts';
import { silentTroubles } from './link/non-reporting-symptoms.ts';
import { pastTroubles } from './link/recovered-symptoms.ts';
import { wireTroubles } from './link/wire-symptoms.ts';
import { ownMacElsewhere } from './nodes/mac-symptoms.ts';
import { nodeTroubles, wrongChecksums } from './nodes/node-symptoms.ts';
import { detourTroubles } from './routing/detour-symptoms.ts';
import { routeTroubles } from './routing/route-symptoms.ts';
import { dhcpTroubles } from './services/dhcp-symptoms.ts';
import { recordTroubles } from './services/dns-record-symptoms.ts';
import { nameTroubles } from './services/name-symptoms.ts';
import { serviceTroubles } from './services/service-symptoms.ts';
import { srv6Troubles } from './srv6/srv6-symptoms.ts';

/** Along a path: checksums that did not match at a node to which probes were lost. */
export function pathTroubles(facts: readonly Fact[]): readonly Trouble[] {
  const lossy = facts.flatMap((fact) =>
    fact.predicate === 'probe-loss' && isLoss(fact.value.sent, fact.value.lost) ? [fact.value.to] : [],
  );
  return wrongChecksums(facts).filter(({ nodes }) => nodes.some((node) => lossy.includes(node)));
}

export function troublesOf(world: World, facts: readonly Fact[], outcomes: readonly Outcome[]): readonly Trouble[] {
  const all = [
    ...linkTroubles(world, facts),
    ...wireTroubles(world, facts),
    ...insideTroubles(world, facts),
    ...silentTroubles(world, facts),
    ...contradictionTroubles(world, facts),
    ...sessionTroubles(world),
    ...starvedTroubles(world, facts),
    ...nodeTroubles(world, facts, outcomes),
    ...ownMacElsewhere(world),
    ...routeTroubles(world),
    ...detourTroubles(world),
    ...srv6Troubles(world),
    ...pastTroubles(world),
    ...serviceTroubles(world, facts),
    ...stationTroubles(world),
    ...dhcpTroubles(world, facts),
    ...nameTroubles(world),
    ...recordTroubles(world),
  ];
  return [...new Map(all.map((trouble) => [trouble.id, trouble])).values()];
}
