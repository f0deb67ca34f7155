// The addresses by which probes go over a link: its own, or those that the nodes at its ends have elsewhere. Pure.
import { isBetween, isSameLink, type Link } from '#model/links/links.ts';
import { scopeLinks } from '../scope-links.ts';
import { ownAddresses } from '../sids.ts';
import type { States } from '../states.ts';

/**
 * Over a link for two that has no addresses of its own, those of both nodes, to which their routes may lead another way: what is measured so counts where
 * both nodes' routes lead over the link. IPv4 before IPv6, of which a lookup does not tell all equal ways. None where another link joins the two: which
 * of them a packet takes is not known.
 */
export function addressesOver(link: Link, states: States): Link['addresses'] {
  const { from, to, addresses, pointToPoint } = link;
  if (addresses !== undefined || !pointToPoint) return addresses;
  const [near, far] = [states.get(from.node), states.get(to.node)];
  if (near === undefined || far === undefined) return undefined;
  if (scopeLinks(states).some((each) => isBetween(each, from.node, to.node) && !isSameLink(each, link)))
    return undefined;
  const [source, destination] = ownAddresses(near, far, [4, 6]);
  return source === undefined || destination === undefined ? undefined : { from: source, to: destination };
}
