// The links of a scope, as many as one question measures. Pure.
import { LIMITS } from '#base/limits.ts';
import { allLinks, type Link } from '#model/links/links.ts';
import type { States } from './states.ts';

export function scopeLinks(states: States): readonly Link[] {
  return allLinks([...states].map(([node, state]) => ({ node, state }))).slice(0, LIMITS.scopeLinks);
}
