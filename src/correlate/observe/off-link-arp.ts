// Hosts that sent ARP requests for addresses off their link, as their first router heard them: such a host takes what is far away for
// its own link. An address counts as elsewhere only when a node of the scope has it, or the network that it is in, on another port.
import { covers } from '#base/ip.ts';
import { coversHost } from '#model/hosts/host-places.ts';
import type { FarAsk } from '#model/router/host-history.ts';
import type { Host } from '#model/router/hosts.ts';
import type { View, World } from '../network/world.ts';

/** Asks that were heard between the two readings of the node's state: they are of now, whatever clocks say. */
export function askedSince(world: World, view: View, host: Host): FarAsk | undefined {
  const [before, after] = [view.before?.history?.watchedHosts?.asks, view.after?.history?.watchedHosts?.asks];
  if (before === undefined || after === undefined) return undefined;
  const known = new Map(before.map((ask) => [keyOf(ask), ask.count]));
  return farAsksOf(world, view, host, after).find((ask) => ask.count > (known.get(keyOf(ask)) ?? 0));
}

/** Requests of this host among `asks` for addresses off its link. */
export function farAsksOf(
  world: World,
  { node }: View,
  { ifname, address, mac }: Host,
  asks: readonly FarAsk[],
): readonly FarAsk[] {
  return asks.filter(
    (ask) =>
      ask.ifname === ifname &&
      ask.mac === mac &&
      ask.sender === address &&
      isElsewhere(world, node, ifname, ask.target),
  );
}

function isElsewhere(world: World, node: string, ifname: string, target: string): boolean {
  const here = world.views.get(node)?.state.inventory.interfaces.find((entry) => entry.name === ifname);
  if (here === undefined || here.addresses.some((own) => covers(own, target))) return false;
  const owners = world.owners.get(target) ?? [];
  if (owners.some((owner) => owner.node !== node || owner.ifname !== ifname)) return true;
  return [...world.views.values()].some(({ state }) =>
    state.inventory.interfaces.some((entry) => entry.addresses.some((own) => coversHost(own, target))),
  );
}

function keyOf({ ifname, mac, sender, target }: FarAsk): string {
  return JSON.stringify([ifname, mac, sender, target]);
}
