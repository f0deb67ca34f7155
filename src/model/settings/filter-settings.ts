// The packet filter of a node as settings: rules that act by themselves, and what chains that drop the rest let through. Pure.
import { crc32Hex } from '#base/checksum.ts';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { writesSegmentSize } from '../router/filter-rewrites.ts';
import { FORWARDING_HOOKS, takingRest } from '../router/packet-match.ts';
import type { FilterMatch, FilterRule, NodeState } from '../router/router-port.ts';
import type { SettingDifference } from '../router/setting-history.ts';
import { type RememberedRule, rememberedRules } from '../wire/filter-rule.ts';
import type { SettingRow } from './setting-row.ts';

/** Conditions of rows: earlier programs did not remember what is let through, nor what limits the segments of TCP. */
type Needs = Readonly<Record<'acting' | 'writing' | 'clamping' | 'passing' | 'leaving', readonly string[]>>;

export function filterRows({ filters }: Pick<NodeState, 'filters'>, needs: Needs): readonly SettingRow[] {
  const acting = actingFilters({ filters }).slice(0, LIMITS.filterRules);
  const room = roomOfNode();
  // What lets through comes first where there is no room for all.
  const passing = passingRows(filters.slice(0, LIMITS.filterRules), needs, room);
  // One rule may be reached from several base chains.
  const alike = Map.groupBy(acting, (rule) => `${filterSubject(rule)} ${filterSetting(rule)}`);
  return [...[...alike.values()].map((rules) => actingRow(rules, needs, room)), ...passing];
}

/** Rules that drop, reject or rewrite; the others decide nothing alone. */
export function actingFilters({ filters }: Pick<NodeState, 'filters'>): readonly FilterRule[] {
  return filters.filter(({ verdict, rewrites }) => isDropping(verdict) || rewrites !== undefined);
}

function isDropping(verdict: FilterRule['verdict']): boolean {
  return verdict === 'drop' || verdict === 'reject';
}

/** Earlier programs did not see what xtables writes into packets; of rows of several fields, and of long rules, they told less. */
function actingRow(alike: readonly FilterRule[], needs: Needs, room: Room): SettingRow {
  const rule = alike[0]!;
  const [subject, setting] = [filterSubject(rule), filterSetting(rule)];
  const words = filterWords(rule);
  const former = filterWords({ ...rule, matches: (rule.matches ?? []).filter(({ field }) => field !== 'row') });
  const dropping = alike.filter(({ verdict, hook }) => isDropping(verdict) && FORWARDING_HOOKS.has(hook));
  return {
    kind: 'filter',
    subject,
    setting,
    value: whole(words),
    ...(former === whole(words) ? {} : { former }),
    needs:
      needs[
        rule.rewrites?.includes(UNTOLD_SOURCE) === true ? 'writing' : writesSegmentSize(rule) ? 'clamping' : 'acting'
      ],
    ...(dropping.length > 0 ? asData(dropping, room) : {}),
  };
}

/** What a target of xtables writes that nft does not tell. */
const UNTOLD_SOURCE = 'source = not told';

/**
 * What a node forwards because of rules that let it through, where the same base chain drops: one row for the rules of a chain that are alike in
 * all but their values, as those may lead to other sets. Without sets whose elements come and go by themselves. Its data are these rules, and those
 * before them in the base chain that keep packets from them.
 */
function passingRows(
  rules: readonly FilterRule[],
  { passing: needs, leaving }: Needs,
  room: Room,
): readonly SettingRow[] {
  const baseOf = ({ family, table, path }: FilterRule) => JSON.stringify([family, table, path[0]]);
  const forwarding = rules.filter(
    ({ hook, family }) => FORWARDING_HOOKS.has(hook) && family !== 'bridge' && family !== 'arp',
  );
  const dropping = new Set(
    forwarding.filter(({ verdict, ends }) => isDropping(verdict) || ends === 'drop').map(baseOf),
  );
  const passing = forwarding.filter(
    (rule) => rule.verdict === 'accept' && rule.changing !== true && dropping.has(baseOf(rule)),
  );
  const shapeOf = ({ path, inInterfaces, outInterfaces, matches = [], unread }: FilterRule) =>
    JSON.stringify([path, inInterfaces, outInterfaces, matches.map(({ field, negated }) => [field, negated]), unread]);
  const shapes = Map.groupBy(passing, (rule) => `${filterSubject(rule)} ${shapeOf(rule)}`);
  const left = Map.groupBy(
    forwarding.filter((rule) => isLeaving(rule) && rule.changing !== true && dropping.has(baseOf(rule))),
    (rule) => `${filterSubject(rule)} ${shapeOf(rule)}`,
  );
  const policies = forwarding.filter(({ ends }) => ends === 'drop');
  const chains = Map.groupBy(forwarding, baseOf);
  const withEarlier = (alike: readonly FilterRule[]) => {
    const chain = chains.get(baseOf(alike[0]!)) ?? [];
    const last = chain.lastIndexOf(alike.at(-1)!);
    return chain.filter((rule, index) => index <= last && (alike.includes(rule) || keeps(rule)));
  };
  return [
    ...policies.map((rule) => ({
      ...{ kind: 'filter' as const, subject: filterSubject(rule), setting: 'policy', value: 'policy drop', needs },
    })),
    ...[...shapes].map(([shape, alike]) => ({
      ...{ kind: 'filter' as const, subject: filterSubject(alike[0]!), setting: `accept ${crc32Hex(shape)}`, needs },
      ...{ value: together(alike), ...asData(withEarlier(alike), room) },
    })),
    // What leaves a chain is spared by the rest of it, or comes to its policy.
    ...[...left].map(([shape, alike]) => ({
      ...{ kind: 'filter' as const, subject: filterSubject(alike[0]!), setting: `leave ${crc32Hex(shape)}` },
      ...{ value: together(alike), needs: leaving, ...asData(withEarlier(alike), room) },
    })),
  ];
}

