// Hand-set routes that lead away: the next hop is no nearer to the owner of the address than the node itself is, by the metrics of
// links that are up. The packets arrive, by a detour; a next hop that is nearer is an operator's choice.
import { covers } from '#base/ip.ts';
import { type LinkEnd, nodeResource } from '#model/names.ts';
import { ospfRows, ospfRowsFor, type StaticRoute } from '#model/router/control-plane.ts';
import type { Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { circuitOf, interfaceOf, linkOn, otherEnd, ownerOf, sourcesOf, type World } from '../network/world.ts';
import { routeSymptom } from './routes.ts';

/** What IS-IS gives an interface without a metric of its own. */
const USUAL_METRIC = 10;

export function detourSymptoms(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) => {
    const routes = (state.staticRoutes ?? []).filter(
      (route) => route.kind === 'unicast' && route.segments === undefined && !route.prefix.endsWith('/0'),
    );
    if (routes.length === 0) return [];
    return [...(world.lookups.get(node) ?? [])].flatMap(([destination, answer]) => {
      const route = routes.find((each) => covers(each.prefix, destination));
      const owner = ownerOf(world, destination);
      if (route === undefined || owner === undefined || owner.node === node || answer.kind !== 'unicast') return [];
      if (answer.ifname === undefined || answer.ifname !== route.ifname || answer.ifnames !== undefined) return [];
      return detour(world, node, destination, route, owner.node);
    });
  });
}

function detour(
  world: World,
  node: string,
  destination: string,
  route: StaticRoute,
  owner: string,
): readonly Symptom[] {
  const link = linkOn(world, { node, ifname: route.ifname! })[0];
  if (link === undefined) return [];
  const next = otherEnd(link, node).node;
  const away = distances(world, owner, destination);
  const [mine, its] = [away.get(node), away.get(next)];
  if (mine === undefined || its === undefined || its < mine || !hasRouting(world, node)) return [];
  // A loop is worse than a detour, and is reported as a loop.
  const way = walk(world, node, destination);
  if (way.endings.some(({ kind }) => kind !== 'delivered')) return [];
  return [
    routeSymptom.raise({
      id: `route:detour/${node}/${destination}`,
      subject: nodeResource(node),
      text: `${nodeRef(node)} sends what is for ${destination} of ${nodeRef(owner)} to ${nodeRef(next)} by a hand-set route, at cost ${its} from there instead of ${mine} from here`,
      source: sourcesOf(world, node, owner),
      nodes: [node, owner],
      way: { nodes: way.nodes, links: way.links },
      detail: { destination, owner, at: node, how: 'detour', from: node, next, asNear: its === mine },
    }),
  ];
}

/** Where no protocol computes routes, an operator has chosen each of them, and no cost says which is the usual one. */
function hasRouting({ views }: World, node: string): boolean {
  const state = views.get(node)?.state;
  return state?.isis !== undefined || state?.bgp !== undefined || ospfRows(state ?? {}).length > 0;
}

/**
 * Cost of the way from each node to `to`, over links that are up: metrics of IS-IS, or of OSPF as it carries the family of the destination, one link
 * like the other elsewhere.
 */
function distances(world: World, to: string, destination: string): ReadonlyMap<string, number> {
  const up = world.links.filter((link) =>
    [link.from, link.to].every((end) => interfaceOf(world, end)?.operUp === true),
  );
  const ways = up.flatMap(({ from, to: other }) => [
    { from: from.node, to: other.node, cost: costOf(world, from, destination) },
    { from: other.node, to: from.node, cost: costOf(world, other, destination) },
  ]);
  const found = new Map([[to, 0]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const way of ways) {
      const rest = found.get(way.to);
      if (rest === undefined || rest + way.cost >= (found.get(way.from) ?? Number.POSITIVE_INFINITY)) continue;
      found.set(way.from, rest + way.cost);
      changed = true;
    }
  }
  return found;
}

function costOf(world: World, end: LinkEnd, destination: string): number {
  const rows = ospfRowsFor(world.views.get(end.node)?.state ?? {}, destination);
  const ospf = rows.find(({ ifname }) => ifname === end.ifname)?.cost;
  return circuitOf(world, end)?.metric ?? ospf ?? USUAL_METRIC;
}
