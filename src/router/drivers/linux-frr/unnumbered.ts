// Who is behind a port that has no network of its own, for questions that read a node's small state: the table of neighbours tells, and OSPF
// (RFC 2328 §9) where LLDP hears no device.
import { isNetwork, parsePrefix } from '#base/ip.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import { cutPart, type InterfaceState, type Neighbour, type NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import { type Asking, readDaemons, readOspf } from './frr/control-plane.ts';

export type UnnumberedAsking = Asking & {
  /** Neighbours, of every port. */
  table(): Promise<readonly NeighbourEntry[]>;
};

/** Asks nothing where there is no such port; leaves out entries of other ports. What cannot be read, or has no room, is noted. */
export async function readUnnumbered(
  asking: UnnumberedAsking,
  interfaces: readonly InterfaceState[],
  neighbours: readonly Pick<Neighbour, 'ifname'>[],
): Promise<Pick<NodeState, 'ospf' | 'ospf6' | 'neighbourTable'>> {
  const heardOn = new Set(neighbours.map(({ ifname }) => ifname));
  const ports = interfaces.filter(isUnnumbered).map(({ name }) => name);
  if (ports.length === 0) return {};
  const [rows, ospf] = await Promise.all([
    asking.part('kernel-tables', undefined, () => asking.table()),
    ports.every((name) => heardOn.has(name)) ? {} : readDaemons(asking).then((daemons) => readOspf(asking, daemons)),
  ]);
  const mine = rows?.filter(({ ifname }) => ports.includes(ifname));
  if (mine === undefined) return ospf;
  const neighbourTable = mine.slice(0, DRIVER_LIMITS.neighbourRows);
  asking.noteCut(cutPart('neighbour-entries', neighbourTable.length, mine.length));
  return { ...ospf, neighbourTable };
}

/** Link-local addresses and borrowed ones alone; a port without any address runs no protocol. */
function isUnnumbered({ operUp, kind, addresses }: InterfaceState): boolean {
  const hasOwnNetwork = addresses.flatMap((text) => parsePrefix(text) ?? []).some(isNetwork);
  return operUp && kind !== 'loopback' && addresses.length > 0 && !hasOwnNetwork;
}
