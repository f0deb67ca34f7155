// Neighbours that are heard and gave no state. A neighbour that announces an agent is lacking; hosts, switches, routers without an agent and
// other networks' routers at the edge are not: they are listed, and what lies behind them was not looked at.
import type { Intent } from '#model/intent.ts';
import { isNodeName, nodeKey } from '#model/names.ts';
import { announcesAgent } from '#model/peer.ts';
import { type OspfInterface, ospfName, ospfRows } from '#model/router/control-plane.ts';
import type { Proof } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { isBeyond } from '../network/other-networks.ts';
import { askedNodes, linkOn, peerEnd, type View, type World } from '../network/world.ts';

export function neighbourProof(intent: Intent, world: World): Proof {
  const all = focusOf(intent, world);
  const beyond = all.filter(({ node }) => isBeyond(world, node)).map(({ node }) => nodeRef(node));
  const focus = all.filter(({ node }) => !beyond.includes(nodeRef(node)));
  const routers = focus.flatMap((view) => strangers(world, view).map((stranger) => ({ view, stranger })));
  const [announced, bare] = [true, false].map((wanted) =>
    routers.filter(({ view, stranger }) => hasAgent(world, view, stranger) === wanted).map(({ stranger }) => stranger),
  );
  const edges = focus.filter((view) => hasEdge(world, view)).map(({ node }) => nodeRef(node));
  return {
    proven: [
      ...withoutAgent(bare!.filter(({ isUp }) => isUp)),
      ...(beyond.length === 0
        ? []
        : [
            `not tested: what lies behind ${beyond.join(', ')}, routers of another network: no addresses of routers are announced between the two`,
          ]),
      ...(edges.length === 0
        ? []
        : [`neighbours without an agent are heard by ${edges.join(', ')}: what lies behind them was not looked at`]),
    ],
    // Beyond the edge too: who announces an agent is of the domain, and could have been asked.
    lacking: [
      ...new Set([...announced!, ...bare!.filter(({ isUp }) => !isUp)].map(withAgent)),
      ...all.flatMap((view) => agents(world, view)),
    ],
  };
}

/** All that a question is about; a question about reachability is about the path, and that is measured. */
function focusOf(intent: Intent, world: World): readonly View[] {
  if (intent.kind === 'reachability') return [];
  const nodes = world.whole ? [...world.views.keys()] : askedNodes(intent, world);
  return nodes.flatMap((node) => world.views.get(node) ?? []);
}

/** A neighbour with which a node speaks the network's own routing, and whose side of it is not known. */
type Stranger = {
  readonly node: string;
  readonly ifname: string;
  readonly protocol: string;
  readonly isUp: boolean;
  readonly name?: string;
};
/** Full, and between routers of a shared network of which neither is designated, 2-Way (RFC 2328 §10.1). */
const SETTLED_OSPF = /^(?:full|2-?way)/i;

function strangers(world: World, { node, state }: View): readonly Stranger[] {
  const isis = state.adjacencies
    .filter((entry) => entry.state === 'up' && !isKnown(world, node, entry.ifname, entry.hostname))
    .map(({ ifname, hostname }) => ({
      node,
      protocol: 'IS-IS',
      ifname,
      isUp: true,
      ...(hostname ? { name: hostname } : {}),
    }));
  const ids = new Set(
    [...world.views.values()].flatMap((view) => ospfRows(view.state, 3).map(({ routerId }) => routerId)),
  );
  // Link-local addresses, which OSPFv3 has, are no node's own: there its router id is known.
  const isOfNode = ({ version }: OspfInterface, { address, routerId }: OspfInterface['neighbours'][number]) =>
    version === 3 ? ids.has(routerId) : (world.owners.get(address) ?? []).length > 0;
  const ospf = ospfRows(state).flatMap((row) =>
    row.neighbours
      .filter((each) => !isOfNode(row, each) && !isKnown(world, node, row.ifname, undefined))
      .map(({ routerId, state: is }) => ({
        node,
        protocol: ospfName(row),
        ifname: row.ifname,
        name: routerId,
        isUp: SETTLED_OSPF.test(is),
      })),
  );
  return [...isis, ...ospf];
}

function withAgent({ node, ifname, protocol, name }: Stranger): string {
  return `${nodeRef(node)} ${ifname}: the ${protocol} neighbour${calledSo(name)} gave no state, and the link to it was not measured`;
}

/** One line a router, with all the ports behind which it is. */
function withoutAgent(found: readonly Stranger[]): readonly string[] {
  const each = Map.groupBy(found, ({ node, ifname, protocol, name }) => `${protocol} ${name ?? `${node} ${ifname}`}`);
  return [...each.values()].map((ports) => {
    const { protocol, name } = ports[0]!;
    const at = [...new Set(ports.map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`))].join(', ');
    return `not tested: the ${protocol} neighbour${calledSo(name)} behind ${at}, which announces no agent: its own state and the links to it; the adjacencies are up`;
  });
}

/** Those that announce an agent, and were not found. */
function agents(world: World, { node, state }: View): readonly string[] {
  return state.neighbours
    .filter((entry) => announcesAgent(entry) && !isKnown(world, node, entry.ifname, entry.systemName))
    .map(
      ({ ifname, systemName }) =>
        `${nodeRef(node)} ${ifname}: the neighbour${calledSo(systemName)} announces an agent and gave no state`,
    );
}

function hasEdge(world: World, { node, state }: View): boolean {
  const lldp = state.neighbours.some(
    (entry) => !announcesAgent(entry) && !isKnown(world, node, entry.ifname, entry.systemName),
  );
  return lldp || (state.bgp?.sessions ?? []).some(({ peer }) => peerEnd(world, node, peer) === undefined);
}

/** It announces one there, or was asked as a node that has one. */
function hasAgent({ nodes, agentless }: World, { state }: View, { ifname, name }: Stranger): boolean {
  const heard = [...state.neighbours, ...(state.history?.lastHeard ?? [])].filter((entry) => entry.ifname === ifname);
  const names = heard.flatMap((entry) => ('name' in entry ? entry.name : (entry.systemName ?? [])));
  const keys = (name === undefined ? names : [name, ...names]).map(nodeKey);
  return (
    state.neighbours.some((entry) => entry.ifname === ifname && announcesAgent(entry)) ||
    nodes.some((node) => !agentless?.has(node) && keys.includes(nodeKey(node)))
  );
}

/** A node that gave its state, or the other end of a link that is known. */
function isKnown(world: World, node: string, ifname: string, name: string | undefined): boolean {
  const named = name !== undefined && [...world.views.keys()].some((each) => nodeKey(each) === nodeKey(name));
  return named || linkOn(world, { node, ifname }).length > 0;
}

/** Text of a device is repeated only where it has the form of a name or a router id. */
function calledSo(name: string | undefined): string {
  return name !== undefined && isNodeName(name.toLowerCase()) ? ` ${name}` : '';
}
