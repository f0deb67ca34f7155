// States that this node was in and is in no longer: each whole state that is read is compared with the one before, counters and
// ages apart, and kept while it differs from what it is now. A fault that is over can then be diagnosed as if it were there. Between
// two readings that differ it is not known what the node was: the times of both are kept. Bounded in states and age; remembers nothing
// of the time in which the node was still coming up.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/router/control-plane.ts';
import type { NodeState, PastState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { createReadingPauses } from './reading-pauses.ts';

export type PastRing = {
  /** A state whose reading ended at `endedMs`; without `beganMs` it took no time. */
  add(state: NodeState, endedMs: number, beganMs?: number): void;
  /** Newest first: what was, and is not like `now`, which has just been read. */
  past(now: NodeState, nowMs: number): readonly PastState[];
  /** Nothing before the first state. */
  readings(nowMs: number): Pick<History, 'stateReadings'>;
};

/** Ends of the first and the last reading of one state, the beginning of the last, and of the reading before. */
type Kept = {
  readonly fromMs: number;
  untilMs: number;
  beganMs: number;
  readonly beforeMs?: number;
  state: NodeState;
  readonly mark: string;
};

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
  const pauses = createReadingPauses();
  return {
    add(state, endedMs, beganMs = endedMs) {
      const mark = markOf(state);
      const last = kept.at(-1);
      firstMs ??= endedMs;
      settled ||= last?.mark === mark || endedMs - firstMs > DRIVER_LIMITS.pastSettleMs;
      if (isWhole(state)) pauses.add(beganMs, endedMs);
      const read = { untilMs: endedMs, beganMs, state };
      if (!settled) {
        kept = [{ ...read, fromMs: endedMs, mark }];
        return;
      }
      if (last?.mark === mark) Object.assign(last, read);
      else kept.push({ ...read, fromMs: endedMs, mark, ...(last === undefined ? {} : { beforeMs: last.beganMs }) });
      kept = kept.filter((entry) => endedMs - entry.untilMs <= DRIVER_LIMITS.pastMs).slice(-LIMITS.pastStates - 1);
    },
    past(now, nowMs) {
      const mark = markOf(now);
      const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
      return kept
        .map(({ fromMs, untilMs, beganMs, beforeMs, state, mark: its }, index) => ({
          isOther: its !== mark,
          told: {
            fromAgoMs: ago(fromMs),
            untilAgoMs: ago(untilMs),
            tookMs: Math.max(0, Math.round(untilMs - beganMs)),
            ...(beforeMs === undefined ? {} : { beforeAgoMs: ago(beforeMs) }),
            afterAgoMs: ago(kept[index + 1]?.fromMs ?? nowMs),
            state,
          },
        }))
        .flatMap(({ isOther, told }) => (isOther ? [told] : []))
        .slice(-LIMITS.pastStates)
        .reverse();
    },
    readings(nowMs) {
      // Where the history leaves states out, which of those were unlike the present one is not known.
      const [first] = kept.slice(-LIMITS.pastStates);
      if (first === undefined) return {};
      return { stateReadings: { reachMs: Math.max(0, Math.round(nowMs - first.fromMs)), pauses: pauses.told(nowMs) } };
    },
  };
}

/** What a node forwards by may be missing beside a state. */
const BESIDE = 'forwarding';

function isWhole({ missing }: NodeState): boolean {
  return missing.every(({ part }) => part === BESIDE);
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
