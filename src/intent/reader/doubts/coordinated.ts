// Two questions in one sentence, where one topic would take the other in: "what changed on p2 and is it down", "p2 is down and p4 slow", "delay and
// jitter". The answer would be about one of them.
import { LOOKS } from '../../words/asking-words.ts';
import { THING } from '../../words/sentence-words.ts';
import { isMeaning, isNoun } from '../frames/parts.ts';
import { type Item, isName, isSign, wordOf } from '../item.ts';
import type { Refusal } from '../slots.ts';

export function coordinatedIn(items: readonly Item[]): Refusal | undefined {
  return pairIn(items) ?? endIn(items) ?? downIn(items) ?? clausesIn(items) ?? protocolIn(items) ?? besideIn(items);
}

/**
 * "Is p2 down and its neighbours", "is p2 down and everything behind it": what is of a name, beside the name. Its interfaces and links are a part of
 * it, and a neighbour that is named is no second thing: "sessions between p2 and its peer p4".
 */
function besideIn(items: readonly Item[]): Refusal | undefined {
  // "Is p2 down, with its links".
  const isState = items.some((item) => isTopic(item) && item.meaning.topic === 'trouble');
  const at = items.findIndex((item, index) => {
    const behind = items.slice(index + 1);
    const isBehind = isJoin(item) || (isWith(item) && isSign(items[index - 1]));
    return isBehind && isOfName(behind) && !(isOwn(behind) && !(isWith(item) && isState));
  });
  const isBeside = items.slice(0, at).some(isName) && items.some(isTopic);
  // Sessions are with neighbours.
  const isOther = items.some(
    (item) =>
      isMeaning(item, 'show', 'protocol') || (isTopic(item) && ['session', 'neighbours'].includes(item.meaning.topic)),
  );
  if (at < 0 || !isBeside || isOther) return undefined;
  const behind = items.slice(at + 1);
  const words = behind.slice(0, (thingOf(behind) ?? 2) + 1).flatMap((item) => ('text' in item ? [item.text] : []));
  return { reason: 'unclear', words: `"${words.join(' ')}" beside a name: ask about each by its name` };
}

function isWith(item: Item): boolean {
  return wordOf(item) === 'with';
}

/** An interface or a link, or what has a name. */
function isOwn(behind: readonly Item[]): boolean {
  const thing = thingOf(behind);
  if (thing === undefined) return false;
  return isNoun(behind[thing], 'interface') || isNoun(behind[thing], 'link') || isName(behind[thing + 1]);
}

function thingOf(behind: readonly Item[]): number | undefined {
  const thing = behind.slice(0, 3).findIndex((item) => item.kind === 'meaning' && item.meaning.kind === 'noun');
  return thing < 0 ? undefined : thing;
}

/** "Its neighbours", "all its links", "everything behind it". */
function isOfName(behind: readonly Item[]): boolean {
  const said = behind.slice(0, 3).map(wordOf).join(' ');
  const isNoun = behind.slice(1, 3).some((item) => item.kind === 'meaning' && item.meaning.kind === 'noun');
  return (
    (isNoun && /^(?:also )?(?:all )?(?:its|their) /.test(said)) ||
    /^(?:everything|all|anything) (?!(?:on|in|at|of|about) )\S+ it$/.test(said)
  );
}

/** "BGP is up but traffic is lost": a session, and something else. */
function protocolIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex((item) => wordOf(item) === 'but');
  const [before, after] = [items.slice(0, at), items.slice(at + 1)];
  const protocol = before.find((item) => item.kind === 'meaning' && item.meaning.kind === 'protocol');
  const other = after.find((item) => isTopic(item) && MEASURED.includes(item.meaning.topic));
  return at < 0 || protocol === undefined || other === undefined ? undefined : twoOf(wordOf(protocol), wordOf(other));
}

const MEASURED: readonly string[] = ['loss', 'delay', 'jitter', 'errors', 'capacity', 'mtu', 'reach', 'changes'];

/** "Reachability and latency of pe3", "what changed on p2 and is it down". */
function pairIn(items: readonly Item[]): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    if (!isJoin(item)) continue;
    const before = items.slice(0, at).findLast((each) => !isEmpty(each));
    const next = items.slice(at + 1).find((each) => !isEmpty(each));
    const isTwo = isStrong(before) && isStrong(next) && before.meaning.topic !== next.meaning.topic;
    if (isTwo && ![before, next].some(({ meaning }) => meaning.topic === 'trouble'))
      return twoOf(before.text, next.text);
    const first = items.slice(0, at).find(isStrong);
    const isAgain = wordOf(item) === 'and' && items.slice(at + 1, at + 4).some((each) => PRONOUN.test(wordOf(each)));
    if (isAgain && first !== undefined && isTopic(next) && next.meaning.topic !== first.meaning.topic)
      return twoOf(first.text, next.text);
  }
  return undefined;
}

