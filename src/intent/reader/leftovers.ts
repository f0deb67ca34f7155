// What has no place in a question: orders, what is beyond any answer, and words that are left over. A time, a verb of doing, a number or a name that
// is left over refuses the question; another word does, where it could be what is asked; else the answer names it.
import type { Topic } from '#model/intent.ts';
import { INTENT_LIMITS } from '../limits.ts';
import type { Meaning } from '../words/meaning.ts';
import { isData } from './data-topics.ts';
import type { Item } from './item.ts';
import type { Refusal } from './slots.ts';

export function orderIn(items: readonly Item[]): Refusal | undefined {
  const order = items.find((item) => item.kind === 'meaning' && item.meaning.kind === 'order');
  if (order?.kind !== 'meaning' || order.meaning.kind !== 'order' || !items.some(isOfNetwork)) return undefined;
  const does = {
    configure: '"parley call network.cli.configure" on a node that may be configured',
    remedy: '"parley remedy", behind a report with a finding,',
    router: 'the system of the node itself',
  }[order.meaning.command];
  return {
    reason: 'order',
    words: `an order ("${order.text}"); a question changes nothing, and nothing was done: ${does} does such things`,
  };
}

/** "Make me a coffee" orders nothing that this program knows of. */
function isOfNetwork(item: Item): boolean {
  if (item.kind !== 'meaning') return ['node', 'ifname', 'address'].includes(item.kind);
  return ['noun', 'protocol', 'topic', 'everywhere', 'beyond', 'past'].includes(item.meaning.kind);
}

export function beyondIn(meanings: readonly Meaning[]): Refusal | undefined {
  const beyond = meanings.find((each) => each.kind === 'beyond');
  if (beyond === undefined) return undefined;
  return {
    reason: 'unsupported',
    words: `a question about ${beyond.what}, of which no answer says anything; "parley get" and "parley call" read what a node offers`,
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
  return time === undefined
    ? undefined
    : {
        reason: 'unclear',
        words: `the time ${time.text}; say "since ${time.text}", "at ${time.text}" or "between ${time.text} and" another`,
      };
}

/** "Until yesterday", "as last night", "14:00 CET": the time alone would be another one. */
export function mistimedIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'time') continue;
    const [before, after] = [items[index - 1], items[index + 1]];
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
  const hard = left.find(({ why }) => why === 'number' || why === 'order');
  if (hard !== undefined)
    return { reason: 'unclear', words: `"${hard.text}", which has no place in the question as it was read` };
  const words = left.filter(({ why }) => why === 'word');
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

/** "ticket 4711", "12 times". */
function isAside(items: readonly Item[], index: number): boolean {
  const [before, after] = [items[index - 1], items[index + 1]];
  const isWord = (item: Item | undefined, pattern: RegExp) =>
    (item?.kind === 'meaning' || item?.kind === 'left') && pattern.test(item.text.toLowerCase());
  return (
    isWord(before, /^(?:ticket|case|incident|request|change|priority)$/) ||
    isWord(after, /^(?:times|packets|users|customers|errors|drops|of packets|flaps)$/)
  );
}
