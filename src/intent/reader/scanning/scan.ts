// From tokens to items: each word is taken by a name, a time, or a phrase of the lexicon, the longest first. What nothing takes is left over,
// and says what it looks like: nothing disappears.
import { parsePrefix } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import { isHostName } from '#model/router/hosts.ts';
import { isTimeWord, timeAt } from '../../time/asked-time.ts';
import { KNOWN_WORDS, LEXICON } from '../../words/lexicon.ts';
import type { Meaning } from '../../words/meaning.ts';
import { PEOPLE } from '../../words/sentence-words.ts';
import { NUMBER_WORDS } from '../../words/small-words.ts';
import { bare, type Token } from '../../words/tokens.ts';
import { classesOfWord } from '../../words/word-classes.ts';
import { type Item, wordOf } from '../item.ts';
import {
  ifnameOf,
  isAsNumber,
  isIfname,
  isLikeNode,
  isReference,
  isSlipOfIfname,
  isTerm,
  type KnownNames,
  knownNode,
  looksLikeName,
} from '../names.ts';
import { orderOf } from '../order-words.ts';
import { meantWord } from './misspelled.ts';
import { phraseAt } from './phrases.ts';

export function scan(tokens: readonly Token[], known: KnownNames): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { items: found, taken } = itemAt(tokens, at, items, known);
    items.push(...found);
    at += taken;
  }
  return items;
}

type Taken = { readonly items: readonly Item[]; readonly taken: number };

function itemAt(tokens: readonly Token[], at: number, before: readonly Item[], known: KnownNames): Taken {
  const token = tokens[at]!;
  const time = timeAt(tokens.slice(at).flatMap(({ low }) => low.split(' ')));
  if (time !== undefined && !isNodeList(tokens, at, time.words, known)) {
    const taken = tokensFor(tokens, at, time.words);
    const text = tokens
      .slice(at, at + taken)
      .map((each) => each.text)
      .join(' ');
    return { items: [{ kind: 'time', when: time.when, isLength: time.isLength, text }], taken };
  }
  const often = oftenAt(tokens, at);
  if (often !== undefined) return often;
  const formed = formedItem(token, known);
  if (formed !== undefined) return { items: formed, taken: 1 };
  return (
    namedItem(tokens, at, before, known) ??
    phraseAt(tokens, at, before) ?? { items: [leftOver(token, before, known)], taken: 1 }
  );
}

/** "Every few minutes": how often says nothing of the answer, and is named in it. */
function oftenAt(tokens: readonly Token[], at: number): Taken | undefined {
  const words = tokens.slice(at, at + 5).map(({ low }) => low);
  const found =
    /^every (?:(?:few|other|couple of|\d+|two|three|four|five|ten|fifteen|twenty|thirty) (?:seconds?|secs?|minutes?|mins?|hours?|days?)|\d+(?:s|m|mins?|h))(?= |$)/.exec(
      words.join(' '),
    )?.[0];
  if (found === undefined) return undefined;
  const taken = found.split(' ').length;
  const text = tokens
    .slice(at, at + taken)
    .map((each) => each.text)
    .join(' ');
  // What happens again and again has happened.
  return {
    items: [
      { kind: 'left', text, why: 'aside' },
      { kind: 'meaning', meaning: { kind: 'past' }, text: 'every' },
    ],
    taken,
  };
}

/** "from a to b": letters that are units only behind a number. */
function isNodeList(tokens: readonly Token[], at: number, words: number, known: KnownNames): boolean {
  const last = tokens[at + tokensFor(tokens, at, words) - 1];
  return last !== undefined && last.kind === 'word' && knownNode(last.low, known) !== undefined;
}

/** Some tokens are two words: `2 pm`. */
function tokensFor(tokens: readonly Token[], at: number, words: number): number {
  let taken = 0;
  for (let left = words; left > 0 && at + taken < tokens.length; taken++)
    left -= tokens[at + taken]!.low.split(' ').length;
  return taken;
}