/** "Are there errors on p2 and loss": a second thing behind the place of the first. */
function endIn(items: readonly Item[]): Refusal | undefined {
  const end = items.findLastIndex((item) => item.kind !== 'stop');
  const [and, article] = [items[end - 1], items[end - 2]];
  const isJoined = isThen(and) || (isThen(article) && /^(?:the|any|some)$/.test(wordOf(and)));
  const [last, first] = [items[end], items.slice(0, end - 1).find(isStrong)];
  if (!isJoined || first === undefined || !isTopic(last) || !THING.test(last.text) || /^how/.test(last.text))
    return undefined;
  return first.meaning.topic === last.meaning.topic || first.meaning.topic === 'trouble'
    ? undefined
    : twoOf(first.text, last.text);
}

/** "Is p2 slow and down": what is down has no delay, and "rebooted" says what was. */
function downIn(items: readonly Item[]): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    const [before, next] = [items[at - 1], items[at + 1]];
    if (!isAnd(item) || !isTopic(before) || !isTopic(next)) continue;
    const isDown = before.text === 'down' || next.text === 'down';
    if (isDown && [before, next].some(({ meaning }) => APART_FROM_DOWN.includes(meaning.topic)))
      return twoOf(before.text, next.text);
  }
  return undefined;
}

const APART_FROM_DOWN: readonly string[] = ['delay', 'uptime', 'errors', 'capacity'];

function isThen(item: Item | undefined): boolean {
  return isAnd(item) || (item !== undefined && isEmpty(item) && /^(?:then|also|plus)$/.test(wordOf(item)));
}

function isAnd(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'and' && item.text === 'and';
}

/** Each part of the sentence has names of its own, and says something else of them. */
function clausesIn(items: readonly Item[]): Refusal | undefined {
  const said = clausesOf(items)
    .map((clause) => ({ names: namesOf(clause), topics: topicsOf(clause), text: wordsOf(clause) }))
    .filter(({ names, topics }) => names.length > 0 && topics.length > 0);
  for (const [at, one] of said.entries())
    for (const other of said.slice(at + 1)) {
      const isApart = (some: readonly string[], more: readonly string[]) => !some.some((each) => more.includes(each));
      if (isApart(one.names, other.names) && isApart(one.topics, other.topics)) return twoOf(one.text, other.text);
    }
  return undefined;
}

function clausesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const clauses: Item[][] = [[]];
  for (const [at, item] of items.entries()) {
    // "Between p2 and p4" is one part.
    const isList = isJoin(item) && isName(items.slice(0, at).findLast((each) => !isEmpty(each)));
    const isEnd = item.kind === 'stop' || isJoin(item) || (item.kind === 'meaning' && item.text === 'but');
    if (isEnd && !isList) clauses.push([]);
    else clauses.at(-1)!.push(item);
  }
  return clauses;
}

function namesOf(clause: readonly Item[]): readonly string[] {
  return clause.flatMap((item) =>
    item.kind === 'node' ? [item.name.toLowerCase()] : item.kind === 'address' ? [item.address] : [],
  );
}

/** "Please check pe3" says nothing of it. */
function topicsOf(clause: readonly Item[]): readonly string[] {
  return clause.flatMap((item) =>
    item.kind === 'meaning' && item.meaning.kind === 'topic' && !LOOKS.test(item.text) ? [item.meaning.topic] : [],
  );
}

function wordsOf(clause: readonly Item[]): string {
  return clause.flatMap((item) => ('text' in item && !isEmpty(item) ? [item.text] : [])).join(' ');
}

type TopicItem = Extract<Item, { readonly kind: 'meaning' }> & {
  readonly meaning: { readonly kind: 'topic'; readonly topic: string; readonly weak?: true };
};

function isTopic(item: Item | undefined): item is TopicItem {
  return item?.kind === 'meaning' && item.meaning.kind === 'topic';
}

function isStrong(item: Item | undefined): item is TopicItem {
  return isTopic(item) && item.meaning.weak !== true;
}

const PRONOUN = /^(?:it|they|he|she)$/;

function isJoin(item: Item): boolean {
  return item.kind === 'comma' || (item.kind === 'meaning' && item.meaning.kind === 'and');
}

function isEmpty(item: Item): boolean {
  return item.kind === 'meaning' && ['empty', 'aside'].includes(item.meaning.kind);
}

function twoOf(one: string, other: string): Refusal {
  return { reason: 'unclear', words: `two questions ("${one}" and "${other}"): ask one of them at a time` };
}
