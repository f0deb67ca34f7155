// Slices of a node's packet filters at times that are over, from the states that it remembers. Judges nothing.
import type { World } from '../network/world.ts';
import { type KeptSlice, keptSlice, withView } from './kept-slices.ts';

export function filterSlices(now: World): readonly KeptSlice[] {
  const { sinceMs } = now;
  if (sinceMs === undefined) return [];
  return [...now.views.values()].flatMap(({ node, state: { past = [] }, sources }) =>
    past
      .filter(({ untilAgoMs }) => untilAgoMs <= sinceMs)
      .map(({ state, untilAgoMs }) =>
        keptSlice(now, { node }, 'filters', untilAgoMs, { views: withView(now, { node, state, sources }) }),
      ),
  );
}
