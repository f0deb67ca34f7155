// Losses of adjacencies and sessions that go with what is remembered of either end: a reboot, a restart of the daemon that speaks them, a commit.
// Each may have been wanted or not; none of them is a fault of routing that no finding explains.
import type { SettingChange } from '#model/router/setting-history.ts';
import { isLostWith, type Loss } from '../network/lost-neighbours.ts';
import type { World } from '../network/world.ts';

/** Between such an event and a loss that goes with it: neighbours notice after their hold time. */
export const WITH_MS = 60_000;
/** From the end of an agent to the reboot of its node, which notes when it had booted. */
const REBOOT_MS = 900_000;

type Span = { readonly fromAgoMs: number; readonly agoMs: number };

export function isPlanned(world: World, loss: Loss): boolean {
  return [loss.node, ...loss.far].some((node) =>
    spansAt(world, node, loss).some(
      ({ fromAgoMs, agoMs }) => loss.agoMs <= fromAgoMs + WITH_MS && loss.agoMs >= agoMs - WITH_MS,
    ),
  );
}

function spansAt(world: World, node: string, { kind }: Loss): readonly Span[] {
  const { settings = [], commits = [] } = world.views.get(node)?.state.history ?? {};
  const rows = settings.filter(
    (row) => row.kind === 'commit' || (row.kind === 'daemon' && isLostWith(row.subject, kind) && isStart(row)),
  );
  return [
    ...rows.map(spanOf),
    ...settings.filter((row) => row.kind === 'reboot').map((boot) => rebootOf(settings, boot)),
    ...commits.filter(({ state }) => state !== 'PREPARED').map(({ agoMs }) => ({ agoMs, fromAgoMs: agoMs })),
  ];
}

function isStart({ setting, was, is }: SettingChange): boolean {
  return setting === undefined && (is === 'restarted' || (was === 'not answering' && is === 'running'));
}

function spanOf({ agoMs, fromAgoMs = agoMs }: SettingChange): Span {
  return { agoMs, fromAgoMs };
}

/** From when its agent ended, where that is remembered: it was stopped with the node. */
function rebootOf(settings: readonly SettingChange[], boot: SettingChange): Span {
  const { agoMs, fromAgoMs } = spanOf(boot);
  const ends = settings
    .filter(({ kind, was }) => kind === 'agent' && was === 'running')
    .map((row) => spanOf(row).fromAgoMs)
    .filter((endAgoMs) => endAgoMs >= agoMs && endAgoMs <= agoMs + REBOOT_MS);
  return { agoMs, fromAgoMs: Math.max(fromAgoMs, ...(ends.length === 0 ? [] : [Math.min(...ends)])) };
}
