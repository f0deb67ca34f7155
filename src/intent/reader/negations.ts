// What a "not" and an "except" apply to. A "not" says something of a verb or of what is asked; one that applies to a name, a place, a way or a time
// leaves a part of the network out, and the question without it would be another one. An exception is a list of nodes, or there is no answer.
import { ARTICLE, ENDS_AUXILIARY } from '../words/asking-words.ts';
import { type Item, isName, isSign, wordOf } from './item.ts';
import type { Refusal } from './slots.ts';

type MeaningItem = Extract<Item, { readonly kind: 'meaning' }>;

/** Undefined where every "not" and every "except" has a place in a question. */
export function negatedIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'meaning') continue;
    if (item.meaning.kind === 'not' && !isPlaced(items, index))
      return {
        reason: 'unclear',
        words: `a "${item.text}" that is about no verb: say what is asked, and leave out the rest`,
      };
    if (
      item.text === 'but' &&
      item.meaning.kind === 'empty' &&
      (isListAlone(items, index + 1) || isOther(items, index + 1))
    )
      return { reason: 'unclear', words: '"but" before a name: say "except"' };
    if (item.meaning.kind === 'role' && item.meaning.role === 'except' && !isNodeList(items, index + 1))
      return { reason: 'unclear', words: `"${item.text}", behind which only names of nodes may stand` };
  }
  return undefined;
}

/** "On all nodes", "every router of ours": what ends so takes an exception behind "but". "All is fine" does not: it has said something. */
export function endsWhole(before: readonly Item[]): boolean {
  for (const item of before.toReversed()) {
    if (item.kind === 'time') continue;
    if (item.kind !== 'meaning') return false;
    if (item.meaning.kind === 'everywhere') return true;
    if (!['noun', 'protocol'].includes(item.meaning.kind) && !OF_WHOLE.test(item.text)) return false;
  }
  return false;
}

const OF_WHOLE = /^(?:the|of|of the|in|in the|them|our|my|your|other|these|those|sessions?|adjacenc(?:y|ies))$/;

/** Between a subject and a verb or what is asked. */
function isPlaced(items: readonly Item[], at: number): boolean {
  const { text } = items[at] as MeaningItem;
  // "Do not look at p2" is no question.
  if (isImperative(items, at)) return false;
  const { next, skipped } = behind(items, at + 1);
  // "P2 is not the problem" leaves p2 out.
  if (next?.kind === 'meaning' && skipped.includes('the') && CULPRIT.test(next.text)) return false;
  // "Traffic stops on p2" says what traffic does.
  if (STOPS.test(text)) return next?.kind !== 'node';
  if (
    isInverted(items, at) &&
    skipped.every((word) => ARTICLE.test(word) || /^(?:even|at all)$/.test(word)) &&
    next !== undefined
  )
    return true;
  // "Pe1 is up and p2 is not": the verb was said before.
  const isElided = ENDS_AUXILIARY.test(wordOf(items[at - 1])) && items[at - 2]?.kind === 'node';
  if (next === undefined && isElided && skipped.length === 0) return items.slice(0, at - 2).some(isVerbal);
  const isVerb = skipped.some((word) => VERB.test(word));
  // "BGP does not run".
  if (next === undefined) return isVerb;
  if (['stop', 'comma', 'arrow', 'time', 'node', 'ifname', 'address'].includes(next.kind)) return false;
  // "Input errors, not output": what is left out is not known.
  if (next.kind !== 'meaning') return false;
  const { meaning } = next;
  switch (meaning.kind) {
    case 'role':
      return (
        /^none$/.test(text) ||
        (meaning.role === 'to' && isInfinitive(items, items.indexOf(next))) ||
        (isVerb && meaning.role !== 'via' && meaning.role !== 'except')
      );
    case 'here':
    case 'everywhere':
    case 'not':
      return isVerb;
    case 'noun':
    case 'protocol':
    case 'srv6':
    case 'service':
    case 'port':
      // "No neighbours" is a complaint, "not the link" leaves it out.
      return isVerb || /^no(?: |$)/.test(text);
    case 'topic':
      // "Errors, not drops": of two things one is left out.
      return meaning.weak === true || isVerb || !isContrast(items, at);
    case 'aside':
    case 'and':
    case 'turn':
    case 'compare':
    case 'reference':
      return false;
    default:
      return true;
  }
}

function isVerbal(item: Item): boolean {
  return item.kind === 'meaning' && (item.meaning.kind === 'verb' || item.meaning.kind === 'topic');
}

/** "Can not to reach". */
function isInfinitive(items: readonly Item[], to: number): boolean {
  const { next } = behind(items, to + 1);
  return next?.kind === 'meaning' && (next.meaning.kind === 'topic' || next.meaning.kind === 'verb');
}

