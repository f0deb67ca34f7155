// Nodes that hold only what links are made of.
import type { Adjacency, InterfaceState, Neighbour, NodeState } from '#model/router/router-port.ts';
import { NO_TRAFFIC } from '../../fakes/no-traffic.ts';

export function port(name: string, addresses: readonly string[], more: Partial<InterfaceState> = {}): InterfaceState {
  return {
    name,
    kind: 'physical',
    adminUp: true,
    operUp: true,
    mtu: 1500,
    addresses,
    carrierChanges: 0,
    offloads: [],
    counters: NO_TRAFFIC,
    ...more,
  };
}

export function node(
  interfaces: readonly InterfaceState[],
  neighbours: readonly Neighbour[] = [],
  adjacencies: readonly Adjacency[] = [],
): NodeState {
  const system = { kernel: '', routing: '', hostname: '' };
  return {
    inventory: { node: 'x', driver: 'embedded', system, interfaces, sids: [], loopbacks: [] },
    neighbours,
    adjacencies,
    filters: [],
    nodeCounters: {},
    missing: [],
  };
}

export const hears = (ifname: string, systemName: string, portId: string): Neighbour => ({
  ifname,
  systemName,
  portId,
  chassisId: `c-${systemName}`,
  unknownTlvs: [],
});
