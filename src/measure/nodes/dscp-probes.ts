// Probes with a DSCP that a rule changes on the way out, over a link where the rule meets them; towards a node that gives no state as well,
// which needs no answer. Only where such rules are; what they did is read from the rules' counters. Pure.
import type { PlannedCall } from '#model/call.ts';
import type { NonReportingLink } from '#model/links/non-reporting-links.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import { dscpOf, remarkOf } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { linksOfSilent } from '../links/non-reporting-links.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { withoutRoutes } from '../scope.ts';
import { endsFrom, scopeLinks } from '../scope-links.ts';
import type { Mute, States } from '../states.ts';

const MARKED_PROBES = 40;
/** Rules of the neighbours of one node that gives no state. */
const MOST_OUT = 8;

export const dscpProbes = defineMeasurement({
  kinds: ['dscp-probe'],
  rounds: {
    first: (scope) => [
      ...planDscpProbes(scope.states),
      ...planDscpProbesOut(scope.nodes, scope.states, withoutRoutes(scope)),
    ],
  },
  read: decodeProbeResult,
});

export function planDscpProbes(states: States): readonly PlannedCall[] {
  const links = scopeLinks(states).filter(({ addresses }) => addresses?.from.includes(':') === true);
  const calls = [...states].flatMap(([node, { filters }]) =>
    filters.flatMap((rule) => {
      const dscp = rewrittenDscp(rule);
      if (dscp === undefined) return [];
      return links.flatMap((link) => {
        const [near, far] = endsFrom(link, node);
        if (!rule.outInterfaces.includes(near.end.ifname)) return [];
        const purpose: PlannedPurpose = { kind: 'dscp-probe', from: near.end, to: far.end, dscp };
        return [
          probe(purpose, [near.end.node, far.end.node], [], { source: near.address, destination: far.address, dscp }),
        ];
      });
    }),
  );
  return distinct(calls);
}

/** `nodes` are all of the scope: those without a state are non-reporting. */
export function planDscpProbesOut(nodes: readonly string[], states: States, mute: Mute): readonly PlannedCall[] {
  return linksOfSilent(nodes, states, mute).flatMap((links) =>
    distinct(links.flatMap((link) => outOf(states, link))).slice(0, MOST_OUT),
  );
}

function outOf(states: States, { near, far, router, address }: NonReportingLink): readonly PlannedCall[] {
  return (states.get(near.node)?.filters ?? []).flatMap((rule) => {
    const dscp = rewrittenDscp(rule);
    if (dscp === undefined || far === undefined || !rule.outInterfaces.includes(near.ifname)) return [];
    const purpose: PlannedPurpose = { kind: 'dscp-probe', from: near, to: { node: router }, dscp };
    return [probe(purpose, [near.node, near.node], [router], { source: address, destination: far, dscp })];
  });
}

function rewrittenDscp({ rewrites = [] }: FilterRule): number | undefined {
  const remark = rewrites.map(remarkOf).find((each) => each !== undefined);
  return remark === undefined ? undefined : dscpOf(remark.was);
}

/** Two rules for one DSCP are one question. */
function distinct(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

function probe(
  purpose: PlannedPurpose,
  ends: readonly [string, string],
  visits: readonly string[],
  { source, destination, dscp }: { readonly source: string; readonly destination: string; readonly dscp: number },
): PlannedCall {
  const way = { 'SID List': [...visits], destination, source, segments: [], trafficClass: dscp * 4 };
  return probeCall(purpose, ends, { count: MARKED_PROBES }, way);
}
