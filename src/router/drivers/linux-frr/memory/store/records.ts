// What the memory of days writes to disk, record by record. Times are of the wall clock, in milliseconds. What a later version of this
// software adds is kept and skipped. Pure.
import * as z from 'zod';
import { SETTING_KINDS, settingDifference } from '#model/router/setting-history.ts';
import { count, text, type Wire } from '#model/wire/fields.ts';
import { rememberedRules } from '#model/wire/filter-rule.ts';

/** Of the segments that this version writes, and the only ones that it reads. */
export const STORE_VERSION = 1;

/** The first record of every segment. */
export const segmentHead = z.object({ parley: z.literal('memory'), version: count, atMs: count });

const settingRow = z.object({
  kind: z.enum(SETTING_KINDS),
  subject: text,
  setting: text.exactOptional(),
  value: text,
  rules: rememberedRules.exactOptional(),
  needs: z.array(text),
});
const condition = z.tuple([text, count]);
const daemonUpMs = z.record(z.string(), count);

/** A setting that changed. */
const changeRecord = z.object({
  k: z.literal('change'),
  atMs: count,
  fromMs: count.exactOptional(),
  change: settingDifference,
});
/** All settings as they are known. */
const settingsRecord = z.object({
  k: z.literal('settings'),
  atMs: count,
  rows: z.array(settingRow),
  met: z.array(text),
  daemonUpMs,
});
/** What differs from the settings before: rows that came or are others, keys of rows that went, conditions likewise. */
const deltaRecord = z.object({
  k: z.literal('delta'),
  atMs: count,
  rows: z.array(settingRow),
  gone: z.array(text),
  met: z.array(text),
  unmet: z.array(text),
});
/**
 * Of a link that this node probes: probes sent and received, and the least, the median and the greatest of the least round trips that the
 * rounds of the minute took, in microseconds; 0 where none came back.
 */
const linkMinute = z.tuple([text, count, count, count, count, count]);
/** Of an interface: packets and octets received and sent, errors, drops, of both directions together. */
const portMinute = z.tuple([text, count, count, count, count, count, count]);
/** How long before `atMs`, kind, subject, 1 for up, and how often. */
const eventMinute = z.tuple([count, text, text, count, count]);

/**
 * One a minute, also when nothing happened: the agent was running, on which boot of the machine, and for how long that had been up; how long
 * the daemons had been, and which conditions were not met since when.
 */
const minuteRecord = z.object({
  k: z.literal('minute'),
  atMs: count,
  boot: text,
  uptimeMs: count,
  daemonUpMs,
  waits: z.array(condition),
  links: z.array(linkMinute),
  ports: z.array(portMinute),
  /** The time over which `ports` were counted. */
  portsMs: count,
  events: z.array(eventMinute),
});
/** The agent ended in order. */
const stopRecord = z.object({ k: z.literal('stop'), atMs: count });

export type MinuteRecord = Wire<typeof minuteRecord>;
export type SettingsRecord = Wire<typeof settingsRecord>;
export type DeltaRecord = Wire<typeof deltaRecord>;
export type DayRecord = Wire<typeof dayRecord>;
export const dayRecord = z.discriminatedUnion('k', [
  changeRecord,
  settingsRecord,
  deltaRecord,
  minuteRecord,
  stopRecord,
]);

/** Undefined for a record of a kind that this version does not know. */
export function parseRecord(json: string): DayRecord | undefined {
  return recordIn(json) ?? recordIn(json, readable);
}

/** Rules that cannot be read, as of a version with other bounds, are left out, and not the record that has them. */
function readable(name: string, value: unknown): unknown {
  const isRules = name === 'rules' || name === 'wasRules';
  return isRules && !rememberedRules.safeParse(value).success ? undefined : value;
}

function recordIn(json: string, revive?: (name: string, value: unknown) => unknown): DayRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json, revive);
  } catch {
    return undefined;
  }
  const parsed = dayRecord.safeParse(value);
  return parsed.success ? (parsed.data as DayRecord) : undefined;
}
