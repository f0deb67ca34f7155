// What the rules of a node do to a packet that it forwards: every base chain in the order of its rules, with the rules that leave a chain and the
// policies. The packet is the first of its connection. Sure only where every word of every rule that may decide is understood. Pure; bounded in rules
// and values of a chain, and in the steps that one answer takes through the rules of one node.
import {
  FORWARDING_HOOKS,
  isUnreadSet,
  type Packet,
  rowDemands,
  type Taking,
  taking,
  takingRest,
} from '#model/router/packet-match.ts';
import type { FilterMatch, FilterRule, NodeState } from '#model/router/router-port.ts';
import { CORRELATE_LIMITS } from '../limits.ts';

/** By which a packet may come in and leave; empty where that is not known. */
export type Ports = { readonly in: readonly string[]; readonly out: readonly string[] };

/** Of a rule, what decides about packets: rules that are remembered have no more. */
export type WalkedRule = Pick<FilterRule, 'path' | 'verdict' | 'ends' | 'inInterfaces' | 'outInterfaces' | 'matches'> &
  Partial<Pick<FilterRule, 'family' | 'handle' | 'matchesRest' | 'unread' | 'changing' | 'ways'>>;

/** Rules and values of one node that may still be looked at in one answer; after that nothing is known of its rules. */
export type Steps = { left: number };

export type Decision<Rule extends WalkedRule = FilterRule> =
  | { readonly kind: 'pass' }
  | { readonly kind: 'drop'; readonly rule: Rule }
  /** The elements of a set of this rule could not be read, and decide; or there are more rules than are followed. */
  | { readonly kind: 'unread'; readonly rule: Rule }
  /** Something else that is not known of a packet decides: a rate, a mark. */
  | { readonly kind: 'unsure'; readonly rule: Rule };

const PASS = { kind: 'pass' } as const;
const WORST: readonly Decision['kind'][] = ['drop', 'unread', 'unsure'];

/** A packet goes on where every chain lets it. */
export function decide(
  filters: readonly FilterRule[],
  packet: Packet,
  ports: Ports,
  steps: Steps = { left: CORRELATE_LIMITS.followedSteps },
): Decision {
  const decisions = decisionsOf(filters, packet, ports, steps);
  return WORST.flatMap((kind) => decisions.find((each) => each.kind === kind) ?? [])[0] ?? PASS;
}

/** One of each base chain that may drop. */
export function decisionsOf(
  filters: readonly FilterRule[],
  packet: Packet,
  ports: Ports,
  steps: Steps,
  hooks = FORWARDING_HOOKS,
): readonly Decision[] {
  return chainsOf(filters, hooks).map((rules) => decideIn(rules, packet, ports, steps));
}

/** All rules were read, and are listed in the order in which they decide. */
export function isInOrder({ filtersInOrder, missing }: Pick<NodeState, 'filtersInOrder' | 'missing'>): boolean {
  return filtersInOrder === true && missing.every(({ part }) => part !== 'filters');
}

type Chain = readonly FilterRule[];

type Filters = readonly FilterRule[];

/** The same rules are followed for many packets. */
const CHAINS = new WeakMap<ReadonlySet<string>, WeakMap<Filters, readonly Chain[]>>();

/** Base chains at such hooks, as of what is forwarded, that drop some of it: their rules that decide about a packet, or may. */
export function chainsOf(filters: Filters, hooks = FORWARDING_HOOKS): readonly Chain[] {
  const ofHooks = CHAINS.get(hooks) ?? new WeakMap<Filters, readonly Chain[]>();
  CHAINS.set(hooks, ofHooks);
  const known = ofHooks.get(filters);
  if (known !== undefined) return known;
  const seen = filters.filter(
    (rule) => hooks.has(rule.hook) && rule.family !== 'bridge' && rule.family !== 'arp' && isDeciding(rule),
  );
  const all = Map.groupBy(seen, ({ family, table, path, hook }) => JSON.stringify([family, table, path[0], hook]));
  const chains = [...all.values()].filter((rules) => rules.some((rule) => isDrop(rule) || rule.ends === 'unknown'));
  ofHooks.set(filters, chains);
  return chains;
}

