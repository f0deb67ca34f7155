// Which words of a question are names of this network: nodes, interfaces, addresses of nodes. Where the network is not known, a word that looks
// like a name is one; a name that is not known stays one, and is said to be unknown later, when all peers have been asked.
import { nodeKey } from '#model/names.ts';
import type { Token } from '../words/tokens.ts';

/** What the asked agent knows of names; every part may be absent. */
export type KnownNames = {
  /** The asked node. */
  readonly here?: string;
  readonly nodes?: readonly string[];
  readonly ifnames?: readonly string[];
  /** Address of a node, and its name. */
  readonly addresses?: ReadonlyMap<string, string>;
};

const IFNAME =
  /^(?:(?:eth|ens|eno|enp|swp|ge-|xe-|et-|te|gi|fa|lan|wlan|bond|br|vlan|po|dummy|ethernet|tengige|port-channel|to-)[\w./-]*\d[\w./-]*|lo|[a-z]\w*\d+\.\d+)$/i;
/** Numbers of tickets and changes, which name nothing of a network. */
const REFERENCE = /^(?:inc|chg|req|rfc|ritm|task|case|tt|sr|cs|prb)-?\d{2,}$/i;
/** A node's name is a label of a domain name (RFC 1035 §2.3.4). */
const MOST_CHARS = 63;
/** A term of the trade that looks like a name. */
const TERM =
  /^(?:ipv?[46]|srv6|l[1-4]|layer-?\d|as\d+|asn\d+|md5|sha\d+|tcp|udp|ospf(?:v\d)?|p2p|\d+(?:st|nd|rd|th))$/i;

export function isIfname(text: string, { ifnames = [] }: KnownNames): boolean {
  return IFNAME.test(text) || ifnames.some((each) => each.toLowerCase() === text.toLowerCase());
}

/** As the router spells it where that is known; `Eth1` is `eth1` on Linux. */
export function ifnameOf(text: string, { ifnames = [] }: KnownNames): string {
  const typed = text.replace(/\s+/g, '').replace(/^ethernet(?=\d)/i, 'eth');
  const known = ifnames.find((each) => each.toLowerCase() === typed.toLowerCase());
  return known ?? (/^[A-Z][a-z]+\d/.test(typed) ? typed.toLowerCase() : typed);
}

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** The number of an autonomous system, `AS65001`. */
export function isAsNumber(text: string): boolean {
  return /^asn?\d+$/i.test(text);
}

/** A name that is known, spelled as typed; of `pe1.example.net` the first label. */
export function knownNode(text: string, known: KnownNames): string | undefined {
  const keys = keysOf(known);
  if (keys.has(nodeKey(text))) return text;
  const [label = '', ...domain] = text.split('.');
  // "pe1..pe3" are two names.
  const isDomain = domain.length > 0 && domain.every((part) => part !== '' && !keys.has(nodeKey(part)));
  return isDomain && keys.has(nodeKey(label)) ? label : undefined;
}

/** A term of the trade before a number: "area 0", "dscp 46". */
export function isTerm(low: string): boolean {
  return TRADE.test(low);
}

const TRADE =
  /^(?:top|med|dscp|area|level|metric|cost|tag|label|vni|vpn|vrf|ttl|df|cos|queue|weight|local-?pref|prio|priority|class|slot|rack|row|room|page|line|step|no|nr|num|number|id|as|asn|l|layer|tier|ipv|rfc|version|v|pid|mtu|size)$/;

/** A word that may be the first half of a node's name that is typed in two: where nodes are known, one begins with it. */
export function isLikeNode(text: string, known: KnownNames): boolean {
  if (known.nodes === undefined) return /^[A-Za-z]{1,8}$/.test(text);
  return /^[A-Za-z]{1,12}$/.test(text) && [...keysOf(known)].some((key) => key.startsWith(nodeKey(text)));
}

/** "eht1" is no node's name: the letters of an interface's name are a slip away, and its digits are the same. */
export function isSlipOfIfname(low: string, { ifnames = [] }: KnownNames): boolean {
  const [, letters = '', digits] = /^([a-z]{3,})(\d[\d/.]*)$/.exec(low) ?? [];
  if (digits === undefined) return false;
  const known = new Set([...ifnames.map((ifname) => ifname.toLowerCase()), ...COMMON.map((name) => name + digits)]);
  return [...known].some((name) => {
    const [, own = '', number] = /^([a-z]{3,})(\d[\d/.]*)$/.exec(name) ?? [];
    return number === digits && own !== letters && distance(own, letters) === 1 && own.length === letters.length;
  });
}

const COMMON: readonly string[] = ['eth', 'swp', 'bond', 'ens'];

/** Letters with digits, or parts with "-", "_" or "." between. */
export function looksLikeName({ text, kind }: Token): boolean {
  if (kind !== 'word' || text.length > MOST_CHARS || TERM.test(text)) return false;
  const isMixed = /[A-Za-z]/.test(text) && /\d/.test(text);
  return isMixed || /[-_.]/.test(text);
}

function keysOf({ here, nodes = [] }: KnownNames): ReadonlySet<string> {
  return new Set([...nodes, ...(here === undefined ? [] : [here])].map(nodeKey));
}

/**
 * The nearest of these that is at most two slips of the finger away, one for a short word, and begins with the same letter; of a word of three
 * letters two are swapped. Undefined where there is none.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most = word.length >= 7 ? 2 : word.length >= 3 ? 1 : 0,
): string | undefined {
  let best: { readonly name: string; readonly slips: number } | undefined;
  for (const name of candidates) {
    if (Math.abs(name.length - word.length) > most || !isStartAlike(name, word)) continue;
    const slips = distance(name, word);
    if (slips <= most && slips > 0 && slips < (best?.slips ?? most + 1)) best = { name, slips };
  }
  return best?.name;
}

function isStartAlike(one: string, other: string): boolean {
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  if (other.length > 3) return one[0] === other[0] || isSwapped;
  return one.length === other.length && [...one].sort().join('') === [...other].sort().join('');
}

/** Letters added, left out, wrong, or swapped with their neighbour (optimal string alignment). */
export function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= one.length; at++) {
    const row = [at];
    for (let to = 1; to <= other.length; to++) {
      const cost = one[at - 1] === other[to - 1] ? 0 : 1;
      let least = Math.min(rows[at - 1]![to]! + 1, row[to - 1]! + 1, rows[at - 1]![to - 1]! + cost);
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isSwap) least = Math.min(least, rows[at - 2]![to - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
