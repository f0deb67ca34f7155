// Who is connected to whom, from what two nodes say of themselves and of each other. Each link carries what speaks for it
// and what speaks against it; device text (LLDP, host names) can support or contradict, never create a link by itself: what both
// ends say of each other, by LLDP, by the one adjacency between them or by their tables of neighbours, can.
import { type IpPrefix, isLinkLocal, isNarrow, parsePrefix, sharesSubnet } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { type LinkEnd, nodeKey } from '../names.ts';
import type { Adjacency, InterfaceState, Neighbour, NodeState } from '../router/router-port.ts';
import { commonKeys, isAdjacent, isOnlyIsis, isOnlyOspf, isOnlyResolved, systemsOn } from './adjacent-ports.ts';
import {
  confidenceOf,
  type LinkClaim,
  type LinkConfidence,
  type LinkSign,
  namesByBgp,
  namesByOspf,
} from './link-indicators.ts';
import { isSwitched, portsByMaster, speakerOf } from './masters.ts';

export type Link = {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  /** Addresses in the shared subnet, IPv6 if there is one; absent on unnumbered links. */
  readonly addresses?: { readonly from: string; readonly to: string };
  /** What both ends say alike. */
  readonly signs: readonly LinkSign[];
  /** What one end alone says. */
  readonly claims: readonly LinkClaim[];
  readonly confidence: LinkConfidence;
  readonly pointToPoint: boolean;
  /** Reasons to doubt the link: LLDP that names another known node or port. */
  readonly doubts: readonly string[];
  /** What is strange about a link that stands all the same. */
  readonly remarks: readonly string[];
};

type Ends = Pick<Link, 'from' | 'to'>;

/** The same two ports, named in the same order. */
export function isSameLink(one: Ends, other: Ends): boolean {
  const ends = ({ from, to }: Ends) => `${from.node}:${from.ifname} ${to.node}:${to.ifname}`;
  return ends(one) === ends(other);
}

/** A link of these two nodes, whichever is named first. */
export function isBetween({ from, to }: Ends, one: string, other: string): boolean {
  return (from.node === one && to.node === other) || (from.node === other && to.node === one);
}

export type NamedState = { readonly node: string; readonly state: NodeState };

/**
 * Links between two nodes. `known` are the names of all nodes, so that a neighbour's name can be recognised as another's; `states` tell which of
 * them have bridges.
 */
export function linksBetween(
  from: NamedState,
  to: NamedState,
  known: readonly string[],
  states: readonly NamedState[] = [],
): readonly Link[] {
  const all = knownNodes(known, states);
  const [ones, others] = [viewOf(from), viewOf(to)];
  const [owns, theirs] = [ones, others].map((ports) => new Set(ports.map((port) => port.name)));
  const places = indexOf(to, others);
  return ones.flatMap((one) => {
    const near = new Set(
      [...keysOf(one), ...heardKeys(one), ...commonKeys(from, one)].flatMap((key) => places.get(key) ?? []),
    );
    const inOrder = [...near].sort((a, b) => a - b).map((place) => others[place]!);
    return inOrder.flatMap(
      (other) => linkOf({ ...from, ports: owns! }, one, { ...to, ports: theirs! }, other, all) ?? [],
    );
  });
}

