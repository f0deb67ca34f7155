// What each end of a link says of the other, sign by sign, and how far a link is to be believed: `confirmed` when both ends say so by two
// signs of different origin and nothing contradicts them, `likely` when both say so by one, or something contradicts, `claimed` when one end
// alone does. Device text supports or contradicts here; it decides nothing. Pure.
import { covers } from '#base/ip.ts';
import { type LinkEnd, nodeKey } from '../names.ts';
import { type OspfInterface, type OspfVersion, ospfRows } from '../router/control-plane.ts';
import type { NodeState } from '../router/router-port.ts';

/** `neighbours`: their tables of neighbours, on ports without a network of their own. */
export const LINK_SIGNS = ['addresses', 'lldp', 'isis', 'ospf', 'bgp', 'neighbours'] as const;
export type LinkSign = (typeof LINK_SIGNS)[number];
export type LinkConfidence = 'confirmed' | 'likely' | 'claimed';

/** One end says so, the other does not. */
export type LinkClaim = { readonly sign: LinkSign; readonly by: string };

/** A link as an operator sees it. */
export type LinkRow = {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly confidence: LinkConfidence;
  /** What both ends say alike. */
  readonly signs: readonly LinkSign[];
  readonly claims: readonly LinkClaim[];
  /** What says that one of the ends is connected to another device. */
  readonly contradictions: readonly string[];
};

export const SIGN_NAMES: Readonly<Record<LinkSign, string>> = {
  addresses: 'addresses',
  lldp: 'LLDP',
  isis: 'IS-IS',
  ospf: 'OSPF',
  bgp: 'BGP',
  neighbours: 'neighbour tables',
};

export function confidenceOf(signs: readonly LinkSign[], contradictions: readonly string[]): LinkConfidence {
  if (signs.length === 0) return 'claimed';
  return signs.length > 1 && contradictions.length === 0 ? 'confirmed' : 'likely';
}

/**
 * A neighbour with which packets go both ways: by an address of that port, or over an unnumbered link by its router id. Of OSPFv3, whose
 * addresses several nodes may have, by both.
 */
export function namesByOspf(from: NodeState, ifname: string, to: NodeState, port: string): boolean {
  if (namesByOspf6(from, ifname, to, port)) return true;
  const rows = ospfHeard(from, ifname, 2);
  if (rows.length === 0) return false;
  const near = addressesOf(to, port);
  if (rows.some(({ address }) => near.has(address))) return true;
  const all = addressesOf(to);
  return rows.some(({ address, routerId }) => all.has(address) && all.has(routerId));
}

function namesByOspf6(from: NodeState, ifname: string, to: NodeState, port: string): boolean {
  const rows = ospfHeard(from, ifname, 3);
  if (rows.length === 0) return false;
  const id = ospfRows(to, 3).find((row) => row.ifname === port)?.routerId;
  const near = addressesOf(to, port);
  return rows.some(({ routerId, address }) => routerId === id && near.has(address));
}

/** Neighbours on a port with which packets go both ways. */
function ospfHeard(state: NodeState, ifname: string, version: OspfVersion): OspfInterface['neighbours'] {
  const neighbours = ospfRows(state, version).find((row) => row.ifname === ifname)?.neighbours ?? [];
  return neighbours.filter(({ state: is }) => /^(?:Full|2-Way)/.test(is));
}

/** A session that is up between addresses of one subnet, those of the two ports: one hop. */
export function namesByBgp(from: NodeState, ifname: string, to: NodeState, port: string): boolean {
  const up = (from.bgp?.sessions ?? []).filter(({ state }) => state === 'Established');
  if (up.length === 0) return false;
  const [own, near] = [addressesOf(from, ifname), addressesOf(to, port)];
  return up.some(
    ({ peer, localAddress }) =>
      near.has(peer) && (localAddress === undefined || own.has(localAddress)) && isConnected(from, ifname, peer),
  );
}

type Named = { readonly node: string; readonly state: NodeState };

