// Two ports that belong together because a routing protocol's one adjacency between two nodes is on them, or because each alone stands in the other's
// table of neighbours: where a link has no addresses of its own and no LLDP, nothing else tells. Pure.
import { type IpPrefix, isNetwork } from '#base/ip.ts';
import { nodeKey } from '../names.ts';
import { OSPF_VERSIONS, type OspfInterface, type OspfVersion, ospfRows } from '../router/control-plane.ts';
import type { Adjacency, NodeState } from '../router/router-port.ts';

type NamedState = { readonly node: string; readonly state: NodeState };
type Port = {
  readonly name: string;
  readonly adjacencies: readonly Adjacency[];
  /** In lower case. */
  readonly mac: string | undefined;
  /** But for link-local ones. */
  readonly prefixes: readonly IpPrefix[];
};

/** Texts that two ports have in common: those of one adjacency, and two that resolved each other. */
export function commonKeys({ node, state }: NamedState, port: Port): readonly string[] {
  const { name, adjacencies, mac } = port;
  const isis = adjacencies.map(
    ({ hostname }) => `adjacency ${[nodeKey(node), nodeKey(hostname ?? '')].sort().join(' ')}`,
  );
  const ospf = OSPF_VERSIONS.flatMap((version) => {
    const row = ospfRow(state, name, version);
    const ids = neighboursOf(row).map((routerId) => [row?.routerId ?? '', routerId].sort().join(' '));
    return ids.map((both) => `ospf ${version} ${both}`);
  });
  const resolved = hasOwnNetwork(port) || mac === undefined ? [] : [...resolvedOn(state, name)];
  return [...isis, ...ospf, ...resolved.map((far) => `macs ${[mac, far].sort().join(' ')}`)];
}

