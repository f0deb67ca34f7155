// Whether a node dropped packets before as it does now: by its whole states of the last minutes, and by the changes of its filter that it remembers
// of days, whose rules are data. What a memory does not tell is not known. Pure.
import { LIMITS } from '#base/limits.ts';
import type { Packet } from '#model/router/packet-match.ts';
import type { FilterRule, NodeState } from '#model/router/router-port.ts';
import type { SettingChange } from '#model/router/setting-history.ts';
import { filterSetting, filterSubject } from '#model/settings/filter-settings.ts';
import { changesOfStood, hasCome, settingChanges, stoodBefore } from '../network/remembered.ts';
import type { World } from '../network/world.ts';
import {
  chainsOf,
  type Decision,
  decideIn,
  decisionsOf,
  isInOrder,
  type Ports,
  type Steps,
  takes,
  type WalkedRule,
} from './chain-walk.ts';
import { stepsOf } from './followed-steps.ts';

/**
 * `new`: the rule was not there; `passed`: the node let them through; `unknown`: what changed of the filter does not tell; `unremembered`:
 * the node remembers no changes of its filter, as of one with too many rules. */
export type Before = 'new' | 'passed' | 'unknown' | 'unremembered';

/** A packet, and the rule of each base chain that drops it. */
export type DroppedPacket = { readonly packet: Packet; readonly rules: readonly FilterRule[] };

type Told = { readonly rule: FilterRule; readonly before: Before | undefined };
type Drop = { readonly rule: FilterRule; readonly packet: Packet; readonly ports: Ports; readonly steps: Steps };

/** The most that is known against one of the packets, with its rule. A packet that one chain dropped all the time was never let through. */
export function beforeOf(world: World, node: string, drops: readonly DroppedPacket[], ports: Ports): Told {
  const steps = stepsOf(world, node);
  const chainOf = (rule: FilterRule) => knownChain(world, node, rule);
  const told = drops.map(({ packet, rules }): Told => {
    if (passedLately(world, node, packet, ports)) return { rule: rules[0]!, before: 'passed' };
    const each = rules.map((rule) => ({ rule, before: beforeBy(chainOf(rule), { rule, packet, ports, steps }) }));
    const standing = each.find(({ before }) => before === undefined || before === 'unremembered');
    return standing ?? each.find(({ before }) => before === 'unknown') ?? each[0]!;
  });
  const worst = (['new', 'passed', 'unknown', 'unremembered'] as const).flatMap(
    (before) => told.find((each) => each.before === before) ?? [],
  );
  return worst[0] ?? told[0]!;
}

/** In a whole state that stood for a while every chain let it go on. */
function passedLately(world: World, node: string, packet: Packet, ports: Ports): boolean {
  const read = (state: NodeState) =>
    !isInOrder(state) || state.missing.some(({ part }) => part === 'xtables')
      ? undefined
      : decisionsOf(state.filters, packet, ports, stepsOf(world, node)).every(({ kind }) => kind === 'pass');
  return stoodBefore(world, node, read).includes(true);
}

/** A base chain as far as days of memory tell. */
type ChainBefore = {
  /** Its rules without those that have come, and as they were before they changed. */
  readonly rules: readonly WalkedRule[];
  readonly isNew: (rule: FilterRule) => boolean;
  /** Rules that dropped and are gone: with one more element, a rule is another one. Undefined where their data are not there. */
  readonly gone: readonly SettingChange['wasRules'][];
  /** Rules by which packets left a chain, those of before and those that came. */
  readonly leaving: readonly SettingChange[];
  readonly isRemembered: boolean;
  /** What was let through otherwise. */
  readonly passing: readonly SettingChange[];
};

/** The rule of a chain drops many packets, from many networks. */
const CHAINS = new WeakMap<World, Map<FilterRule, ChainBefore>>();

function knownChain(world: World, node: string, rule: FilterRule): ChainBefore {
  const mine = CHAINS.get(world) ?? new Map<FilterRule, ChainBefore>();
  const known = mine.get(rule) ?? chainBefore(world, node, rule);
  CHAINS.set(world, mine.set(rule, known));
  return known;
}

function chainBefore(world: World, node: string, rule: FilterRule): ChainBefore {
  const filters = world.views.get(node)?.state.filters ?? [];
  const chain = chainsOf(filters).find((rules) => rules.includes(rule)) ?? [rule];
  const table = `${filterSubject({ ...rule, chain: '' })} `;
  const ofTable = ({ subject }: SettingChange) => subject.startsWith(table);
  const stood = changesOfStood(world, node, 'filter').filter(ofTable);
  const all = settingChanges(world, node, 'filter').filter(ofTable);
  const came = new Set(chain.filter((each) => isNew(world, node, each, all)));
  return {
    rules: chain.flatMap((each) => (came.has(each) ? [] : asBefore(each, stood))),
    isNew: (each) => came.has(each),
    gone: all
      .filter((each) => each.is === undefined && !isOfPassing(each) && !isOfLeaving(each))
      .map(({ wasRules }) => wasRules),
    leaving: all.filter(isOfLeaving),
    isRemembered: filters.length <= LIMITS.filterRules,
    passing: stood.filter(isOfPassing),
  };
}

