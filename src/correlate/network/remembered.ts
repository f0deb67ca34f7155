// What nodes remember of themselves: values that they were seen with, whole states of the last minutes and single settings of days. A change
// is what memory shows; what was so for as long as a node remembers is none.

import type { PolicyRule } from '#model/router/forwarding.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { SettingChange, SettingKind } from '#model/router/setting-history.ts';
import { filterSetting, filterSubject } from '#model/settings/filter-settings.ts';
import { policyRuleWords } from '#model/settings/forwarding-settings.ts';
import { statesSeen, type World } from './world.ts';

/**
 * What stood for less is not remembered as having been so: while a node and its daemons start, an interface is up before its configuration shuts
 * it, and LLDP keeps a neighbour for several of its intervals. FRR's daemons have read their configuration after a few seconds.
 */
export const STOOD_MS = 10_000;

/** What changed before that an operator has had the chance to see. */
export const NEW_MS = 3_600_000;

/**
 * The longest time from one reading of its whole state to the next, of a node that does not tell it. Agents of earlier versions read the state of
 * a busy node every eight to sixteen seconds.
 */
export const UNTOLD_PAUSE_MS = 20_000;

/** The longest time within the last `sinceMs` between two whole readings; undefined where the node does not tell it. */
export function longestPauseMs({ history }: NodeState, sinceMs: number): number | undefined {
  const pauses = history?.stateReadings?.pauses.filter(({ agoMs }) => agoMs <= sinceMs);
  return pauses === undefined ? undefined : Math.max(0, ...pauses.map(({ forMs }) => forMs));
}

/** Values that the node had for a while and has no longer, latest first; undefined of a state says nothing. */
export function seenOtherwise<T>(world: World, node: string, read: (state: NodeState) => T | undefined): readonly T[] {
  const view = world.views.get(node);
  if (view === undefined) return [];
  const now = JSON.stringify(read(view.state));
  return stoodBefore(world, node, read).filter((value) => JSON.stringify(value) !== now);
}

/**
 * Values that the node's whole states of before had for `STOOD_MS`, latest first: states that follow each other with the same value count together.
 * The states of a remembered moment are those of the ring themselves.
 */
export function stoodBefore<T>(
  world: World,
  node: string,
  read: (state: NodeState) => T | undefined,
): readonly (T & {})[] {
  const isKnown = (value: T | undefined): value is T & {} => value !== undefined;
  if (world.seen?.has(node) === true) return statesSeen(world, node).map(read).filter(isKnown);
  const runs: { readonly value: T & {}; readonly text: string; untilAgoMs: number; fromAgoMs: number }[] = [];
  let isRun = false;
  for (const { state, fromAgoMs, untilAgoMs } of world.views.get(node)?.state.past ?? []) {
    const value = read(state);
    const text = JSON.stringify(value);
    const last = runs.at(-1);
    if (isKnown(value) && isRun && last?.text === text) last.fromAgoMs = Math.max(last.fromAgoMs, fromAgoMs);
    else if (isKnown(value)) runs.push({ value, text, fromAgoMs, untilAgoMs });
    isRun = isKnown(value);
  }
  return runs.filter((run) => run.fromAgoMs - run.untilAgoMs >= STOOD_MS).map(({ value }) => value);
}

/**
 * What the node remembers that a setting was before, latest first: days back, where whole states are kept for minutes. Without `setting`, of all
 * settings of the subject. A value that stood for less than `STOOD_MS` is left out.
 */
export function settingsBefore(
  world: World,
  node: string,
  kind: SettingKind,
  subject: string,
  setting?: string,
): readonly string[] {
  return changesOfStood(world, node, kind)
    .filter((change) => change.subject === subject && (setting === undefined || change.setting === setting))
    .flatMap(({ was }) => was ?? []);
}

/**
 * Changes of one moment may be seen in two readings that follow each other: a kill and its daemon's end, daemons that one command starts again. Where
 * readings are further apart than this, a change tells between which two it was.
 */
const MOMENT_MS = 15_000;

