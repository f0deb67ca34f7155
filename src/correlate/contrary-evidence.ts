// Evidence against a proposal, by what it explains: other measurements of the same thing that found no fault. It rejects nothing by
// itself, as a fault may spare one measurement; a finding and a rejected candidate show it beside the evidence for them.

import { type CaseFile, factsOf } from './engine/facts.ts';
import type { Proposal } from './engine/fault-definition.ts';
import type { LossSymptom } from './engine/loss-symptom.ts';
import type { Symptom } from './engine/symptom.ts';
import { walk } from './network/forwarding.ts';
import { attachedTo } from './network/hosts.ts';
import type { ServiceProbeSeen } from './network/service-tries.ts';
import type { World } from './network/world.ts';
import { addressConflict } from './symptoms/address-conflict.ts';
import { type RouteDetail, routeSymptom } from './symptoms/routes.ts';
import { serviceSymptom } from './symptoms/service.ts';

/** Evidence that the proposal does not stand on itself. */
export function withAgainst(file: CaseFile, losses: readonly LossSymptom[], proposal: Proposal): Proposal {
  const named = new Set(proposal.explains.map(({ symptom }) => symptom));
  const found = [
    ...file.symptoms.filter(({ id }) => named.has(id)).flatMap((symptom) => unlike(file, symptom, proposal)),
    ...losses.filter(({ id }) => named.has(id)).flatMap((symptom) => cleanLooks(file, symptom)),
  ];
  const against = [...new Set([...proposal.against, ...found])].filter((id) => !proposal.evidence.includes(id));
  return { ...proposal, against };
}

function unlike(file: CaseFile, symptom: Symptom, { resource }: Proposal): readonly string[] {
  if (routeSymptom.is(symptom)) return cameBack(file, symptom.detail);
  // Only a service probe that passed the node of a filter says anything about it.
  if (serviceSymptom.is(symptom))
    return answeredTries(file, symptom.detail.destination, symptom.detail.port, resource.replace(/^node\//, ''));
  return addressConflict.is(symptom) ? answeredTries(file, symptom.detail.address, undefined) : [];
}

/** Echoes that came back from an address to which a node is said to have no path. */
function cameBack({ world }: CaseFile, { from, at, destination }: RouteDetail): readonly string[] {
  return world.reach
    .filter((row) => [from, at].includes(row.from) && row.destination === destination && row.received > 0)
    .map(({ source }) => source);
}

/** The same host answered the same service probe from any node, or from any node behind `through`; without a port, an echo from elsewhere. */
export function answeredTries(
  { world }: Pick<CaseFile, 'world'>,
  address: string,
  port: number | undefined,
  through?: string,
): readonly string[] {
  return world.serviceProbes
    .filter(
      (serviceProbe) =>
        serviceProbe.destination === address &&
        serviceProbe.port === port &&
        serviceProbe.via === undefined &&
        serviceProbe.open,
    )
    .filter((serviceProbe) => through === undefined || crosses(world, serviceProbe, through))
    .map(({ source }) => source);
}

function crosses(world: World, { from, destination }: ServiceProbeSeen, node: string): boolean {
  const near = attachedTo(world, destination);
  return from !== near?.node && walk(world, from, near?.routerAddress ?? destination).nodes.includes(node);
}

/** Other runs of probes over the same stretch in the same direction that lost none. */
function cleanLooks(file: CaseFile, { fact }: LossSymptom): readonly string[] {
  const { scope, from, to } = fact.value;
  return factsOf(file, 'probe-loss')
    .filter(
      ({ value }) =>
        value.scope === scope && value.from === from && value.to === to && value.sent > 0 && value.lost === 0,
    )
    .flatMap(({ source }) => source);
}
