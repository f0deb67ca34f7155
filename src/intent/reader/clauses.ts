// A part of a sentence that says of a node that it is well, or something unknown, beside a part that asks and names none: "pe7 is being rebuilt,
// what is broken". Whether the node is meant or left out is not known, and the question of it alone may be the opposite.
import { isGood } from './complements.ts';
import { type Item, isName, isSign } from './item.ts';
import type { Refusal } from './slots.ts';

export function excusedIn(items: readonly Item[]): Refusal | undefined {
  const works = worksIn(items);
  if (works !== undefined)
    return {
      reason: 'unclear',
      words: `what is said to work behind "but" ("${works}"): ask about what does not, and leave out the rest`,
    };
  const clauses = clausesOf(items);
  const excused = clauses.find((clause) => isExcuse(clause));
  const isAskedApart = clauses.some((clause) => clause !== excused && asksWithoutName(clause));
  const name = excused?.find(({ kind }) => kind === 'node');
  if (name?.kind !== 'node' || !isAskedApart) return undefined;
  return {
    reason: 'unclear',
    words: `what is said of ${name.name} beside the question: say "except ${name.name}", or ask about ${name.name} alone`,
  };
}

/** "H2 has no internet but can ping leaf1": a name behind "but" alone, in a part that complains of nothing. */
function worksIn(items: readonly Item[]): string | undefined {
  const at = items.findIndex((item) => item.kind === 'meaning' && item.text === 'but' && item.meaning.kind === 'empty');
  const [before, after] = [items.slice(0, at), items.slice(at + 1)];
  if (at < 0 || !before.some(isComplaint) || after.some(isComplaint)) return undefined;
  const named = after.find(({ kind }) => kind === 'node' || kind === 'address');
  const isReached = after.some(
    (item) => item.kind === 'meaning' && (item.meaning.kind === 'verb' || isGood(item) || item.text === 'can'),
  );
  if (named === undefined || !isReached) return undefined;
  return named.kind === 'node' ? named.name : named.kind === 'address' ? named.address : undefined;
}

function isComplaint(item: Item): boolean {
  return item.kind === 'meaning' && (item.meaning.kind === 'not' || /^(?:no |unreachable|down$)/.test(item.text));
}

function clausesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const clauses: Item[][] = [[]];
  for (const item of items) {
    const isEnd = isSign(item) || (item.kind === 'meaning' && item.text === 'but');
    if (isEnd) clauses.push([]);
    else clauses.at(-1)!.push(item);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** "I already know about leaf2". */
function isKnown(clause: readonly Item[]): boolean {
  const said = clause.map((item) => (item.kind === 'meaning' ? item.text : '')).join(' ');
  return /(?:^|(?:^| )(?:but|as|since|and) )(?:i|we) (?:(?:already|do|well) )*(?:know|knew|expect|saw|checked)\b/.test(
    said,
  );
}

/** "Pe7 is fine", "pe7 is being rebuilt", "nothing about pe7". */
function isExcuse(clause: readonly Item[]): boolean {
  const at = clause.findIndex(({ kind }) => kind === 'node');
  const isNothing = clause.some((item) => item.kind === 'meaning' && item.text === 'nothing');
  if (at >= 0 && isKnown(clause)) return true;
  if (at >= 0 && isNothing && !clause.some((item) => item.kind === 'meaning' && item.meaning.kind === 'topic'))
    return true;
  const verb = clause[at + 1];
  if (at < 0 || verb?.kind !== 'meaning' || !SAYS.test(verb.text) || clause.some(isAsking)) return false;
  const topics = clause.filter((item) => item.kind === 'meaning' && item.meaning.kind === 'topic');
  const isWell = topics.length > 0 && topics.every((item) => item.kind === 'meaning' && isGood(item));
  const isNot = clause.some((item) => item.kind === 'meaning' && item.meaning.kind === 'not');
  return (isWell && !isNot) || (topics.length === 0 && clause.some(({ kind }) => kind === 'left'));
}

const SAYS = /^(?:is|are|was|were|has|have|will|does|has been|have been)$/;

function isAsking(item: Item): boolean {
  return item.kind === 'meaning' && /^(?:why|how|what|which|who|whether|is it true|if)(?: |$)/.test(item.text);
}

function asksWithoutName(clause: readonly Item[]): boolean {
  if (clause.some(isName)) return false;
  if (clause.some((item) => item.kind === 'meaning' && /^(?:it|its|they|them|there|that|this)$/.test(item.text)))
    return false;
  return clause.some((item) => item.kind === 'meaning' && item.meaning.kind === 'topic');
}
