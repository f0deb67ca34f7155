// Nodes that gave no state and that every neighbour lost. Which neighbour heard a node last, and whether it still does, distinguishes a dead
// agent from a dead device: a node that a neighbour still hears is no symptom.
import type { Outcome } from '#model/call.ts';
import { interfaceResource, nodeKey, nodeResource, type ResourceId } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { sourcesOf, type World } from '../network/world.ts';

/** Interfaces of neighbours that had heard the node and lost it. */
export type SilentNodeDetail = { readonly witnesses: readonly ResourceId[] };

export const silentNodeSymptom = defineSymptom<SilentNodeDetail>('silent');

export function silentNodes(world: World, outcomes: readonly Outcome[]): readonly Symptom[] {
  return world.nodes
    .filter((node) => !world.views.has(node) && outcomes.some((outcome) => outcome.node === node))
    .flatMap((node) => {
      const witnesses = witnessesOf(world, node);
      const lost = witnesses.filter((witness) => !witness.up);
      if (witnesses.length === 0 || lost.length < witnesses.length) return [];
      const why =
        outcomes.find((outcome) => outcome.node === node && outcome.status !== 'answered')?.reason ?? 'no answer';
      const ends = lost.map((each) => `${nodeRef(each.node)} ${each.ifname}`).join(', ');
      const neighbours = [...new Set(lost.map((each) => each.node))];
      return [
        silentNodeSymptom.raise({
          id: `silent:${node}`,
          subject: nodeResource(node),
          text: `${nodeRef(node)} does not answer (${why}), and ${ends} lost it`,
          source: sourcesOf(world, ...neighbours),
          nodes: [node, ...neighbours],
          detail: { witnesses: lost.map((each) => interfaceResource(each)) },
        }),
      ];
    });
}

/** Interfaces on which neighbours heard the node last, and whether they are up. */
function witnessesOf(world: World, node: string) {
  return [...world.views.values()].flatMap(({ node: witness, state }) =>
    (state.history?.lastHeard ?? [])
      .filter((entry) => nodeKey(entry.name) === nodeKey(node))
      .map(({ ifname }) => ({
        node: witness,
        ifname,
        up: state.inventory.interfaces.some((each) => each.name === ifname && each.operUp),
      })),
  );
}
