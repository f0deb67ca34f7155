// Two ports that belong together because a routing protocol's one adjacency between two nodes is on them: where a link has no addresses of its own
// and no LLDP, nothing else tells. Pure.
import { nodeKey } from '../names.ts';
import type { OspfInterface } from '../router/control-plane.ts';
import type { Adjacency, NodeState } from '../router/router-port.ts';

type NamedState = { readonly node: string; readonly state: NodeState };
type Port = { readonly name: string; readonly adjacencies: readonly Adjacency[] };

/** Texts that the two ports of an adjacency have in common. */
export function adjacencyKeys({ node, state }: NamedState, { name, adjacencies }: Port): readonly string[] {
  const isis = adjacencies.map(
    ({ hostname }) => `adjacency ${[nodeKey(node), nodeKey(hostname ?? '')].sort().join(' ')}`,
  );
  const row = ospfRow(state, name);
  const ospf = neighboursOf(row).map((routerId) => `ospf ${[row?.routerId ?? '', routerId].sort().join(' ')}`);
  return [...isis, ...ospf];
}

/** Both ends are adjacent to each other, nowhere else, and to no other node there. */
export function isOnlyAdjacency(from: NamedState, one: Port, to: NamedState, other: Port): boolean {
  return isOnlyIsis(from, one, to, other) || isOnlyOspf(from, one, to, other);
}

/** By name. */
function isOnlyIsis(from: NamedState, one: Port, to: NamedState, other: Port): boolean {
  const ends = [
    { port: one, own: from, far: to },
    { port: other, own: to, far: from },
  ];
  return ends.every(
    ({ port, own, far }) =>
      isAdjacent(port, far) &&
      port.adjacencies.every(({ hostname }) => hostname !== undefined) &&
      systemsOn(port) === 1 &&
      isisPorts(own, far) === 1,
  );
}

/** Ports on which a node has an adjacency with another: of several between the same two, which ports belong together is not known. */
function isisPorts({ state }: NamedState, to: NamedState): number {
  const named = state.adjacencies.filter(
    (entry) => entry.state === 'up' && entry.hostname !== undefined && nodeKey(entry.hostname) === nodeKey(to.node),
  );
  return new Set(named.map(({ ifname }) => ifname)).size;
}

/** IS-IS is up there, with that node or with one whose name is not known. */
export function isAdjacent({ adjacencies }: Port, to: NamedState): boolean {
  return adjacencies.some(
    (entry) => entry.state === 'up' && (entry.hostname === undefined || nodeKey(entry.hostname) === nodeKey(to.node)),
  );
}

export function systemsOn({ adjacencies }: Port): number {
  return new Set(adjacencies.map((entry) => entry.systemId)).size;
}

/** By router id (RFC 2328 §C.1). */
function isOnlyOspf(from: NamedState, one: Port, to: NamedState, other: Port): boolean {
  const [mine, its] = [ospfRow(from.state, one.name), ospfRow(to.state, other.name)];
  const [id, farId] = [mine?.routerId, its?.routerId];
  if (id === undefined || farId === undefined || id === farId) return false;
  const isAlone = (row: OspfInterface | undefined, routerId: string) =>
    neighboursOf(row).length === 1 && neighboursOf(row)[0] === routerId;
  const ports = ({ state }: NamedState, routerId: string) =>
    (state.ospf ?? []).filter((row) => neighboursOf(row).includes(routerId)).length;
  return isAlone(mine, farId) && isAlone(its, id) && ports(from, farId) === 1 && ports(to, id) === 1;
}

function ospfRow({ ospf = [] }: NodeState, ifname: string): OspfInterface | undefined {
  return ospf.find((row) => row.ifname === ifname);
}

/** Router ids of those with which packets go both ways. */
function neighboursOf(row: OspfInterface | undefined): readonly string[] {
  return (row?.neighbours ?? []).filter(({ state }) => /^(?:Full|2-Way)/.test(state)).map(({ routerId }) => routerId);
}
