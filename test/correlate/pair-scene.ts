// Four nodes in a ring, or any other pairs: `a-b` is the link between a's `to-b` and b's `to-a`; and worlds of them with little else.
import type { World, WorldLink } from '#correlate/network/world.ts';

export const PAIRS = ['a-b', 'b-c', 'c-d', 'd-a'] as const;

export function linkOf(pair: string): WorldLink {
  const [one = '', other = ''] = pair.split('-');
  const [from, to] = [
    { node: one, ifname: `to-${other}` },
    { node: other, ifname: `to-${one}` },
  ];
  const link = { from, to, signs: [], claims: [], confidence: 'claimed' as const, pointToPoint: true, doubts: [] };
  return { key: `link/${one}:${from.ifname}--${other}:${to.ifname}`, from, to, link: { ...link, remarks: [] } };
}

/** Views of nodes whose states hold only what a test needs; every port of a link is physical and up unless a state lists its own. */
export function pairWorld(
  pairs: readonly string[],
  states: Readonly<Record<string, { readonly now: object; readonly before?: object; readonly after?: object }>>,
  more: object = {},
): World {
  const links = pairs.map(linkOf);
  const complete = (node: string, part: object) => {
    const ports = links.flatMap(({ from, to }) => [from, to]).filter((end) => end.node === node);
    const interfaces = ports.map(({ ifname }) => ({
      ...{ name: ifname, kind: 'physical', adminUp: true, operUp: true, mtu: 1_500, addresses: [], offloads: [] },
    }));
    return { adjacencies: [], filters: [], neighbours: [], inventory: { interfaces, loopbacks: [] }, ...part };
  };
  const views = Object.entries(states).map(([node, { now, before, after }]) => {
    const view = {
      ...{ node, sources: [`state of ${node}`], state: complete(node, now) },
      ...(before === undefined ? {} : { before: complete(node, before) }),
      ...(after === undefined ? {} : { after: complete(node, after) }),
    };
    return [node, view] as const;
  });
  const known = { nodes: Object.keys(states), views: new Map(views), links, owners: new Map(), lookups: new Map() };
  return { ...known, reach: [], hosts: [], serviceProbes: [], ...more } as unknown as World;
}

/** A part of the state of a node. */
export type State = Readonly<Record<string, unknown>>;
/** IS-IS on one port, and its adjacency there unless `state` is empty. */
export const isis = (ifname: string, state: string | undefined = 'up', circuit: object = {}): State => ({
  isis: { circuits: [{ ifname, passive: false, ipv4: true, ipv6: true, ...circuit }] },
  adjacencies: state === '' ? [] : [{ ifname, state, systemId: 'x' }],
});
/** OSPF on one port with neighbours in these states. */
export const ospf = (ifname: string, ...states: readonly string[]): State => ({
  ospf: [{ ifname, passive: false, neighbours: states.map((state) => ({ state, address: '', routerId: '' })) }],
});
