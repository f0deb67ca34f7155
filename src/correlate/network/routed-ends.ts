// Where protocols run at an end of a link: the port that LLDP names, or the bridge or bond that it belongs to.
import { isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';
import type { LinkEnd } from '#model/names.ts';
import { interfaceOf, type World, type WorldLink } from './world.ts';

/**
 * Both ends of a link, `from` first, as protocols see them. A port without an address of its own stands for the one other interface of its node that
 * shares a network with the far end: its bridge.
 */
export function routedEnds(world: World, { from, to }: Pick<WorldLink, 'from' | 'to'>): readonly [LinkEnd, LinkEnd] {
  return [routedEnd(world, from, to), routedEnd(world, to, from)];
}

function routedEnd(world: World, end: LinkEnd, far: LinkEnd): LinkEnd {
  const networks = networksOn(world, far);
  if (networks.length === 0 || networksOn(world, end).length > 0) return end;
  const interfaces = world.views.get(end.node)?.state.inventory.interfaces ?? [];
  const above = interfaces.filter(
    ({ name, operUp }) =>
      operUp &&
      networksOn(world, { node: end.node, ifname: name }).some((own) =>
        networks.some((each) => sharesSubnet(own, each)),
      ),
  );
  return above.length === 1 ? { node: end.node, ifname: above[0]!.name } : end;
}

/** Networks of several addresses: a loopback shares none. */
function networksOn(world: World, end: LinkEnd) {
  return (interfaceOf(world, end)?.addresses ?? []).flatMap((address) => {
    const prefix = parsePrefix(address);
    const isHost = prefix !== undefined && prefix.prefixBits === (prefix.family === 4 ? 32 : 128);
    return prefix === undefined || isHost || isLinkLocal(prefix) ? [] : [prefix];
  });
}