/** Ports on which one protocol names one node and another protocol another: what a wrong cable looks like. */
export function portContradictions(nodes: readonly Named[]): ReadonlyMap<string, string> {
  const owners = ownersOf(nodes);
  const keys = new Map(nodes.map(({ node }) => [nodeKey(node), node]));
  const found = new Map<string, string>();
  for (const { node, state } of nodes) {
    for (const { name: ifname } of state.inventory.interfaces) {
      const told = namedOn(state, ifname, keys, owners).filter(({ names }) => names.length === 1 && names[0] !== node);
      if (new Set(told.map(({ names }) => names[0])).size < 2) continue;
      const words = told.map(({ sign, names }) => `${SIGN_NAMES[sign]} names ${names[0]}`);
      found.set(portKey({ node, ifname }), `${node} ${ifname}: ${words.join(', ')}`);
    }
  }
  return found;
}

export function portKey({ node, ifname }: LinkEnd): string {
  return `${node} ${ifname}`;
}

/** What LLDP of one end alone says, where no link of the two ports is known. */
export function claimedLinks(nodes: readonly Named[], known: ReadonlySet<string>): readonly LinkRow[] {
  const keys = new Map(nodes.map((each) => [nodeKey(each.node), each]));
  return nodes.flatMap(({ node, state }) =>
    state.neighbours.flatMap((heard): LinkRow[] => {
      const other = heard.systemName === undefined ? undefined : keys.get(nodeKey(heard.systemName));
      const port = other?.state.inventory.interfaces.find(({ name }) => name === heard.portId)?.name;
      if (other === undefined || port === undefined || other.node === node) return [];
      const [from, to] = [
        { node, ifname: heard.ifname },
        { node: other.node, ifname: port },
      ];
      if (known.has(pairKey(from, to))) return [];
      return [{ from, to, confidence: 'claimed', signs: [], claims: [{ sign: 'lldp', by: node }], contradictions: [] }];
    }),
  );
}

export function pairKey(from: LinkEnd, to: LinkEnd): string {
  return [portKey(from), portKey(to)].sort().join(' – ');
}

/** Known nodes that each protocol names on a port, as of now. */
function namedOn(
  state: NodeState,
  ifname: string,
  keys: ReadonlyMap<string, string>,
  owners: ReadonlyMap<string, string>,
): readonly { readonly sign: LinkSign; readonly names: readonly string[] }[] {
  const byKey = (name: string | undefined) => (name === undefined ? [] : (keys.get(nodeKey(name)) ?? []));
  const byAddress = (address: string) => owners.get(address) ?? [];
  const lldp = state.neighbours
    .filter((entry) => entry.ifname === ifname)
    .flatMap(({ systemName }) => byKey(systemName));
  const isis = state.adjacencies
    .filter((entry) => entry.ifname === ifname && entry.state === 'up')
    .flatMap(({ hostname }) => byKey(hostname));
  // Link-local addresses, which OSPFv3 has, are no sign of which node it is.
  const ospf = ospfHeard(state, ifname, 2).flatMap(({ address }) => byAddress(address));
  const bgp = (state.bgp?.sessions ?? [])
    .filter(({ state: is, peer }) => is === 'Established' && isConnected(state, ifname, peer))
    .flatMap(({ peer }) => byAddress(peer));
  return Object.entries({ lldp, isis, ospf, bgp }).map(([sign, names]) => ({
    sign: sign as LinkSign,
    names: [...new Set(names.flat())],
  }));
}

function isConnected(state: NodeState, ifname: string, address: string): boolean {
  const addresses = state.inventory.interfaces.find(({ name }) => name === ifname)?.addresses ?? [];
  return addresses.some((own) => own.split('/')[0] !== address && covers(own, address));
}

function addressesOf(state: NodeState, ifname?: string): ReadonlySet<string> {
  const ports = state.inventory.interfaces.filter(({ name }) => ifname === undefined || name === ifname);
  return new Set(ports.flatMap(({ addresses }) => addresses.map((address) => address.split('/')[0]!)));
}

/** Addresses that one node alone has. */
function ownersOf(nodes: readonly Named[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string | undefined>();
  for (const { node, state } of nodes)
    for (const address of addressesOf(state)) owners.set(address, owners.has(address) ? undefined : node);
  return new Map([...owners].flatMap(([address, node]) => (node === undefined ? [] : [[address, node] as const])));
}
