// Addresses that answered no echo although every lookup there and back says that the packets should have arrived.
import { nodeResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { nodeRef } from '../network/node-ref.ts';
import { ownerOf, type Reach, sourcesOf, type World } from '../network/world.ts';
import { sendersOf } from '../packet-filter/attempts.ts';

export type ReachDetail = {
  readonly from: string;
  readonly destination: string;
  readonly owner: string;
  readonly sent: number;
  /** Addresses that the echoes may have been sent from. */
  readonly sources: readonly string[];
};

export const reachSymptom = defineSymptom<ReachDetail>('reach');

export function unansweredEchoes(world: World): readonly Symptom[] {
  return world.reach.flatMap((probe) => unanswered(world, probe));
}

function unanswered(world: World, { from, destination, sent, received, source }: Reach): readonly Symptom[] {
  const owner = ownerOf(world, destination);
  if (received > 0 || owner === undefined) return [];
  const there = walk(world, from, destination);
  if (there.endings.some(({ kind }) => kind !== 'delivered')) return [];
  const own = world.views
    .get(from)
    ?.state.inventory.loopbacks.map((address) => address.split('/')[0]!)
    .find((address) => address.includes(':') === destination.includes(':'));
  const back = own === undefined ? undefined : walk(world, owner.node, own);
  if (back?.endings.some(({ kind }) => kind !== 'delivered')) return [];
  return [
    reachSymptom.raise({
      id: `reach:${from}>${destination}`,
      subject: nodeResource(owner.node),
      text: `${nodeRef(from)} probed ${destination} of ${nodeRef(owner.node)}: none of ${sent} came back, though every route is there`,
      source: [source, ...sourcesOf(world, from, owner.node)],
      nodes: [from, owner.node],
      way: {
        nodes: [...new Set([...there.nodes, ...(back?.nodes ?? [])])],
        links: [...new Set([...there.links, ...(back?.links ?? [])])],
      },
      detail: { from, destination, owner: owner.node, sent, sources: sendersOf(world, from, destination) },
    }),
  ];
}
