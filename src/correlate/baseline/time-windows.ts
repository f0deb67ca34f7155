// What happened between two moments, from the rings that the nodes themselves keep (model/router/control-plane.ts `History`): carriers,
// adjacencies and sessions that went and came. Each node's times are its own; nodes whose ring does not reach back say so.
import type { Happening, Happenings, Span } from '#model/comparison.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { World } from '../network/world.ts';

export function happeningsOf(world: World, { sinceMs, untilMs }: Span): Happenings {
  const views = [...world.views.values()];
  return {
    happenings: views.flatMap(({ node, state }) => {
      const inside = (state.history?.events ?? []).filter(({ agoMs }) => agoMs <= sinceMs && agoMs >= untilMs);
      return grouped(inside).map((events) => summed(node, events));
    }),
    short: views
      .map(({ node, state }) => ({ node, spanMs: state.history?.spanMs ?? 0 }))
      .filter(({ spanMs }) => spanMs < sinceMs),
  };
}

/** Events of one subject each, oldest first. */
function grouped(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const groups = new Map<string, HistoryEvent[]>();
  for (const event of [...events].sort((one, other) => other.agoMs - one.agoMs)) {
    const key = `${event.kind} ${event.subject}`;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return [...groups.values()];
}

function summed(node: string, events: readonly HistoryEvent[]): Happening {
  const [first, last] = [events[0]!, events.at(-1)!];
  // An even number of changes between two samples ends where it began.
  const wasUp = first.changes % 2 === 0 ? first.up : !first.up;
  return {
    node,
    kind: first.kind,
    subject: first.subject,
    before: wasUp ? 'up' : 'down',
    after: last.up ? 'up' : 'down',
    changes: events.reduce((sum, event) => sum + event.changes, 0),
    lastAgoMs: last.agoMs,
  };
}
