// What was changed on the nodes of a finding before it began, as they remember: for people, who know what belongs to what. It accuses nothing
// and makes no finding more certain. Pure.
import type { Finding, NodeChange } from '#model/finding.ts';
import { nodesOf } from '#model/names.ts';
import type { CommitState } from '#model/router/configuration.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import type { World } from '../network/world.ts';

/** Ages that one node tells in two answers are of one moment within this. A change that made something is older than the reading that showed it. */
export const SAMPLE_MS = 10_000;

/** Nearest first. Of what is wrong now, when it began is not known: all changes count; of what is over, those before it was seen last. */
export function changesBefore(
  world: World,
  { resource, details }: Pick<Finding, 'resource' | 'details'>,
): Pick<Finding, 'changes' | 'changesLeft'> {
  const seenAgoMs = details['over'] === true ? Number(details['agoSeconds'] ?? 0) * 1_000 - SAMPLE_MS : 0;
  const all = changesOn(world, { resource }).filter(
    ({ agoMs }) => agoMs >= seenAgoMs && agoMs <= CORRELATE_LIMITS.changeAgeMs,
  );
  const changesLeft = all.length - CORRELATE_LIMITS.findingChanges;
  return {
    ...(all.length === 0 ? {} : { changes: all.slice(0, CORRELATE_LIMITS.findingChanges) }),
    ...(changesLeft > 0 ? { changesLeft } : {}),
  };
}

/** All that the nodes of a resource remember, newest first. */
export function changesOn(world: World, { resource }: Pick<Finding, 'resource'>): readonly NodeChange[] {
  return nodesOf(resource)
    .flatMap((node) => changesOfNode(node, world.views.get(node)?.state))
    .sort((one, other) => one.agoMs - other.agoMs);
}

/** Changes of settings, and commits of the configuration, which say who. */
export function changesOfNode(node: string, state: NodeState | undefined): readonly NodeChange[] {
  const { settings = [], commits = [] } = state?.history ?? {};
  return [
    ...settings.map((change) => ({ node, ...change })),
    ...commits.map(({ id, by, state: ended, agoMs }) => ({
      ...{ node, kind: 'commit' as const, subject: id, agoMs },
      is: `${COMMITS[ended]} by ${by}`,
    })),
  ];
}

const COMMITS: Readonly<Record<CommitState, string>> = {
  PREPARED: 'prepared',
  APPLIED: 'applied, not confirmed',
  VERIFIED: 'applied, not confirmed',
  CONFIRMED: 'confirmed',
  ROLLED_BACK: 'rolled back',
};
