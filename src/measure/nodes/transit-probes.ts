// Probes that show what a node's rules do to packets: marked ones over a link on whose way out a rule changes that mark, and plain ones from
// one neighbour to another through a node whose rules overwrite checksums. Only where such rules are; what they did is read from
// what arrived and from the rules' counters. Pure. A rule that says so and does nothing is no fault.

import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import { dscpOf, remarkOf, spoilsChecksums } from '#model/router/filter-rewrites.ts';
import { probeCall } from '../probe-call.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';

const MARKED_PROBES = 40;
const CROSSING_PROBES = 250;
/** Ways through one node that are tried. */
const CROSSINGS = 2;

export function planCrossings(states: States): readonly PlannedCall[] {
  const links = scopeLinks(states).filter(({ addresses }) => addresses?.from.includes(':') === true);
  const calls = [...states].flatMap(([node, { filters }]) => [
    ...filters.flatMap((rule) => {
      const mark = rule.rewrites?.map(remarkOf).find((each) => each !== undefined);
      const dscp = mark === undefined ? undefined : dscpOf(mark.was);
      if (dscp === undefined) return [];
      return links.flatMap((link) => {
        const [near, far] = endsFrom(link, node);
        return rule.outInterfaces.includes(near.end.ifname) ? [marked(near, far, dscp)] : [];
      });
    }),
    ...(filters.some(spoilsChecksums) ? crossings(node, links) : []),
  ]);
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

type Side = { readonly end: LinkEnd; readonly address: string };

/** The side of `node` first; both are others' where the link is not its own. */
function endsFrom({ from, to, addresses }: Link, node: string): readonly [Side, Side] {
  const sides: [Side, Side] = [
    { end: from, address: addresses!.from },
    { end: to, address: addresses!.to },
  ];
  return to.node === node ? [sides[1], sides[0]] : sides;
}

function marked(near: Side, far: Side, dscp: number): PlannedCall {
  const purpose: PlannedPurpose = { kind: 'dscp-probe', from: near.end, to: far.end, dscp };
  return probe(purpose, near, far, MARKED_PROBES, { trafficClass: dscp * 4 });
}

/** From one neighbour to the far side of another's link, which the node itself has: there and back it forwards them. */
function crossings(node: string, links: readonly Link[]): readonly PlannedCall[] {
  const around = links
    .filter(({ from, to }) => from.node === node || to.node === node)
    .map((link) => endsFrom(link, node)[1]);
  return around
    .flatMap((source, index) =>
      around
        .slice(index + 1)
        .filter((target) => target.end.node !== source.end.node)
        .map((target) =>
          probe(
            { kind: 'transit-probe', from: source.end.node, through: node, to: target.end },
            source,
            target,
            CROSSING_PROBES,
            { through: node },
          ),
        ),
    )
    .slice(0, CROSSINGS);
}

function probe(
  purpose: PlannedPurpose,
  source: Side,
  target: Side,
  count: number,
  { through, trafficClass }: { readonly through?: string; readonly trafficClass?: number },
): PlannedCall {
  return probeCall(
    purpose,
    [source.end.node, target.end.node],
    { count },
    {
      'SID List': through === undefined ? [] : [through],
      ...{ destination: target.address, source: source.address, segments: [] },
      ...(trafficClass === undefined ? {} : { trafficClass }),
    },
  );
}
