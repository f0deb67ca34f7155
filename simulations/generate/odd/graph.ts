// Which routers a drawn network joins: ways, and what is left without a router or a link. Pure.
import { corePorts, type Draft, routerNamed } from './model.ts';

/** Routers that are reached from `from` over core links, without those in `avoiding`, with their distance in links. */
export function distances(
  draft: Pick<Draft, 'routers'>,
  from: string,
  avoiding: readonly string[] = [],
): ReadonlyMap<string, number> {
  const found = new Map([[from, 0]]);
  for (const [name, distance] of found)
    for (const { peer } of corePorts(routerNamed(draft, name)))
      if (!found.has(peer.node) && !avoiding.includes(peer.node)) found.set(peer.node, distance + 1);
  return found;
}

export function isConnected(draft: Pick<Draft, 'routers'>, without: readonly string[] = []): boolean {
  const left = draft.routers.filter(({ name }) => !without.includes(name));
  return left.length === 0 || distances({ routers: draft.routers }, left[0]!.name, without).size === left.length;
}

/** Adjacent routers from one to another, fewest links first found; empty when there is no way. */
export function wayBetween(draft: Pick<Draft, 'routers'>, from: string, to: string): readonly string[] {
  const distance = distances(draft, to);
  if (!distance.has(from)) return [];
  const way = [from];
  while (way.at(-1) !== to) {
    const here = routerNamed(draft, way.at(-1)!);
    const next = corePorts(here).find(({ peer }) => distance.get(peer.node) === distance.get(here.name)! - 1)!;
    way.push(next.peer.node);
  }
  return way;
}
