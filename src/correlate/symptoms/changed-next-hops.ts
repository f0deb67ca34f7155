// Hand-set routes that were changed to a next hop which no known node has, while the one before still leads to the owner of the address: a host
// takes the packets, or none does. Only with a loss: a router without an agent may be that next hop, and forward.
import { covers } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { settingsBefore, stoodBefore } from '../network/remembered.ts';
import { ownerOf, sourcesOf, type World } from '../network/world.ts';
import { routeSymptom } from './routes.ts';

type Sent = { readonly node: string; readonly route: StaticRoute; readonly destination: string };

export function changedNextHopSymptoms(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.staticRoutes ?? []).filter(isToAStranger(world)).flatMap((route) =>
      lostFrom(world, node)
        .filter((destination) => takes(world, { node, route, destination }))
        .flatMap((destination) => strayed(world, { node, route, destination })),
    ),
  );
}

function isToAStranger({ owners }: World) {
  return ({ kind, segments, prefix, nextHop }: StaticRoute): boolean =>
    kind === 'unicast' &&
    segments === undefined &&
    !prefix.endsWith('/0') &&
    nextHop !== undefined &&
    !nextHop.startsWith('fe80:') &&
    !owners.has(nextHop);
}

/** Addresses of other nodes from which no probe of this one came back, at either look. */
function lostFrom({ reach }: World, node: string): readonly string[] {
  return reach.flatMap(({ from, destination, sent, received, again }) =>
    from === node && sent > 0 && received === 0 && (again?.received ?? 0) === 0 ? [destination] : [],
  );
}

/** By the node's lookup where it names the route; kernels do not for IPv6. */
function takes({ lookups }: World, { node, route, destination }: Sent): boolean {
  const answer = lookups.get(node)?.get(destination);
  if (answer?.kind !== 'unicast' || !covers(route.prefix, destination)) return false;
  return answer.nextHop === route.nextHop && answer.ifnames === undefined;
}

function strayed(world: World, { node, route, destination }: Sent): readonly Symptom[] {
  const owner = ownerOf(world, destination)?.node;
  const before = nextHopsBefore(world, node, route).find((each) => leadsTo(world, each, node, destination));
  if (owner === undefined || owner === node || before === undefined) return [];
  return [
    routeSymptom.raise({
      id: `route:astray/${node}/${destination}`,
      subject: nodeResource(node),
      text: `${nodeRef(node)} cannot send to ${destination} of ${nodeRef(owner)}: ${route.prefix} went via ${before} before, and goes via ${route.nextHop}, which no known node has`,
      source: sourcesOf(world, node, owner),
      nodes: [node, owner],
      way: { nodes: [node], links: [] },
      detail: { destination, owner, at: node, how: 'astray', from: node, before },
    }),
  ];
}

/** Next hops that the prefix had for a while, through any interface. */
function nextHopsBefore(world: World, node: string, { prefix, nextHop }: StaticRoute): readonly string[] {
  const told = settingsBefore(world, node, 'static-route', prefix).flatMap((was) =>
    was.split(', ').flatMap((each) => /^unicast via (\S+)$/.exec(each)?.[1] ?? []),
  );
  const seen = stoodBefore(world, node, ({ staticRoutes }) => staticRoutes).flatMap((routes) =>
    routes.flatMap((each) => (each.prefix === prefix && each.segments === undefined ? (each.nextHop ?? []) : [])),
  );
  return [...new Set([...told, ...seen])].filter((each) => each !== nextHop);
}

/** The node with that next hop delivers what is for the address, and not by the node that asks it to. */
function leadsTo(world: World, nextHop: string, from: string, destination: string): boolean {
  const next = ownerOf(world, nextHop)?.node;
  if (next === undefined || next === from) return false;
  const { endings, nodes } = walk(world, next, destination);
  return endings.length > 0 && endings.every(({ kind }) => kind === 'delivered') && !nodes.includes(from);
}
