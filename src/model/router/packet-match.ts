// The one matcher of packet filter rules: whether a rule takes a packet, takes it not, or may. Excludes only what the rule's own words
// exclude, and is sure only where every word is understood and what it is about is known of the packet. Pure.
import { type IpPrefix, parsePrefix } from '#base/ip.ts';
import { MODEL_LIMITS } from '../limits.ts';
import type { FilterMatch, FilterRule } from './router-port.ts';

/** A packet as far as it is known; what is not said of it may be anything. */
export type Packet = {
  /** `ip`, `ip6`, `arp`; `isis` travels in LLC frames and has no network header. */
  readonly network: 'ip' | 'ip6' | 'arp' | 'isis';
  /** The last header of the chain; none for ARP and IS-IS. */
  readonly protocol?: string;
  /** What follows the IPv6 header itself. */
  readonly nextHeader?: string;
  readonly extensions?: readonly string[];
  /** Of several addresses any may be the one. */
  readonly sources?: readonly string[];
  readonly destinations?: readonly string[];
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly icmpType?: string;
};

type Words = Pick<FilterRule, 'family' | 'matches' | 'matchesRest'>;

/** `unknown` accuses no node, and proves no health. */
export type Taking = 'yes' | 'no' | 'unknown';

/** Of a packet to or from this address. */
export function networkOf(address: string): 'ip' | 'ip6' {
  return address.includes(':') ? 'ip6' : 'ip';
}

/** Hooks that see what a node forwards. */
export const FORWARDING_HOOKS: ReadonlySet<string> = new Set([
  'ingress',
  'prerouting',
  'forward',
  'postrouting',
  'egress',
]);

/** Packets that a table's chains see. */
const FAMILIES: Readonly<Record<string, readonly Packet['network'][]>> = {
  ip: ['ip'],
  ip6: ['ip6'],
  inet: ['ip', 'ip6'],
  arp: ['arp'],
  bridge: [],
};
/** 802.2 service access points of ISO 10589, both as they stand in the frame. */
const ISIS_LLC = 0xfefe;

/** Interfaces are not looked at, and a share of packets is any of them. */
export function taking({ family, matches, matchesRest }: Partial<Words>, packet: Packet): Taking {
  const seen = family === undefined ? undefined : FAMILIES[family];
  if (seen !== undefined && !seen.includes(packet.network)) return 'no';
  const told = all((matches ?? []).map((demand) => allows(demand, packet)));
  return told === 'yes' && (matches === undefined || matchesRest !== false) ? 'unknown' : told;
}

/** True when the rule can take the packet. */
export function mayTake(rule: Partial<Words>, packet: Packet): boolean {
  return taking(rule, packet) !== 'no';
}

/** True when the rule demands something of that kind, so that it is not for everything. */
export function demands({ matches }: Pick<FilterRule, 'matches'>, ...fields: readonly FilterMatch['field'][]): boolean {
  return (matches ?? []).some((demand) => fields.includes(demand.field));
}

/** Before the state of a connection, in the words of nftables and of the older filter. */
const STATE = /^(?:ct state (!= )?|xtables (! )?--(?:ct)?state )/i;
const STATES: ReadonlySet<string> = new Set(['new', 'established', 'related', 'invalid', 'untracked']);
/** The older filter has a word for the match, and others for what it demands. */
const STATE_MATCH = ['xtables conntrack', 'xtables state'];
const MATCH_WORDS = /^xtables (?:! )?--/;

/** Whether what a rule demands beside `matches` and interfaces takes the first packet of a connection: known where it is about states of connections. */
export function takingRest({ matches, matchesRest, unread }: Partial<Words> & Pick<FilterRule, 'unread'>): Taking {
  if (matches === undefined) return 'unknown';
  if (unread === undefined || unread.length === 0) return matchesRest === false ? 'yes' : 'unknown';
  // Of iptables-nft the word for the match may stand alone: then what it demands is not known.
  const isTold = unread.some((words) => MATCH_WORDS.test(words));
  return all(unread.filter((words) => !isTold || !STATE_MATCH.includes(words)).map(takingFirst));
}

function takingFirst(words: string): Taking {
  const [before, not, notOlder] = (words.length <= MODEL_LIMITS.unreadChars && STATE.exec(words)) || [];
  if (before === undefined) return 'unknown';
  const states: readonly string[] =
    words
      .slice(before.length)
      .toLowerCase()
      .match(/[^ ,{}]+/g) ?? [];
  if (states.length === 0 || !states.every((state) => STATES.has(state))) return 'unknown';
  // A rule before may have told the kernel to follow no connection.
  if (states.includes('untracked') && !states.includes('new')) return 'unknown';
  return states.includes('new') === ((not ?? notOlder) === undefined) ? 'yes' : 'no';
}

