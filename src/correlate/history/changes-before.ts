// What was changed on the nodes of a finding before it began, as they remember: for people, who know what belongs to what. It accuses nothing
// and makes no finding more certain. Pure.
import type { Finding, NodeChange } from '#model/finding.ts';
import { nodesOf } from '#model/names.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import type { World } from '../network/world.ts';

/** What is over was seen last so exactly, between two samples of a busy node. */
export const SAMPLE_MS = 10_000;

/** Nearest first. Of what is wrong now, when it began is not known: all changes count; of what is over, those before it was seen last. */
export function changesBefore(
  world: World,
  { resource, details }: Pick<Finding, 'resource' | 'details'>,
): readonly NodeChange[] {
  const seenAgoMs = details['over'] === true ? Number(details['agoSeconds'] ?? 0) * 1_000 - SAMPLE_MS : 0;
  return nodesOf(resource)
    .flatMap((node) => (world.views.get(node)?.state.history?.settings ?? []).map((change) => ({ node, ...change })))
    .filter(({ agoMs }) => agoMs >= seenAgoMs && agoMs <= CORRELATE_LIMITS.changeAgeMs)
    .sort((one, other) => one.agoMs - other.agoMs)
    .slice(0, CORRELATE_LIMITS.findingChanges);
}
