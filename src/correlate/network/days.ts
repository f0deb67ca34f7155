// What nodes remember of days, joined to their states: events further back than the memory of minutes reaches, and for how long a node has
// recorded without a gap.
import { decodeRemembered } from '#measure/decode/decode-measurements.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Remembered } from '#model/router/remembered-days.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';

export type Days = Remembered & {
  /** Evidence id. */
  readonly source: string;
  /** How far back the question asked. */
  readonly askedMs: number;
};

export function daysIn(evidence: readonly Evidence[]): ReadonlyMap<string, Days> {
  return new Map(
    evidence.flatMap(({ id, kind, node, request, body }) => {
      const days = kind === 'remembered' ? decodeRemembered(body) : undefined;
      if (days === undefined) return [];
      const args = request.params['arguments'] as { readonly sinceMs?: unknown } | undefined;
      return [[node, { ...days, source: id, askedMs: Number(args?.sinceMs ?? 0) }] as const];
    }),
  );
}

/** Without what the memory of minutes has itself. */
export function withDays(state: NodeState, days: Days | undefined): NodeState {
  if (days === undefined) return state;
  const history = state.history ?? { ...NO_MINUTES, settings: [], settingsSpanMs: days.reachMs };
  const earlier = days.events.filter(({ agoMs }) => agoMs > history.spanMs);
  return {
    ...state,
    history: {
      ...history,
      events: [...earlier.toReversed(), ...history.events],
      spanMs: Math.max(history.spanMs, wholeMs(days, history.spanMs)),
      ...(history.settings === undefined ? {} : { settings: withOlder(history.settings, days.changes) }),
    },
  };
}

/** Of a driver that keeps no memory of minutes. */
const NO_MINUTES = { spanMs: 0, events: [], lastHeard: [] };

/** A node keeps the newest changes at hand, and all of them on disk. */
function withOlder(known: readonly SettingChange[], changes: readonly SettingChange[]): readonly SettingChange[] {
  const isKnown = (change: SettingChange) =>
    known.some(
      (each) =>
        Math.abs(each.agoMs - change.agoMs) <= SAME_MS &&
        each.kind === change.kind &&
        each.subject === change.subject &&
        each.setting === change.setting,
    );
  const older = changes.filter((change) => !isKnown(change));
  return [...known, ...older].toSorted((one, other) => one.agoMs - other.agoMs);
}

/** The same change, told in two answers of one question by two clocks of its node. */
const SAME_MS = 15_000;

/** For how long back from now there is no gap; a gap that the memory of minutes covers is none. */
function wholeMs({ gaps, reachMs, askedMs }: Days, minutesMs: number): number {
  const nearest = gaps.filter(({ fromAgoMs }) => fromAgoMs > minutesMs).at(-1);
  return Math.min(reachMs, askedMs, nearest?.untilAgoMs ?? askedMs);
}
