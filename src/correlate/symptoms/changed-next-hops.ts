// Hand-set routes that were changed to a next hop which no known node has, while the one before still leads to the owner of the address: a host
// takes the packets, or none does. Only with a loss, and not where a router without an agent may be that next hop, or where anything behind it
// answered: a firewall there may drop our probes alone.
import { covers } from '#base/ip.ts';
import { nodeKey, nodeResource } from '#model/names.ts';
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
    (state.staticRoutes ?? [])
      .filter((route) => isToAStranger(world, node, route))
      .flatMap((route) =>
        lostFrom(world, node)
          .filter((destination) => takes(world, { node, route, destination }))
          .flatMap((destination) => strayed(world, { node, route, destination })),
      ),
  );
}

function isToAStranger(world: World, node: string, route: StaticRoute): boolean {
  const { kind, segments, prefix, nextHop } = route;
  return (
    kind === 'unicast' &&
    segments === undefined &&
    !prefix.endsWith('/0') &&
    nextHop !== undefined &&
    !nextHop.startsWith('fe80:') &&
    !world.owners.has(nextHop) &&
    !mayBeARouter(world, node, route) &&
    !hasAnswered(world, node, route)
  );
}

/**
 * A device that speaks LLDP on that interface, and gave no state, may have the next hop. It has not where no device answers for the next hop, or one
 * of another maker than the device says of itself: a port seldom has the address of its device, and mostly one of the same maker.
 */
function mayBeARouter({ views }: World, node: string, { nextHop, ifname }: StaticRoute): boolean {
  const { neighbours, neighbourTable = [] } = views.get(node)!.state;
  const known = new Set([...views.keys()].map(nodeKey));
  const devices = neighbours.filter(
    (each) => each.ifname === ifname && (each.systemName === undefined || !known.has(nodeKey(each.systemName))),
  );
  const row = neighbourTable.find((each) => each.address === nextHop && each.ifname === ifname);
  if (row !== undefined && row.mac === undefined) return false;
  const maker = makerOf(row?.mac ?? '');
  return devices.some(({ chassisId, portId }) => {
    const makers = [chassisId, portId].flatMap((id) => makerOf(id) ?? []);
    return maker === undefined || makers.length === 0 || makers.includes(maker);
  });
}

/** The first three octets of a MAC address; of one that was made up locally, as of virtual machines, no maker is known (IEEE 802). */
function makerOf(mac: string): string | undefined {
  const isMade = /^[0-9a-f][048c](?::[0-9a-f]{2}){5}$/i.test(mac);
  return isMade ? mac.toLowerCase().slice(0, 8) : undefined;
}

/** An address of the prefix answered this node by that route: a node, or a host's echo or service. */
function hasAnswered({ views, lookups, reach, serviceProbes }: World, node: string, route: StaticRoute): boolean {
  const others = (views.get(node)!.state.staticRoutes ?? []).filter(
    ({ prefix }) => prefix !== route.prefix && covers(route.prefix, prefix),
  );
  const isByIt = (destination: string) => {
    const answer = lookups.get(node)?.get(destination);
    if (!covers(route.prefix, destination)) return false;
    if (answer !== undefined) return answer.nextHop === route.nextHop;
    return !others.some(({ prefix }) => covers(prefix, destination));
  };
  return (
    reach.some(({ from, destination, received }) => from === node && received > 0 && isByIt(destination)) ||
    serviceProbes.some(
      ({ from, destination, answered, via }) => from === node && answered && via === undefined && isByIt(destination),
    )
  );
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
