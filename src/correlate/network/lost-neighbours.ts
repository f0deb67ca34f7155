// Adjacencies and sessions that nodes remember to have lost, and who was at the other end.
import type { HistoryEvent } from '#model/router/control-plane.ts';
import { linkOn, otherEnd, peerEnd, type World } from './world.ts';

export type Loss = HistoryEvent & { readonly node: string; readonly far: readonly string[] };

/** Of all nodes that answered. */
export function lossesIn(world: World): readonly Loss[] {
  return [...world.views.values()].flatMap(({ node, state }) =>
    (state.history?.events ?? [])
      .filter(({ kind, up }) => kind !== 'carrier' && !up)
      .map((event) => ({ ...event, node, far: farNodes(world, node, event) })),
  );
}

/** The subject of an adjacency is its interface and the system id of the other end. */
function farNodes(world: World, node: string, { kind, subject }: HistoryEvent): readonly string[] {
  if (kind === 'session') return [peerEnd(world, node, subject)?.node ?? []].flat();
  const [ifname = '', systemId = ''] = subject.split(' ');
  const named = [...world.views.values()].filter(({ state }) => systemId !== '' && state.isis?.systemId === systemId);
  if (named.length > 0) return named.map((view) => view.node);
  return [...new Set(linkOn(world, { node, ifname }).map((link) => otherEnd(link, node).node))];
}

/** What such a daemon speaks is lost with it. Events are of IS-IS and BGP alone. */
const LOST_WITH: Readonly<Record<string, readonly HistoryEvent['kind'][]>> = {
  isisd: ['adjacency'],
  bgpd: ['session'],
  bfdd: ['adjacency', 'session'],
  zebra: ['adjacency', 'session'],
};

export function isLostWith(daemon: string, kind: HistoryEvent['kind']): boolean {
  return LOST_WITH[daemon]?.includes(kind) === true;
}
