// One nftables rule: what it and its callers match on, where it jumps, what becomes of a packet, and its counter. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FilterMatch, FilterRule } from '#model/router/router-port.ts';
import { textOf } from '../kernel/ip-command.ts';
import { demandOf, type ResolveSet } from './filter-match.ts';
import { isTranslating } from './filter-rewrite.ts';

/** Interfaces that packets must leave or enter by, undefined where nothing is said; and what else is demanded of them. */
export type Matches = {
  readonly out: readonly string[] | undefined;
  readonly in: readonly string[] | undefined;
  readonly demands: readonly FilterMatch[];
  /** Something is demanded that cannot be read. */
  readonly rest: boolean;
};

export type RuleReading = {
  readonly matches: Matches;
  /** Chain that is jumped to; then there is no verdict of the rule's own. */
  readonly target?: string;
  readonly verdict: FilterRule['verdict'];
  readonly counter?: JsonObject;
  readonly counterName?: string;
};

type Key = { readonly side: 'out' | 'in'; readonly values: readonly string[] };

/** Readings of one rule: none when it cannot match or says nothing, several for a verdict map. */
export function readRule(
  rule: JsonObject,
  caller: Matches,
  resolveSet: ResolveSet,
  names: readonly string[],
): readonly RuleReading[] {
  const statements = Array.isArray(rule['expr']) ? rule['expr'].filter((entry) => isJsonObject(entry)) : [];
  let matches: Matches = caller;
  let counter: JsonObject | undefined;
  let counterName: string | undefined;
  for (const statement of statements) {
    const match = statement['match'];
    if (match !== undefined && isJsonObject(match)) {
      const key = interfaceKey(match, resolveSet, names);
      matches = key === undefined ? demanding(matches, match, resolveSet) : narrow(matches, key);
      // A counter before a match counts packets that the rule then lets pass.
      counter = undefined;
      counterName = undefined;
    } else if (!isUndemanding(statement)) matches = { ...matches, rest: true };
    const counted = statement['counter'];
    if (counted !== undefined && isJsonObject(counted)) counter = counted;
    counterName ??= textOf(counted);
  }
  const counting = {
    ...(counter === undefined ? {} : { counter }),
    ...(counterName === undefined ? {} : { counterName }),
  };
  const readings = statements.flatMap((statement) => verdictsOf(statement, matches, names, resolveSet));
  const all =
    readings.length > 0
      ? readings
      : counter !== undefined ||
          counterName !== undefined ||
          statements.some((statement) => 'mangle' in statement || isTranslating(statement))
        ? [{ matches, verdict: 'other' as const }]
        : [];
  return all
    .filter(({ matches: { out, in: into } }) => out?.length !== 0 && into?.length !== 0)
    .map((reading) => ({ ...reading, ...counting }));
}

/** Statements that take every packet that comes to them. */
const UNDEMANDING = new Set([
  'counter',
  'log',
  'accept',
  'drop',
  'reject',
  'jump',
  'goto',
  'return',
  'continue',
  'vmap',
  'mangle',
  'dnat',
  'redirect',
  'snat',
  'masquerade',
  'notrack',
]);

/** What iptables-nft writes is in the words of xtables where nftables has none: a comment, and REJECT. */
function isUndemanding(statement: JsonObject): boolean {
  const xt = statement['xt'];
  if (xt !== undefined && isJsonObject(xt)) return xt['name'] === 'comment' || isReject(statement);
  return Object.keys(statement).every((name) => UNDEMANDING.has(name));
}

function isReject({ xt }: JsonObject): boolean {
  return xt !== undefined && isJsonObject(xt) && xt['type'] === 'target' && xt['name'] === 'REJECT';
}

function demanding(matches: Matches, match: JsonObject, resolveSet: ResolveSet): Matches {
  const { demands, rest } = demandOf(match, resolveSet);
  const all = [...matches.demands, ...demands];
  return {
    ...matches,
    demands: all.slice(0, LIMITS.filterMatches),
    rest: matches.rest || rest || all.length > LIMITS.filterMatches,
  };
}

function verdictsOf(
  statement: JsonObject,
  matches: Matches,
  names: readonly string[],
  resolveSet: ResolveSet,
): readonly RuleReading[] {
  const plain = verdictOf(statement);
  if (plain !== undefined) return [{ matches, ...plain }];
  const map = statement['vmap'];
  if (map === undefined || !isJsonObject(map)) return [];
  const side = sideOf(map['key']);
  const data = map['data'];
  const pairs = data !== undefined && isJsonObject(data) && Array.isArray(data['set']) ? data['set'] : [];
  return pairs.flatMap((pair: JsonValue) => {
    const [value, verdict] = Array.isArray(pair) ? pair : [];
    const read = verdict !== undefined && isJsonObject(verdict) ? verdictOf(verdict) : undefined;
    if (read === undefined) return [];
    const at =
      side === undefined
        ? demanding(matches, { op: '==', left: map['key'] ?? null, right: value ?? null }, resolveSet)
        : narrow(matches, { side, values: expand([textOf(value) ?? ''], names) });
    return [{ matches: at, ...read }];
  });
}

function verdictOf(statement: JsonObject): Pick<RuleReading, 'verdict' | 'target'> | undefined {
  for (const jump of ['jump', 'goto'] as const) {
    const to = statement[jump];
    const target = to !== undefined && isJsonObject(to) ? textOf(to['target']) : undefined;
    if (target !== undefined) return { target, verdict: 'other' };
  }
  if ('drop' in statement) return { verdict: 'drop' };
  if ('reject' in statement || isReject(statement)) return { verdict: 'reject' };
  return 'accept' in statement ? { verdict: 'accept' } : undefined;
}

/** `oifname "eth1"`, `iif { … }`, `oifname @uplinks`; a negated match names none, it is a demand. */
function interfaceKey(match: JsonObject, resolveSet: ResolveSet, names: readonly string[]): Key | undefined {
  if (match['op'] !== '==' && match['op'] !== 'in') return undefined;
  const side = sideOf(match['left']);
  if (side === undefined) return undefined;
  const right = match['right'];
  const values =
    typeof right === 'string' ? (right.startsWith('@') ? resolveSet(right.slice(1)) : [right]) : setOf(right);
  return {
    side,
    values: expand(
      values.filter((value) => typeof value === 'string'),
      names,
    ),
  };
}

function sideOf(left: JsonValue | undefined): Key['side'] | undefined {
  const meta = left !== undefined && isJsonObject(left) ? left['meta'] : undefined;
  const key = meta !== undefined && isJsonObject(meta) ? meta['key'] : undefined;
  if (key === 'oifname' || key === 'oif') return 'out';
  return key === 'iifname' || key === 'iif' ? 'in' : undefined;
}

function setOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonObject(value) && Array.isArray(value['set']) ? value['set'] : [];
}

/** `eth*` becomes the interfaces that there are. */
function expand(values: readonly string[], names: readonly string[]): readonly string[] {
  return values.flatMap((value) =>
    value.endsWith('*') ? names.filter((name) => name.startsWith(value.slice(0, -1))) : [value],
  );
}

function narrow(matches: Matches, key: Key): Matches {
  const before = matches[key.side];
  return {
    ...matches,
    [key.side]: before === undefined ? key.values : before.filter((name) => key.values.includes(name)),
  };
}