function isDeciding(rule: WalkedRule): boolean {
  return isDrop(rule) || rule.verdict === 'accept' || rule.ends !== undefined;
}

function isDrop({ verdict, ends }: WalkedRule): boolean {
  return verdict === 'drop' || verdict === 'reject' || ends === 'drop';
}

/** Of nftables, or of the older filter, whose policies stand last as rules without a number. */
function isPolicy(rule: WalkedRule): boolean {
  return rule.ends === 'drop' || (rule.handle === 0 && rule.path.length === 1 && isDrop(rule));
}

/** Rules that decide in the order of one base chain. */
export function decideIn<Rule extends WalkedRule>(
  rules: readonly Rule[],
  packet: Packet,
  ports: Ports,
  steps: Steps,
): Decision<Rule> {
  const left = new Set<string>();
  const doubts: Doubts<Rule> = { pass: [], drop: [] };
  const most = followed(rules);
  for (const [index, rule] of rules.entries()) {
    if (index >= most || steps.left <= 0) return { kind: 'unread', rule };
    // What leaves a base chain comes to its policy.
    if (left.size > 0 && !isPolicy(rule) && partsOf(rule).ways.some((way) => left.has(way))) {
      steps.left -= 1;
      continue;
    }
    const took = takes(rule, packet, ports, steps);
    if (took === 'no') continue;
    const isEnding = isDrop(rule) || rule.verdict === 'accept';
    if (took === 'yes' && isEnding)
      return isDrop(rule) ? ended({ kind: 'drop', rule }, doubts.pass) : ended<Rule>(PASS, doubts.drop);
    if (took === 'yes' && rule.ends === 'return') left.add(partsOf(rule).ways.at(-1) ?? '');
    else if (isEnding) doubts[isDrop(rule) ? 'drop' : 'pass'].push(rule);
    else if (rule.ends !== undefined) {
      doubts.pass.push(rule);
      doubts.drop.push(rule);
    }
  }
  return ended<Rule>(PASS, doubts.drop);
}

/** Earlier rules that may have decided, or led elsewhere. */
type Doubts<Rule> = { readonly pass: Rule[]; readonly drop: Rule[] };

function ended<Rule extends WalkedRule>(decision: Decision<Rule>, doubts: readonly Rule[]): Decision<Rule> {
  const unread = doubts.find(hasUnreadSet);
  if (unread !== undefined) return { kind: 'unread', rule: unread };
  return doubts[0] === undefined ? decision : { kind: 'unsure', rule: doubts[0] };
}

/** Of one chain the same for all packets. */
const FOLLOWED = new WeakMap<readonly WalkedRule[], number>();

/** Rules up to the bounds of a chain. */
function followed(rules: readonly WalkedRule[]): number {
  const known = FOLLOWED.get(rules);
  if (known !== undefined) return known;
  let [most, values] = [0, 0];
  for (const { matches = [], inInterfaces, outInterfaces } of rules) {
    values += matches.reduce((sum, each) => sum + each.values.length, inInterfaces.length + outInterfaces.length);
    if (most >= CORRELATE_LIMITS.followedRules || values > CORRELATE_LIMITS.followedValues) break;
    most += 1;
  }
  FOLLOWED.set(rules, most);
  return most;
}

/** Whether a rule takes the first packet of a connection that passes these ports. */
export function takes(rule: WalkedRule, packet: Packet, ports: Ports, steps: Steps): Taking {
  steps.left -= 1;
  if (steps.left <= 0) return 'unknown';
  const { inInterfaces, outInterfaces } = rule;
  let sure = rule.ways !== true;
  // The cheap first: most rules of a chain are about other packets.
  const isNot = (found: Taking) => {
    if (found === 'unknown') sure = false;
    return found === 'no';
  };
  if (inInterfaces.length > 0 && isNot(among(ports.in, inInterfaces))) return 'no';
  if (outInterfaces.length > 0 && isNot(among(ports.out, outInterfaces))) return 'no';
  const { rest, plain, atPorts, rows, values } = partsOf(rule);
  if (isNot(rest)) return 'no';
  steps.left -= values;
  if (isNot(taking(plain, packet))) return 'no';
  if (atPorts.some((each) => isNot(atPort(each, ports)))) return 'no';
  if (rows.some((each) => isNot(inRows(each, packet, ports)))) return 'no';
  // Of several ways to it another rule may stand between.
  return sure ? 'yes' : 'unknown';
}

