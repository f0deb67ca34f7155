// All measurements, in the order in which a round's calls are made, and the rounds as loops over them. Pure: asks nothing.
import type { PlannedCall } from '#model/call.ts';
import { isAlongPath } from '#model/intent.ts';
import type { Doubts, Unsettled } from './doubts.ts';
import { dhcp, offeredNames, offeredRouters } from './hosts/dhcp.ts';
import { farEchoes } from './hosts/far-echoes.ts';
import { filteredServices } from './hosts/filtered-services.ts';
import { hostScan } from './hosts/host-scan.ts';
import { nameServers } from './hosts/names.ts';
import { askedService, expectedServices, movedNames, seenServices } from './hosts/services.ts';
import { usedServices } from './hosts/used-services.ts';
import { askedReach, plainLinks } from './links/end-to-end.ts';
import { quietCounters } from './links/extended-measurement.ts';
import { linkClasses } from './links/link-classes.ts';
import { linkEchoes } from './links/link-echoes.ts';
import { linkLengths } from './links/link-lengths.ts';
import { linkProbes } from './links/link-probes.ts';
import { loops } from './links/loops.ts';
import { nonReportingLinks } from './links/non-reporting-links.ts';
import { silentNeighbours } from './links/silent-neighbours.ts';
import { srv6Probes } from './links/srv6-probes.ts';
import type { Measurement } from './measurement.ts';
import { bisectingTransit } from './nodes/bisecting-transit.ts';
import { handshakes } from './nodes/capture.ts';
import { dscpProbes } from './nodes/dscp-probes.ts';
import { logs } from './nodes/logs.ts';
import { lookups } from './nodes/lookups.ts';
import { reach } from './nodes/reach.ts';
import { transitProbes } from './nodes/transit-probes.ts';
import { fullSize, hopFullSize, pathClasses, pathLengths } from './path/full-size.ts';
import { networkReach } from './path/network-reach.ts';
import { fullSizeAgain, pathProbes } from './path/path-measurement.ts';
import { pathReach } from './path/path-reach.ts';
import { pathServices, pathStates } from './path/path-states.ts';
import { withSource } from './probe-sources.ts';
import { throughRelays } from './relays.ts';
import type { Scope } from './scope.ts';

export const MEASUREMENTS: readonly Measurement[] = [
  ...[
    pathProbes,
    fullSize,
    fullSizeAgain,
    pathLengths,
    hopFullSize,
    pathClasses,
    pathReach,
    networkReach,
    pathStates,
    pathServices,
    linkProbes,
    linkEchoes,
    linkClasses,
    linkLengths,
    lookups,
    reach,
    nonReportingLinks,
    silentNeighbours,
    plainLinks,
  ],
  ...[hostScan, filteredServices, farEchoes, dhcp, offeredNames, offeredRouters, nameServers],
  ...[srv6Probes, dscpProbes, transitProbes, bisectingTransit, loops],
  ...[askedService, askedReach, seenServices, movedNames, expectedServices, usedServices],
  ...[handshakes, logs, quietCounters],
];

/** Throws `caller/no-path` where all nodes of a path answered and yet there is no way along them. */
export function planFirst(scope: Scope): readonly PlannedCall[] {
  return planned(scope, ({ rounds }) => rounds.first?.(scope));
}

/** What the first round put in doubt, again. */
export function planConfirmation(scope: Scope, doubts: Doubts): readonly PlannedCall[] {
  return planned(scope, ({ rounds }) => rounds.confirmation?.(scope, doubts));
}

/** What the confirmation made necessary. */
export function planFollowUp(scope: Scope, doubts: Doubts): readonly PlannedCall[] {
  return planned(scope, ({ rounds }) => rounds.followUp?.(scope, doubts));
}

/** Steps, each to end before the next begins; none where nothing is open. */
export function planExtended(scope: Scope, unsettled: Unsettled): readonly (readonly PlannedCall[])[] {
  return measurementsFor(scope).flatMap(({ rounds }) => rounds.extended?.(scope, unsettled) ?? []);
}

/** Nodes that gave their state through a neighbour alone are asked what that neighbour can ask. */
function planned(
  scope: Scope,
  plan: (measurement: Measurement) => readonly PlannedCall[] | undefined,
): readonly PlannedCall[] {
  return throughRelays(
    measurementsFor(scope)
      .flatMap((measurement) => plan(measurement) ?? [])
      .map((call) => withSource(call, scope.states)),
    scope.relays,
  );
}

function measurementsFor({ intent }: Scope): readonly Measurement[] {
  // Only what nodes remember is asked.
  if (intent.kind === 'changes') return [];
  const own = isAlongPath(intent) ? 'path' : undefined;
  return MEASUREMENTS.filter(({ about }) => about === own || about === 'every');
}
