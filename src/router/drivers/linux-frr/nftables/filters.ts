// Packet filter rules from `nft -j list ruleset`, and those of the older xtables: walks from every base chain through jumps and gotos to the user chains,
// so that a rule in chain `acl-2001` knows at which hook and on which interfaces it acts. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import { listedRuleSha256 } from '../../../config/nft-rule-digest.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { counterOf, textOf } from '../kernel/ip-command.ts';
import { rewritesOf } from './filter-rewrite.ts';
import { type Matches, type RuleReading, readRule } from './filter-rule.ts';
import { legacyObjects } from './legacy-rules.ts';
import { withStates } from './xtables-states.ts';

/** Deeper jumps than the kernel's own limit do not exist (NFT_JUMP_STACK_SIZE). */
const JUMP_DEPTH = 16;
/** Only such rules are ever proposed for deletion. */
const DENIES: ReadonlySet<FilterRule['verdict']> = new Set(['drop', 'reject']);

type Chain = {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook: string | undefined;
  readonly device: readonly string[];
  readonly policy?: string;
};
type Ruleset = {
  readonly chains: ReadonlyMap<string, Chain>;
  readonly rules: ReadonlyMap<string, readonly JsonObject[]>;
  readonly counters: ReadonlyMap<string, JsonObject>;
  readonly sets: ReadonlyMap<string, readonly JsonValue[]>;
  /** Those whose elements come and go by themselves. */
  readonly changing: ReadonlySet<string>;
};
type Walk = {
  readonly path: readonly string[];
  readonly hook: string;
  readonly matches: Matches;
  readonly changing?: boolean;
  /** Its chain, or one on the way to it, was jumped to before, and another rule decided since. */
  readonly again?: boolean;
};
/**
 * `steps`: chains entered and rules read; jumps multiply them. `decided`: verdicts so far; `left`: ways through chains, with the verdicts up to their
 * end.
 */
type Walked = {
  readonly found: Map<string, FilterRule>;
  readonly left: Map<string, number>;
  steps: number;
  decided: number;
};

/**
 * What `iptables-legacy-save -c` and `ip6tables-legacy-save -c` print, where such tables are there; `listed`: what nft prints as text, where rules of
 * iptables-nft need it.
 */
export type LegacyText = { readonly ip?: string; readonly ip6?: string; readonly listed?: string };

/**
 * `netdevChains` is `nft list chains netdev`, because nft 1.0.6 leaves the devices of those chains out of its JSON. `untold` is called with the
 * reason when the answer has only the first of the rules.
 */
export function parseFilters(
  ruleset: string,
  netdevChains: string,
  interfaceNames: readonly string[],
  legacy: LegacyText = {},
  untold: (reason: string) => void = () => {},
): Result<readonly FilterRule[]> {
  const objects = parseObjects(ruleset);
  if (objects === undefined) return bad('expected JSON of nft, got something else');
  const older = (['ip', 'ip6'] as const).flatMap((family) => legacyObjects(legacy[family] ?? '', family));
  const read = indexRuleset([...withStates(objects, legacy.listed ?? ''), ...older], parseNetdevDevices(netdevChains));
  const walked: Walked = { found: new Map(), left: new Map(), steps: 0, decided: 0 };
  for (const chain of read.chains.values()) {
    if (chain.hook === undefined) continue;
    const outwards = chain.hook === 'egress';
    const devices = chain.device.length === 0 ? undefined : chain.device;
    const matches: Matches = {
      out: outwards ? devices : undefined,
      in: outwards ? undefined : devices,
      demands: [],
      unread: [],
    };
    walk(read, chain, { path: [], hook: chain.hook, matches }, interfaceNames, walked);
    if (chain.policy === 'drop')
      note(walked.found, policyRule(read, chain, { path: [chain.name], hook: chain.hook, matches }));
  }
  if (isTooLong(walked))
    untold(`expected at most ${DRIVER_LIMITS.filterSteps} steps through the packet filter, got more`);
  return ok([...walked.found.values()]);
}

