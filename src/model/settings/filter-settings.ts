// The packet filter of a node as settings: rules that act by themselves, and what chains that drop the rest let through. Pure.
import { crc32Hex } from '#base/checksum.ts';
import { LIMITS } from '#base/limits.ts';
import type { FilterMatch, FilterRule, NodeState } from '../router/router-port.ts';
import type { SettingRow } from './setting-row.ts';

/** Conditions of rows: earlier programs did not remember what is let through. */
type Needs = { readonly acting: readonly string[]; readonly passing: readonly string[] };

export function filterRows({ filters }: Pick<NodeState, 'filters'>, needs: Needs): readonly SettingRow[] {
  const acting = actingFilters({ filters }).slice(0, LIMITS.filterRules);
  return [
    ...acting.map((rule) => actingRow(rule, needs.acting)),
    ...passingRows(filters.slice(0, LIMITS.filterRules), needs.passing),
  ];
}

/** Rules that drop, reject or rewrite; the others decide nothing alone. */
export function actingFilters({ filters }: Pick<NodeState, 'filters'>): readonly FilterRule[] {
  return filters.filter(({ verdict, rewrites }) => isDropping(verdict) || rewrites !== undefined);
}

function isDropping(verdict: FilterRule['verdict']): boolean {
  return verdict === 'drop' || verdict === 'reject';
}

function actingRow(rule: FilterRule, needs: readonly string[]): SettingRow {
  const [subject, setting] = [filterSubject(rule), filterSetting(rule)];
  return { kind: 'filter', subject, setting, value: filterWords(rule), needs };
}

/**
 * What a node forwards because of rules that let it through, where the same base chain drops: one row for the rules of a chain that are alike in
 * all but their values, as those may lead to other sets. Without sets whose elements come and go by themselves.
 */
function passingRows(rules: readonly FilterRule[], needs: readonly string[]): readonly SettingRow[] {
  const baseOf = ({ family, table, path }: FilterRule) => JSON.stringify([family, table, path[0]]);
  const forwarding = rules.filter(({ hook }) => hook === 'forward');
  const dropping = new Set(
    forwarding.filter(({ verdict, ends }) => isDropping(verdict) || ends === 'drop').map(baseOf),
  );
  const passing = forwarding.filter(
    (rule) => rule.verdict === 'accept' && rule.changing !== true && dropping.has(baseOf(rule)),
  );
  const shapeOf = ({ path, inInterfaces, outInterfaces, matches = [], unread }: FilterRule) =>
    JSON.stringify([path, inInterfaces, outInterfaces, matches.map(({ field, negated }) => [field, negated]), unread]);
  const shapes = Map.groupBy(passing, (rule) => `${filterSubject(rule)} ${shapeOf(rule)}`);
  const policies = forwarding.filter(({ ends }) => ends === 'drop');
  return [
    ...policies.map((rule) => ({
      ...{ kind: 'filter' as const, subject: filterSubject(rule), setting: 'policy', value: 'policy drop', needs },
    })),
    ...[...shapes].map(([shape, alike]) => ({
      ...{ kind: 'filter' as const, subject: filterSubject(alike[0]!), setting: `accept ${crc32Hex(shape)}`, needs },
      value: whole(alike.map(filterWords).join('; ')),
    })),
  ];
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

function filterWords({ verdict, rewrites = [], matches = [], inInterfaces, outInterfaces }: FilterRule): string {
  const act = isDropping(verdict) || rewrites.length === 0 ? verdict : rewrites.join(', ');
  return [
    act,
    ...inInterfaces.map((name) => `from ${name}`),
    ...outInterfaces.map((name) => `to ${name}`),
    ...matches.map(
      ({ field, values, negated }) => `${field} ${negated ? 'not ' : ''}${values.join(field === 'row' ? ' or ' : ' ')}`,
    ),
  ].join(', ');
}

/** Rules that let packets through, read back from the words of a setting; what they demand beside these words is not in them. */
export function passingRulesIn(words: string): readonly PassingRule[] {
  return words.split('; ').map((rule) => {
    const parts = rule.split(', ').map((part) => part.split(' '));
    const named = (side: string) =>
      parts.flatMap(([word, name]) => (word === side && name !== undefined ? [name] : []));
    // What was cut may have been any value.
    const isCut = words.length > SHOWN_CHARS && rule.includes('…');
    const matches = parts.flatMap(([field = '', ...rest]): readonly FilterMatch[] => {
      if (field === 'from' || field === 'to' || field === 'accept' || rest.some((word) => word.includes('…')))
        return [];
      const negated = rest[0] === 'not';
      const text = (negated ? rest.slice(1) : rest).join(' ');
      const values = field === 'row' ? text.split(' or ') : text.split(' ').filter(Boolean);
      return [{ field: field as FilterMatch['field'], values, ...(negated && { negated: true as const }) }];
    });
    return { inInterfaces: named('from'), outInterfaces: named('to'), matches, matchesRest: isCut };
  });
}

export type PassingRule = Pick<FilterRule, 'inInterfaces' | 'outInterfaces' | 'matches' | 'matchesRest'>;
