// States that this node was in and is in no longer: every few seconds its whole state is compared with the one before, counters
// and ages apart, and kept while it differs from what it is now. A fault that is over can then be diagnosed as if it were there.
// Bounded in states and age; remembers nothing of the time in which the node was still coming up.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { NodeState, PastState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

export type PastRing = {
  add(state: NodeState, atMs: number): void;
  /** Newest first: what was, and is not like `now`. */
  past(now: NodeState, nowMs: number): readonly PastState[];
};

type Kept = { readonly fromMs: number; untilMs: number; state: NodeState; readonly mark: string };

/** Members that move in a healthy network, or say how long ago something was. */
const VOLATILE = new Set([
  ...['counters', 'carrierChanges', 'nodeCounters', 'countersReadMs', 'packets', 'bytes', 'errors', 'holdSeconds'],
  ...[
    'rejects',
    'heardAgoMs',
    'established',
    'dropped',
    'lastReset',
    'lastError',
    'notification',
    'diagnostic',
    'remoteDiagnostic',
  ],
  ...[
    'drops',
    'overlimits',
    'conntrack',
    'neighbours',
    'neighbourTable',
    'history',
    'missing',
    'handle',
    'operUp',
    'upMs',
    'descriptions',
    'availableBytes',
    'descriptors',
    'killed',
  ],
]);

export function createPastRing(): PastRing {
  let kept: Kept[] = [];
  let firstMs: number | undefined;
  let settled = false;
  return {
    add(state, atMs) {
      const mark = markOf(state);
      const last = kept.at(-1);
      firstMs ??= atMs;
      settled ||= last?.mark === mark || atMs - firstMs > DRIVER_LIMITS.pastSettleMs;
      if (!settled) {
        kept = [{ fromMs: atMs, untilMs: atMs, state, mark }];
        return;
      }
      if (last?.mark === mark) Object.assign(last, { untilMs: atMs, state });
      else kept.push({ fromMs: atMs, untilMs: atMs, state, mark });
      kept = kept.filter((entry) => atMs - entry.untilMs <= DRIVER_LIMITS.pastMs).slice(-LIMITS.pastStates - 1);
    },
    past(now, nowMs) {
      const mark = markOf(now);
      return kept
        .filter((entry) => entry.mark !== mark)
        .slice(-LIMITS.pastStates)
        .reverse()
        .map(({ fromMs, untilMs, state }) => ({
          fromAgoMs: Math.max(0, Math.round(nowMs - fromMs)),
          untilAgoMs: Math.max(0, Math.round(nowMs - untilMs)),
          state,
        }));
    },
  };
}

/** Equal for states that differ in nothing but what moves by itself. */
function markOf(state: NodeState): string {
  const fixed = (state.neighbourTable ?? []).filter((row) => row.state === 'PERMANENT');
  const up = state.inventory.interfaces.map((entry) => `${entry.name} ${entry.operUp}`).sort();
  return JSON.stringify([steady(state as unknown as JsonValue), fixed, up]);
}

function steady(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const texts = value.map((entry) => steady(entry as JsonValue));
    return texts.map((entry) => JSON.stringify(entry)).sort();
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VOLATILE.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, entry]) => [name, steady(entry)]),
  );
}
