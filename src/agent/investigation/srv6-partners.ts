// Who has to do with whom over SRv6: by the segment lists that nodes steer into, and the locators and networks that these lists are
// for. Pure; reads states only.
import { covers } from '#base/ip.ts';
import type { NodeState } from '#model/router/router-port.ts';

/** A node that takes customers' packets out of SRv6, or puts them in. */
export function isServiceEdge(state: NodeState): boolean {
  return steered(state).length > 0 || state.inventory.sids.some(({ behavior }) => /^End\.D/i.test(behavior));
}

/** One steers to the other's SIDs or networks. */
export function arePartners(one: NodeState, other: NodeState): boolean {
  return steersTo(one, other) || steersTo(other, one);
}

function steersTo(head: NodeState, tail: NodeState): boolean {
  const sids = new Set(tail.inventory.sids.map(({ sid }) => sid));
  return steered(head).some(
    ({ prefix, segments = [] }) =>
      segments.some((sid) => sids.has(sid) || locators(tail).some((locator) => covers(locator, sid))) ||
      attached(tail).some((address) => covers(prefix, address)),
  );
}

function steered({ staticRoutes = [] }: NodeState) {
  return staticRoutes.filter(({ segments }) => segments !== undefined && segments.length > 0);
}

/** Hand-set blackholes that hold a node's own SIDs. */
function locators({ staticRoutes = [] }: NodeState): readonly string[] {
  return staticRoutes
    .filter(({ kind, prefix }) => kind === 'blackhole' && prefix.includes(':') && !prefix.endsWith('/0'))
    .map(({ prefix }) => prefix);
}

/** Its own addresses on networks of customers. */
function attached({ inventory }: NodeState): readonly string[] {
  return inventory.interfaces
    .filter(({ kind }) => kind !== 'loopback')
    .flatMap(({ addresses }) => addresses)
    .filter((address) => address.includes(':') && !/^fe[89ab]/i.test(address) && Number(address.split('/')[1]) < 126)
    .map((address) => address.split('/')[0]!);
}