/** Every link among the nodes, each once, found by shared subnets and by who names whom; cost grows with interfaces, not with pairs. */
export function allLinks(nodes: readonly NamedState[]): readonly Link[] {
  const known = knownNodes(
    nodes.map(({ node }) => node),
    nodes,
  );
  const places = new Map<string, Place[]>();
  for (const named of nodes) {
    const ports = viewOf(named);
    const side = { ...named, ports: new Set(ports.map((port) => port.name)) };
    for (const port of ports) {
      const heard = port.neighbours.map((entry) => pairKey(named.node, port.name, entry));
      for (const key of new Set([...keysOf(port), ...heard, ...commonKeys(named, port)])) {
        const there = places.get(key) ?? [];
        if (there.length < MODEL_LIMITS.subnetInterfaces) there.push({ side, port });
        places.set(key, there);
      }
    }
  }
  const found = new Map<string, Link | undefined>();
  for (const group of places.values()) {
    for (const [index, one] of group.entries()) {
      for (const other of group.slice(index + 1)) {
        const [first, second] = [one, other].sort((a, b) => (endKey(a) < endKey(b) ? -1 : 1)) as [Place, Place];
        const key = `${endKey(first)} ${endKey(second)}`;
        if (first.side.node === second.side.node || found.has(key)) continue;
        found.set(key, linkOf(first.side, first.port, second.side, second.port, known));
      }
    }
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}

/** Names of nodes by their keys, with the states that there are. */
type KnownNodes = ReadonlyMap<string, { readonly node: string; readonly state?: NodeState }>;

function knownNodes(names: readonly string[], states: readonly NamedState[]): KnownNodes {
  return new Map([...names.map((node) => ({ node })), ...states].map((each) => [nodeKey(each.node), each]));
}

type Place = { readonly side: Side; readonly port: Port };

function endKey({ side, port }: Place): string {
  return `${side.node}:${port.name}`;
}

/** The same text from both ends when each names the other's port. */
function pairKey(node: string, ifname: string, { systemName, portId }: Neighbour): string {
  return [`${nodeKey(node)}:${ifname}`, `${nodeKey(systemName ?? '')}:${portId}`].sort().join(' ');
}

/** Keys of nodes that `state` names as its neighbours, by LLDP or IS-IS: hints for finding a way, nothing more. */
export function neighbourKeys(state: NodeState): ReadonlySet<string> {
  const lldp = state.neighbours.map((neighbour) => neighbour.systemName);
  const isis = state.adjacencies.filter((entry) => entry.state === 'up').map((entry) => entry.hostname);
  return new Set([...lldp, ...isis].filter((name) => name !== undefined).map(nodeKey));
}

/** An interface with all that is said of it: read once, however many it is compared with. */
type Port = {
  readonly name: string;
  readonly mac: string | undefined;
  readonly prefixes: readonly IpPrefix[];
  readonly neighbours: readonly Neighbour[];
  /** Of a bridge or a bond: its ports, and what LLDP hears on them. */
  readonly below: readonly Pick<InterfaceState, 'name' | 'mac'>[];
  readonly heardBelow: readonly Neighbour[];
  readonly adjacencies: readonly Adjacency[];
};

/** A node, with the names of its ports. */
type Side = NamedState & { readonly ports: ReadonlySet<string> };

/** Every interface but loopbacks, within the limits. */
function viewOf({ state }: NamedState): readonly Port[] {
  const neighbours = Map.groupBy(state.neighbours, (entry) => entry.ifname);
  const adjacencies = Map.groupBy(state.adjacencies, (entry) => entry.ifname);
  // On a port where no neighbour is heard now, the last one heard is still its other end.
  const remembered = (state.history?.lastHeard ?? []).map(({ ifname, name, port }) => ({
    ifname,
    chassisId: name,
    portId: port ?? '',
    systemName: name,
    unknownTlvs: [],
  }));
  const lastHeard = Map.groupBy(remembered, (entry) => entry.ifname);
  const heardOnPort = (name: string) =>
    (neighbours.get(name) ?? lastHeard.get(name) ?? []).slice(0, MODEL_LIMITS.portNeighbours);
  const below = portsByMaster(state);
  const ports = state.inventory.interfaces
    .slice(0, LIMITS.nodeInterfaces)
    .filter((entry) => entry.kind !== 'loopback')
    .map(({ name, kind, mac, addresses }) => ({
      name,
      isVirtual: kind === 'other',
      mac: mac?.toLowerCase(),
      prefixes: addresses
        .slice(0, MODEL_LIMITS.interfaceAddresses)
        .map(parsePrefix)
        .filter((prefix) => prefix !== undefined && !isLinkLocal(prefix)) as IpPrefix[],
      neighbours: heardOnPort(name),
      below: (below.get(name) ?? []).map((port) => ({
        name: port.name,
        ...(port.mac === undefined ? {} : { mac: port.mac.toLowerCase() }),
      })),
      heardBelow: (below.get(name) ?? [])
        .flatMap((port) => heardOnPort(port.name))
        .slice(0, MODEL_LIMITS.portNeighbours),
      adjacencies: (adjacencies.get(name) ?? []).slice(0, MODEL_LIMITS.portNeighbours),
    }));
  // A macvlan, such as VRRP's, is in the network of a port of its own node: it has no wire of its own.
  const wired = new Set(ports.filter(({ isVirtual }) => !isVirtual).flatMap(keysOf));
  return ports.filter((port) => !port.isVirtual || !keysOf(port).some((key) => wired.has(key)));
}

/** Places of the ports by what they are known by: subnets, name and MAC. What many ports share identifies none of the rest. */
function indexOf(named: NamedState, ports: readonly Port[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, port] of ports.entries()) {
    for (const key of [
      ...keysOf(port),
      ...commonKeys(named, port),
      `port ${port.name}`,
      ...(port.mac === undefined ? [] : [`mac ${port.mac}`]),
    ]) {
      const known = places.get(key) ?? [];
      if (known.length < MODEL_LIMITS.subnetInterfaces) known.push(place);
      places.set(key, known);
    }
  }
  return places;
}

