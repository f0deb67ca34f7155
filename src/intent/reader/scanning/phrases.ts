// Which meaning a word or a phrase has where it stands: of several that the lexicon has, by what is before it and behind it.
import { LEXICON, LONGEST_PHRASE } from '../../words/lexicon.ts';
import type { Meaning } from '../../words/meaning.ts';
import { BEFORE_AMOUNTS, NUMBER_WORDS } from '../../words/small-words.ts';
import type { Token } from '../../words/tokens.ts';
import { toBeDone } from '../hypotheses.ts';
import type { Item } from '../item.ts';
import { looksLikeName } from '../names.ts';
import { endsWhole } from '../negations.ts';
import { isStart, orderAt, orderOf } from '../order-words.ts';

/** The longest phrase; an order only where a question would begin, unless it is one anywhere. */
export function phraseAt(
  tokens: readonly Token[],
  at: number,
  before: readonly Item[],
): { readonly items: readonly Item[]; readonly taken: number } | undefined {
  const words = tokens.slice(at, at + LONGEST_PHRASE);
  const end = words.findIndex(({ kind }) => kind !== 'word');
  for (let length = end < 0 ? words.length : end; length > 0; length--) {
    const text = words
      .slice(0, length)
      .map(({ low }) => low)
      .join(' ');
    const next = tokens[at + length];
    const meaning = chosen(text, before, tokens.slice(at + length));
    const isCompared =
      (BEFORE_AMOUNTS.test(text) && (isAmount(next) || isShare(next, tokens[at + length + 1]))) ||
      (text === 'between' && next?.kind === 'amount');
    if (isCompared) return { items: [{ kind: 'meaning', meaning: { kind: 'compare' }, text }], taken: length };
    if (meaning !== undefined) return { items: [{ kind: 'meaning', meaning, text }], taken: length };
  }
  return undefined;
}

function chosen(text: string, before: readonly Item[], next: readonly Token[]): Meaning | undefined {
  const meanings = LEXICON.get(text) ?? [];
  const last = before.at(-1);
  // "Is p2 or not p3 down": only at the end it says nothing.
  const isWhether = last?.kind === 'meaning' && last.text === 'whether';
  if (/(?:^| )or (?:not|dead|unstable)$/.test(text) && !isWhether && !isLastOf(next)) return undefined;
  // "I want to know if" is no condition.
  if (text === 'if' && last?.kind === 'meaning' && WHETHER.test(last.text)) return { kind: 'empty' };
  // "Show r1 to me", "reach me": elsewhere people speak of themselves.
  if (/^(?:me|us)$/.test(text)) return isPlaceOf(last) ? { kind: 'here' } : { kind: 'empty' };
  // "Is eth1 shut".
  const isShut =
    /^(?:shut|shut down|shutdown|disabled|enabled)$/.test(text) &&
    (isAskedOf(before.at(-1), next[0]) ||
      before.some((item) => item.kind === 'meaning' && /^(?:is|are|was|were|why|why is)$/.test(item.text)));
  if (isShut) return { kind: 'topic', topic: 'trouble', weak: true };
  // "The session was reset", "when did it last reset", and not "reset p2".
  const isReset = text === 'reset' && before.some((item) => item.kind === 'meaning' && HAPPENED.test(item.text));
  if (isReset || (text === 'reset' && isThing(last) && next.length > 0 && TIMED.test(next[0]!.low)))
    return { kind: 'topic', topic: 'flap', past: true };
  // "Is p2 back".
  const isEnd = next[0] === undefined || next[0].kind === 'stop' || /^(?:yet|now|again)$/.test(next[0].low);
  if (text === 'back' && isEnd && last?.kind === 'node') return { kind: 'topic', topic: 'trouble', weak: true };
  // "Ping pe3 source pe1".
  if (text === 'source' && before.some(isProbe)) return { kind: 'role', role: 'from' };
  // "What is it like".
  if (text === 'like' && (next[0] === undefined || next[0].kind === 'stop')) return { kind: 'empty' };
  // "Change 4711".
  if (text === 'change' && next[0]?.kind === 'number') return { kind: 'empty' };
  // Of what was changed.
  if (CONFIG.test(text) && before.some(isChange)) return { kind: 'empty' };
  const isDone = before.some(isPerson) && before.some(isDid) && orderOf(text)?.command === 'configure';
  if (isDone && orderOf(text)?.of === undefined) return CHANGES;
  if (text === 'but' && endsWhole(before)) return { kind: 'role', role: 'except' };
  if (text === 'less' && isName(next[0])) return { kind: 'role', role: 'except' };
  const order = orderAt(text, before, next);
  if (order !== undefined) return order;
  const done = toBeDone(text, before, (word) => orderOf(word)?.of === undefined && orderOf(word) !== undefined);
  if (done !== undefined) return orderOf(done);
  const others = meanings.filter(
    ({ kind }) => kind !== 'order' && (kind !== 'show' || isStart(before) || meanings.length === 1),
  );
  return others.find(({ kind }) => kind !== 'empty') ?? others[0];
}

