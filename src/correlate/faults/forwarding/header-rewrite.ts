// header_rewrite: a rule of a node writes so small a TTL into what it forwards that the packets expire before they arrive. Accuses on harm:
// echoes that such packets carry, there or back, are lost at every look, while the host answers its own router; and the rule says
// which TTL is left for how many routers. Or on change: a rule that was not there before leaves nothing of what its node is to forward. No fault where the TTL that is left is enough, where one such echo came back all the same,
// or where a rule is for other packets: writing a TTL is everyday work at an edge.
import { nodeResource } from '#model/names.ts';
import { expiresAtOnce, ttlWritten } from '#model/router/filter-rewrites.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { type Detection, defineFault, type Slice } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { arrivedThrough } from '../../network/carried.ts';
import { type Walk, walk } from '../../network/forwarding.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { hasCome } from '../../network/remembered.ts';
import type { View, World } from '../../network/world.ts';
import { counterDelta } from '../../observe/wire.ts';
import { meets, takes } from '../../packet-filter/attempts.ts';
import { lostFromAfar, type ServiceDetail, serviceSymptom } from '../../symptoms/service.ts';

/** Counted where a packet arrives whose TTL is used up (RFC 1812 §5.3.1). */
const EXPIRED = 'IpInHdrErrors';

type Detail = {
  readonly node: string;
  /** As the node words it: `ip ttl = 1`. */
  readonly rewrites: string;
  /** Hosts to or from which echoes are lost, and the node that sent them. */
  readonly hosts: readonly string[];
  readonly senders: readonly string[];
  /** Nodes behind the rule, on the way of the lost echoes, that counted as many packets whose TTL was used up. */
  readonly expiredAt: readonly string[];
};

export const headerRewrite = defineFault<Detail>({
  id: 'header_rewrite',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a rule of a node sets the TTL of what it forwards so low that the packets expire before they arrive',
  clue: 'rewrite',
  score: 4,
  detect: (slice) =>
    slice.past === undefined ? [...slice.world.views.values()].flatMap((view) => detected(slice, view)) : [],
  describe: ({ node, rewrites, hosts, senders, expiredAt }) =>
    hosts.length === 0
      ? `${nodeRef(node)}: a rule of its packet filter, which was not there before, writes a TTL that is used up into all that comes in (${rewrites}): the node forwards none of it`
      : `${nodeRef(node)}: a rule of its packet filter changes what it forwards (${rewrites}); echoes of ${senders.map(nodeRef).join(', ')} to ${hosts.join(', ')} are lost, as that TTL is too small for the way${expiredAt.length === 0 ? '' : `, and ${expiredAt.map(nodeRef).join(', ')} counted packets that expired`}`,
  remedy: ({ node, rewrites }) => ({
    node,
    summary: `review the rule of ${nodeRef(node)} that writes the TTL (${rewrites})`,
    decide: 'what the rule was meant for: a TTL is seldom to be written at all',
  }),
  consequences: ({ detail: { node, hosts, senders } }, file) =>
    serviceSymptom
      .of(file)
      .filter(
        ({ detail }) => hosts.includes(detail.destination) && senders.includes(detail.from) && node !== detail.from,
      )
      .map(shareOf),
});

function detected(slice: Slice, view: View): readonly Detection<Detail>[] {
  const { node, state, sources } = view;
  return state.filters.flatMap((rule): readonly Detection<Detail>[] => {
    const written = ttlWritten(rule);
    if (written === undefined) return [];
    const lost = lostFromAfar(slice.world).filter((symptom) => expires(slice.world, node, rule, written.ttl, symptom));
    const hosts = [...new Set(lost.map(({ detail }) => detail.destination))];
    const isFound = lost.length > 0 || stopsAll(slice.world, view, rule);
    if (!isFound || cameBack(slice.world, node, rule, written.ttl)) return [];
    const expired = expiredBehind(slice.world, node, rule, written.ttl, lost);
    return [
      {
        resource: nodeResource(node),
        evidence: [...sources, ...lost.flatMap(({ source }) => source), ...expired.flatMap((each) => each.sources)],
        nodes: [node],
        confidence: expired.length > 0 ? 'certain' : 'likely',
        detail: {
          ...{ node, rewrites: written.text, hosts },
          senders: [...new Set(lost.map(({ detail }) => detail.from))],
          expiredAt: expired.map((each) => each.node),
        },
      },
    ];
  });
}

/**
 * A rule that was not there before, stands before its node looks at the TTL, is the only one of its table there and the only one that writes a TTL, takes whatever comes in
 * and took packets; and nothing is seen to come through the node.
 */
function stopsAll(world: World, view: View, rule: FilterRule): boolean {
  const written = ttlWritten(rule);
  // A later table may write another TTL.
  const beside = view.state.filters.filter(
    (each) =>
      each !== rule &&
      each.hook === rule.hook &&
      ((each.table === rule.table && each.family === rule.family) || ttlWritten(each) !== undefined),
  );
  return (
    written !== undefined &&
    expiresAtOnce(rule) &&
    ['ip', 'ip6', 'inet'].includes(rule.family) &&
    rule.path.length === 1 &&
    rule.inInterfaces.length === 0 &&
    rule.matches?.every(({ field }) => field === 'network') === true &&
    rule.matchesRest === false &&
    rule.packets !== undefined &&
    rule.packets !== '0' &&
    beside.length === 0 &&
    hasCome(world, view.node, rule) &&
    !arrivedThrough(world, view, written.network === 'ip' ? 'ipv4' : 'ipv6')
  );
}

