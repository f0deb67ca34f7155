// Who is connected to whom, from what two nodes say of themselves and of each other. Each link carries what speaks for it
// and what speaks against it; device text (LLDP, host names) can support or contradict, never create a link by itself.
import { type IpPrefix, isLinkLocal, parsePrefix, sharesSubnet } from '#base/ip.ts';
import { type LinkEnd, nodeKey } from './names.ts';
import type { InterfaceState, NodeState } from './router-port.ts';

export type LinkSign = 'addresses' | 'lldp' | 'isis';

export type Link = {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  /** Addresses in the shared subnet, IPv6 if there is one; absent on unnumbered links. */
  readonly addresses?: { readonly from: string; readonly to: string };
  /** What both ends say alike. */
  readonly signs: readonly LinkSign[];
  readonly pointToPoint: boolean;
  /** Reasons to doubt the link: LLDP that names another known node or port. */
  readonly doubts: readonly string[];
};

export type NamedState = { readonly node: string; readonly state: NodeState };

/** Links between two nodes. `known` are the names of all nodes, so that a neighbour's name can be recognised as another's. */
export function linksBetween(from: NamedState, to: NamedState, known: readonly string[]): readonly Link[] {
  const links: Link[] = [];
  for (const one of from.state.inventory.interfaces) {
    for (const other of to.state.inventory.interfaces) {
      const link = linkOf(from, one, to, other, known);
      if (link !== undefined) links.push(link);
    }
  }
  return links;
}

/** Keys of nodes that `state` names as its neighbours, by LLDP or IS-IS: hints for finding a way, nothing more. */
export function neighbourKeys(state: NodeState): ReadonlySet<string> {
  const lldp = state.neighbours.map((neighbour) => neighbour.systemName);
  const isis = state.adjacencies.filter((entry) => entry.state === 'up').map((entry) => entry.hostname);
  return new Set([...lldp, ...isis].filter((name) => name !== undefined).map(nodeKey));
}

function linkOf(
  from: NamedState,
  one: InterfaceState,
  to: NamedState,
  other: InterfaceState,
  known: readonly string[],
): Link | undefined {
  if (one.kind === 'loopback' || other.kind === 'loopback') return undefined;
  const shared = sharedSubnet(one, other);
  const lldp = namesByLldp(from, one, to, other) && namesByLldp(to, other, from, one);
  if (shared === undefined && !lldp) return undefined;
  const isis = adjacent(from, one, to) && adjacent(to, other, from);
  const narrow = shared !== undefined && shared[0].prefixBits >= (shared[0].family === 4 ? 30 : 126);
  const alone = [from, to].every(({ state }, index) => heardOn(state, index === 0 ? one.name : other.name) <= 1);
  return {
    from: { node: from.node, ifname: one.name },
    to: { node: to.node, ifname: other.name },
    ...(shared === undefined ? {} : { addresses: { from: shared[0].address, to: shared[1].address } }),
    signs: [
      ...(shared ? (['addresses'] as const) : []),
      ...(lldp ? (['lldp'] as const) : []),
      ...(isis ? (['isis'] as const) : []),
    ],
    pointToPoint: (narrow || lldp || isis) && alone,
    doubts: [...doubtsOf(from, one, to, other, known), ...doubtsOf(to, other, from, one, known)],
  };
}

function sharedSubnet(one: InterfaceState, other: InterfaceState): readonly [IpPrefix, IpPrefix] | undefined {
  const usable = (entry: InterfaceState) =>
    entry.addresses.map(parsePrefix).filter((prefix) => prefix !== undefined && !isLinkLocal(prefix)) as IpPrefix[];
  const theirs = usable(other);
  const pairs = usable(one).flatMap((mine) =>
    theirs.filter((its) => sharesSubnet(mine, its)).map((its) => [mine, its] as const),
  );
  return pairs.find(([mine]) => mine.family === 6) ?? pairs[0];
}

function namesByLldp(from: NamedState, one: InterfaceState, to: NamedState, other: InterfaceState): boolean {
  return from.state.neighbours.some((entry) => {
    if (entry.ifname !== one.name) return false;
    const named = entry.systemName !== undefined && nodeKey(entry.systemName) === nodeKey(to.node);
    const portMac = other.mac !== undefined && sameMac(entry.portId, other.mac);
    return portMac || (named && entry.portId === other.name);
  });
}

function adjacent(from: NamedState, one: InterfaceState, to: NamedState): boolean {
  return from.state.adjacencies.some(
    (entry) =>
      entry.ifname === one.name &&
      entry.state === 'up' &&
      (entry.hostname === undefined || nodeKey(entry.hostname) === nodeKey(to.node)),
  );
}

/** Distinct LLDP neighbours or IS-IS adjacencies on an interface, whichever is more: more than one is no point-to-point link. */
function heardOn(state: NodeState, ifname: string): number {
  const lldp = new Set(state.neighbours.filter((entry) => entry.ifname === ifname).map((entry) => entry.chassisId));
  const isis = new Set(state.adjacencies.filter((entry) => entry.ifname === ifname).map((entry) => entry.systemId));
  return Math.max(lldp.size, isis.size);
}

function doubtsOf(
  from: NamedState,
  one: InterfaceState,
  to: NamedState,
  other: InterfaceState,
  known: readonly string[],
): readonly string[] {
  const heard = from.state.neighbours.filter((entry) => entry.ifname === one.name);
  if (heard.length === 0 || namesByLldp(from, one, to, other)) return [];
  const ports = to.state.inventory.interfaces.map((entry) => entry.name);
  return heard.flatMap((entry) => {
    const named = known.find((node) => entry.systemName !== undefined && nodeKey(node) === nodeKey(entry.systemName));
    if (named === undefined) return [];
    if (nodeKey(named) !== nodeKey(to.node)) return [`LLDP on ${from.node} ${one.name} names ${named}`];
    const elsewhere = ports.includes(entry.portId) && entry.portId !== other.name;
    return elsewhere ? [`LLDP on ${from.node} ${one.name} names another port of ${named}`] : [];
  });
}

function sameMac(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
