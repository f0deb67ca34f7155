// The calls that probe services of hosts, one a family, and what their answers say; who probes what, and why, is the measurements'. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { PurposeOf, ServiceProbeReason } from '#model/purpose.ts';
import type { ServiceProbe, ServiceProbeRequest } from '#model/router/hosts.ts';
import { networkOf } from '#model/router/packet-match.ts';
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

/** A call names one source at most, which is of one family; a node of an earlier version refuses a call with IPv6 in it as a whole. */
export function serviceProbeCalls(
  node: string,
  reason: ServiceProbeReason,
  serviceProbes: readonly ServiceProbe[],
  round: ServiceRound = 'first',
  { ifname, ...how }: Pick<ServiceProbeRequest, 'source' | 'whole'> & { readonly ifname?: string } = {},
): readonly PlannedCall[] {
  const all = [...new Map(serviceProbes.map((serviceProbe) => [JSON.stringify(serviceProbe), serviceProbe])).values()];
  return (['ip', 'ip6'] as const).flatMap((network) => {
    const each = all.filter(({ destination }) => networkOf(destination) === network);
    if (each.length === 0 || (how.source !== undefined && networkOf(how.source) !== network)) return [];
    const args = {
      serviceProbes: each.slice(0, LIMITS.serviceProbes).map((serviceProbe) => ({ ...serviceProbe })),
      alongDefault: true,
      ...how,
    };
    const more = { ...(ifname === undefined ? {} : { ifname }), ...(network === 'ip6' ? { family: 6 as const } : {}) };
    const purpose = { kind: 'service-probe', reason, round, ...more } as const;
    return [callFor(node, purpose, args, MEASURE_LIMITS.measureCallMs)];
  });
}
