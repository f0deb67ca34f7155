// Whether each word of a sentence that is read stands in a place of its class, and whether what is read is what the sentence asks. Asked last: it
// refuses only what would be answered.
import type { Intent } from '#model/intent.ts';
import type { Item } from '../item.ts';
import { hasEnds } from '../places.ts';
import type { Refusal } from '../slots.ts';
import { askedOfPeopleIn } from './asked-of-people.ts';
import { compoundIn } from './compounds.ts';
import { consequenceIn } from './consequences.ts';
import { futureIn } from './future.ts';
import { judgedIn } from './judged.ts';
import { matterIn } from './matters.ts';
import { misplacedIn } from './neighbours.ts';
import { partitiveIn } from './partitives.ts';
import { predicateIn } from './predicates.ts';
import { speechIn } from './speech.ts';
import { stateIn } from './states.ts';
import { strandedPrepositionIn } from './stranded-prepositions.ts';
import { twoNamesIn } from './two-names.ts';
import { unknownVerbIn } from './unknown-verbs.ts';

/** @param scanned the words as they stand, before any of them was put elsewhere; @param notUsed what the answer names */
export function grammarOf(scanned: readonly Item[], intent: Intent, notUsed: readonly string[]): Refusal | undefined {
  const { path, topic, isLink } = intent;
  const isWay = path.length > 1 && topic !== undefined && hasEnds(topic) && isLink !== true;
  const items = scanned.map((item) => (isNamed(item, notUsed) ? ASIDE : item));
  return (
    futureIn(scanned) ??
    judgedIn(scanned) ??
    speechIn(scanned) ??
    matterIn(scanned) ??
    consequenceIn(scanned) ??
    partitiveIn(items) ??
    strandedPrepositionIn(items) ??
    askedOfPeopleIn(items) ??
    predicateIn(scanned, intent) ??
    stateIn(items) ??
    compoundIn(items) ??
    twoNamesIn(items, isWay) ??
    unknownVerbIn(items) ??
    misplacedIn(items)
  );
}

const ASIDE: Item = { kind: 'left', text: '', why: 'aside' };

/** Named in the answer as one of several words ("customer is angry"), or a word that is not known and that a frame has read. */
function isNamed(item: Item, notUsed: readonly string[]): boolean {
  if (item.kind === 'left') return item.why === 'word' && !notUsed.includes(item.text);
  return (
    item.kind === 'meaning' && notUsed.some((words) => words.includes(' ') && words.split(' ').includes(item.text))
  );
}
