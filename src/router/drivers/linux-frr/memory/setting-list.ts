// The list of setting changes that a node remembers, oldest first: bounded, and without what was gone for a moment and came back as it was.
// Pure but for its own list; time is an argument.
import { MODEL_LIMITS } from '#model/limits.ts';
import type { SettingChange, SettingDifference } from '#model/router/setting-history.ts';
import { keyOf } from '#model/settings/changes.ts';
import { withRoom } from '#model/settings/filter-settings.ts';

/** A moment by the wall clock, and by this process's own clock where it was running then. */
export type Moment = { readonly wallMs: number; readonly monotonicMs?: number };

export type RememberedChange = {
  readonly change: SettingDifference;
  /** When the new value was seen first, and the old one last where that was not just before. */
  readonly at: Moment;
  readonly from?: Moment;
};

export type SettingList = {
  /** `ageOf`: how long ago a moment was, as of now. */
  add(entry: RememberedChange, ageOf: AgeOf): void;
  /** Newest first. */
  rows(ageOf: AgeOf): readonly SettingChange[];
  /** The newest change that was dropped because there were too many: what was before is not known. */
  droppedAt(): Moment | undefined;
};

export type AgeOf = (moment: Moment) => number;

/** Gone for so long and back as it was: a reload, no change. */
const GAP_MS = 30_000;
/** Whose absence is an event of its own. */
const EVENTS: ReadonlySet<string> = new Set(['daemon', 'reboot', 'agent']);

export function createSettingList(): SettingList {
  let kept: readonly RememberedChange[] = [];
  let dropped: Moment | undefined;
  const drop = (index: number) => {
    dropped = kept[index]!.at;
    kept = kept.filter((_, place) => place !== index);
  };
  return {
    add(entry, ageOf) {
      kept = joined(kept, entry, ageOf);
      const { kind } = entry.change;
      const sameKind = kept.filter(({ change }) => change.kind === kind);
      if (sameKind.length > MODEL_LIMITS.settingChangesOfKind) drop(kept.indexOf(sameKind[0]!));
      if (kept.length > MODEL_LIMITS.settingChanges) drop(0);
    },
    rows: (ageOf) => {
      const rows = kept.toReversed().map(({ change, at, from }) => {
        const agoMs = ageOf(at);
        return { ...change, agoMs, ...(from === undefined ? {} : { fromAgoMs: Math.max(agoMs, ageOf(from)) }) };
      });
      return withRoom(rows.sort((one, other) => one.agoMs - other.agoMs));
    },
    droppedAt: () => dropped,
  };
}

/** With `entry`; without the gap that it ends, and not twice: what was torn off a disk is found again by the next agent. */
function joined(kept: readonly RememberedChange[], entry: RememberedChange, ageOf: AgeOf): readonly RememberedChange[] {
  const { kind, was: wasNow, is } = entry.change;
  const last = kept.findLast(({ change }) => keyOf(change) === keyOf(entry.change));
  if (last === undefined || EVENTS.has(kind)) return [...kept, entry];
  const { was, wasRules, is: wasThen } = last.change;
  if (wasThen === is) return kept;
  const endsGap = wasThen === undefined && wasNow === undefined && ageOf(last.at) - ageOf(entry.at) <= GAP_MS;
  if (!endsGap) return [...kept, entry];
  const rest = kept.filter((each) => each !== last);
  if (was === is) return rest;
  const change = {
    ...entry.change,
    ...(was === undefined ? {} : { was }),
    ...(wasRules === undefined ? {} : { wasRules }),
  };
  return [...rest, { ...entry, change, from: last.from ?? last.at }];
}
