// How a link is called in sentences: by both its ends.
import { mark } from './node-ref.ts';
import type { WorldLink } from './world.ts';

export function linkLabel({ from, to }: Pick<WorldLink, 'from' | 'to'>): string {
  return `${mark(from.node)} ${from.ifname} – ${mark(to.node)} ${to.ifname}`;
}
