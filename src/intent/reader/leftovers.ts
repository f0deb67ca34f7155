// What has no place in a question: orders, what is beyond any answer, and words that are left over. A time, a verb of doing, a number or a name that
// is left over refuses the question; another word does, where it could be what is asked; else the answer names it.
import type { Topic } from '#model/intent.ts';
import { INTENT_LIMITS } from '../limits.ts';
import { FUTURE } from '../time/asked-time.ts';
import type { Meaning, OrderKind } from '../words/meaning.ts';
import { isData } from './data-topics.ts';
import { type Item, isName, isSign } from './item.ts';
import type { KnownNames } from './names.ts';
import { orderOf } from './order-words.ts';
import { meantWord } from './scanning/misspelled.ts';
import type { Refusal } from './slots.ts';

export function orderIn(items: readonly Item[]): Refusal | undefined {
  const order = items.find((item) => item.kind === 'meaning' && item.meaning.kind === 'order');
  const left = items.find((item) => item.kind === 'left' && item.why === 'order');
  const text = order?.kind === 'meaning' ? order.text : left?.kind === 'left' ? left.text : undefined;
  const meaning = order?.kind === 'meaning' ? order.meaning : orderOf(text?.toLowerCase() ?? '');
  if (text === undefined || meaning?.kind !== 'order' || !(items.some(isOfNetwork) || isOrderAlone(items)))
    return undefined;
  const object = items.slice(items.indexOf(order ?? left!) + 1).find((item) => !isArticle(item));
  const isRecord = object?.kind === 'meaning' && RECORD.test(object.text);
  return {
    reason: 'order',
    words: `an order ("${text}"); a question changes nothing, and nothing was done: ${DOES[isRecord ? 'people' : meaning.command]}`,
  };
}

function isArticle(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:a|an|the|another|one|new)$/.test(item.text);
}

const RECORD = /^(?:ticket|tickets|case|bug|incident|alert|report|reports)$/;
const DOES: Readonly<Record<OrderKind, string>> = {
  configure: '"parley call network.cli.configure" on a node that may be configured does such things',
  remedy: '"parley remedy", behind a report with a finding, does such things',
  router: 'the system of the node itself does such things',
  people: 'no person was told, and no ticket was opened; "parley report export" gives a report to pass on',
};

/** "Rollback", "reboot please". */
function isOrderAlone(items: readonly Item[]): boolean {
  return items.every(
    (item) =>
      item.kind === 'stop' ||
      item.kind === 'number' ||
      (item.kind === 'meaning' &&
        (item.meaning.kind === 'order' ? item.meaning.of === undefined : item.meaning.kind === 'empty')),
  );
}

/** "Make me a coffee" orders nothing that this program knows of. */
function isOfNetwork(item: Item): boolean {
  if (item.kind === 'left') return item.why === 'as-number';
  if (item.kind !== 'meaning') return isName(item);
  return ['noun', 'protocol', 'topic', 'everywhere', 'beyond', 'past'].includes(item.meaning.kind);
}

export function scriptIn(items: readonly Item[]): Refusal | undefined {
  const script = items.flatMap((item) => (item.kind === 'left' && item.why === 'script' ? [item.text] : []));
  if (script.length === 0) return undefined;
  return { reason: 'language', words: `letters that are not Latin ("${script.join(' ')}"): please ask in English` };
}

/** More words that are not known than words that are. */
export function foreignIn(items: readonly Item[], known: KnownNames): Refusal | undefined {
  const left = items.flatMap((item) => (item.kind === 'left' && item.why === 'word' ? [item.text] : []));
  const strange = left.filter((text) => meantWord(text.toLowerCase(), known) === undefined);
  if (left.length < 3 || strange.length < 2 || left.length <= items.filter(({ kind }) => kind === 'meaning').length)
    return undefined;
  const words = left.map((text) => `"${text}"`);
  return {
    reason: 'unclear',
    words: `${words.slice(0, INTENT_LIMITS.unusedWords).join(', ')}, which are words that it does not know; please ask in English`,
  };
}

/** What is not known may be what is asked. */
export function withUnknown(refusal: Refusal, items: readonly Item[]): Refusal {
  const left = items.flatMap((item) => (item.kind === 'left' || item.kind === 'number' ? [`"${item.text}"`] : []));
  if (left.length === 0 || !['off-topic', 'unclear'].includes(refusal.reason)) return refusal;
  const named = left.slice(0, INTENT_LIMITS.unusedWords).join(', ');
  return { ...refusal, words: `${refusal.words}; not known: ${named}` };
}