const STOPS = /^(?:stop|stopped|unable to)$/;
const CULPRIT = /^(?:problem|problems|issue|trouble|fault)$/;
/** What a thing does; "pe7 does not count" leaves it out. */
const VERB =
  /^(?:runs?|running|ran|go|goes|going|comes?|coming|starts?|started|starting|begins?|began|stays?|stands?|remains?|becomes?|became|gets?|getting|got|have|has|having|takes?|taking|uses?|using|makes?|making|seems?|appears?|happens?|occurs?|exists?|keeps?|tries|try|trying|working on|be|been|being|able to|be able|exist|in order)(?: |$)/;
const PRONOUN =
  /^(?:i|we|you|they|it|he|she|anyone|anybody|someone|somebody|people|users?|customers?|clients?|packets?|traffic|frames?|ip|data|ip traffic|the)$/;
/** The next item that says something, and the empty words before it. */
function behind(items: readonly Item[], from: number): { readonly next?: Item; readonly skipped: readonly string[] } {
  const skipped: string[] = [];
  for (const item of items.slice(from)) {
    const isClass = item.kind === 'meaning' && item.meaning.kind === 'aside' && /^(?:ip)?v?[46]$/.test(item.text);
    if (isClass) continue;
    if (item.kind !== 'meaning' || item.meaning.kind !== 'empty') return { next: item, skipped };
    skipped.push(item.text);
  }
  return { skipped };
}

/** "Why can not pe1 reach p2": the verb stands before the subject. */
function isInverted(items: readonly Item[], at: number): boolean {
  if (!ENDS_AUXILIARY.test(wordOf(items[at - 1]))) return false;
  const before = items[at - 2];
  if (before === undefined || isSign(before)) return true;
  return before.kind === 'meaning' && /^(?:why|how|how come|and|but|so|then|please|hello|hi|hey)$/.test(before.text);
}

function isImperative(items: readonly Item[], at: number): boolean {
  if (!/^do$/.test(wordOf(items[at - 1])) || !isInverted(items, at)) return false;
  if (/^(?:why|how|how come)$/.test(wordOf(items[at - 2]))) return false;
  const next = items[at + 1];
  const isSubject = isName(next) || PRONOUN.test(wordOf(next));
  return !isSubject;
}

function isContrast(items: readonly Item[], at: number): boolean {
  const before = items[at - 1];
  return before?.kind === 'comma' || before?.kind === 'dash' || /^(?:but|and)$/.test(wordOf(before));
}

/** Names of nodes, the asked node among them, and nothing else up to the end of the list. */
function isNodeList(items: readonly Item[], from: number): boolean {
  let isName = false;
  for (let at = from; at < items.length; at++) {
    const item = items[at]!;
    if (isTransparent(item)) continue;
    if (item.kind === 'node' || (item.kind === 'meaning' && item.meaning.kind === 'here')) {
      if (isName) return false;
      isName = true;
      continue;
    }
    if (!isName) return false;
    if (item.kind !== 'comma' && !(item.kind === 'meaning' && item.meaning.kind === 'and')) return isEnd(item);
    // Behind a comma the question may begin.
    const { next } = behind(items, at + 1);
    const goesOn = next?.kind === 'node' || (next !== undefined && isTransparent(next));
    if (!goesOn) return item.kind === 'comma' && next?.kind !== 'ifname' && next?.kind !== 'address';
    isName = false;
  }
  return isName;
}

/** "Everything is ok but p2": nothing is said of p2. */
function isListAlone(items: readonly Item[], from: number): boolean {
  if (items[from]?.kind !== 'node') return false;
  const end = items.findIndex(({ kind }, index) => index > from && kind === 'stop');
  return items
    .slice(from, end < 0 ? undefined : end)
    .every(
      (item) =>
        ['node', 'comma', 'time'].includes(item.kind) || (item.kind === 'meaning' && item.meaning.kind === 'and'),
    );
}

/** "All ports but eth1". */
function isOther(items: readonly Item[], from: number): boolean {
  const next = items[from + 1];
  return (
    ['ifname', 'address'].includes(items[from]?.kind ?? '') &&
    !(next?.kind === 'meaning' && ENDS_AUXILIARY.test(next.text))
  );
}

function isTransparent(item: Item): boolean {
  return (
    item.kind === 'meaning' &&
    (item.meaning.kind === 'empty' || (item.meaning.kind === 'noun' && item.meaning.noun === 'node'))
  );
}

/** "Except p2 eth1" and "except the neighbours of p2" leave something else out than nodes. */
function isEnd(item: Item): boolean {
  if (['ifname', 'address', 'arrow', 'dash'].includes(item.kind)) return false;
  return item.kind !== 'meaning' || item.meaning.kind !== 'noun';
}
