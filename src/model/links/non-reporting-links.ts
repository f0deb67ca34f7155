// Links to a router that gave no state, as those at their other ends know them: a subnet for two, one neighbour by name, one MAC address.
// Its kernel forwards although its agent gives no state, so that packets may be sent through it. Names of devices make no link
// by themselves: what comes of a packet over it does. Pure.
import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import { isNodeName, type LinkEnd, nodeKey } from '../names.ts';
import type { InterfaceState, NodeState } from '../router/router-port.ts';

export type NonReportingLink = {
  /** The end that answers, and its address there. */
  readonly near: LinkEnd;
  readonly address: string;
  /** The other address of the subnet, where it has two. */
  readonly far?: string;
  /** The non-reporting router's MAC address on the link. */
  readonly mac: string;
  /** Key of the non-reporting router, and its port as LLDP names it. */
  readonly router: string;
  readonly port?: string;
};

/** Of each of `nonReporting` that is heard, its links, by its key. Routers that were not asked are none of them: they are out of scope, or have no agent. */
export function linksOfNonReporting(
  nonReporting: readonly string[],
  states: Iterable<readonly [string, NodeState]>,
): ReadonlyMap<string, readonly NonReportingLink[]> {
  const keys = new Set(nonReporting.map(nodeKey));
  const found = [...states].flatMap(([node, state]) =>
    state.inventory.interfaces.flatMap((entry) => linkAt(node, state, entry) ?? []),
  );
  return Map.groupBy(
    found.filter((link) => keys.has(link.router)),
    (link) => link.router,
  );
}

function linkAt(node: string, state: NodeState, entry: InterfaceState): NonReportingLink | undefined {
  if (entry.kind === 'loopback' || !entry.operUp) return undefined;
  const own = entry.addresses
    .map(parsePrefix)
    .find((prefix) => prefix?.family === 6 && prefix.prefixBits >= 126 && !isLinkLocal(prefix));
  const lldp = state.neighbours.filter(({ ifname }) => ifname === entry.name);
  const adjacent = state.adjacencies.filter(({ ifname, state: up }) => ifname === entry.name && up === 'up');
  const names = [...lldp.map(({ systemName }) => systemName), ...adjacent.map(({ hostname }) => hostname)];
  const keys = new Set(
    names.flatMap((name) => (name !== undefined && isNodeName(name.toLowerCase()) ? nodeKey(name) : [])),
  );
  const rows = (state.neighbourTable ?? []).filter(({ ifname, mac }) => ifname === entry.name && mac !== undefined);
  const macs = new Set(rows.map(({ mac }) => mac!.toLowerCase()));
  // Two names or two addresses are two neighbours, or a lie: which of them would forward?
  if (own === undefined || keys.size !== 1 || macs.size !== 1) return undefined;
  const port = lldp.length === 1 && /^[a-z][\w.-]*$/i.test(lldp[0]!.portId) ? lldp[0]!.portId : undefined;
  return {
    near: { node, ifname: entry.name },
    address: own.address,
    ...(own.prefixBits === 127 ? { far: formatAddress(6, own.value ^ 1n) } : {}),
    mac: [...macs][0]!,
    router: [...keys][0]!,
    ...(port === undefined ? {} : { port }),
  };
}
