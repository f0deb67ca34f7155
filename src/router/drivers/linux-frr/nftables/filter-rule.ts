// One nftables rule: what it and its callers match on, where it jumps, what becomes of a packet, and its counter. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { FilterMatch, FilterRule } from '#model/router/router-port.ts';
import { textOf } from '../kernel/ip-command.ts';
import { demandOf, elementsOf, type ResolveSet } from './filter-match.ts';
import { isClamping, isTranslating } from './filter-rewrite.ts';
import { statementWords } from './unread-words.ts';

/** Interfaces that packets must leave or enter by, undefined where nothing is said; and what else is demanded of them. */
export type Matches = {
  readonly out: readonly string[] | undefined;
  readonly in: readonly string[] | undefined;
  readonly demands: readonly FilterMatch[];
  /** What is demanded beside that, in nft's words: it cannot be told of a packet. */
  readonly unread: readonly string[];
};

export type RuleReading = {
  readonly matches: Matches;
  /** Chain that is jumped to; then there is no verdict of the rule's own. */
  readonly target?: string;
  /** `return`: what comes to it, or back from a chain that it goes to, leaves the chain of the rule; `drop`: a policy; `unknown`: it may end there. */
  readonly ends?: FilterRule['ends'] & {};
  readonly verdict: FilterRule['verdict'];
  readonly counter?: JsonObject;
  readonly counterName?: string;
};

type Key = { readonly side: 'out' | 'in'; readonly values: readonly string[] };

/** Readings of one rule: none when it cannot match or says nothing, several for a verdict map: one for each verdict and chain. */
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
      matches = matching(matches, match, resolveSet, names);
      // A counter before a match counts packets that the rule then lets pass.
      counter = undefined;
      counterName = undefined;
    } else if (!isUndemanding(statement)) matches = leaving(matches, statementWords(statement));
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
          statements.some((statement) => 'mangle' in statement || isTranslating(statement) || isClamping(statement))
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
  'notrack',
  'snat',
  'masquerade',
  'last',
]);

/** Statements by which a program of the node decides, or the packet goes another way. */
const ENDING = ['queue', 'synproxy', 'tproxy', 'fwd'];
/** Targets of xtables after which the rules go on. */
export const GOING_ON: ReadonlySet<string> = new Set(
  [
    'LOG',
    'NFLOG',
    'ULOG',
    'MARK',
    'CONNMARK',
    'CONNSECMARK',
    'SECMARK',
    'CT',
    'NOTRACK',
    'TCPMSS',
    'TCPOPTSTRIP',
  ].concat(
    ['DSCP', 'TOS', 'TTL', 'HL', 'ECN', 'CLASSIFY', 'CHECKSUM', 'SET', 'TRACE', 'TEE', 'AUDIT', 'RATEEST', 'HMARK'],
    ['IDLETIMER', 'LED', 'ACCOUNT'],
  ),
);

/** True for targets that are not known as well. */
function mayEnd(statement: JsonObject): boolean {
  const { xt } = statement;
  if (ENDING.some((name) => name in statement)) return true;
  if (xt === undefined || !isJsonObject(xt) || xt['type'] !== 'target' || isReject(statement)) return false;
  return !GOING_ON.has(textOf(xt['name']) ?? '') && !isTranslating(statement);
}

/** What iptables-nft writes is in the words of xtables where nftables has none: a comment, and REJECT. */
function isUndemanding(statement: JsonObject): boolean {
  const xt = statement['xt'];
  if (xt !== undefined && isJsonObject(xt))
    return xt['name'] === 'comment' || isReject(statement) || isTranslating(statement) || isClamping(statement);
  return Object.keys(statement).every((name) => UNDEMANDING.has(name) || ENDING.includes(name));
}

function isReject({ xt }: JsonObject): boolean {
  return xt !== undefined && isJsonObject(xt) && xt['type'] === 'target' && xt['name'] === 'REJECT';
}

