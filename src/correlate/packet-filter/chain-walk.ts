// What the rules of a node do to a packet that it forwards: every base chain in the order of its rules, with the rules that leave a chain and the
// policies. The packet is the first of its connection. Sure only where every word of every rule that may decide is understood. Pure.
import { FORWARDING_HOOKS, type Packet, rowDemands, type Taking, taking } from '#model/router/packet-match.ts';
import type { FilterMatch, FilterRule } from '#model/router/router-port.ts';

/** By which a packet may come in and leave; empty where that is not known. */
export type Ports = { readonly in: readonly string[]; readonly out: readonly string[] };

export type Decision =
  | { readonly kind: 'pass' }
  | { readonly kind: 'drop'; readonly rule: FilterRule }
  /** The elements of a set of this rule could not be read, and decide. */
  | { readonly kind: 'unread'; readonly rule: FilterRule }
  /** Something else that is not known of a packet decides: a rate, a mark. */
  | { readonly kind: 'unsure'; readonly rule: FilterRule };

const PASS: Decision = { kind: 'pass' };
const WORST: readonly Decision['kind'][] = ['drop', 'unread', 'unsure'];

export function decide(filters: readonly FilterRule[], packet: Packet, ports: Ports): Decision {
  const decisions = chainsOf(filters).map((rules) => decideIn(rules, packet, ports));
  // A packet goes on where every chain lets it.
  return WORST.flatMap((kind) => decisions.find((each) => each.kind === kind) ?? [])[0] ?? PASS;
}

/** The same rules are followed for many packets. */
const CHAINS = new WeakMap<readonly FilterRule[], readonly (readonly FilterRule[])[]>();

/** Base chains that see what is forwarded and drop some of it. */
export function chainsOf(filters: readonly FilterRule[]): readonly (readonly FilterRule[])[] {
  const known = CHAINS.get(filters);
  if (known !== undefined) return known;
  const seen = filters.filter(
    ({ hook, family }) => FORWARDING_HOOKS.has(hook) && family !== 'bridge' && family !== 'arp',
  );
  const all = Map.groupBy(seen, ({ family, table, path, hook }) => JSON.stringify([family, table, path[0], hook]));
  const chains = [...all.values()].filter((rules) => rules.some(isDrop));
  CHAINS.set(filters, chains);
  return chains;
}

function isDrop({ verdict, ends }: FilterRule): boolean {
  return verdict === 'drop' || verdict === 'reject' || ends === 'drop';
}

function decideIn(rules: readonly FilterRule[], packet: Packet, ports: Ports): Decision {
  const left: (readonly string[])[] = [];
  let [mayPass, mayDrop]: (FilterRule | undefined)[] = [];
  for (const rule of rules) {
    if (left.some((path) => isWithin(rule.path, path))) continue;
    const took = takes(rule, packet, ports);
    if (took === 'no') continue;
    if (rule.ends === 'return') {
      if (took === 'yes') left.push(rule.path);
      else [mayPass, mayDrop] = [mayPass ?? rule, mayDrop ?? rule];
      continue;
    }
    if (!isDrop(rule) && rule.verdict !== 'accept') continue;
    if (took === 'yes') return isDrop(rule) ? ended({ kind: 'drop', rule }, mayPass) : ended(PASS, mayDrop);
    if (isDrop(rule)) mayDrop ??= rule;
    else mayPass ??= rule;
  }
  return ended(PASS, mayDrop);
}

/** `doubt`: an earlier rule that may have decided otherwise. */
function ended(decision: Decision, doubt: FilterRule | undefined): Decision {
  return doubt === undefined ? decision : { kind: isUnreadSet(doubt) ? 'unread' : 'unsure', rule: doubt };
}

function isWithin(path: readonly string[], other: readonly string[]): boolean {
  return other.every((chain, index) => path[index] === chain);
}

/** Whether a rule takes the first packet of a connection that passes these ports. */
export function takes(
  rule: Pick<FilterRule, 'inInterfaces' | 'outInterfaces' | 'matches' | 'matchesRest'> &
    Partial<Pick<FilterRule, 'family' | 'unread'>>,
  packet: Packet,
  ports: Ports,
): Taking {
  const { family, matches = [], matchesRest, unread, inInterfaces, outInterfaces } = rule;
  const isOfPort = ({ field }: FilterMatch) => field === 'in' || field === 'out';
  const rows = matches.filter(({ field }) => field === 'row');
  const plain = matches.filter((each) => !isOfPort(each) && !rows.includes(each));
  const rest = unread?.map(ofWords) ?? (matchesRest === true || rule.matches === undefined ? ['unknown' as const] : []);
  return all([
    ...(inInterfaces.length === 0 ? [] : [among(ports.in, inInterfaces)]),
    ...(outInterfaces.length === 0 ? [] : [among(ports.out, outInterfaces)]),
    ...matches.filter(isOfPort).map((each) => atPort(each, ports)),
    taking({ ...(family === undefined ? {} : { family }), matches: plain, matchesRest: false }, packet),
    ...rows.map((each) => inRows(each, packet, ports)),
    ...rest,
  ]);
}

function inRows({ values, negated }: FilterMatch, packet: Packet, ports: Ports): Taking {
  const each = values.map((row) =>
    all(
      rowDemands(row).map((demand) =>
        demand.field === 'in' || demand.field === 'out'
          ? atPort(demand, ports)
          : taking({ matches: [demand], matchesRest: false }, packet),
      ),
    ),
  );
  const found = each.includes('yes') ? 'yes' : each.includes('unknown') ? 'unknown' : 'no';
  return negated === true ? inverse(found) : found;
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

/** The state of a connection in the words of nftables and of the older filter. */
const STATE = /^(?:ct state |xtables --(?:ct)?state )(!= |! )?([^@]*)$/;

function ofWords(words: string): Taking {
  const [, negated, states] = STATE.exec(words) ?? [];
  // What the older filter says of its states stands in words of their own.
  if (words === 'xtables conntrack' || words === 'xtables state') return 'yes';
  if (states === undefined) return 'unknown';
  const isNew = /\bnew\b/i.test(states);
  return isNew === (negated === undefined) ? 'yes' : 'no';
}

/** A set of more elements than are passed on, or of none that is known; not one that is filled by and by. */
function isUnreadSet({ unread = [], changing }: FilterRule): boolean {
  if (changing === true) return false;
  return unread.some((words) => !STATE.test(words) && !/^(?:add|update) /.test(words) && /[@{]|match-set/.test(words));
}

function inverse(found: Taking): Taking {
  return found === 'unknown' ? found : found === 'yes' ? 'no' : 'yes';
}

function all(parts: readonly Taking[]): Taking {
  if (parts.includes('no')) return 'no';
  return parts.includes('unknown') ? 'unknown' : 'yes';
}
