// Whether a node dropped packets before as it does now: by its whole states of the last minutes, and by the changes of its filter that it remembers
// of days, whose rules are data. What a memory does not tell is not known. Pure.
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { filterSubject } from '#model/settings/filter-settings.ts';
import { changesOfStood, hasCome, settingChanges, stoodBefore } from '../network/remembered.ts';
import type { World } from '../network/world.ts';
import { decideIn, decisionsOf, type Ports, takes } from './chain-walk.ts';

/** `new`: the rule was not there; `passed`: the node let them through; `unknown`: what changed of the filter does not tell. */
export type Before = 'new' | 'passed' | 'unknown';

/** A packet, and the rule of each base chain that drops it. */
export type DroppedPacket = { readonly packet: Packet; readonly rules: readonly FilterRule[] };

type Told = { readonly rule: FilterRule; readonly before: Before | undefined };

/** The most that is known against one of the packets, with its rule. A packet that one chain dropped all the time was never let through. */
export function beforeOf(world: World, node: string, drops: readonly DroppedPacket[], ports: Ports): Told {
  const changes = { all: settingChanges(world, node, 'filter'), stood: changesOfStood(world, node, 'filter') };
  const told = drops.map(({ packet, rules }): Told => {
    if (passedLately(world, node, packet, ports)) return { rule: rules[0]!, before: 'passed' };
    const each = rules.map((rule) => ({ rule, before: beforeBy(world, node, { rule, packet, ports }, changes) }));
    return (
      each.find(({ before }) => before === undefined) ?? each.find(({ before }) => before === 'unknown') ?? each[0]!
    );
  });
  const worst = (['new', 'passed', 'unknown'] as const).flatMap(
    (before) => told.find((each) => each.before === before) ?? [],
  );
  return worst[0] ?? told[0]!;
}

type Drop = { readonly rule: FilterRule; readonly packet: Packet; readonly ports: Ports };

/** In a whole state that stood for a while every chain let it go on. */
function passedLately(world: World, node: string, packet: Packet, ports: Ports): boolean {
  const read = ({ filters, missing }: NodeState) =>
    missing.some(({ part }) => part === 'filters' || part === 'xtables')
      ? undefined
      : decisionsOf(filters, packet, ports).every(({ kind }) => kind === 'pass');
  return stoodBefore(world, node, read).includes(true);
}

type Changes = { readonly all: readonly SettingChange[]; readonly stood: readonly SettingChange[] };

function beforeBy(world: World, node: string, drop: Drop, changes: Changes): Before | undefined {
  const { rule } = drop;
  const table = `${filterSubject({ ...rule, chain: '' })} `;
  const ofTable = ({ subject }: SettingChange) => subject.startsWith(table);
  const passed = changes.stood
    .filter((each) => ofTable(each) && isOfPassing(each))
    .map((each) => letThrough(each, drop));
  if (passed.includes('yes')) return 'passed';
  if (isNew(world, node, rule, changes.all) && !changes.all.some((each) => ofTable(each) && isEdited(each, drop)))
    return 'new';
  return passed.includes('unknown') ? 'unknown' : undefined;
}

function isOfPassing({ setting = '' }: SettingChange): boolean {
  return setting.startsWith('accept ');
}

/** A rule that is gone and surely took the packet: with one more element, it is another rule. */
function isEdited(change: SettingChange, { rule, packet, ports }: Drop): boolean {
  const { wasRules = [], is } = change;
  return (
    is === undefined &&
    !isOfPassing(change) &&
    wasRules.some((each) => isOfChain(each, rule) && takes(each, packet, ports) === 'yes')
  );
}

/** Whether rules of before, in their order, let it through; what none of them takes came to what drops it now. */
function letThrough({ wasRules: rules }: SettingChange, { rule, packet, ports }: Drop): 'yes' | 'no' | 'unknown' {
  if (rules === undefined) return 'unknown';
  const mine = rules.filter((each) => isOfChain(each, rule));
  if (!mine.some((each) => each.verdict === 'accept' && takes(each, packet, ports) !== 'no')) return 'no';
  const { kind } = decideIn([...mine, { ...LAST, path: rule.path.slice(0, 1) }], packet, ports);
  return kind === 'pass' ? 'yes' : kind === 'drop' ? 'no' : 'unknown';
}

const LAST = {
  verdict: 'other',
  ends: 'drop',
  inInterfaces: [],
  outInterfaces: [],
  matches: [],
  matchesRest: false,
} as const;

function isOfChain({ path }: Pick<FilterRule, 'path'>, rule: FilterRule): boolean {
  return path[0] === rule.path[0];
}

function isNew(world: World, node: string, rule: FilterRule, changes: readonly SettingChange[]): boolean {
  if (rule.ends !== 'drop') return hasCome(world, node, rule);
  return changes.some(
    ({ setting, subject, was }) => setting === 'policy' && was === undefined && subject === filterSubject(rule),
  );
}