/** Signs and comparisons: no rule takes any, and without it the question may be the opposite. */
export function unreadIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind === 'left' && item.why === 'sign')
      return {
        reason: 'unclear',
        words: `the sign "${shown(item.text)}", which can turn a question round: say it in words`,
      };
    if (item.kind === 'arrow' && !(isEnd(items[index - 1]) && isEnd(items[index + 1])))
      return { reason: 'unclear', words: 'an arrow that is not between two names: say it in words' };
    if (item.kind === 'left' && item.why === 'mac')
      return { reason: 'unsupported', words: `${item.text}, the address of a network card: ask about an IP address` };
    if (item.kind !== 'meaning' || item.meaning.kind !== 'compare') continue;
    const near = [items[index + 1], items[index - 1]].find(isAmount);
    const said =
      near === undefined
        ? item.text
        : near === items[index + 1]
          ? `${item.text} ${near.text}`
          : `${near.text} ${item.text}`;
    return thresholdOf(said);
  }
  return undefined;
}

export function thresholdOf(said: string): Refusal {
  return {
    reason: 'unsupported',
    words: `a threshold ("${said}"), by which no answer is told apart: ask without it, and read the figures of the answer`,
  };
}

/** "Latency > usual": no way leads to what is no name. */
function isEnd(item: Item | undefined): boolean {
  if (item?.kind === 'meaning') return ['here', 'everywhere', 'noun'].includes(item.meaning.kind);
  return isName(item);
}

function isAmount(item: Item | undefined): item is Extract<Item, { readonly kind: 'left' | 'number' }> {
  return item?.kind === 'number' || item?.kind === 'left';
}

/** What cannot be seen is shown by its number. */
function shown(sign: string): string {
  return /[\p{C}\p{Z}]/u.test(sign) ? `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` : sign;
}

export function beyondIn(meanings: readonly Meaning[]): Refusal | undefined {
  const beyond = meanings.find((each) => each.kind === 'beyond');
  if (beyond === undefined) return undefined;
  return {
    reason: 'unsupported',
    words: `a question about ${beyond.what}, of which no answer says anything; "parley get" and "parley call" read what a node offers`,
  };
}

/** "Ssh from pe1 to p2": a port is tried at an address. */
export function addresslessIn(items: readonly Item[]): Refusal | undefined {
  const service = items.find(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'service' && item.meaning.name === 'tcp',
  );
  if (service?.kind !== 'meaning' || items.some(({ kind }) => kind === 'address')) return undefined;
  return {
    reason: 'unsupported',
    words: `${service.text} without an address: name the address of the host that is to serve it`,
  };
}

export function namelessIn(items: readonly Item[]): Refusal | undefined {
  const left = items.flatMap((item) => (item.kind === 'left' ? [item] : []));
  const as = left.find(({ why }) => why === 'as-number');
  if (as !== undefined)
    return {
      reason: 'unknown-name',
      words: `${as.text}; a session is asked about by the neighbour's address or name, not by its AS`,
    };
  const address = left.find(({ why }) => why === 'address');
  if (address !== undefined) return { reason: 'unknown-name', words: `${address.text}, which is no address` };
  const time = left.find(({ why }) => why === 'time');
  const day = items.find((item) => item.kind === 'time');
  if (day?.kind === 'time' && day.when === FUTURE)
    return { reason: 'unsupported', words: `what will be ("${day.text}"); answers say what is and what was` };
  if (time === undefined) return undefined;
  const { text } = time;
  const words =
    day?.kind === 'time'
      ? `the time ${text} apart from "${day.text}": say both together, such as "since ${text} yesterday" or "at ${text} on Monday"`
      : `the time ${text}; say "since ${text}", "at ${text}" or "between ${text} and" another`;
  return { reason: 'unclear', words };
}

/** "Until yesterday", "as last night", "14:00 CET": the time alone would be another one. */
export function mistimedIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'time') continue;
    const [before, after] = [items[index - 1], items[index + 1]];
    // "In the 10 minutes before the fault" ends when the fault began.
    if (after?.kind === 'meaning' && after.meaning.kind === 'before-fault')
      return {
        reason: 'unclear',
        words: `"${item.text} ${after.text}": ask what changed before the fault, or in a stretch of time`,
      };
    const turns =
      before?.kind === 'meaning' &&
      ((before.meaning.kind === 'role' && !/^(?:on|of|for|about|around|at|in|from|within)$/.test(before.text)) ||
        /(?:^| )(?:as|like)$/.test(before.text));
    if (turns)
      return {
        reason: 'unclear',
        words: `"${before.text} ${item.text}": say since when, on which day, or between which times`,
      };
    if (
      /\d|noon|midnight/.test(item.text) &&
      isClock(item.when) &&
      after?.kind === 'left' &&
      /^[a-z]{2,5}$/i.test(after.text)
    )
      return {
        reason: 'unclear',
        words: `"${item.text} ${after.text}": a time is by the asked node's own clock, or in UTC`,
      };
  }
  return undefined;
}

