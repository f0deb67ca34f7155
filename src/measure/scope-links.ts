// The links of a scope, as many as one question measures. Pure.
import { LIMITS } from '#base/limits.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { States } from './states.ts';

/** Every measurement of a round plans over the same links. */
const found = new WeakMap<States, readonly Link[]>();

/** `states` are those of one survey: once given, they do not change. */
export function scopeLinks(states: States): readonly Link[] {
  const known = found.get(states);
  if (known !== undefined) return known;
  const links = allLinks([...states].map(([node, state]) => ({ node, state }))).slice(0, LIMITS.scopeLinks);
  found.set(states, links);
  return links;
}

export type Side = { readonly end: LinkEnd; readonly address: string };

/** The side of `node` first; both are others' where the link is not its own. */
export function endsFrom({ from, to, addresses }: Link, node: string): readonly [Side, Side] {
  const sides: [Side, Side] = [
    { end: from, address: addresses!.from },
    { end: to, address: addresses!.to },
  ];
  return to.node === node ? [sides[1], sides[0]] : sides;
}
