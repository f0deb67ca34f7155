// What nodes remember of a default route: when it was there last, and whether a node that others had it by ever had one from the same protocol.
import type { DefaultRoute } from '#model/router/control-plane.ts';
import { toldDefaults } from '#model/settings/default-routes.ts';
import { STOOD_MS } from './remembered.ts';
import type { World } from './world.ts';

/** How long ago the node was seen last with a default route, as far as it remembers. */
export function lostAgoMs(world: World, node: string, prefix: string): number {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  const seen = past.flatMap(({ state, untilAgoMs }) =>
    state.defaultRoutes?.some((route) => route.prefix === prefix && route.hops.length > 0) === true ? [untilAgoMs] : [],
  );
  const told = (history?.settings ?? []).flatMap(({ kind, subject, was, agoMs, fromAgoMs = agoMs }) =>
    kind === 'default-route' && subject === prefix && was !== undefined ? [fromAgoMs] : [],
  );
  return Math.min(...seen, ...told);
}

/**
 * The node remembers the time when others lost it, and no such route of this protocol. A router that has just started, or whose agent is new,
 * may have had one like the others. An agent of an earlier version may not have noted it.
 */
export function hadNone(world: World, node: string, { prefix, protocol }: DefaultRoute, agoMs: number): boolean {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  const { settings = [], settingsSpanMs = 0 } = history ?? {};
  const sinceMs = agoMs + STOOD_MS;
  const isSeen = past.some(({ state, fromAgoMs }) => fromAgoMs >= sinceMs && toldDefaults(state).includes(prefix));
  const hasStarted = settings.some((change) => change.kind === 'agent' && change.agoMs <= sinceMs);
  const hadOne =
    past.some(({ state }) =>
      state.defaultRoutes?.some((each) => each.prefix === prefix && each.protocol === protocol),
    ) ||
    settings.some(
      ({ kind, subject, was = '' }) =>
        kind === 'default-route' && subject === prefix && was.startsWith(`${protocol} via `),
    );
  return !hadOne && (isSeen || (settingsSpanMs >= sinceMs && !hasStarted));
}
