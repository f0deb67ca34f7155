// Nodes without a link to any node that was asked: their neighbours have no agent, or LLDP is off. Their links cannot be measured one by one; that
// probes pass over them both ways shows all the same that they carry traffic.
import { announcesAgent } from '#model/peer.ts';
import { isLoss, LEAST_PROBES } from '../engine/loss-symptom.ts';
import { linksAt, type Reach, type World } from '../network/world.ts';

export function linklessNodes(world: World): readonly string[] {
  return [...world.views.keys()].filter((node) => world.views.size > 1 && linksAt(world, node).length === 0);
}

/**
 * All its ports in use are up, no neighbour of it announces an agent, many probes from it to an address of another node came back and many of
 * another node to one of its own, and no address to or from it lost some of its probes.
 */
export function passesUnseen(world: World, node: string): boolean {
  const { out, back } = waysOf(world, node);
  const isMany = ({ sent }: Reach) => sent >= LEAST_PROBES;
  return isQuiet(world, node) && out.some(isMany) && back.some(isMany) && !losesSome(world, node);
}

/** For each such node of which a few probes came back both ways: one way from it and one to it, to be probed with many. */
export function toBeProven(world: World): readonly Pick<Reach, 'from' | 'destination'>[] {
  const found = linklessNodes(world).flatMap((node) => {
    const { out, back } = waysOf(world, node);
    return isQuiet(world, node) && out.length > 0 && back.length > 0 ? [out[0]!, back[0]!] : [];
  });
  return [...new Map(found.map(({ from, destination }) => [`${from} ${destination}`, { from, destination }])).values()];
}

/** Probes that came back: from the node to others, and of others to its own addresses. */
function waysOf(
  { reach, owners }: World,
  node: string,
): { readonly out: readonly Reach[]; readonly back: readonly Reach[] } {
  const isOwn = ({ destination }: Reach) => owners.get(destination)?.some((owner) => owner.node === node) === true;
  const came = reach.filter((row) => row.sent > 0 && row.received > 0 && !isLosing(row));
  return {
    out: came.filter((row) => row.from === node && !isOwn(row)),
    back: came.filter((row) => row.from !== node && isOwn(row)),
  };
}

/** Other probes of the node, or to it, were lost in part: what carries some packets and loses others is not proven by those that came back. */
function losesSome({ reach, owners }: World, node: string): boolean {
  return reach.some(
    (row) =>
      row.received > 0 &&
      isLosing(row) &&
      (row.from === node || owners.get(row.destination)?.some((owner) => owner.node === node)),
  );
}

function isLosing({ sent, received, again }: Reach): boolean {
  return again === undefined ? received < sent : isLoss(again.sent, again.sent - again.received);
}

function isQuiet({ views }: World, node: string): boolean {
  const { neighbours = [], inventory } = views.get(node)?.state ?? {};
  return (
    (inventory?.interfaces ?? []).every(
      ({ kind, adminUp, operUp, addresses }) => kind !== 'physical' || !adminUp || operUp || addresses.length === 0,
    ) && !neighbours.some(announcesAgent)
  );
}