/** Of addresses, ports or interfaces, by name or cut; what fills a set is no demand. */
const UNREAD_SET =
  /^(?!(?:add|update|delete) ).*\b(?:ip6? [sd]addr|(?:tcp|udp|th|sctp|dccp) [sd]port|[io]if(?:name)?)\b.*[@{]|^xtables (?:! )?(?:set$|--match-set\b)/;

/** Whether such words name a set, of which the elements decide and are not told. No node writes longer ones. */
export function isUnreadSet(words: string): boolean {
  return words === 'vmap' || (words.length <= MODEL_LIMITS.unreadChars && UNREAD_SET.test(words));
}

/** All that it demands beside `matches` is that more packets come than a rate allows: a limiter, which asks for the state of no connection. */
export function isAboveRate({ unread = [] }: Pick<FilterRule, 'unread'>): boolean {
  return unread.length > 0 && unread.every((words) => words.startsWith('limit rate over '));
}

/** For people: `protocol tcp, destination-port 80, ct state new`. */
export function wordsOf({
  matches,
  matchesRest,
  unread,
}: Pick<FilterRule, 'matches' | 'matchesRest' | 'unread'>): string {
  const words = (matches ?? []).map(
    ({ field, values, negated }) =>
      `${field} ${negated === true ? 'not ' : ''}${values.join(' or ') || 'of an empty set'}`,
  );
  const more = unread ?? (matchesRest === true ? ['more'] : []);
  return [...words, ...more].join(', ') || 'everything';
}

function allows({ field, values, ...demand }: FilterMatch, packet: Packet): Taking {
  const negated = demand.negated === true;
  switch (field) {
    case 'network':
      return told(values.includes(packet.network), negated);
    case 'protocol':
      return told(hasWord(packet.protocol, values), negated);
    case 'next-header':
      return told(hasWord(packet.nextHeader ?? packet.protocol, values), negated);
    case 'extension':
      return told(
        values.some((value) => packet.extensions?.includes(value) === true),
        negated,
      );
    case 'source':
      return anyAddress(packet.sources ?? [], values, negated);
    case 'destination':
      return anyAddress(packet.destinations ?? [], values, negated);
    case 'source-port':
      return hasPort(packet, packet.sourcePort, values, negated);
    case 'destination-port':
      return hasPort(packet, packet.destinationPort, values, negated);
    case 'icmp-type':
      if (packet.icmpType !== undefined) return told(hasWord(packet.icmpType, values), negated);
      return packet.protocol?.includes('icmp') === true ? 'unknown' : 'no';
    case 'row':
      return oneRow(values, packet, negated);
    case 'llc':
      return told(packet.network === 'isis' && values.some((value) => Number(value) === ISIS_LLC), negated);
    default:
      return 'unknown';
  }
}

/** What one value of the field `row` demands. */
export function rowDemands(row: string): readonly FilterMatch[] {
  return row.split(' . ').map((part) => {
    const [field = '', value = ''] = part.split(' ');
    return { field: field as FilterMatch['field'], values: [value] };
  });
}

/** One of the rows whose every field the packet has. */
function oneRow(values: readonly string[], packet: Packet, negated: boolean): Taking {
  const each = values.map((row) => all(rowDemands(row).map((demand) => allows(demand, packet))));
  return told(each.includes('yes') ? true : each.includes('unknown') ? undefined : false, negated);
}

/** All of them hold, one does not, or it is not known. */
function all(parts: readonly Taking[]): Taking {
  if (parts.includes('no')) return 'no';
  return parts.includes('unknown') ? 'unknown' : 'yes';
}

function told(holds: boolean | undefined, negated: boolean): Taking {
  if (holds === undefined) return 'unknown';
  return holds !== negated ? 'yes' : 'no';
}

/** What a packet does not have is none of the values. */
function hasWord(word: string | undefined, values: readonly string[]): boolean {
  return word !== undefined && values.includes(word);
}

/** An address that is not known, and a value that is no prefix, may match; so may addresses of which only some do. */
function anyAddress(addresses: readonly string[], values: readonly string[], negated: boolean): Taking {
  const ranges = rangesOf(values);
  const each = addresses.map((address) => {
    const one = parsePrefix(address);
    const inside = ranges.map((range) => contains(range, one));
    return told(inside.includes(true) || (inside.includes(undefined) ? undefined : false), negated);
  });
  const [first = 'unknown'] = each;
  return each.every((one) => one === first) ? first : 'unknown';
}

type Range = { readonly family: 4 | 6; readonly least: bigint; readonly most: bigint };

/** Rules are held against many packets, and do not change. */
const RANGES = new WeakMap<readonly string[], readonly (Range | undefined)[]>();

function rangesOf(values: readonly string[]): readonly (Range | undefined)[] {
  const known = RANGES.get(values) ?? values.map(rangeOf);
  RANGES.set(values, known);
  return known;
}

/** Of a prefix, or of two addresses with a dash between them. */
function rangeOf(text: string): Range | undefined {
  const [first, last] = text.split('-').map((part) => parsePrefix(part));
  if (first === undefined) return undefined;
  const { family, value } = first;
  if (text.includes('-')) return last === undefined ? undefined : { family, least: value, most: last.value };
  const hostBits = BigInt((family === 4 ? 32 : 128) - first.prefixBits);
  const least = (value >> hostBits) << hostBits;
  return { family, least, most: least + (1n << hostBits) - 1n };
}

function contains(range: Range | undefined, one: IpPrefix | undefined): boolean | undefined {
  if (range === undefined || one === undefined) return undefined;
  return one.family === range.family && range.least <= one.value && one.value <= range.most;
}

/** The other end's port is the kernel's choice and may be any; a packet without ports has none. */
function hasPort({ protocol }: Packet, port: number | undefined, values: readonly string[], negated: boolean): Taking {
  if (protocol !== 'udp' && protocol !== 'tcp') return told(false, negated);
  if (port === undefined) return 'unknown';
  const inside = values.some((value) => {
    const [low = '', high = low] = value.split('-');
    return Number(low) <= port && port <= Number(high);
  });
  return told(inside, negated);
}
