// What changed between two readings of one node's settings. A setting that could not be read is kept as it was read last, so that what
// flickers while a daemon restarts is no change. Pure.
import { MODEL_LIMITS } from '../limits.ts';
import type { NodeState } from '../router/router-port.ts';
import type { SettingDifference } from '../router/setting-history.ts';
import { ANNOUNCED, DAEMONS_READ, type NodeSettings, settingsOf } from './node-settings.ts';
import { orderOf } from './rule-order.ts';
import type { SettingRow } from './setting-row.ts';

export type Compared = {
  /** Each with the conditions under which its setting can be read. */
  readonly differences: readonly { readonly change: SettingDifference; readonly needs: readonly string[] }[];
  /** What is known now: what could be read, and of the rest what was known before. */
  readonly known: NodeSettings;
  /** Conditions of `known` that are not met now. */
  readonly unmet: readonly string[];
};

/** A daemon's age is read with this precision: it is a restart if the daemon is younger than it would be otherwise by more. */
const AGE_SLACK_MS = 2_000;

/** What changed between two consecutive states of one node; nothing about what one of them does not tell. */
export function changesBetween(was: NodeState, is: NodeState): readonly SettingDifference[] {
  return compareSettings(settingsOf(was), settingsOf(is)).differences.map(({ change }) => change);
}

/** `known`: what was known before; `elapsedMs`: since then, 0 where that is not known. */
export function compareSettings(known: NodeSettings, is: NodeSettings, elapsedMs = 0): Compared {
  const [wasMet, isMet] = [new Set(known.met), new Set(is.met)];
  const before = new Map(known.rows.map((row) => [keyOf(row), row]));
  const after = new Map<string, SettingRow>();
  const changed = new Map<string, SettingRow>();
  const held = new Map<string, SettingRow>();
  const isReordered = orderOf(known.rows, is.rows);
  const hold = (key: string, row: SettingRow | undefined) => row && held.set(key, row);
  for (const row of is.rows) {
    const key = keyOf(row);
    const old = before.get(key);
    if (!row.needs.every((need) => isMet.has(need))) {
      hold(key, old);
      continue;
    }
    after.set(key, row);
    const isNew = old === undefined && row.needs.every((need) => wasMet.has(need));
    const isOther = old !== undefined && old.value !== row.value && old.value !== row.former;
    if (isNew || isOther || (old !== undefined && isReordered(old, row))) changed.set(key, row);
  }
  for (const [key, row] of before) {
    if (after.has(key) || held.has(key)) continue;
    if (row.needs.every((need) => isMet.has(need))) changed.set(key, row);
    else hold(key, row);
  }
  const keptHeld = [...held].slice(-MODEL_LIMITS.heldSettings);
  const all = new Map([...keptHeld, ...after]);
  const met = metByNow(wasMet, isMet, keptHeld);
  const plain = [...changed].filter(([, { kind }]) => kind !== 'announced');
  return {
    differences: [
      ...plain.map(([key, row]) => ({
        change: differenceOf(row, before.get(key), all.get(key)),
        needs: [...row.needs, ...(before.get(key)?.needs ?? [])],
      })),
      ...announcedDifferences([...changed.values()], before, all),
      ...restarts(known, is, elapsedMs),
    ],
    known: { rows: [...all.values()], met, daemonUpMs: isMet.has(DAEMONS_READ) ? is.daemonUpMs : known.daemonUpMs },
    unmet: met.filter((condition) => !isMet.has(condition)),
  };
}

/** What is known of a node after its first reading. */
export function firstKnown(is: NodeSettings): NodeSettings {
  const met = new Set(is.met);
  return { ...is, rows: is.rows.filter(({ needs }) => needs.every((need) => met.has(need))) };
}

/** One setting of a node. */
export function keyOf({ kind, subject, setting = '' }: Pick<SettingRow, 'kind' | 'subject' | 'setting'>): string {
  return `${kind}\n${subject}\n${setting}`;
}

/** The value of a rule is the same, and others come before it. */
const REORDERED = ' (its rules stand in another order)';

function differenceOf(
  { kind, subject, setting }: SettingRow,
  was: SettingRow | undefined,
  is: SettingRow | undefined,
): SettingDifference {
  return {
    kind,
    subject,
    ...(setting === undefined ? {} : { setting }),
    ...(was === undefined ? {} : { was: was.value }),
    ...(was?.rules === undefined ? {} : { wasRules: was.rules }),
    ...(is === undefined ? {} : { is: is.value === was?.value ? `${is.value}${REORDERED}` : is.value }),
  };
}

type Rows = ReadonlyMap<string, SettingRow>;

/** One change a prefix, however many peers it concerns. */
function announcedDifferences(changed: readonly SettingRow[], before: Rows, after: Rows): Compared['differences'] {
  const prefixes = Map.groupBy(
    changed.filter(({ kind }) => kind === 'announced'),
    ({ subject }) => subject,
  );
  return [...prefixes].map(([subject, rows]) => {
    const [was, is] = [peersOf(subject, before), peersOf(subject, after)];
    const change = {
      ...({ kind: 'announced', subject } as const),
      ...(was === undefined ? {} : { was }),
      ...(is === undefined ? {} : { is }),
    };
    return { change, needs: rows.flatMap(({ needs }) => needs) };
  });
}

function peersOf(prefix: string, rows: Rows): string | undefined {
  const own = [...rows.values()].filter(({ kind, subject }) => kind === 'announced' && subject === prefix);
  if (own.length === 0) return undefined;
  const told = own.filter(({ value }) => value === ANNOUNCED).map(({ setting = '' }) => setting);
  if (told.length === 0) return 'none';
  return told.length === own.length ? 'all' : `to ${told.sort().join(' ')}`.slice(0, MODEL_LIMITS.settingChars);
}

function restarts(known: NodeSettings, is: NodeSettings, elapsedMs: number): Compared['differences'] {
  return Object.entries(is.daemonUpMs).flatMap(([subject, upMs]) => {
    const wasUpMs = known.daemonUpMs[subject];
    if (wasUpMs === undefined || upMs + AGE_SLACK_MS >= wasUpMs + elapsedMs) return [];
    const change = { kind: 'daemon', subject, was: 'running', is: 'restarted' } as const;
    return [{ change, needs: [DAEMONS_READ] }];
  });
}

/**
 * Conditions that were met once: what comes while one of them was not met for a moment has come nevertheless. Those of interfaces and peers
 * that are gone are forgotten, unless something waits for them.
 */
function metByNow(
  was: ReadonlySet<string>,
  is: ReadonlySet<string>,
  held: readonly (readonly [string, SettingRow])[],
): readonly string[] {
  const awaited = new Set(held.flatMap(([, { needs }]) => needs));
  const stays = (condition: string) => {
    const name = condition.slice(condition.lastIndexOf(' ') + 1);
    const ofNode = /^(?:read|told|spoken|settled|formed|version) /.test(condition);
    return ofNode || is.has(`interface ${name}`) || is.has(`peer ${name}`) || awaited.has(condition);
  };
  return [...new Set([...is, ...[...was].filter(stays)])];
}
