// What nodes remember of themselves: values that they were seen with, whole states of the last minutes and single settings of days. A change
// is what memory shows; what was so for as long as a node remembers is none.

import type { PolicyRule } from '#model/router/forwarding.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { SettingKind } from '#model/router/setting-history.ts';
import { policyRuleWords } from '#model/settings/forwarding-settings.ts';
import { filterSetting, filterSubject } from '#model/settings/node-settings.ts';
import { statesSeen, type World } from './world.ts';

/** Values that the node was seen with and has no longer, latest first; undefined of a state says nothing. */
export function seenOtherwise<T>(world: World, node: string, read: (state: NodeState) => T | undefined): readonly T[] {
  const view = world.views.get(node);
  if (view === undefined) return [];
  const now = JSON.stringify(read(view.state));
  return statesSeen(world, node)
    .map(read)
    .filter((value): value is T & {} => value !== undefined && JSON.stringify(value) !== now);
}

/** What the node remembers that a setting was before, latest first: days back, where whole states are kept for minutes. */
export function settingsBefore(world: World, node: string, kind: SettingKind, subject: string): readonly string[] {
  return (world.views.get(node)?.state.history?.settings ?? []).flatMap((change) =>
    change.kind === kind && change.subject === subject && change.was !== undefined ? [change.was] : [],
  );
}

/** The rule was not there at some time that its node remembers. */
export function hasCome(world: World, node: string, rule: FilterRule): boolean {
  const [subject, setting] = [filterSubject(rule), filterSetting(rule)];
  const isIt = (each: FilterRule) => filterSubject(each) === subject && filterSetting(each) === setting;
  return (
    statesSeen(world, node).some(
      ({ filters, missing }) => missing.every(({ part }) => part !== 'filters') && !filters.some(isIt),
    ) ||
    (world.views.get(node)?.state.history?.settings ?? []).some(
      (change) =>
        change.kind === 'filter' &&
        change.subject === subject &&
        change.setting === setting &&
        change.was === undefined,
    )
  );
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