/** Of a rule of the same words whose set changed, what it demanded before; not known where that is not there as data. */
function asBefore(rule: FilterRule, stood: readonly SettingChange[]): readonly WalkedRule[] {
  const [subject, setting] = [filterSubject(rule), filterSetting(rule)];
  const change = stood.find((each) => each.subject === subject && each.setting === setting && each.is !== undefined);
  if (change === undefined || rule.ends !== undefined) return [rule];
  const { matches: _, ...notKnown } = rule;
  return change.wasRules ?? [notKnown];
}

function isNew(world: World, node: string, rule: FilterRule, changes: readonly SettingChange[]): boolean {
  if (rule.verdict !== 'drop' && rule.verdict !== 'reject' && rule.ends !== 'drop') return false;
  if (rule.ends !== 'drop') return hasCome(world, node, rule);
  return changes.some(
    ({ setting, subject, was }) => setting === 'policy' && was === undefined && subject === filterSubject(rule),
  );
}

function isOfPassing({ setting = '' }: SettingChange): boolean {
  return setting.startsWith('accept ');
}

function isOfLeaving({ setting = '' }: SettingChange): boolean {
  return setting.startsWith('leave ');
}

function beforeBy({ rules, isNew, gone, passing, leaving, isRemembered }: ChainBefore, drop: Drop): Before | undefined {
  const { rule, packet, ports, steps } = drop;
  const passed = passing.map((each) => letThrough(each, drop));
  if (passed.includes('yes')) return 'passed';
  // Such a rule led to the rest of its chain, and that rest may have been different then.
  if (leaving.some((each) => mayHaveLeft(each, rules, drop))) return 'unknown';
  const took = gone.map((each) => tookAll(each, drop));
  const { kind } = decideIn(rules, packet, ports, steps);
  if (kind === 'drop' || took.includes('yes'))
    return passed.includes('unknown') ? 'unknown' : isRemembered ? undefined : 'unremembered';
  if (kind !== 'pass' || took.includes('unknown')) return 'unknown';
  return isNew(rule) ? 'new' : 'passed';
}

/** By a rule of before, or by one that is there now and was not, or was another. */
function mayHaveLeft({ was, wasRules, is }: SettingChange, rules: readonly WalkedRule[], drop: Drop): boolean {
  const { rule, packet, ports, steps } = drop;
  if (was !== undefined && wasRules === undefined) return true;
  const now = is === undefined ? [] : rules.filter(({ ends }) => ends === 'return' || ends === 'unknown');
  const left = (wasRules ?? []).filter(({ ends }) => ends !== undefined);
  return [...left, ...now].some((each) => isOfChain(each, rule) && takes(each, packet, ports, steps) !== 'no');
}

function tookAll(gone: SettingChange['wasRules'], { rule, packet, ports, steps }: Drop): 'yes' | 'no' | 'unknown' {
  if (gone === undefined) return 'unknown';
  const taken = gone.filter((each) => isOfChain(each, rule)).map((each) => takes(each, packet, ports, steps));
  return taken.includes('yes') ? 'yes' : taken.includes('unknown') ? 'unknown' : 'no';
}

/** Whether rules of before, in their order, let it through; what none of them takes came to what drops it now. */
function letThrough(
  { wasRules: rules }: SettingChange,
  { rule, packet, ports, steps }: Drop,
): 'yes' | 'no' | 'unknown' {
  if (rules === undefined) return 'unknown';
  const mine = rules.filter((each) => isOfChain(each, rule));
  if (!mine.some((each) => each.verdict === 'accept' && takes(each, packet, ports, steps) !== 'no')) return 'no';
  const { kind }: Decision<WalkedRule> = decideIn<WalkedRule>([...mine, LAST], packet, ports, steps);
  return kind === 'pass' ? 'yes' : kind === 'drop' ? 'no' : 'unknown';
}

const LAST: WalkedRule = {
  path: [],
  ...({ verdict: 'other', ends: 'drop' } as const),
  ...{ inInterfaces: [], outInterfaces: [], matches: [], matchesRest: false },
};

function isOfChain({ path }: Pick<FilterRule, 'path'>, rule: FilterRule): boolean {
  return path[0] === rule.path[0];
}
