// The links of a scope, as many as one question measures. Pure.
import { LIMITS } from '#base/limits.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { States } from './states.ts';

export function scopeLinks(states: States): readonly Link[] {
  return allLinks([...states].map(([node, state]) => ({ node, state }))).slice(0, LIMITS.scopeLinks);
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