function keysOf(port: Port): readonly string[] {
  return port.prefixes.map(({ family, value, prefixBits }) => {
    const hostBits = BigInt((family === 4 ? 32 : 128) - prefixBits);
    return `net ${family}/${prefixBits}/${value >> hostBits}`;
  });
}

function heardKeys(port: Port): readonly string[] {
  return port.neighbours.flatMap(({ portId }) => [`port ${portId}`, `mac ${portId.toLowerCase()}`]);
}

function linkOf(from: Side, one: Port, to: Side, other: Port, known: KnownNodes): Link | undefined {
  const shared = sharedSubnet(one, other);
  const lldp = [one, other].every(isWire) && namesByLldp(one, to, other) && namesByLldp(other, from, one);
  const isis = isAdjacent(one, to) && isAdjacent(other, from);
  const doubts = [...doubtsOf(from, one, to, other, known), ...doubtsOf(to, other, from, one, known)];
  // What LLDP names otherwise, an adjacency that may lead through a device between does not settle.
  const ospf = shared === undefined && doubts.length === 0 && isOnlyOspf(from, one, to, other, known);
  const resolved = shared === undefined && doubts.length === 0 && isOnlyResolved(from, one, to, other, known);
  if (shared === undefined && !lldp && !ospf && !resolved && !isOnlyIsis(from, one, to, other)) return undefined;
  const narrow = shared !== undefined && isNarrow(shared[0]);
  const single = isis && [one, other].every((port) => systemsOn(port) === 1);
  // Any device on the wire can send an LLDP frame: a subnet for two whose ends know each other outweighs it.
  const proven = narrow && (single || lldp);
  const alone = [one, other].every((port) => heardOn(port) <= 1);
  const said = saidBy(from, one, to, other, { addresses: shared !== undefined, neighbours: resolved });
  const signs = said.flatMap(({ sign, by }) => (by.length === 2 ? [sign] : []));
  return {
    from: { node: from.node, ifname: one.name },
    to: { node: to.node, ifname: other.name },
    ...(shared === undefined ? {} : { addresses: { from: shared[0].address, to: shared[1].address } }),
    signs,
    claims: said.flatMap(({ sign, by }) => (by.length === 1 ? [{ sign, by: by[0]! }] : [])),
    confidence: confidenceOf(signs, doubts),
    pointToPoint:
      proven ||
      ((narrow || lldp || isis || ospf || resolved) &&
        alone &&
        !isOverBridge(one, to, other, known) &&
        !isOverBridge(other, from, one, known)),
    doubts: proven ? [] : doubts,
    remarks: proven
      ? [...new Set([...strangersOn(from, one, to, other), ...strangersOn(to, other, from, one), ...doubts])]
      : [],
  };
}

/** Each sign with the ends that say so. */
function saidBy(
  from: Side,
  one: Port,
  to: Side,
  other: Port,
  both: Readonly<Record<'addresses' | 'neighbours', boolean>>,
) {
  const ways = [
    { near: from, port: one, far: to, its: other },
    { near: to, port: other, far: from, its: one },
  ];
  const tell = (sign: LinkSign, says: (way: (typeof ways)[number]) => boolean) => ({
    sign,
    by: ways.filter(says).map(({ near }) => near.node),
  });
  return [
    tell('addresses', () => both.addresses),
    tell('lldp', ({ port, far, its }) => namesByLldp(port, far, its)),
    tell('isis', ({ port, far }) => isAdjacent(port, far)),
    tell('ospf', ({ near, port, far, its }) => namesByOspf(near.state, port.name, far.state, its.name)),
    tell('bgp', ({ near, port, far, its }) => namesByBgp(near.state, port.name, far.state, its.name)),
    tell('neighbours', () => both.neighbours),
  ];
}