function isClock(when: string): boolean {
  return /^(?:at|since|between)-\d/.test(when);
}

type Left = { readonly notUsed: readonly string[] };

/** What is left over is named in the answer where it cannot be what is asked; else there is no answer. */
export function leftIn(
  items: readonly Item[],
  asked: { readonly topic: Topic; readonly isWeak: boolean; readonly hasPlace: boolean },
  usedNumbers: ReadonlySet<Item>,
): Left | Refusal {
  const left = items.flatMap((item, index) => {
    if (item.kind === 'left') return [item];
    if (item.kind === 'meaning' && item.meaning.kind === 'aside')
      return [{ kind: 'left', text: item.text, why: 'aside' } as const];
    if (item.kind !== 'number' || usedNumbers.has(item)) return [];
    return [{ kind: 'left', text: item.text, why: isAside(items, index) ? 'aside' : 'number' } as const];
  });
  const turn = items.find((item) => item.kind === 'meaning' && item.meaning.kind === 'turn');
  if (turn?.kind === 'meaning')
    return { reason: 'unclear', words: `"${turn.text}", which makes another question of it: ask one thing at a time` };
  const hard = left.find(({ why }) => why === 'number');
  if (hard !== undefined)
    return { reason: 'unclear', words: `"${hard.text}", which has no place in the question as it was read` };
  const words = left.filter(({ why }) => why === 'word');
  const beside = items.find(
    (item, index) =>
      item.kind === 'left' && item.why === 'word' && (isBesideName(items, index) || mayLead(items, index)),
  );
  if (beside?.kind === 'left')
    return {
      reason: 'unclear',
      words: `"${beside.text}" where it may change what is asked, which is a word that it does not know`,
    };
  const isSafe = !asked.isWeak && asked.hasPlace && !isData(asked.topic);
  if (words.length > 0 && (!isSafe || words.length > INTENT_LIMITS.unusedWords)) {
    const named = words.slice(0, INTENT_LIMITS.unusedWords).map(({ text }) => `"${text}"`);
    return {
      reason: 'unclear',
      words: `${named.join(', ')}, which ${named.length === 1 ? 'is a word' : 'are words'} that it does not know`,
    };
  }
  return { notUsed: left.map(({ text }) => text) };
}

/** "Hold all changes", "to the vendor": what a sentence begins with may be an order, and what a way leads to may be its end. */
function mayLead(items: readonly Item[], at: number): boolean {
  const isArticle = (item: Item) => item.kind === 'meaning' && /^(?:the|a|an|my|our|your)$/.test(item.text);
  const before = items.slice(0, at).findLast((item) => !isArticle(item));
  if (before?.kind === 'meaning' && before.meaning.kind === 'role')
    return ['to', 'from', 'via', 'between', 'except'].includes(before.meaning.role);
  const isFirst = items.slice(0, at).every((item) => item.kind === 'meaning' && item.meaning.kind === 'empty');
  const next = items[at + 1];
  return (
    isFirst && next?.kind === 'meaning' && /^(?:the|a|an|all|every|each|any|my|our|this|that)(?: |$)/.test(next.text)
  );
}

/** "Bypassing p2", "p2 quarantined": what an unknown word says of the name behind it, or of the one that it ends with, is not known either. */
function isBesideName(items: readonly Item[], at: number): boolean {
  const isLast = items[at + 1] === undefined || isSign(items[at + 1]);
  if (isLast && isName(items[at - 1])) return true;
  const next = items
    .slice(at + 1)
    .find((item) => item.kind !== 'meaning' || !/^(?:the|a|an|my|our|of|node|router)$/.test(item.text));
  // "Topped 100ms" may be a comparison.
  const isAmountNext = next?.kind === 'left' && next.why === 'aside' && /^\d/.test(next.text) && next === items[at + 1];
  return isAmountNext || isName(next);
}

/** "ticket 4711", "12 times". */
function isAside(items: readonly Item[], index: number): boolean {
  // "Priority: 2".
  const before = items[index - 1]?.kind === 'stop' ? items[index - 2] : items[index - 1];
  const after = items[index + 1];
  const isWord = (item: Item | undefined, pattern: RegExp) =>
    (item?.kind === 'meaning' || item?.kind === 'left') && pattern.test(item.text.toLowerCase());
  return (
    isWord(before, /^(?:ticket|case|incident|request|change|priority|prio|severity|sev)$/) ||
    isWord(
      after,
      /^(?:times|packets|users|customers|errors|drops|of packets|flaps|calls|complaints|tickets|people|m[ie]l?lisec(?:ond)?s?|ms|msec)$/,
    )
  );
}