type Row = { readonly atPorts: readonly FilterMatch[]; readonly plain: Parameters<typeof taking>[0] };
type Rows = { readonly each: readonly Row[]; readonly negated: boolean };

type Parts = {
  readonly rest: Taking;
  readonly plain: Parameters<typeof taking>[0];
  readonly atPorts: readonly FilterMatch[];
  readonly rows: readonly Rows[];
  /** Steps that it takes to look at them. */
  readonly values: number;
  /** Its chains from the hook on, one, two and so on. */
  readonly ways: readonly string[];
};

/** Of each rule once: it is held against many packets. */
const PARTS = new WeakMap<WalkedRule, Parts>();

function partsOf(rule: WalkedRule): Parts {
  const known = PARTS.get(rule);
  if (known !== undefined) return known;
  const { family, path, matches = [] } = rule;
  const { row = [], port = [], plain = [] } = Object.groupBy(matches, kindOf);
  const rows = row.map(({ values, negated }) => ({ each: values.map(rowOf), negated: negated === true }));
  const parts = {
    rest: takingRest(rule),
    plain: { ...(family === undefined ? {} : { family }), matches: plain, matchesRest: false },
    atPorts: port,
    rows,
    values: [...plain, ...port, ...rows.flatMap(({ each }) => each.flatMap(demandsOf))].reduce(
      (sum, each) => sum + each.values.length,
      0,
    ),
    ways: path.map((_, index) => path.slice(0, index + 1).join('\n')),
  };
  PARTS.set(rule, parts);
  return parts;
}

function kindOf({ field }: FilterMatch): 'row' | 'port' | 'plain' {
  return field === 'row' ? 'row' : field === 'in' || field === 'out' ? 'port' : 'plain';
}

function rowOf(row: string): Row {
  const { port = [], plain = [] } = Object.groupBy(rowDemands(row), kindOf);
  return { atPorts: port, plain: { matches: plain, matchesRest: false } };
}

function demandsOf({ atPorts, plain }: Row): readonly FilterMatch[] {
  return [...atPorts, ...(plain.matches ?? [])];
}

function inRows({ each, negated }: Rows, packet: Packet, ports: Ports): Taking {
  const taken = each.map(({ atPorts, plain }) =>
    all([...atPorts.map((demand) => atPort(demand, ports)), taking(plain, packet)]),
  );
  const found = taken.includes('yes') ? 'yes' : taken.includes('unknown') ? 'unknown' : 'no';
  return negated ? inverse(found) : found;
}

function atPort({ field, values, negated }: FilterMatch, ports: Ports): Taking {
  const found = among(field === 'in' ? ports.in : ports.out, values);
  return negated === true ? inverse(found) : found;
}

/** Where a packet may use several ports, or none is known, only what holds of all of them is sure. */
function among(ports: readonly string[], named: readonly string[]): Taking {
  const hits = ports.filter((port) =>
    named.some((name) => (name.endsWith('*') ? port.startsWith(name.slice(0, -1)) : name === port)),
  );
  if (ports.length === 0) return 'unknown';
  return hits.length === 0 ? 'no' : hits.length === ports.length ? 'yes' : 'unknown';
}

/** A set of more elements than are passed on, or of none that is known. One that is filled by and by, of what is to be dropped, is a guard. */
function hasUnreadSet({ unread = [], changing, verdict }: WalkedRule): boolean {
  return (changing !== true || verdict === 'accept') && unread.some(isUnreadSet);
}

function inverse(found: Taking): Taking {
  return found === 'unknown' ? found : found === 'yes' ? 'no' : 'yes';
}

function all(parts: readonly Taking[]): Taking {
  if (parts.includes('no')) return 'no';
  return parts.includes('unknown') ? 'unknown' : 'yes';
}
