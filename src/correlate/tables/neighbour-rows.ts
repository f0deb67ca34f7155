// Neighbours of a node by protocol, and what is connected to its ports.
import type { RoutingProtocol } from '#model/intent.ts';
import { ospfName, ospfRows } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { ageWords } from '#model/settings/change-words.ts';
import type { View } from '../network/world.ts';
import type { Rows } from './rows.ts';

export const NEIGHBOUR_COLUMNS = ['node', 'protocol', 'interface', 'neighbour', 'state'];

/** Of one protocol, or of all, LLDP among them. */
export function neighbourRows({ node, state }: View, protocol: RoutingProtocol | undefined): Rows {
  const all: Readonly<Record<string, (state: NodeState) => Rows>> = {
    isis: isisRows,
    ospf: ospfNeighbours,
    bgp: bgpRows,
    bfd: bfdRows,
    ...(protocol === undefined ? { lldp: lldpRows } : {}),
  };
  const wanted = protocol === undefined ? Object.values(all) : [all[protocol]!];
  return wanted.flatMap((rowsOf) => rowsOf(state)).map((cells) => [node, ...cells]);
}

function isisRows({ adjacencies }: NodeState): Rows {
  return adjacencies.map(({ ifname, hostname, systemId, level, state }) => [
    'IS-IS',
    ifname,
    hostname ?? systemId,
    `${state}, level ${level}`,
  ]);
}

function ospfNeighbours(node: NodeState): Rows {
  return ospfRows(node).flatMap((row) =>
    row.neighbours.map(({ routerId, state }) => [ospfName(row), row.ifname, routerId, state]),
  );
}

function bgpRows({ bgp }: NodeState): Rows {
  return (bgp?.sessions ?? []).map(({ peer, remoteAs, state, upMs }) => [
    'BGP',
    '-',
    `${peer} (AS ${remoteAs})`,
    upMs === undefined ? state : `${state} for ${ageWords(upMs)}`,
  ]);
}

function bfdRows({ bfd = [] }: NodeState): Rows {
  return bfd.map(({ ifname, peer, status }) => ['BFD', ifname ?? '-', peer, status]);
}

function lldpRows({ neighbours }: NodeState): Rows {
  return neighbours.map(({ ifname, systemName, chassisId, portId }) => [
    'LLDP',
    ifname,
    `${systemName ?? chassisId} ${portId}`,
    'heard',
  ]);
}

export const CONNECTED_COLUMNS = ['node', 'interface', 'connected', 'known from'];

/** Neighbours that LLDP hears, and hosts that the node observed. */
export function connectedRows({ node, state }: View): Rows {
  const heard = state.neighbours.map(({ ifname, systemName, chassisId, portId }) => [
    ifname,
    `${systemName ?? chassisId} ${portId}`,
    'LLDP',
  ]);
  const hosts = (state.history?.hosts ?? []).map(({ ifname, address, mac }) => [
    ifname,
    `${address} (${mac})`,
    'ARP, ND',
  ]);
  return [...heard, ...hosts].map((cells) => [node, ...cells]);
}