/** What is left where a match holds: what it says of interfaces narrows them, a negated one is a demand. */
function matching(matches: Matches, match: JsonObject, resolveSet: ResolveSet, names: readonly string[]): Matches {
  const { demands, unread } = demandOf(match, resolveSet);
  const [ports, others] = [demands.filter(isPort), demands.filter((demand) => !isPort(demand))];
  const all = [...matches.demands, ...others];
  const narrowed = ports.reduce<Matches>(
    (left, { field, values }) => narrow(left, { side: field, values: expand(values, names) }),
    matches,
  );
  const read = { ...narrowed, demands: all.slice(0, LIMITS.filterMatches) };
  const over = all.length - read.demands.length;
  return leaving(read, ...(unread === undefined ? [] : [unread]), ...(over > 0 ? [`${over} more`] : []));
}

function isPort(demand: FilterMatch): demand is FilterMatch & { readonly field: Key['side'] } {
  return (demand.field === 'out' || demand.field === 'in') && demand.negated !== true;
}

function leaving(matches: Matches, ...unread: readonly string[]): Matches {
  const all = new Set([...matches.unread, ...unread]);
  return { ...matches, unread: [...all].slice(0, LIMITS.filterMatches) };
}

function verdictsOf(
  statement: JsonObject,
  matches: Matches,
  names: readonly string[],
  resolveSet: ResolveSet,
): readonly RuleReading[] {
  const plain = verdictOf(statement);
  if (plain !== undefined) return [{ matches, ...plain }];
  if (mayEnd(statement)) return [{ matches, verdict: 'other', ends: 'unknown' }];
  const map = statement['vmap'];
  if (map === undefined || !isJsonObject(map)) return [];
  const elements = elementsOf(map['data'], resolveSet);
  if (elements === undefined) return [{ matches: leaving(matches, 'vmap'), verdict: 'other', ends: 'unknown' }];
  return groupsOf(elements).map(({ verdict, keys }) => {
    const match = { op: '==', left: map['key'] ?? null, right: keys.length === 1 ? keys[0]! : { set: keys } };
    return { matches: matching(matches, match, resolveSet, names), ...verdict };
  });
}

type Verdict = Pick<RuleReading, 'verdict' | 'target' | 'ends'>;
type Group = { readonly verdict: Verdict; readonly keys: JsonValue[] };

/** Of each elements of a verdict map: many ways may lead to its rule. */
const groups = new WeakMap<readonly JsonValue[], readonly Group[]>();

/** The keys of a verdict map by what becomes of a packet, so that a chain is walked once however many of them lead there. */
function groupsOf(elements: readonly JsonValue[]): readonly Group[] {
  const known = groups.get(elements);
  if (known !== undefined) return known;
  const found = new Map<string, Group>();
  for (const pair of elements) {
    const [key = null, said] = Array.isArray(pair) ? pair : [];
    const verdict = said !== undefined && isJsonObject(said) ? verdictOf(said) : undefined;
    if (verdict === undefined) continue;
    const name = `${verdict.verdict} ${verdict.ends ?? ''} ${verdict.target ?? ''}`;
    const group = found.get(name);
    if (group === undefined) found.set(name, { verdict, keys: [key] });
    else group.keys.push(key);
  }
  const all = [...found.values()];
  groups.set(elements, all);
  return all;
}

function verdictOf(statement: JsonObject): Verdict | undefined {
  for (const jump of ['jump', 'goto'] as const) {
    const to = statement[jump];
    const target = to !== undefined && isJsonObject(to) ? textOf(to['target']) : undefined;
    if (target !== undefined) return { target, verdict: 'other', ...(jump === 'goto' && { ends: 'return' }) };
  }
  if ('return' in statement) return { verdict: 'other', ends: 'return' };
  if ('drop' in statement) return { verdict: 'drop' };
  if ('reject' in statement || isReject(statement)) return { verdict: 'reject' };
  return 'accept' in statement ? { verdict: 'accept' } : undefined;
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
