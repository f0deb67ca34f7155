// Where protocols run at an end of a link: the port that LLDP names, or the bridge or bond that it belongs to.
import { isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';
import { speakerOf } from '#model/links/masters.ts';
import type { LinkEnd } from '#model/names.ts';
import { interfaceOf, type World, type WorldLink } from './world.ts';

/**
 * Both ends of a link, `from` first, as protocols see them: a port of a bridge or a bond stands for that. Where its node tells of none, a port without
 * an address of its own stands for the one other interface of its node that shares a network with the far end: a VLAN on it, or the bridge of an
 * agent that does not tell.
 */
export function routedEnds(world: World, { from, to }: Pick<WorldLink, 'from' | 'to'>): readonly [LinkEnd, LinkEnd] {
  const [one, other] = [speakingEnd(world, from), speakingEnd(world, to)];
  return [routedEnd(world, one, other), routedEnd(world, other, one)];
}

/** Of a bridge as well: its addresses may be on a VLAN of it. */
function routedEnd(world: World, end: LinkEnd, far: LinkEnd): LinkEnd {
  const networks = networksOn(world, far);
  if (networks.length === 0 || networksOn(world, end).length > 0) return end;
  const { interfaces = [], mastersTold } = world.views.get(end.node)?.state.inventory ?? {};
  const bridges = new Set(interfaces.flatMap(({ master }) => (master === undefined ? [] : [master.name])));
  const above = interfaces.filter(
    ({ name, kind, operUp }) =>
      operUp &&
      !bridges.has(name) &&
      !(kind === 'bridge' && mastersTold === true) &&
      networksOn(world, { node: end.node, ifname: name }).some((own) =>
        networks.some((each) => sharesSubnet(own, each)),
      ),
  );
  return above.length === 1 ? { node: end.node, ifname: above[0]!.name } : end;
}

function speakingEnd(world: World, end: LinkEnd): LinkEnd {
  const state = world.views.get(end.node)?.state;
  return state === undefined ? end : { node: end.node, ifname: speakerOf(state, end.ifname) };
}

/** Networks of several addresses: a loopback shares none. */
function networksOn(world: World, end: LinkEnd) {
  return (interfaceOf(world, end)?.addresses ?? []).flatMap((address) => {
    const prefix = parsePrefix(address);
    const isHost = prefix !== undefined && prefix.prefixBits === (prefix.family === 4 ? 32 : 128);
    return prefix === undefined || isHost || isLinkLocal(prefix) ? [] : [prefix];
  });
}