/**
 * Nodes that counted packets whose TTL was used up, and that lost echoes or their answers come to after the rule; none where they counted fewer
 * than were lost: other packets expire in any network.
 */
function expiredBehind(
  world: World,
  node: string,
  rule: FilterRule,
  ttl: number,
  lost: readonly Symptom<ServiceDetail>[],
): readonly View[] {
  const behind = new Set(lost.flatMap((symptom) => nodesBehind(world, node, rule, ttl, symptom)));
  const counted = [...behind].flatMap((name) => {
    const view = world.views.get(name);
    const rise = view === undefined ? 0 : riseOf(view);
    return view === undefined || rise === 0 ? [] : [{ view, rise }];
  });
  const echoes = lost.reduce((sum, { detail }) => sum + echoesOf(world, detail), 0);
  const all = counted.reduce((sum, { rise }) => sum + rise, 0);
  return all < echoes ? [] : counted.map(({ view }) => view);
}

function riseOf({ before, after }: View): number {
  return counterDelta(before?.nodeCounters[EXPIRED], after?.nodeCounters[EXPIRED]) ?? 0;
}

function echoesOf({ serviceProbes }: World, { from, destination }: ServiceDetail): number {
  return serviceProbes
    .filter((each) => each.service === 'echo' && each.from === from && each.destination === destination)
    .reduce((sum, { sent }) => sum + sent, 0);
}

type Try = Pick<Symptom<ServiceDetail>, 'way' | 'detail'>;

/** On the way of a lost echo or of its answer, in the direction in which it expires; the node of the rule itself where that acts before it looks at the TTL. */
function nodesBehind(world: World, node: string, rule: FilterRule, ttl: number, attempt: Try): readonly string[] {
  const { from, owner, destination, source } = attempt.detail;
  const [there, back] = expiring(world, node, rule, ttl, attempt);
  const ways = [
    ...(there ? [walkTo(world, node, owner, destination)] : []),
    ...(back && source !== undefined ? [walkTo(world, node, from, source)] : []),
  ];
  const onWay = new Set(attempt.way?.nodes ?? []);
  return [...new Set(ways.flatMap((way) => way?.nodes ?? []))].filter(
    (each) => onWay.has(each) && (each !== node || rule.hook === 'prerouting'),
  );
}

/** The rule takes the echo or its answer, and leaves it fewer hops than there are routers before its end. */
function expires(world: World, node: string, rule: FilterRule, ttl: number, attempt: Try): boolean {
  return expiring(world, node, rule, ttl, attempt).some(Boolean);
}

/** Whether it leaves too few hops on the way there, and on the way back. */
function expiring(
  world: World,
  node: string,
  rule: FilterRule,
  ttl: number,
  attempt: Try,
): readonly [there: boolean, back: boolean] {
  const { from, owner, source } = attempt.detail;
  const isOther = attempt.detail.destination.includes(':') !== (ttlWritten(rule)?.network === 'ip6');
  if (isOther || node === from || !meets(attempt, { ...rule, node }) || !takes(rule, attempt)) return [false, false];
  // To the host its own router forwards as well; the answer ends at the node that asked.
  const there = node === owner ? 0 : hopsBetween(world, node, owner, attempt.detail.destination);
  const back = source === undefined ? undefined : hopsBetween(world, node, from, source);
  return [there !== undefined && ttl <= there, back !== undefined && ttl <= back - 1];
}

/** An echo that should have expired was answered: the rule is for other packets, or does not act. */
function cameBack(world: World, node: string, rule: FilterRule, ttl: number): boolean {
  return lostFromAfar(world, true).some((attempt) => expires(world, node, rule, ttl, attempt));
}

/** Fewest links between two nodes, over which the first sends what is for the address; undefined where that is not known. */
function hopsBetween(world: World, from: string, to: string, address: string): number | undefined {
  const way = walkTo(world, from, to, address);
  if (way === undefined) return undefined;
  const links = world.links.filter(({ key }) => way.links.includes(key));
  const known = new Map([[from, 0]]);
  for (const [node, hops] of known)
    for (const link of links) {
      const next = link.from.node === node ? link.to.node : link.to.node === node ? link.from.node : undefined;
      if (next !== undefined && !known.has(next)) known.set(next, hops + 1);
    }
  return known.get(to);
}

function walkTo(world: World, from: string, to: string, address: string): Walk | undefined {
  const target = world.owners.has(address) ? address : routedInstead(world, to);
  return target === undefined ? undefined : walk(world, from, target);
}

/** Of a host the way is that to its router. */
function routedInstead(world: World, node: string): string | undefined {
  return world.views.get(node)?.state.inventory.loopbacks[0]?.split('/')[0];
}
