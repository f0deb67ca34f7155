// What makes something odd a fault: a change that memory shows, harm to traffic, or an expectation that it breaks (docs/design.md §7;
// a contradiction between two ends needs none of these). Without any of them it is a remark: being unlike others accuses no node.
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Share } from '../engine/fault-definition.ts';
import { statesSeen, type World } from '../network/world.ts';
import { routeSymptom } from './routes.ts';
import { serviceSymptom } from './service.ts';
import { reachSymptom } from './unanswered-echoes.ts';

/** Values that the node was seen with and has no longer, latest first; undefined of a state says nothing. */
export function seenOtherwise<T>(world: World, node: string, read: (state: NodeState) => T | undefined): readonly T[] {
  const view = world.views.get(node);
  if (view === undefined) return [];
  const now = JSON.stringify(read(view.state));
  return statesSeen(world, node)
    .map(read)
    .filter((value): value is T & {} => value !== undefined && JSON.stringify(value) !== now);
}

/** Something that packets want is not to be had: an address, or a service. What probes of one link alone lost is no harm where other links carry traffic. */
export function doesHarm(file: CaseFile, explains: readonly Share[]): boolean {
  const ids = new Set(explains.map(({ symptom }) => symptom));
  return [...reachSymptom.of(file), ...routeSymptom.of(file), ...serviceSymptom.of(file)].some(({ id }) => ids.has(id));
}