const HAPPENED = /^(?:did|was|were|has|had|last|when (?:did|was|were|has)|has been|have been|got|gets|keeps?)$/;
const TIMED = /^(?:at|around|about|since|yesterday|today|last|this|on|during|overnight)$/;

function isThing(item: Item | undefined): boolean {
  return (
    item?.kind === 'meaning' &&
    (item.meaning.kind === 'protocol' || (item.meaning.kind === 'topic' && item.meaning.topic === 'session'))
  );
}

/** "P2 eth1 shut?". */
function isAskedOf(last: Item | undefined, next: Token | undefined): boolean {
  return (last?.kind === 'node' || last?.kind === 'ifname') && next?.kind === 'stop' && next.text.includes('?');
}

/** Nothing but good manners stands behind it. */
function isLastOf(next: readonly Token[]): boolean {
  return next.every(({ kind, low }) => kind === 'stop' || /^(?:please|pls|thanks|now|yet|again|today)$/.test(low));
}

function isPlaceOf(last: Item | undefined): boolean {
  return last?.kind === 'meaning' && ['role', 'verb', 'topic', 'and'].includes(last.meaning.kind);
}

const CONFIG = /^(?:config|configs|configuration|configurations|settings?)$/;
function isProbe(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:ping6?|pings?|trace|traceroute6?|mtr|trace route|tracepath)$/.test(item.text);
}

/** "Did anyone change", "has someone disabled". */
const CHANGES: Meaning = { kind: 'topic', topic: 'changes', past: true };

function isChange(item: Item): boolean {
  return item.kind === 'meaning' && item.meaning.kind === 'topic' && item.meaning.topic === 'changes';
}

function isPerson(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:anyone|anybody|someone|somebody|who)$/.test(item.text);
}

function isDid(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:did|has|have|had)$/.test(item.text);
}

/** Behind these "if" means "whether". */
const WHETHER =
  /(?:^| )(?:know|see|tell|tell me|tell us|telling me|telling us|wonder|wondering|say|check|checking|verify|find out|sure|ask|look|test)$/;

/** "All routers less p2". */
function isName(token: Token | undefined): boolean {
  return token !== undefined && looksLikeName(token) && !LEXICON.has(token.low);
}

/** "A tenth", "one percent". */
function isShare(one: Token | undefined, other: Token | undefined): boolean {
  if (!/^(?:an?|one)$/.test(one?.low ?? '')) return false;
  return NUMBER_WORDS.has(other?.low ?? '') || /^percent(?:age)?$/.test(other?.low ?? '');
}

function isAmount(token: Token | undefined): boolean {
  return token?.kind === 'number' || token?.kind === 'amount' || NUMBER_WORDS.has(token?.low ?? '');
}
