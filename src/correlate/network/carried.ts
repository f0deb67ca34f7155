// What a node is sent to forward, by the lookups of the others: packets for other nodes whose way leads through it, and packets for hosts of a
// network of its own that it alone leads to. Hosts count where the node heard them; what would only be for the node itself does not.
import { covers } from '#base/ip.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { walk } from './forwarding.ts';
import { attachedTo, ownNetworks, remembered } from './hosts.ts';
import { steeringOf } from './srv6-steering.ts';
import { interfaceOf, linkOn, otherEnd, ownerOf, type View, type World } from './world.ts';

export type Family = 'ipv4' | 'ipv6';

/** Packets that another node sends to this one for it to forward. */
export type Carried = {
  readonly from: string;
  /** An address of another node, or a network of hosts. */
  readonly destination: string;
  /** Interfaces by which they come in: of hosts, the port behind which these are as well. */
  readonly ifnames: readonly string[];
};

export function carriedBy(world: World, view: View, family: Family): readonly Carried[] {
  return [
    ...transitThrough(world, view, family),
    ...(family === 'ipv4' ? hostNetworks(world, view) : steeredNetworks(world, view)),
  ];
}

/** Neighbours whose next hop for an address of a third node is this one; the way must end there. */
function transitThrough(world: World, { node }: View, family: Family): readonly Carried[] {
  return [...world.lookups]
    .filter(([from]) => from !== node)
    .flatMap(([from, answers]) =>
      [...answers.values()].flatMap((answer): readonly Carried[] => {
        const owner = ownerOf(world, answer.destination)?.node;
        if (familyOf(answer.destination) !== family || owner === undefined || owner === node || owner === from)
          return [];
        const ifnames = entries(world, from, answer, node);
        if (ifnames.length === 0) return [];
        const onward = walk(world, node, answer.destination).endings;
        return onward.length > 0 && onward.every(({ kind }) => kind === 'delivered')
          ? [{ from, destination: answer.destination, ifnames }]
          : [];
      }),
    );
}

/**
 * Interfaces of `to` that the next hops of an answer lead to. On a segment of several nodes the next hop's address says which of them it is;
 * what is on the segment itself goes to none of them to be forwarded.
 */
export function entries(world: World, from: string, answer: RouteAnswer, to: string): readonly string[] {
  const { kind, segments = [], protocol, nextHop, ifname, ifnames } = answer;
  if (kind !== 'unicast' || segments.length > 0 || protocol === 'kernel') return [];
  const via = nextHop === undefined ? undefined : ownerOf(world, nextHop)?.node;
  if (ifnames === undefined && via !== undefined && via !== to) return [];
  return (ifnames ?? (ifname === undefined ? [] : [ifname]))
    .flatMap((name) => {
      const links = linkOn(world, { node: from, ifname: name });
      return links.length > 1 && via !== to ? [] : links;
    })
    .map((link) => otherEnd(link, from))
    .filter((end) => end.node === to)
    .map((end) => end.ifname);
}

/** Networks with hosts behind a port of this node, to which neighbours have a route for the whole network that leads here by another port. */
function hostNetworks(world: World, view: View): readonly Carried[] {
  const { node, state } = view;
  return state.inventory.interfaces
    .filter((entry) => entry.operUp && linkOn(world, { node, ifname: entry.name }).length === 0)
    .flatMap((port) => {
      const hosts = remembered(world, view, port.name);
      return ownNetworks(port).flatMap((own) => {
        const address = own.split('/')[0]!;
        const mine = hosts.filter((host) => covers(own, host.address));
        if (mine.length === 0) return [];
        return [...world.lookups].flatMap(([from, answers]): readonly Carried[] => {
          const answer = answers.get(address);
          if (
            from === node ||
            answer === undefined ||
            !leadsToAll(
              answer,
              mine.map((host) => host.address),
            )
          )
            return [];
          const ifnames = entries(world, from, answer, node);
          return ifnames.length === 0 ? [] : [{ from, destination: answer.matched!, ifnames: [...ifnames, port.name] }];
        });
      });
    });
}

/** A route that a protocol or an operator made for the hosts as well as the router's own address; a default route leads anywhere. */
function leadsToAll({ matched, protocol }: RouteAnswer, hosts: readonly string[]): boolean {
  if (matched === undefined || matched === 'default' || matched.endsWith('/0') || protocol === 'kernel') return false;
  return matched.includes('/') && hosts.some((host) => covers(matched, host));
}

/** Networks on ports of this node that others put into SRv6 towards a SID of it. */
function steeredNetworks(world: World, { node, state }: View): readonly Carried[] {
  const sids = state.inventory.sids.map(({ sid }) => sid.split('/')[0]!);
  return steeringOf(world)
    .filter(({ head, sid }) => head !== node && sids.includes(sid.split('/')[0]!))
    .flatMap(({ head, prefix }): readonly Carried[] => {
      const ports = state.inventory.interfaces.filter(
        (entry) =>
          entry.operUp &&
          entry.kind !== 'loopback' &&
          linkOn(world, { node, ifname: entry.name }).length === 0 &&
          entry.addresses.some((own) => own.includes(':') && covers(prefix, own.split('/')[0]!)),
      );
      return ports.length === 0 ? [] : [{ from: head, destination: prefix, ifnames: ports.map(({ name }) => name) }];
    });
}

/** Probes of other nodes that came back although every way there leads through this one, to another node or to a host behind it. */
export function arrivedThrough(world: World, { node }: View, family: Family): boolean {
  const echoes = world.reach.some(({ from, destination, received }) => {
    const owner = ownerOf(world, destination)?.node;
    if (received === 0 || from === node || owner === undefined || owner === node) return false;
    return familyOf(destination) === family && leadsOnlyThrough(world, from, destination, node);
  });
  return (
    echoes ||
    world.serviceProbes.some(
      ({ from, destination, answered }) =>
        answered &&
        from !== node &&
        familyOf(destination) === family &&
        ownerOf(world, destination) === undefined &&
        attachedTo(world, destination)?.node === node &&
        interfaceOf(world, { node, ifname: attachedTo(world, destination)!.ifname })?.operUp === true,
    )
  );
}

/** One way alone, and the node is on it. */
function leadsOnlyThrough(world: World, from: string, destination: string, node: string): boolean {
  const { nodes, links, endings } = walk(world, from, destination);
  return nodes.includes(node) && links.length === nodes.length - 1 && endings.every(({ kind }) => kind === 'delivered');
}

export function familyOf(address: string): Family {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