function formedItem({ kind, text }: Token, known: KnownNames): readonly Item[] | undefined {
  switch (kind) {
    case 'arrow':
    case 'dash':
    case 'comma':
    case 'stop':
      return [{ kind }];
    case 'address':
      return [addressItem(text)];
    case 'port': {
      const [, address = '', port] = /^(.*):(\d+)$/.exec(text) ?? [];
      return [{ kind: 'address', address: asNodesWrite(bare(address)), port: Number(port) }];
    }
    case 'url':
      return urlItems(text);
    case 'place':
      return placeItems(text, known);
    case 'resource':
      return resourceItems(text);
    case 'number':
      return [{ kind: 'number', value: Number(text.replace(',', '.')), text }];
    case 'amount':
      return [
        { kind: 'left', text, why: 'aside' },
        ...(text.endsWith('+') ? [{ kind: 'meaning', meaning: { kind: 'compare' }, text: '+' } as const] : []),
      ];
    case 'back':
      return [{ kind: 'left', text, why: 'number' }];
    case 'clock':
    case 'date':
      return [{ kind: 'left', text, why: 'time' }];
    case 'compare':
      return [{ kind: 'meaning', meaning: { kind: 'compare' }, text }];
    case 'mac':
    case 'script':
    case 'sign':
      return [{ kind: 'left', text, why: kind }];
    case 'word':
      return undefined;
  }
}

function addressItem(text: string): Item {
  const address = bare(text);
  if (parsePrefix(address) === undefined) return { kind: 'left', text, why: 'address' };
  return { kind: 'address', address: asNodesWrite(address) };
}

/** States have IPv6 addresses as RFC 5952 writes them; of IPv4 there is one spelling. */
function asNodesWrite(text: string): string {
  const prefix = parsePrefix(text);
  if (prefix?.family !== 6) return text;
  return formatAddress(6, prefix.value) + text.slice(prefix.address.length);
}

/** An address of a page; a name instead of the address is nothing that a node can look up. */
function urlItems(text: string): readonly Item[] {
  const [, scheme = '', host = '', port] = /^(https?):\/\/(\[[^\]]+\]|[^/:]+)(?::(\d+))?/i.exec(text) ?? [];
  const isSecure = scheme.toLowerCase() === 'https';
  const item = addressItem(host);
  if (item.kind !== 'address') return [item];
  return [{ ...item, isSecure, port: port === undefined ? (isSecure ? 443 : 80) : Number(port) }];
}

/** `eth1@pe1`, `pe1:eth1`, `pe1/eth1`, `pe1[eth1]`. */
function placeItems(text: string, known: KnownNames): readonly Item[] {
  const [, left = '', mark, right = ''] = /^([^@:/[]+)([@:/[])([^\]]+)\]?$/.exec(text) ?? [];
  const [node, ifname] = mark === '@' ? [right, left] : [left, right];
  if (!isIfname(ifname.replace(/\s+/g, ''), known))
    return [
      { kind: 'node', name: node },
      { kind: 'node', name: ifname },
    ];
  return [{ kind: 'ifname', ifname: ifnameOf(ifname, known), node: knownNode(node, known) ?? node }];
}

/** The names of resources that answers use. */
function resourceItems(text: string): readonly Item[] {
  const [form = '', node = '', ifname] = text.split('/');
  const place = (end: string): Item => {
    const [name = '', own = ''] = end.split(':');
    return own === '' ? { kind: 'node', name } : { kind: 'ifname', ifname: own, node: name };
  };
  if (form.toLowerCase() === 'link') return [LINK, ...text.slice('link/'.length).split('--').map(place)];
  return [ifname === undefined ? { kind: 'node', name: node } : { kind: 'ifname', ifname, node }];
}

const LINK: Item = { kind: 'meaning', meaning: { kind: 'noun', noun: 'link' }, text: 'link' };