/** Two changes on one node were, or may have been, at one moment. */
export function isOneMoment(one: SettingChange, other: SettingChange): boolean {
  const { agoMs, fromAgoMs = agoMs } = one;
  const { agoMs: otherMs, fromAgoMs: otherFromMs = otherMs } = other;
  return agoMs <= otherFromMs + MOMENT_MS && otherMs <= fromAgoMs + MOMENT_MS;
}

/** All changes of one kind that the node remembers, latest first. */
export function settingChanges(world: World, node: string, kind: SettingKind): readonly SettingChange[] {
  return (world.views.get(node)?.state.history?.settings ?? []).filter((change) => change.kind === kind);
}

/** Those of a value that had stood for `STOOD_MS`. */
export function changesOfStood(world: World, node: string, kind: SettingKind): readonly SettingChange[] {
  const { settingsSpanMs = Number.POSITIVE_INFINITY } = world.views.get(node)?.state.history ?? {};
  const changes = settingChanges(world, node, kind);
  return changes.filter(({ subject, setting, was, agoMs, fromAgoMs = agoMs }, index) => {
    // The row that brought the value; without one it is as old as the memory.
    const came = changes.slice(index + 1).find((earlier) => earlier.subject === subject && earlier.setting === setting);
    return was !== undefined && (came?.agoMs ?? settingsSpanMs) - fromAgoMs >= STOOD_MS;
  });
}

/** The interface had a carrier for `STOOD_MS` at some time that its node remembers, and lost it. */
export function carrierStood(world: World, node: string, ifname: string): boolean {
  const { events = [], spanMs = 0 } = world.views.get(node)?.state.history ?? {};
  const mine = events
    .filter(({ kind, subject }) => kind === 'carrier' && subject === ifname)
    .sort((one, other) => other.agoMs - one.agoMs);
  // Before a row with an odd number of changes it was the other way round.
  return mine.some(({ up, changes, agoMs }, index) => {
    const since = mine[index - 1]?.agoMs ?? spanMs;
    return up === (changes % 2 === 0) && since - agoMs >= STOOD_MS;
  });
}

/** Whether the node remembers anything of before: without memory it is not known what stood. */
export function remembersBefore(world: World, node: string): boolean {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  return past.length > 0 || (history?.settingsSpanMs ?? 0) > 0;
}

/** The rule was not there at some time that its node remembers. */
export function hasCome(world: World, node: string, rule: FilterRule): boolean {
  return cameAgoMs(world, node, rule) !== undefined;
}

/** For how long at most the rule has been there, where its node remembers a time without it. */
export function cameAgoMs(world: World, node: string, rule: FilterRule): number | undefined {
  const [subject, setting] = [filterSubject(rule), filterSetting(rule)];
  const isIt = (each: FilterRule) => filterSubject(each) === subject && filterSetting(each) === setting;
  const isWithout = ({ filters, missing }: NodeState) =>
    missing.every(({ part }) => part !== 'filters') && !filters.some(isIt);
  const { past = [], history } = world.views.get(node)?.state ?? {};
  const seen = world.seen?.get(node)?.some(isWithout) === true ? [0] : [];
  const came = (history?.settings ?? []).filter(
    (change) =>
      change.kind === 'filter' && change.subject === subject && change.setting === setting && change.was === undefined,
  );
  const times = [
    ...seen,
    ...past.filter(({ state }) => isWithout(state)).map(({ untilAgoMs }) => untilAgoMs),
    ...came.map(({ agoMs }) => agoMs),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The rule that chooses a routing table was not there at some time that its node remembers. */
export function hasRuleCome(world: World, node: string, rule: PolicyRule): boolean {
  const words = policyRuleWords(rule);
  const isIt = (each: PolicyRule) =>
    each.family === rule.family && each.priority === rule.priority && policyRuleWords(each) === words;
  const has = (value: string | undefined) => value?.split(', ').includes(words) === true;
  return (
    statesSeen(world, node).some(({ forwarding }) => forwarding?.policyRules?.some(isIt) === false) ||
    (world.views.get(node)?.state.history?.settings ?? []).some(
      ({ kind, subject, was, is }) =>
        kind === 'policy-rule' && subject === `${rule.family} ${rule.priority}` && has(is) && !has(was),
    )
  );
}
