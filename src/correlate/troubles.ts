// Everything that is not as it should be, other than lost probes: found kind by kind, each once. Nothing here accuses anybody.
import type { Outcome } from '#model/call.ts';
import type { Fact } from './facts.ts';
import { isLoss } from './symptoms.ts';
import type { Trouble } from './trouble.ts';
import { contradictionTroubles } from './troubles-contradiction.ts';
import { detourTroubles } from './troubles-detour.ts';
import { dhcpTroubles } from './troubles-dhcp.ts';
import { insideTroubles } from './troubles-inside.ts';
import { linkTroubles } from './troubles-link.ts';
import { ownMacElsewhere } from './troubles-mac.ts';
import { nameTroubles } from './troubles-names.ts';
import { nodeTroubles, wrongChecksums } from './troubles-node.ts';
import { pastTroubles } from './troubles-past.ts';
import { recordTroubles } from './troubles-records.ts';
import { routeTroubles } from './troubles-route.ts';
import { serviceTroubles } from './troubles-service.ts';
import { sessionTroubles } from './troubles-session.ts';
import { silentTroubles } from './troubles-silent.ts';
import { srv6Troubles } from './troubles-srv6.ts';
import { starvedTroubles } from './troubles-starved.ts';
import { stationTroubles } from './troubles-station.ts';
import { wireTroubles } from './troubles-wire.ts';
import type { World } from './world.ts';

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
