// What may be or is to be, and what is: this program looks at what is and was. A question whether something is to be done is an order (its words
// are chosen in scan.ts); what will be, or would be, is no question that a measurement answers.
import type { Meaning } from '../words/meaning.ts';
import { type Item, wordOf } from './item.ts';
import type { Refusal } from './slots.ts';

/** What will be, or would be: "will p2 fail", "is the link about to break", "can p2 fail". */
export function hypothesisIn(items: readonly Item[]): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'meaning') continue;
    const [before, next] = [wordOf(items[index - 1]), wordOf(items[index + 1])];
    const isAsked = SPEAKER.test(before) || SPEAKER.test(next);
    // "It will not come up" says how it is.
    const isFuture = WILL.test(item.text) && !isAsked && next !== 'not' && !/^like\b/.test(next);
    const isNear = item.text === 'to' && /(?:^| )(?:going|about)$/.test(before) && isInfinitive(items[index + 1]);
    const isPossible = FAILS.test(item.text) && item.meaning.kind === 'topic' && isUnder(items, index, POSSIBLE);
    if (isFuture || isNear || isPossible)
      return {
        reason: 'unsupported',
        words: `what will be, or would be ("${item.text}"); answers say what is and what was`,
      };
  }
  return undefined;
}

const WILL = /^(?:will|would|shall)$/;
const SPEAKER = /^(?:i|we|you)$/;
const POSSIBLE = /(?:^| )(?:can|could|may|might|should)$/;
const FAILS = /^(?:fail|break|crash|flap|go down|reboot|restart)$/;

function isInfinitive(item: Item | undefined): boolean {
  if (item?.kind !== 'meaning') return false;
  return (
    item.meaning.kind === 'topic' || item.meaning.kind === 'verb' || /^(?:be|become|lose|run|stay)$/.test(item.text)
  );
}

/** The verb of doing that a word is of, where what stands before says that it may, can, or is to be done. */
export function toBeDone(
  text: string,
  before: readonly Item[],
  isOrder: (word: string) => boolean,
): string | undefined {
  const [last, earlier] = [wordOf(before.at(-1)), wordOf(before.at(-2))];
  const isModal = isUnder(before, before.length, MODAL);
  if (isOrder(text)) {
    // "It needs a restart".
    const isNeeded = NEEDS.test(last) || (/^an?$/.test(last) && NEEDS.test(earlier));
    return isInfinitiveTo(last) || isModal || isNeeded || isHow(before) ? text : undefined;
  }
  const isPassive = /(?:^| )be$/.test(last) && (isModal || isInfinitiveTo(earlier));
  // "I need p2 rebooted".
  const isWanted = /ed$/.test(text) && isUnder(before, before.length, WANTS);
  return isPassive || isWanted ? stemsOf(text).find(isOrder) : undefined;
}

const WANTS = /^(?:(?:i |we )?(?:need|want)|needs|wants|i would like|get)$/;
const NEEDS = /^(?:needs?|requires?|i need|we need)$/;

function isInfinitiveTo(text: string): boolean {
  return /(?:^| )to$/.test(text) && !/^(?:seems?|appears?|up) to$/.test(text);
}

const MODAL = /(?:^| )(?:should|shall|must|may|might|can|could|will|would)$/;

/** "Restarted" is of "restart", "reloaded" of "reload", "disabled" of "disable", "cleared" of "clear", "stopped" of "stop". */
function stemsOf(text: string): readonly string[] {
  const stem = /^(\w+?)ed\b/.exec(text)?.[1];
  return stem === undefined ? [text] : [stem, `${stem}e`, stem.replace(/(\w)\1$/, '$1')];
}

/** "How do I restart p2". */
function isHow(before: readonly Item[]): boolean {
  return /^(?:i|we)$/.test(wordOf(before.at(-1))) && /^(?:do|if)$/.test(wordOf(before.at(-2)));
}

/** Nothing stands between the verb and what it depends on but who does it, and to what. */
function isUnder(items: readonly Item[], at: number, modal: RegExp): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const item = items[index]!;
    if (item.kind === 'meaning' && modal.test(item.text)) return true;
    const isBetween = item.kind === 'meaning' ? isSubject(item.meaning, item.text) : SUBJECTS.includes(item.kind);
    if (!isBetween) return false;
  }
  return false;
}

const SUBJECTS: readonly Item['kind'][] = ['node', 'ifname', 'address', 'dash'];
const WITHIN =
  /^(?:i|we|you|they|it|he|she|one|someone|somebody|anyone|anybody|the|a|an|this|that|my|our|your|please|just|simply|safely|also|now|even|still|be|quickly|pls|kindly|both)$/;

function isSubject(meaning: Meaning, text: string): boolean {
  if (meaning.kind === 'empty') return WITHIN.test(text);
  return ['noun', 'protocol', 'and', 'here', 'everywhere', 'not'].includes(meaning.kind) || BETWEEN.test(text);
}

/** "The link between pe1 and p2". */
const BETWEEN = /^(?:between|of|on|from|to)$/;
