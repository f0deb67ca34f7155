// Neighbours of routing protocols that a question asks about, by name, address or protocol: found and up, or lacking. A neighbour
// that is configured nowhere is not well.
import type { Intent, RoutingProtocol } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { ospfName, ospfRows } from '#model/router/control-plane.ts';
import type { Proof } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { askedNodes, linkOn, otherEnd, ownerOf, type World } from '../network/world.ts';

type Row = {
  readonly node: string;
  readonly protocol: RoutingProtocol;
  /** Every name and address by which a question may call the neighbour. */
  readonly names: readonly string[];
  readonly up: boolean;
  readonly state: string;
  /** What it is called where that is not the name of the protocol. */
  readonly called?: string;
};

const CALLED: Readonly<Record<RoutingProtocol, string>> = { isis: 'IS-IS', bgp: 'BGP', ospf: 'OSPF', bfd: 'BFD' };

export function neighboursAsked(intent: Intent, world: World): Proof {
  const { protocol, neighbour } = intent;
  const nodes = askedNodes(intent, world);
  const peers = neighbour === undefined ? nodes.slice(1) : [neighbour];
  const from = neighbour === undefined ? nodes.slice(0, 1) : nodes;
  const near = from.flatMap((node) => rowsOf(world, node, protocol)).filter((row) => isOne(row, peers));
  // The other end of the session may know of it, and without a named node any node may.
  const elsewhere = intent.path.length === 0 ? [...world.views.keys()] : neighbour === undefined ? nodes.slice(1) : [];
  const callers = intent.path.length === 0 ? peers : from;
  const far = elsewhere.flatMap((node) => rowsOf(world, node, protocol)).filter((row) => isOne(row, callers));
  const rows = near.length > 0 ? near : far;
  const what = `${protocol === undefined ? 'routing' : CALLED[protocol]} neighbour`;
  if (rows.length === 0)
    return {
      proven: [],
      lacking: [`${from.map(nodeRef).join(', ')}: no ${what}${peers.map((peer) => ` ${peer}`).join('')} is known`],
    };
  const line = (row: Row) =>
    `${nodeRef(row.node)}: ${row.called ?? CALLED[row.protocol]} neighbour ${row.names[0]} is ${row.state}`;
  return { proven: rows.filter(({ up }) => up).map(line), lacking: rows.filter(({ up }) => !up).map(line) };
}

/** One of the named nodes; any node when none is named. */
function isOne(row: Row, names: readonly string[]): boolean {
  const keys = names.flatMap((name) => [name.toLowerCase(), nodeKey(name)]);
  return (
    names.length === 0 || row.names.some((name) => keys.includes(name.toLowerCase()) || keys.includes(nodeKey(name)))
  );
}

function rowsOf(world: World, node: string, protocol: RoutingProtocol | undefined): readonly Row[] {
  const state = world.views.get(node)?.state;
  if (state === undefined) return [];
  const onLink = (ifname: string | undefined) =>
    ifname === undefined ? [] : linkOn(world, { node, ifname }).map((link) => otherEnd(link, node).node);
  const owner = (address: string) => ownerOf(world, address)?.node ?? [];
  const rows: readonly Row[] = [
    ...(state.bgp?.sessions ?? []).map(({ peer, state: now }) => ({
      ...{ node, protocol: 'bgp' as const, names: [peer].concat(owner(peer)) },
      ...{ up: now === 'Established', state: now },
    })),
    ...state.adjacencies.map(({ hostname, systemId, ifname, state: now }) => ({
      ...{ node, protocol: 'isis' as const, up: now === 'up', state: now },
      names: [hostname ?? systemId, systemId, ...onLink(ifname)],
    })),
    ...ospfRows(state).flatMap((row) =>
      row.neighbours.map(({ routerId, address, state: now }) => ({
        ...{ node, protocol: 'ospf' as const, up: /^(?:Full|2-Way)/i.test(now), state: now },
        called: ospfName(row),
        names: [routerId, address, ...onLink(row.ifname)],
      })),
    ),
    ...(state.bfd ?? []).map(({ peer, ifname, status }) => ({
      ...{ node, protocol: 'bfd' as const, up: status === 'up', state: status },
      names: [peer, ...onLink(ifname)].concat(owner(peer)),
    })),
  ];
  return protocol === undefined ? rows : rows.filter((row) => row.protocol === protocol);
}