function namedItem(
  tokens: readonly Token[],
  at: number,
  before: readonly Item[],
  known: KnownNames,
): Taken | undefined {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  const joined = next?.kind === 'number' ? `${token.text}${next.text}` : undefined;
  // "PE 1", "eth 2".
  if (joined !== undefined) {
    if (knownNode(joined, known) !== undefined && !KNOWN_WORDS.has(token.low))
      return { items: [{ kind: 'node', name: `${token.text} ${next!.text}` }], taken: 2 };
    if (isIfname(joined, known) && /^(?:eth|ens|swp|bond|ethernet)$/.test(token.low))
      return { items: [{ kind: 'ifname', ifname: ifnameOf(joined, known) }], taken: 2 };
    if (!KNOWN_WORDS.has(token.low) && !isTimeWord(token.low) && !isTerm(token.low) && isLikeNode(token.text, known))
      return { items: [{ kind: 'node', name: `${token.text} ${next!.text}` }], taken: 2 };
  }
  // "Leaf one", "p e three".
  const said = saidName(tokens, at, known);
  if (said !== undefined) return said;
  const pair = pairIn(token.text, known);
  if (pair !== undefined) return { items: pair, taken: 1 };
  const node = knownNode(token.text, known);
  const isBeside = before.at(-1)?.kind === 'arrow' || next?.kind === 'arrow';
  if (node !== undefined && (isNoOtherWord(tokens, at, before) || isNamePlace(before) || isBeside))
    return { items: [{ kind: 'node', name: node }], taken: 1 };
  // What an arrow leads to, and what leads on by another, is a node of the path, whatever else the word means.
  if (before.at(-1)?.kind === 'arrow' && next?.kind === 'arrow')
    return { items: [{ kind: 'node', name: token.text }], taken: 1 };
  if (LEXICON.has(token.low)) return undefined;
  if (isIfname(token.text, known))
    return { items: [{ kind: 'ifname', ifname: ifnameOf(token.text, known) }], taken: 1 };
  if (isReference(token.text)) return { items: [{ kind: 'left', text: token.text, why: 'aside' }], taken: 1 };
  if (isAsNumber(token.text)) return { items: [{ kind: 'left', text: token.text, why: 'as-number' }], taken: 1 };
  if (asksForName(before) && isHostName(token.text) && token.text.includes('.'))
    return { items: [{ kind: 'record', name: token.text }], taken: 1 };
  if (!looksLikeName(token)) return undefined;
  return isSlipOfIfname(token.low, known)
    ? { items: [{ kind: 'left', text: token.text, why: 'word' }], taken: 1 }
    : { items: [{ kind: 'node', name: token.text }], taken: 1 };
}

const DIGITS: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A known name as it is said: its word, or its letters one by one, and its number in words. */
function saidName(tokens: readonly Token[], at: number, known: KnownNames): Taken | undefined {
  const letters = tokens.slice(at).findIndex(({ kind, low }) => kind !== 'word' || low.length > 1);
  const length = Math.max(letters, 1);
  const digit = DIGITS.indexOf(tokens[at + length]?.low ?? '');
  const name = `${tokens
    .slice(at, at + length)
    .map(({ low }) => low)
    .join('')}${digit}`;
  if (digit < 0 || tokens[at + length]!.kind !== 'word') return undefined;
  if (knownNode(name, known) !== undefined) return { items: [{ kind: 'node', name }], taken: length + 1 };
  const isPort = known.ifnames?.some((each) => each.toLowerCase() === name) === true;
  return isPort ? { items: [{ kind: 'ifname', ifname: ifnameOf(name, known) }], taken: length + 1 } : undefined;
}

/** Nodes are called "core", "edge" or "gateway": such a word is the node's name, but in a longer phrase ("core links"). */
function isNoOtherWord(tokens: readonly Token[], at: number, before: readonly Item[]): boolean {
  const { low } = tokens[at]!;
  if (!KNOWN_WORDS.has(low)) return true;
  const phrase = phraseAt(tokens, at, before);
  if (phrase === undefined) return true;
  const isPlace = ({ kind, ...meaning }: Meaning) =>
    kind === 'everywhere' || ('noun' in meaning && meaning.noun === 'node');
  return phrase.taken === 1 && (LEXICON.get(low) ?? []).every(isPlace);
}

