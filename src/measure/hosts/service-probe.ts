// One call that probes services of hosts, and what its answer says; who probes what, and why, is the measurements'. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { PurposeOf, ServiceProbeReason } from '#model/purpose.ts';
import type { ServiceProbe, ServiceProbeRequest } from '#model/router/hosts.ts';
import { callFor } from '../call.ts';
import { decodeServiceProbes } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement, type Measurement, type Rounds } from '../measurement.ts';

export type ServiceRound = PurposeOf<'service-probe'>['round'];

/** For a reason of its own each. */
export function defineServiceProbes(
  rounds: Rounds,
): Measurement<'service-probe', ReturnType<typeof decodeServiceProbes>> {
  return defineMeasurement({ kinds: ['service-probe'], rounds, read: decodeServiceProbes });
}

export function serviceProbeCall(
  node: string,
  reason: ServiceProbeReason,
  serviceProbes: readonly ServiceProbe[],
  round: ServiceRound = 'first',
  { ifname, ...how }: Pick<ServiceProbeRequest, 'source' | 'whole'> & { readonly ifname?: string } = {},
): PlannedCall {
  const each = [...new Map(serviceProbes.map((serviceProbe) => [JSON.stringify(serviceProbe), serviceProbe])).values()];
  const args = {
    serviceProbes: each.slice(0, LIMITS.serviceProbes).map((serviceProbe) => ({ ...serviceProbe })),
    ...how,
  };
  const purpose = { kind: 'service-probe', reason, round, ...(ifname === undefined ? {} : { ifname }) } as const;
  return callFor(node, purpose, args, MEASURE_LIMITS.measureCallMs);
}
