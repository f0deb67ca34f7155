// Networks of two ports that overlap where hosts are: the longer prefix takes what all nodes send to its addresses, and hosts behind the port with the shorter
// one get nothing of it. An operator may have moved such hosts, or answer for them by proxy: nothing is accused.
import { type IpPrefix, parsePrefix } from '#base/ip.ts';
import { isInside } from '#model/hosts/host-places.ts';
import type { LinkEnd } from '#model/names.ts';
import { isDelivered } from '../network/forwarding.ts';
import { ownNetworks, remembered } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, otherEnd, type World } from '../network/world.ts';

type Network = { readonly at: LinkEnd; readonly text: string; readonly prefix: IpPrefix };

/** More are counted. */
const NAMED = 3;

/** One line for each two such ports. */
export function overlapLines(world: World): readonly string[] {
  const networks = networksOf(world);
  return networks.flatMap((wide) => {
    const inside = networks.filter(
      (narrow) => isPartOf(narrow, wide) && !isOnOneWire(world, narrow.at, wide.at) && isRoutedTo(world, narrow),
    );
    if (inside.length === 0) return [];
    const view = world.views.get(wide.at.node)!;
    const hosts = remembered(world, view, wide.at.ifname).map(({ address }) => address);
    return inside.flatMap((narrow) => {
      const taken = hosts.filter(
        (address) => isInside(narrow.prefix, address) && !isHeardAt(world, narrow.at, address),
      );
      if (taken.length === 0) return [];
      const more = taken.length > NAMED ? ` and ${taken.length - NAMED} more` : '';
      const [near, far] = [narrow, wide].map(({ at }) => `${nodeRef(at.node)} ${at.ifname}`);
      return [
        `${near} has ${narrow.text}, a part of the network ${wide.text} of ${far}: what other nodes send to ${taken.slice(0, NAMED).join(', ')}${more}, heard at ${far}, goes to ${nodeRef(narrow.at.node)}`,
      ];
    });
  });
}

/** Another node forwards packets for the port's address to it, by a route as long as its prefix where the lookup says which route matched. */
function isRoutedTo(world: World, { at, text, prefix }: Network): boolean {
  const address = text.split('/')[0]!;
  return [...world.lookups].some(([node, answers]) => {
    const matched = parsePrefix(answers.get(address)?.matched ?? '');
    return (
      node !== at.node &&
      (matched === undefined || matched.prefixBits >= prefix.prefixBits) &&
      isDelivered(world, node, address)
    );
  });
}

function networksOf({ views }: World): readonly Network[] {
  return [...views.values()].flatMap(({ node, state }) =>
    state.inventory.interfaces
      // A VRF has its own routes, which the lookups are not of.
      .filter(({ operUp, master }) => operUp && master?.kind !== 'vrf')
      .flatMap((entry) =>
        ownNetworks(entry).flatMap((text) => {
          const prefix = parsePrefix(text);
          return prefix === undefined ? [] : [{ at: { node, ifname: entry.name }, text, prefix }];
        }),
      ),
  );
}

function isPartOf({ prefix: narrow, at, text }: Network, { prefix: wide, at: other }: Network): boolean {
  const isOther = at.node !== other.node || at.ifname !== other.ifname;
  return isOther && narrow.prefixBits > wide.prefixBits && isInside(wide, text);
}

function isOnOneWire(world: World, one: LinkEnd, other: LinkEnd): boolean {
  return linkOn(world, one).some((link) => {
    const far = otherEnd(link, one.node);
    return far.node === other.node && far.ifname === other.ifname;
  });
}

/** The host is behind the longer prefix as well, or has moved there. */
function isHeardAt({ views }: World, { node, ifname }: LinkEnd, address: string): boolean {
  const hosts = views.get(node)?.state.history?.hosts ?? [];
  return hosts.some((host) => host.ifname === ifname && host.address === address);
}
