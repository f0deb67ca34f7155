// Who is behind a port that has no network of its own and hears no LLDP, for questions that read a node's small state: OSPF (RFC 2328 §9) and the
// table of neighbours tell.
import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { InterfaceState, Neighbour, NodeState } from '#model/router/router-port.ts';
import type { FrrQuery } from '../../protocol/read-operations.ts';
import { ospf6Of, ospfOf } from './frr/control-plane.ts';

export type UnnumberedAsking = {
  frr(query: FrrQuery): Promise<string>;
  /** Neighbours, of every port. */
  table(): Promise<readonly NeighbourEntry[]>;
};

/** Asks nothing where there is no such port; leaves out what cannot be read, and entries of other ports. */
export async function readUnnumbered(
  asking: UnnumberedAsking,
  interfaces: readonly InterfaceState[],
  neighbours: readonly Pick<Neighbour, 'ifname'>[],
): Promise<Pick<NodeState, 'ospf' | 'ospf6' | 'neighbourTable'>> {
  const heardOn = new Set(neighbours.map(({ ifname }) => ifname));
  const ports = interfaces.filter((port) => isUnnumbered(port) && !heardOn.has(port.name)).map(({ name }) => name);
  if (ports.length === 0) return {};
  const absent = () => undefined;
  const [ospf, ospf6, rows] = await Promise.all([
    ospfOf(asking.frr).catch(absent),
    ospf6Of(asking.frr).catch(absent),
    asking.table().catch(absent),
  ]);
  return {
    ...(ospf === undefined ? {} : { ospf }),
    ...(ospf6 === undefined ? {} : { ospf6 }),
    ...(rows === undefined ? {} : { neighbourTable: rows.filter(({ ifname }) => ports.includes(ifname)) }),
  };
}

/** Without any address it runs no protocol. */
function isUnnumbered({ operUp, kind, addresses }: InterfaceState): boolean {
  const own = addresses.map(parsePrefix).filter((prefix) => prefix !== undefined && !isLinkLocal(prefix));
  const isOfHosts = own.every((prefix) => prefix!.prefixBits === (prefix!.family === 4 ? 32 : 128));
  return operUp && kind === 'physical' && addresses.length > 0 && isOfHosts;
}
