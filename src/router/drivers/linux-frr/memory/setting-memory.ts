// The node's memory of its settings: every whole state is compared with what was known before, across restarts of the agent where there is a
// disk, and what changed is kept with its time. Ages are by the node's own clocks.
import type { Clock } from '#base/clock.ts';
import type { History } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { compareSettings, firstKnown } from '#model/settings/changes.ts';
import { type NodeSettings, settingsOf } from '#model/settings/node-settings.ts';
import { type AgeOf, createSettingList, type Moment, type RememberedChange } from './setting-list.ts';

/** What was remembered when this agent started. */
export type EarlierSettings = {
  /** Oldest first. */
  readonly changes: readonly RememberedChange[];
  /** The settings as they were known last, by the wall clock, and how long ago that was. */
  readonly known?: { readonly settings: NodeSettings; readonly wallMs: number; readonly elapsedMs: number };
  /** Conditions that were not met then, and since when. */
  readonly unmet: readonly (readonly [condition: string, wallMs: number])[];
  /** Since when changes are remembered. */
  readonly sinceMs?: number;
};

export type SettingMemory = {
  /** `beganMs`: monotonic, when its reading began; a slow reading makes no process younger. */
  add(state: NodeState, beganMs?: number): void;
  /** Notes what no state tells: a start of the agent, a reboot. */
  note(entry: RememberedChange): void;
  history(): Required<Pick<History, 'settings' | 'settingsSpanMs'>>;
  /** What is known now, for the disk; undefined before the first reading. */
  known(): NodeSettings | undefined;
  unmet(): EarlierSettings['unmet'];
  now(): Moment;
};

/** A change has one time where the reading before was no longer ago; on a busy machine it has two. Less than what counts as having stood (STOOD_MS). */
const JUST_BEFORE_MS = 5_000;

/** `onChange` hears of every change, also of those that turn out to be none. */
export function createSettingMemory(init: {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly earlier?: EarlierSettings;
  readonly onChange?: (entry: RememberedChange) => void;
}): SettingMemory {
  const { clock, earlier, onChange = () => {} } = init;
  const now = (): Moment => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() });
  const started = now();
  const ageOf = ageAt(clock, started);
  const list = createSettingList();
  for (const entry of earlier?.changes ?? []) list.add(entry, ageOf);
  let known = earlier?.known?.settings;
  let seen: Moment = earlier?.known === undefined ? started : { wallMs: earlier.known.wallMs };
  const unmetSince = new Map((earlier?.unmet ?? []).map(([condition, wallMs]) => [condition, { wallMs } as Moment]));
  const note = (entry: RememberedChange) => {
    list.add(entry, ageOf);
    onChange(entry);
  };
  const compare = (before: NodeSettings, is: NodeSettings, at: Moment, beganMs: number) => {
    const elapsedMs =
      seen.monotonicMs === undefined
        ? (earlier?.known?.elapsedMs ?? 0)
        : Math.min(beganMs, at.monotonicMs!) - seen.monotonicMs;
    const compared = compareSettings(before, is, elapsedMs);
    for (const { change, needs } of compared.differences) {
      const from = oldest([seen, ...needs.flatMap((need) => unmetSince.get(need) ?? [])], ageOf);
      note({ change, at, ...(ageOf(from) - ageOf(at) > JUST_BEFORE_MS ? { from } : {}) });
    }
    const unmet = new Set(compared.unmet);
    for (const condition of unmetSince.keys()) if (!unmet.has(condition)) unmetSince.delete(condition);
    for (const condition of unmet) if (!unmetSince.has(condition)) unmetSince.set(condition, seen);
    return compared.known;
  };
  return {
    add(state, beganMs = clock.monotonicMs()) {
      const [at, is] = [now(), settingsOf(state)];
      known = known === undefined ? firstKnown(is) : compare(known, is, at, beganMs);
      seen = at;
    },
    note,
    history() {
      const since = earlier?.sinceMs === undefined ? started : { wallMs: earlier.sinceMs };
      const spanMs = ageOf(list.droppedAt() ?? since);
      return { settings: list.rows(ageOf), settingsSpanMs: spanMs };
    },
    known: () => known,
    unmet: () => [...unmetSince].map(([condition, { wallMs }]) => [condition, wallMs]),
    now,
  };
}

/** What this process did not see is at least as old as it: a wall clock that was set back makes nothing young. */
function ageAt(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, started: Moment): AgeOf {
  return ({ wallMs, monotonicMs }) => {
    const runsMs = clock.monotonicMs() - (monotonicMs ?? started.monotonicMs!);
    return Math.max(0, Math.round(monotonicMs === undefined ? Math.max(runsMs, clock.nowMs() - wallMs) : runsMs));
  };
}

function oldest(moments: readonly Moment[], ageOf: AgeOf): Moment {
  return moments.reduce((old, each) => (ageOf(each) > ageOf(old) ? each : old));
}
