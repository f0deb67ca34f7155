// The addresses by which probes go over a link: its own, or those that the nodes at its ends have elsewhere. Pure.
import type { Link } from '#model/links/links.ts';
import { ownAddresses } from '../sids.ts';
import type { States } from '../states.ts';

/**
 * Over a link for two that has no addresses of its own, those of both nodes, to which their routes may lead another way: what is measured so counts where
 * both nodes' routes lead over the link.
 */
export function addressesOver({ from, to, addresses, pointToPoint }: Link, states: States): Link['addresses'] {
  if (addresses !== undefined || !pointToPoint) return addresses;
  const [near, far] = [states.get(from.node), states.get(to.node)];
  const [source, destination] = near === undefined || far === undefined ? [] : ownAddresses(near, far);
  return source === undefined || destination === undefined ? undefined : { from: source, to: destination };
}