/** IS-IS: both ends are adjacent to each other, by name, nowhere else, and to no other node there. */
export function isOnlyIsis(from: NamedState, one: Port, to: NamedState, other: Port): boolean {
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

/**
 * OSPF: the same on point-to-point ports (RFC 2328 §9), by router ids that no other of the known nodes has, and by addresses that the two nodes have, as a
 * port without a network of its own borrows one. A neighbour in any state is one. Either version says so by itself.
 */
export function isOnlyOspf(from: NamedState, one: Port, to: NamedState, other: Port, known: KnownStates): boolean {
  return OSPF_VERSIONS.some((version) => isOnly(version, from, one, to, other, known));
}

function isOnly(
  version: OspfVersion,
  from: NamedState,
  one: Port,
  to: NamedState,
  other: Port,
  known: KnownStates,
): boolean {
  const [mine, its] = [ospfRow(from.state, one.name, version), ospfRow(to.state, other.name, version)];
  const [id, farId] = [mine?.routerId, its?.routerId];
  if (id === undefined || farId === undefined || id === farId) return false;
  const isAlone = (row: OspfInterface, routerId: string, far: NamedState) => {
    const [neighbour, ...others] = row.neighbours;
    return (
      row.network.toUpperCase() === 'POINTOPOINT' &&
      others.length === 0 &&
      neighbour?.routerId === routerId &&
      isUp(neighbour) &&
      hasAddress(far, neighbour.address)
    );
  };
  const ports = ({ state }: NamedState, routerId: string) =>
    ospfRows(state, version).filter((row) => row.neighbours.some((each) => each.routerId === routerId)).length;
  const shared = sharedIds(known)[version];
  return (
    isAlone(mine!, farId, to) &&
    isAlone(its!, id, from) &&
    ports(from, farId) === 1 &&
    ports(to, id) === 1 &&
    !shared.has(id) &&
    !shared.has(farId)
  );
}

/**
 * ARP (RFC 826) or Neighbor Discovery (RFC 4861): of two ports without a network of their own, each has resolved the MAC address of the other and no
 * third one, and no other known port has either address.
 */
export function isOnlyResolved(from: NamedState, one: Port, to: NamedState, other: Port, known: KnownStates): boolean {
  if (one.mac === undefined || other.mac === undefined || [one, other].some(hasOwnNetwork)) return false;
  const hasOnly = ({ state }: NamedState, { name }: Port, mac: string) => {
    const macs = resolvedOn(state, name);
    return macs.size === 1 && macs.has(mac);
  };
  if (!hasOnly(from, one, other.mac) || !hasOnly(to, other, one.mac)) return false;
  const shared = [sharedMacs(known), macsOfSeveral([from, to])];
  return [one.mac, other.mac].every((mac) => shared.every((macs) => !macs.has(mac)));
}

function hasOwnNetwork({ prefixes }: Port): boolean {
  return prefixes.some(isNetwork);
}

function resolvedOn(state: NodeState, ifname: string): ReadonlySet<string> {
  return new Set(resolvedRows(state, ifname).map(({ mac }) => mac));
}

/**
 * Entries of a port's neighbours, with MAC addresses in lower case. What was set by hand or could not be resolved tells nothing of who is there, nor does a
 * table that was not read to its end.
 */
export function resolvedRows(
  { neighbourTable = [], cut = [] }: Pick<NodeState, 'neighbourTable' | 'cut'>,
  ifname: string,
): readonly { readonly address: string; readonly mac: string }[] {
  if (cut.some(({ part }) => part === 'neighbour-entries')) return [];
  const rows = neighbourTable.filter((row) => row.ifname === ifname && !/PERMANENT|NOARP|FAILED|NONE/.test(row.state));
  return rows.flatMap(({ address, mac }) => (mac === undefined ? [] : [{ address, mac: mac.toLowerCase() }]));
}

const SHARED_MACS = new WeakMap<KnownStates, ReadonlySet<string>>();

/** MAC addresses that several ports of the known nodes have. */
function sharedMacs(known: KnownStates): ReadonlySet<string> {
  const macs = SHARED_MACS.get(known) ?? macsOfSeveral(known.values());
  SHARED_MACS.set(known, macs);
  return macs;
}

function macsOfSeveral(nodes: Iterable<{ readonly state?: NodeState }>): ReadonlySet<string> {
  const macs = [...nodes].flatMap(({ state }) => state?.inventory.interfaces.flatMap(({ mac }) => mac ?? []) ?? []);
  return severalOf(macs.map((mac) => mac.toLowerCase()));
}

function severalOf(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.has(text) || !seen.add(text)));
}

type KnownStates = ReadonlyMap<string, { readonly state?: NodeState }>;
type SharedIds = Readonly<Record<OspfVersion, ReadonlySet<string>>>;
const SHARED = new WeakMap<KnownStates, SharedIds>();

/** Router ids that several of the known nodes have, by version. */
function sharedIds(known: KnownStates): SharedIds {
  const before = SHARED.get(known);
  if (before !== undefined) return before;
  const shared = { 2: sharedIn(known, 2), 3: sharedIn(known, 3) };
  SHARED.set(known, shared);
  return shared;
}

function sharedIn(known: KnownStates, version: OspfVersion): ReadonlySet<string> {
  const states = [...known.values()].map(({ state }) => state ?? {});
  return severalOf(
    states.flatMap((state) => [...new Set(ospfRows(state, version).flatMap(({ routerId }) => routerId ?? []))]),
  );
}

function hasAddress({ state }: NamedState, address: string): boolean {
  return state.inventory.interfaces.some(({ addresses }) => addresses.some((each) => each.split('/')[0] === address));
}

function ospfRow(state: NodeState, ifname: string, version: OspfVersion): OspfInterface | undefined {
  return ospfRows(state, version).find((row) => row.ifname === ifname);
}

/** Router ids of those with which packets go both ways. */
function neighboursOf(row: OspfInterface | undefined): readonly string[] {
  return (row?.neighbours ?? []).filter(isUp).map(({ routerId }) => routerId);
}

function isUp({ state }: OspfInterface['neighbours'][number]): boolean {
  return /^(?:Full|2-Way)/.test(state);
}
