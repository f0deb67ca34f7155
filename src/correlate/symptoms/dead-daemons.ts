// Routing daemons of a node that no longer answer.
import { nodeResource } from '#model/names.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import type { World } from '../network/world.ts';

/** Names of daemons. */
export type DaemonDetail = { readonly dead: readonly string[]; readonly alive: readonly string[] };

export const daemonSymptom = defineSymptom<DaemonDetail>('daemon');

export function deadDaemons(world: World): readonly Symptom[] {
  return [...world.views.values()].flatMap(({ node, state, sources }) => {
    const daemons = state.daemons ?? [];
    const dead = daemons.filter((daemon) => !daemon.alive).map((daemon) => daemon.name);
    const alive = daemons.filter((daemon) => daemon.alive).map((daemon) => daemon.name);
    if (dead.length === 0) return [];
    const text = `${nodeRef(node)}: ${dead.join(', ')} no longer answer${dead.length === 1 ? 's' : ''}`;
    return [
      daemonSymptom.raise({
        id: `daemon:${node}`,
        ...{ subject: nodeResource(node), text, source: sources, nodes: [node], detail: { dead, alive } },
      }),
    ];
  });
}
