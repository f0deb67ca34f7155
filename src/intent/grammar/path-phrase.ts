// Finds the path in a sentence: arrows, bracketed lists, "from … to … via …", "between … and … through …". Knows no node
// names: a name is whatever stands in a name's place. Implements TS-12.
import type { Intent } from '#model/intent.ts';

const ARROW = /\s*(?:-{1,2}>|={1,2}>|→|⇒|➔|➜|»|>+)\s*/g;
/** "leaf1 - spine1 - leaf2": three names at least, each with a number, or it is a dash between sentences. */
const DASHES = /[A-Za-z][A-Za-z0-9._-]*\d(?![\w.-])(?:\s+[-–—]\s+[A-Za-z][A-Za-z0-9._-]*\d(?![\w.-])){2,}/;
/** Words that may stand before a name: "from the router PE-1", "to tail-end PE-3". */
const TITLE =
  '(?:(?:the|our|head(?:[- ]?end)?|tail(?:[- ]?end)?|mid(?:[- ]?point)?s?|router|node|device|host|switch|provider|edge)\\s+)*';
/** A name: a word; or letters and a number apart ("PE 1"). */
const NAME = '((?:[A-Za-z]{1,8} \\d{1,4}(?![\\w.-]))|(?:[A-Za-z0-9][A-Za-z0-9._-]*))';
const ONE = `${TITLE}${NAME}`;
const LIST = `(${TITLE}${NAME}(?:(?:\\s*,\\s*(?:(?:and|then)\\s+)?|\\s+(?:and|then|&)\\s+(?:via\\s+|through\\s+)?)${TITLE}${NAME})*)`;
const VIA = new RegExp(`\\b(?:via|through|thru|over|across|by way of|passing|traversing|using)\\s+${LIST}`, 'i');
const LIST_SPLIT = /\s*,\s*(?:(?:and|then)\s+)?|\s+(?:and|then|&)\s+(?:via\s+|through\s+)?/i;

/** Words that stand where a name could, but never are one. */
const NOT_NAMES = new Set(
  'a an and any are at be by can check do does get got has have i should we you drop dropping drops find for from how i if in is it its lose loses losing loss lost me my not of on or our packet packets path please route see sr srv6 tell that the then there this to traffic tunnel us verify via was what where whether which why with access arp bfd bgp connecting connection connections connectivity dhcp dns ftp getting going http https icmp latency mail ping pinging pings reachability route routes routing sending sessions ssh talking tcp telnet throughput traceroute transferring trying udp web'.split(
    ' ',
  ),
);

/** Patterns in the order they are tried. `head`, `tail` are group numbers; `via` says that mid-points may follow elsewhere. */
const ENDS: readonly { readonly pattern: RegExp; readonly head: number; readonly tail: number }[] = [
  { pattern: new RegExp(`\\bbetween\\s+${ONE}\\s+(?:and|to|&)\\s+${ONE}`, 'i'), head: 1, tail: 2 },
  { pattern: new RegExp(`\\bfrom\\s+${ONE}\\b.*?\\b(?:to|towards?|until)\\s+${ONE}`, 'i'), head: 1, tail: 2 },
  { pattern: new RegExp(`\\b(?:to|towards?)\\s+${ONE}\\b.*?\\bfrom\\s+${ONE}`, 'i'), head: 2, tail: 1 },
  { pattern: new RegExp(`${NAME}\\s+(?:to|towards?)\\s+${ONE}`, 'i'), head: 1, tail: 2 },
  { pattern: new RegExp(`\\b(?:do|does|can|is|are)\\s+${NAME}\\s+and\\s+${ONE}`, 'i'), head: 1, tail: 2 },
];

/** Names along the path, head first, spelled as typed; empty when the sentence names no path. */
export function pathIn(sentence: string): readonly string[] {
  const text = sentence.replace(/[?!;:"'`“”‘’]+/g, ' ').replace(/\.(?=\s|$)/g, ' ');
  return arrowPath(text) ?? dashedPath(text) ?? bracketPath(text) ?? endsPath(text) ?? [];
}

/** `srv6` when the sentence speaks of SRv6, segment routing or SIDs. */
export function encapsulationIn(sentence: string): Intent['encapsulation'] {
  return /\bsrv6\b|\bsegment[- ]rout|\bSIDs?\b/i.test(sentence) ? 'srv6' : 'ip';
}

function arrowPath(text: string): readonly string[] | undefined {
  const parts = text.split(ARROW);
  if (parts.length < 2) return undefined;
  const first = lastName(parts[0]!);
  const last = firstName(parts.at(-1)!);
  const middle = parts.slice(1, -1).map((part) => firstName(part));
  const names = [first, ...middle, last].filter((name) => name !== undefined);
  if (names.length !== parts.length) return undefined;
  return names.length === 2 ? withVia(names[0]!, names[1]!, text) : names;
}

function dashedPath(text: string): readonly string[] | undefined {
  return DASHES.exec(text)?.[0].split(/\s+[-–—]\s+/);
}

function bracketPath(text: string): readonly string[] | undefined {
  for (const [, inside = ''] of text.matchAll(/[[{(]([^[\](){}]*)[\]})]/g)) {
    if (!inside.includes(',')) continue;
    const names = inside.split(',').map((part) => firstName(part));
    return names.every((name) => name !== undefined) ? names : undefined;
  }
  return undefined;
}

function endsPath(text: string): readonly string[] | undefined {
  for (const { pattern, head, tail } of ENDS) {
    const match = pattern.exec(text);
    const [from, to] = [match?.[head], match?.[tail]];
    if (isName(from) && isName(to)) return withVia(from, to, text);
  }
  return undefined;
}

function withVia(head: string, tail: string, text: string): readonly string[] {
  const list = VIA.exec(text)?.[1] ?? '';
  const mids = list.split(LIST_SPLIT).map((part) => firstName(part));
  return [
    head,
    ...mids.filter((name) => name !== undefined && name !== head && name !== tail).map((name) => name!),
    tail,
  ];
}

function firstName(part: string): string | undefined {
  const name = new RegExp(`^\\s*${ONE}`, 'i').exec(part)?.[1];
  return isName(name) ? name : undefined;
}

function lastName(part: string): string | undefined {
  const name = new RegExp(`${NAME}\\s*$`, 'i').exec(part)?.[1];
  const bare =
    name !== undefined && /^[a-z]+ \d+$/i.test(name) && NOT_NAMES.has(name.split(' ')[0]!.toLowerCase())
      ? name.split(' ')[1]
      : name;
  return isName(bare) ? bare : undefined;
}

export function isName(word: string | undefined): word is string {
  return word !== undefined && !NOT_NAMES.has(word.toLowerCase());
}