/** `pe1-p2`, where both are names and the whole is none. */
function pairIn(text: string, known: KnownNames): readonly Item[] | undefined {
  if (knownNode(text, known) !== undefined) return undefined;
  const isName = (part: string) =>
    known.nodes === undefined ? /^[A-Za-z]{1,12}\d{1,4}$/.test(part) : knownNode(part, known) !== undefined;
  const parts = text.split('-');
  if (parts.length < 2 || !parts.every(isName)) return undefined;
  return parts.flatMap((name, index): readonly Item[] => [
    ...(index === 0 ? [] : [{ kind: 'dash' } as const]),
    { kind: 'node', name },
  ]);
}

function asksForName(before: readonly Item[]): boolean {
  return before.some(({ ...item }) => item.kind === 'meaning' && ['record', 'service'].includes(item.meaning.kind));
}

function isNamePlace(before: readonly Item[]): boolean {
  const last = before.at(-1);
  return (
    last?.kind === 'meaning' &&
    (last.meaning.kind === 'role' || (last.meaning.kind === 'noun' && last.meaning.noun === 'node'))
  );
}

function leftOver(token: Token, before: readonly Item[], known: KnownNames): Item {
  // A day, a month or a part of a day that is left over was a time.
  const last = before.at(-1);
  // "Dropped to a tenth".
  const isPart = last?.kind === 'meaning' && last.text === 'a' && NUMBER_WORDS.has(token.low);
  if (isPart) return { kind: 'left', text: token.text, why: 'aside' };
  if (isTimeWord(token.low) || NUMBER_WORDS.has(token.low)) return { kind: 'left', text: token.text, why: 'number' };
  // "on printer": a word in a name's place is a name, and is said to be unknown. "With numbers" is none.
  const isKnown = KNOWN_WORDS.has(token.low) || classesOfWord(token.low).has('measure');
  const isWord = /^[A-Za-z][\w-]*$/.test(token.text) && !isKnown;
  if (isWord && isNamePlace(before) && !isInfinitive(before)) return { kind: 'node', name: token.text };
  if (isWord && isSubject(before) && meantWord(token.low, known) === undefined)
    return { kind: 'node', name: token.text };
  if (orderOf(token.low) === undefined) return { kind: 'left', text: token.text, why: 'word' };
  return { kind: 'left', text: token.text, why: isVerbPlace(last) ? 'order' : 'number' };
}

/** "I safely reload", "p2 shutdown now", and not "before the change", "night shift". */
function isVerbPlace(last: Item | undefined): boolean {
  if (last?.kind === 'left') return /ly$/.test(last.text);
  if (last?.kind === 'meaning') return /^(?:i|we|you|they|please|to|just|now|quickly|simply)$/.test(last.text);
  return last?.kind === 'node' || last?.kind === 'ifname';
}

/** "Am I to blame", "who is to blame": a verb follows, and no name. */
function isInfinitive(before: readonly Item[]): boolean {
  const [be, subject, to] = before.slice(-3).map(wordOf);
  const isSubject = PEOPLE.test(subject ?? '') || /^(?:i|we|it|you|that|this)$/.test(subject ?? '');
  return to === 'to' && (BE.test(subject ?? '') || (isSubject && BE.test(be ?? '')));
}

const BE = /^(?:(?:who|what|which|why|how) )?(?:am|is|are|was|were)$/;

/** "Can paris not reach lyon": a node that this one may not have heard of yet stands before a verb, or behind one, without an article. */
function isSubject(before: readonly Item[]): boolean {
  const last = before.at(-1);
  if (last?.kind !== 'meaning') return false;
  const { meaning, text } = last;
  if (meaning.kind === 'verb' || (meaning.kind === 'topic' && meaning.topic === 'reach')) return true;
  // "The customer is angry", "p2 is frobbed": what was named before is the subject.
  const subject = before.at(-2);
  const isSaid =
    subject !== undefined &&
    (['node', 'address', 'ifname'].includes(subject.kind) ||
      (subject.kind === 'meaning' && (PEOPLE.test(subject.text) || /^(?:it|who|i)$/.test(subject.text))));
  if (isSaid && /^(?:is|are|was|were|has|have)$/.test(text)) return false;
  return meaning.kind === 'and' ? before.at(-2)?.kind === 'node' : SUBJECT.test(text);
}

const SUBJECT = /^(?:can|could|is|are|does|do|did|has|have|was|were|why|ping)$/;
