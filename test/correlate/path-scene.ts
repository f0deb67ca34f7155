// The network of scope-scene.ts as a question about the path `r1 – r2 – r3` sees it.
import type { DiagnoseInput } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Scene, sceneOf, stateOf } from './scope-scene.ts';

export const PATH = ['r1', 'r2', 'r3'];

/** What is quick to read stands before and after the probes; the rest was read once, between them. */
export function along(scene: Scene): DiagnoseInput {
  const more = PATH.map((node, index) => {
    const state = stateOf((index + 1) as 1 | 2 | 3);
    return { node, purpose: { kind: 'path-state' as const }, body: scene.states?.[node]?.(state, 'after') ?? state };
  });
  const input = sceneOf({ ...scene, more: [...(scene.more ?? []), ...more] });
  const evidence = input.evidence.map((each) =>
    each.purpose.kind === 'state' ? { ...each, body: quickOf(each.body as unknown as NodeState) } : each,
  ) as DiagnoseInput['evidence'];
  const path = PATH.map((as) => ({ as, key: as }));
  return { ...input, evidence, intent: { kind: 'path-loss', text: '', encapsulation: 'ip', path } };
}

function quickOf({
  inventory,
  neighbours,
  adjacencies,
  filters,
  filtersInOrder,
  nodeCounters,
  missing,
}: NodeState): object {
  return { inventory, neighbours, adjacencies, filters, filtersInOrder, nodeCounters, missing };
}
