// isis_metric_misconfig: one end of a link has a metric far from that of its other end and of all other links, which agree. A link that is
// drained by its metric is being worked on, and no fault.
import type { Remark } from '#model/finding.ts';
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { remarkOf } from '../../network/remark.ts';
import { circuitOf, sourcesOf, type World, type WorldLink } from '../../network/world.ts';
import { isIsisAdjacent } from '../../symptoms/adjacency.ts';
import { linkLabel } from '../../symptoms/links/on-link.ts';

/** Other ends that must agree before their metric is the network's. */
const LEAST_ALIKE = 3;
/** So many times the metric of all others is a slip; less may be meant. */
const FAR_TIMES = 10;
/** FRR's default (RFC 1195 leaves it to the implementation). */
const DEFAULT_METRIC = 10;
/** Metrics that no router computes with, or only as a last resort (RFC 5305 §3.7): how a link is drained. */
const DRAINED = 0xffffff - 1;

type Detail = {
  readonly node: string;
  readonly ifname: string;
  readonly link: string;
  readonly metric: number;
  readonly others: number;
};

export const isisMetric = defineFault<Detail>({
  id: 'isis_metric_misconfig',
  resource: 'interface',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'one end of a link has an IS-IS metric unlike all others, so that traffic takes another path',
  exact: '`isis metric` with what all others have',
  clue: 'metric',
  detect: ({ world }) =>
    world.links.filter((link) => isIsisAdjacent(world, link)).flatMap((link) => oddEnd(world, link)),
  describe: ({ link, metric, others }) => `${link}: metric ${metric} at one end, ${others} everywhere else`,
  remedy: ({ node, ifname, others }, { world }) => ({
    node,
    summary: `set the metric of ${nodeRef(node)} ${ifname} back to ${others}`,
    ...frrChange(world, node, onInterface(ifname, `isis metric ${others}`)),
  }),
});

function oddEnd(world: World, link: WorldLink): readonly Detection<Detail>[] {
  const metricOf = (end: LinkEnd) => circuitOf(world, end)?.metric ?? DEFAULT_METRIC;
  const [from, to] = [metricOf(link.from), metricOf(link.to)];
  const rest = world.links
    .filter(({ key }) => key !== link.key)
    .flatMap((other) => [other.from, other.to])
    .filter((end) => circuitOf(world, end) !== undefined)
    .map(metricOf);
  const [others] = rest;
  if (others === undefined || rest.length < LEAST_ALIKE || rest.some((each) => each !== others)) return [];
  const isOdd = (metric: number) => metric >= others * FAR_TIMES && metric < DRAINED;
  const odd = isOdd(from) && to === others ? link.from : isOdd(to) && from === others ? link.to : undefined;
  if (odd === undefined) return [];
  const nodes = [link.from.node, link.to.node];
  const detail = { ...odd, link: linkLabel(link), metric: metricOf(odd), others };
  return [
    {
      resource: interfaceResource(odd),
      confidence: 'likely',
      evidence: sourcesOf(world, ...nodes),
      nodes,
      link,
      detail,
    },
  ];
}

/** Links that are drained by their metric, as remarks: an operator is about to work on them. */
export function drainedLinks(world: World): readonly Remark[] {
  return world.links.flatMap((link) => {
    const drained = [link.from, link.to].filter((end) => (circuitOf(world, end)?.metric ?? 0) >= DRAINED);
    const at = drained.map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`).join(' and ');
    if (drained.length === 0) return [];
    const text = `${linkLabel(link)}: drained by the largest metric at ${at}`;
    const nodes = drained.map(({ node }) => node);
    return [remarkOf(world, nodes, { kind: 'isis_metric_misconfig', why: 'policy', resource: link.key, text })];
  });
}
