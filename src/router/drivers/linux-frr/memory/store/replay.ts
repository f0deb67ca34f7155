// What the records on disk say, in the order in which they were written: the changes of settings, the settings as they were known last, and
// how the agent before ended. Pure.

import { MODEL_LIMITS } from '#model/limits.ts';
import { keyOf } from '#model/settings/changes.ts';
import type { NodeSettings } from '#model/settings/node-settings.ts';
import type { SettingRow } from '#model/settings/setting-row.ts';
import type { RememberedChange } from '../setting-list.ts';
import { type DayRecord, type DeltaRecord, type MinuteRecord, parseRecord } from './records.ts';

export type Replay = {
  /** The newest last. */
  readonly changes: readonly RememberedChange[];
  readonly known?: NodeSettings;
  /** When all settings were written last. */
  readonly settingsMs?: number;
  /** The last minute that was written. */
  readonly minute?: MinuteRecord;
  /** When the first record was written, and the last. */
  readonly firstMs?: number;
  readonly lastMs?: number;
  /** The agent ended in order with the last record. */
  readonly isStopped: boolean;
};

export const NOTHING_REPLAYED: Replay = { changes: [], isStopped: false };

/** A minute that is not the last says nothing about settings: it is not parsed. */
const MINUTE = '{"k":"minute"';

/** `lines`: the records of one segment, which has all settings before what differs from them. */
export function replaySegment(before: Replay, lines: readonly string[]): Replay {
  const last = lines.findLastIndex((line) => line.startsWith(MINUTE));
  const told = lines.filter((line, index) => index === 0 || index === last || !line.startsWith(MINUTE));
  let [replay, hasBase] = [before, false];
  for (const line of told) {
    const record = parseRecord(line);
    if (record === undefined) continue;
    hasBase ||= record.k === 'settings';
    // What differs from settings that are not there says nothing.
    if (record.k === 'delta' && !hasBase) replay = forgetting(replay);
    replay = applied(replay, record);
  }
  return replay;
}

function forgetting({ known: _known, settingsMs: _settingsMs, ...rest }: Replay): Replay {
  return rest;
}

function applied(replay: Replay, record: DayRecord): Replay {
  const { atMs } = record;
  const next = { ...replay, firstMs: replay.firstMs ?? atMs, lastMs: atMs, isStopped: record.k === 'stop' };
  if (record.k === 'change') {
    const { change, fromMs } = record;
    const entry = { change, at: { wallMs: atMs }, ...(fromMs === undefined ? {} : { from: { wallMs: fromMs } }) };
    return { ...next, changes: [...replay.changes, entry].slice(-MOST_CHANGES) };
  }
  if (record.k === 'minute') return { ...next, minute: record };
  if (record.k === 'settings') {
    const { rows, met, daemonUpMs } = record;
    return { ...next, settingsMs: atMs, known: { rows, met, daemonUpMs } };
  }
  return record.k === 'delta' && next.known !== undefined ? { ...next, known: withDelta(next.known, record) } : next;
}

/** The list keeps so many of each kind; it drops what is too much itself. */
const MOST_CHANGES = 16 * MODEL_LIMITS.settingChangesOfKind;

function withDelta(known: NodeSettings, { rows, gone, met, unmet }: DeltaRecord): NodeSettings {
  const [lost, unmetNow] = [new Set(gone), new Set(unmet)];
  const all = new Map<string, SettingRow>(known.rows.map((row) => [keyOf(row), row]));
  for (const key of lost) all.delete(key);
  for (const row of rows) all.set(keyOf(row), row);
  const conditions = new Set([...known.met.filter((condition) => !unmetNow.has(condition)), ...met]);
  return { ...known, rows: [...all.values()], met: [...conditions] };
}

/** Undefined where nothing differs. */
export function deltaBetween(was: NodeSettings, is: NodeSettings, atMs: number): DeltaRecord | undefined {
  const [before, after] = [was, is].map(({ rows }) => new Map(rows.map((row) => [keyOf(row), row])));
  const [wasMet, isMet] = [new Set(was.met), new Set(is.met)];
  const rows = [...after!].filter(([key, row]) => !isSame(before!.get(key), row)).map(([, row]) => row);
  const gone = [...before!.keys()].filter((key) => !after!.has(key));
  const met = is.met.filter((condition) => !wasMet.has(condition));
  const unmet = was.met.filter((condition) => !isMet.has(condition));
  if (rows.length + gone.length + met.length + unmet.length === 0) return undefined;
  return { k: 'delta', atMs, rows, gone, met, unmet };
}

function isSame(one: SettingRow | undefined, other: SettingRow): boolean {
  return (
    one?.value === other.value &&
    one.needs.join() === other.needs.join() &&
    (one.rules === other.rules || JSON.stringify(one.rules) === JSON.stringify(other.rules))
  );
}