/** `table netdev T { chain C { type filter hook egress device "eth1" …` → `T/C` → devices. */
export function parseNetdevDevices(text: string): ReadonlyMap<string, readonly string[]> {
  const devices = new Map<string, readonly string[]>();
  let table = '';
  let chain = '';
  for (const line of text.split('\n')) {
    table = /^table netdev (\S+)/.exec(line)?.[1] ?? table;
    chain = /^\s+chain (\S+)/.exec(line)?.[1] ?? chain;
    const listed = /hook \w+ devices? (?:=\s*)?(.*?) priority/.exec(line)?.[1];
    if (listed !== undefined) devices.set(`${table}/${chain}`, listed.match(/[^\s",{}=]+/g) ?? []);
  }
  return devices;
}

function walk(read: Ruleset, chain: Chain, from: Walk, names: readonly string[], walked: Walked): void {
  if (from.path.length >= JUMP_DEPTH || from.path.includes(chain.name)) return;
  walked.steps += 1;
  const path = [...from.path, chain.name];
  const way = [chain.family, chain.table, ...path].join('\n');
  const again = from.again === true || (walked.left.get(way) ?? walked.decided) < walked.decided;
  for (const rule of read.rules.get(keyOf(chain)) ?? []) {
    walked.steps += 1;
    let changing = from.changing === true;
    const resolveSet = (name: string) => {
      const key = `${chain.family}/${chain.table}/${name}`;
      changing ||= read.changing.has(key);
      return read.sets.get(key);
    };
    for (const reading of readRule(rule, from.matches, resolveSet, names)) {
      if (isTooLong(walked)) return;
      const { target, matches, ends } = reading;
      const at = { path, hook: from.hook, matches, changing, again };
      const next = target === undefined ? undefined : read.chains.get(keyOf({ ...chain, name: target }));
      if (next !== undefined) walk(read, next, at, names, walked);
      // What came back from a chain that was gone to leaves this one as well.
      if (target === undefined || ends !== undefined) {
        note(walked.found, filterRule(read, chain, at, rule, reading), again);
        walked.decided += 1;
      }
    }
  }
  walked.left.set(way, walked.decided);
}

function policyRule(read: Ruleset, chain: Chain, at: Walk): FilterRule {
  return filterRule(read, chain, at, {}, { matches: at.matches, verdict: 'other', ends: 'drop' });
}

function isTooLong({ steps }: Walked): boolean {
  return steps > DRIVER_LIMITS.filterSteps;
}

/**
 * The same rule reached over several jumps of one path is one entry with all their interfaces, where it is met first. That it may be met later as
 * well matters to who follows rules in their order, unless every packet that comes there later came there before.
 */
function note(found: Map<string, FilterRule>, rule: FilterRule, again = false): void {
  const key = [rule.family, rule.table, rule.path.join('>'), rule.handle, rule.verdict, rule.ends].join('|');
  const known = found.get(key);
  if (known === undefined) found.set(key, rule);
  else
    found.set(key, {
      ...rule,
      outInterfaces: union(known.outInterfaces, rule.outInterfaces),
      inInterfaces: union(known.inInterfaces, rule.inInterfaces),
      ...common(known, rule),
      ...(known.ways === true || isOfWays(known, rule, again) ? { ways: true as const } : {}),
    });
}

/** Packets of other ports come over the second way: after another rule, or of ports that belong together. */
function isOfWays(known: FilterRule, rule: FilterRule, again: boolean): boolean {
  const sides = ['inInterfaces', 'outInterfaces'] as const;
  const isWider = sides.some(
    (side) =>
      known[side].length > 0 && (rule[side].length === 0 || rule[side].some((name) => !known[side].includes(name))),
  );
  return isWider && (again || sides.every((side) => known[side].join() !== rule[side].join()));
}

function filterRule(read: Ruleset, chain: Chain, at: Walk, rule: JsonObject, reading: RuleReading): FilterRule {
  const named =
    reading.counterName === undefined
      ? undefined
      : read.counters.get(`${chain.family}/${chain.table}/${reading.counterName}`);
  const counter = reading.counter ?? named;
  const comment = textOf(rule['comment']);
  const acl = aclOf(chain, at.path, reading.counterName);
  const rewrites = rewritesOf(rule);
  return {
    family: chain.family,
    table: chain.table,
    chain: chain.name,
    path: at.path,
    hook: at.hook,
    handle: typeof rule['handle'] === 'number' ? rule['handle'] : 0,
    verdict: reading.verdict,
    ...(reading.ends === undefined ? {} : { ends: reading.ends }),
    ...(at.changing === true ? { changing: true as const } : {}),
    ...(DENIES.has(reading.verdict) ? { ruleSha256: listedRuleSha256(rule) } : {}),
    outInterfaces: reading.matches.out ?? [],
    inInterfaces: reading.matches.in ?? [],
    matches: reading.matches.demands,
    ...restOf(reading.matches.unread),
    ...(counter === undefined ? {} : { packets: counterOf(counter['packets']), bytes: counterOf(counter['bytes']) }),
    ...(comment === undefined ? {} : { comment }),
    ...(acl === undefined ? {} : { acl }),
    ...(rewrites.length === 0 ? {} : { rewrites }),
  };
}

/** The user chain that an operator made for it; else the counter's name; else a base chain or table that calls itself an ACL. */
function aclOf(chain: Chain, path: readonly string[], counterName: string | undefined): string | undefined {
  if (path.length > 1) return path.at(-1);
  return counterName ?? [chain.name, chain.table].find((name) => /acl/i.test(name));
}

function indexRuleset(objects: readonly JsonObject[], devices: ReadonlyMap<string, readonly string[]>): Ruleset {
  const chains = new Map<string, Chain>();
  const rules = new Map<string, JsonObject[]>();
  const counters = new Map<string, JsonObject>();
  const sets = new Map<string, readonly JsonValue[]>();
  const changing = new Set<string>();
  for (const entry of objects) {
    const { chain, rule, counter, set, map } = entry as Readonly<Record<string, JsonObject | undefined>>;
    if (chain !== undefined) chains.set(keyOf(head(chain)), chainOf(chain, devices));
    if (rule !== undefined) {
      const key = keyOf({ ...head(rule), name: textOf(rule['chain']) ?? '' });
      const before = rules.get(key);
      if (before === undefined) rules.set(key, [rule]);
      else before.push(rule);
    }
    if (counter !== undefined) counters.set(keyOf(head(counter)), counter);
    for (const named of [set, map]) {
      if (named === undefined) continue;
      const { elem = [], flags } = named;
      const isChanging = [flags].flat().some((flag) => flag === 'dynamic' || flag === 'timeout');
      if (isChanging) changing.add(keyOf(head(named)));
      // A set that fills over time may be empty now.
      if (Array.isArray(elem) && (elem.length > 0 || !isChanging)) sets.set(keyOf(head(named)), elem);
    }
  }
  return { chains, rules, counters, sets, changing };
}

function chainOf(chain: JsonObject, devices: ReadonlyMap<string, readonly string[]>): Chain {
  const named = head(chain);
  const dev = chain['dev'];
  const listed = typeof dev === 'string' ? [dev] : Array.isArray(dev) ? dev.map(String) : undefined;
  const policy = textOf(chain['policy']);
  return {
    ...named,
    ...(policy === undefined ? {} : { policy }),
    hook: textOf(chain['hook']),
    device: listed ?? (named.family === 'netdev' ? (devices.get(`${named.table}/${named.name}`) ?? []) : []),
  };
}

function head(entry: JsonObject): { readonly family: string; readonly table: string; readonly name: string } {
  return {
    family: textOf(entry['family']) ?? '',
    table: textOf(entry['table']) ?? '',
    name: textOf(entry['name']) ?? '',
  };
}

function keyOf(entry: { readonly family: string; readonly table: string; readonly name: string }): string {
  return `${entry.family}/${entry.table}/${entry.name}`;
}

/** Of several ways to a rule, what all of them demand; where they differ, there is more to it. */
function common(one: FilterRule, other: FilterRule): Pick<FilterRule, 'matches' | 'matchesRest' | 'unread'> {
  const [mine, its] = [one, other].map((rule) => new Map(rule.matches?.map((match) => [JSON.stringify(match), match])));
  const both = [...mine!].filter(([key]) => its!.has(key)).map(([, match]) => match);
  const differ = both.length !== mine!.size || both.length !== its!.size;
  const unread = new Set([...(one.unread ?? []), ...(other.unread ?? []), ...(differ ? ['its way to the rule'] : [])]);
  return { matches: both, ...restOf([...unread].slice(0, LIMITS.filterMatches)) };
}

function restOf(unread: readonly string[]): Pick<FilterRule, 'matchesRest' | 'unread'> {
  return { matchesRest: unread.length > 0, ...(unread.length === 0 ? {} : { unread }) };
}

/** No interface means any. */
function union(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length === 0 || other.length === 0) return [];
  return [...new Set([...one, ...other])];
}

function parseObjects(text: string): readonly JsonObject[] | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    const objects = isJsonObject(value) ? value['nftables'] : undefined;
    return Array.isArray(objects) ? objects.filter((entry) => isJsonObject(entry)) : undefined;
  } catch {
    return undefined;
  }
}