/** In which order rules stand that do the same makes no difference. */
function together(alike: readonly FilterRule[]): string {
  return whole(alike.map(filterWords).sort().join('; '));
}

function isLeaving({ ends }: Pick<FilterRule, 'ends'>): boolean {
  return ends === 'return' || ends === 'unknown';
}

/** Packets that it takes do not come to the rules after it. */
function keeps(rule: FilterRule): boolean {
  return isDropping(rule.verdict) || isLeaving(rule);
}

/** What there is still room for. */
type Room = { rules: number; values: number };

function roomOfNode(): Room {
  return { rules: MODEL_LIMITS.nodeRules, values: MODEL_LIMITS.nodeRuleValues };
}

/** Nothing where there is no room for all of them, or one has more of something than a memory keeps. Of rules that take no first packet of a connection there are none, and that is known. */
function asData(rules: readonly FilterRule[], room: Room): Pick<SettingRow, 'rules'> {
  const data = rules.flatMap((rule) => rememberedOf(rule) ?? []);
  const own = { rules: MODEL_LIMITS.rememberedRules, values: MODEL_LIMITS.rememberedRuleValues };
  return rememberedRules.safeParse(data).success && takesRoom(data, own) && takesRoom(data, room)
    ? { rules: data }
    : {};
}

function takesRoom(rules: readonly RememberedRule[], room: Room): boolean {
  const values = rules.reduce((sum, rule) => sum + valuesIn(rule), 0);
  if (rules.length > room.rules || values > room.values) return false;
  room.rules -= rules.length;
  room.values -= values;
  return true;
}

/** Changes as they are listed, the newest first: with the rules of as many as a node has room for. */
export function withRoom<Change extends Pick<SettingDifference, 'wasRules'>>(
  changes: readonly Change[],
): readonly Change[] {
  const room = roomOfNode();
  return changes.map((change) => {
    const { wasRules, ...words } = change;
    return wasRules === undefined || takesRoom(wasRules, room) ? change : (words as Change);
  });
}

function valuesIn({ inInterfaces, outInterfaces, matches }: RememberedRule): number {
  return matches.reduce((sum, each) => sum + each.values.length, inInterfaces.length + outInterfaces.length);
}

/** Undefined for a rule that takes no first packet of a connection. */
function rememberedOf(rule: FilterRule): RememberedRule | undefined {
  const { verdict, ends, path, inInterfaces, outInterfaces, matches = [], changing, ways } = rule;
  const rest = takingRest(rule);
  if (rest === 'no') return undefined;
  return {
    ...{ verdict, path, inInterfaces, outInterfaces, matches },
    ...(ends === undefined || ends === 'drop' ? {} : { ends }),
    matchesRest: rest === 'unknown' || changing === true || ways === true,
  };
}

/** Characters after which a value ends with a checksum of all of it: what is cut must differ where the whole does. */
const SHOWN_CHARS = 200;

function whole(words: string): string {
  return words.length <= SHOWN_CHARS ? words : `${words.slice(0, SHOWN_CHARS)}… (${crc32Hex(words)})`;
}

export function filterSubject({ family, table, chain }: Pick<FilterRule, 'family' | 'table' | 'chain'>): string {
  return [family, table, chain].filter((part) => part !== '').join(' ');
}

/** So many digits of a digest tell the rules of one chain apart. */
const DIGEST_CHARS = 16;

export function filterSetting({ ruleSha256, handle }: Pick<FilterRule, 'ruleSha256' | 'handle'>): string {
  return ruleSha256 === undefined ? `handle ${handle}` : ruleSha256.slice(0, DIGEST_CHARS);
}

function filterWords({ verdict, ends, rewrites = [], matches = [], inInterfaces, outInterfaces }: FilterRule): string {
  const plain = ends === 'return' ? 'return' : ends === 'unknown' ? 'not known' : verdict;
  const act = isDropping(verdict) || rewrites.length === 0 ? plain : rewrites.join(', ');
  return [
    act,
    ...inInterfaces.map((name) => `from ${name}`),
    ...outInterfaces.map((name) => `to ${name}`),
    ...matches.map(filterMatchWords),
  ].join(', ');
}

export function filterMatchWords({ field, values, negated }: FilterMatch): string {
  return `${field} ${negated ? 'not ' : ''}${values.join(field === 'row' ? ' or ' : ' ')}`;
}
