// Four nodes in a ring, or any other pairs: `a-b` is the link between a's `to-b` and b's `to-a`.
import type { WorldLink } from '#correlate/network/world.ts';

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