function sharedSubnet(one: Port, other: Port): readonly [IpPrefix, IpPrefix] | undefined {
  const pairs = one.prefixes.flatMap((mine) =>
    other.prefixes.filter((its) => sharesSubnet(mine, its)).map((its) => [mine, its] as const),
  );
  return pairs.find(([mine]) => mine.family === 6) ?? pairs[0];
}

/** A port of a bridge or a bond is named for it. */
function namesByLldp(one: Port, to: NamedState, other: Port): boolean {
  return [...one.neighbours, ...one.heardBelow].some((entry) => names(entry, to, other));
}

function names(entry: Neighbour, to: NamedState, other: Port): boolean {
  const named = entry.systemName !== undefined && nodeKey(entry.systemName) === nodeKey(to.node);
  return [other, ...other.below].some(
    ({ name, mac }) => (mac !== undefined && entry.portId.toLowerCase() === mac) || (named && entry.portId === name),
  );
}

/** No bridge and no bond: what LLDP names through their ports is agreement, and makes no wire of them. */
function isWire({ below }: Port): boolean {
  return below.length === 0;
}

/** Distinct LLDP neighbours or IS-IS adjacencies on an interface, whichever is more: more than one is no point-to-point link. */
function heardOn(port: Port): number {
  const heard = [...port.neighbours, ...port.heardBelow].map((entry) => entry.chassisId);
  return Math.max(new Set(heard).size, systemsOn(port));
}

/** Who else is heard on a link that is proven: worth a line to people, never a veto. Repeats no device text. */
function strangersOn(from: NamedState, one: Port, to: NamedState, other: Port): readonly string[] {
  const peers = new Set(one.neighbours.filter((entry) => names(entry, to, other)).map((entry) => entry.chassisId));
  const strangers = new Set(one.neighbours.map((entry) => entry.chassisId).filter((chassis) => !peers.has(chassis)));
  if (strangers.size === 0) return [];
  return [`LLDP on ${from.node} ${one.name} is also heard from ${strangers.size} other than ${to.node} ${other.name}`];
}

function doubtsOf(from: Side, one: Port, to: Side, other: Port, known: KnownNodes): readonly string[] {
  const heard = one.neighbours;
  if (heard.length === 0 || namesByLldp(one, to, other)) return [];
  return heard.flatMap((entry) => {
    const named = entry.systemName === undefined ? undefined : known.get(nodeKey(entry.systemName));
    if (named === undefined) return [];
    if (nodeKey(named.node) !== nodeKey(to.node))
      return isBridged(named, entry, to, other) ? [] : [`LLDP on ${from.node} ${one.name} names ${named.node}`];
    const elsewhere = entry.portId !== other.name && to.ports.has(entry.portId);
    return elsewhere ? [`LLDP on ${from.node} ${one.name} names another port of ${named.node}`] : [];
  });
}

/** The way to the other end is over the bridge of a node between them. */
function isOverBridge(one: Port, to: Side, other: Port, known: KnownNodes): boolean {
  return one.neighbours.some((entry) => {
    const named = entry.systemName === undefined ? undefined : known.get(nodeKey(entry.systemName));
    return named !== undefined && nodeKey(named.node) !== nodeKey(to.node) && isBridged(named, entry, to, other);
  });
}

/**
 * The port that LLDP names is one of several of a bridge: what is behind the others is in reach as well, unless the node hears it on ports of none of
 * them. A bridge may have the MAC address of one of its ports.
 */
function isBridged({ state }: { readonly state?: NodeState }, { portId }: Neighbour, to: NamedState, other: Port) {
  if (state === undefined) return false;
  const named = state.inventory.interfaces.filter(
    ({ name, mac }) => name === portId || mac?.toLowerCase() === portId.toLowerCase(),
  );
  const bridges = named.filter(({ name }) => isSwitched(state, name)).map(({ name }) => speakerOf(state, name));
  const heard = state.neighbours.filter((entry) => names(entry, to, other));
  return (
    bridges.length > 0 && (heard.length === 0 || heard.some(({ ifname }) => bridges.includes(speakerOf(state, ifname))))
  );
}
