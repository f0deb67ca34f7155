// States that a fault is not asked by: "why is p2 up", "p2 slow - fixed", "did the backups run". A state that is good, or over, asks for no fault; what
// users do is a complaint only where something is said to be wrong with it.
import { QUESTION } from '../../words/asking-words.ts';
import { MANNERS } from '../../words/sentence-words.ts';
import { isGood } from '../complements.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import { type Refusal, unclear } from '../slots.ts';

export function stateIn(items: readonly Item[]): Refusal | undefined {
  const good = whyGood(items);
  if (good !== undefined) return unclear(`why something is as it should be ("${textOf(good)}"): ask what is wrong`);
  const over = overIn(items) ?? endedIn(items);
  if (over !== undefined) return unclear(`what is said to be over ("${textOf(over)}"): ask whether it is`);
  const other = items.find((_, at) => isOtherAsked(items, at));
  if (other !== undefined)
    return unclear(
      `what ended it, what it does to others, or how fast it went ("${textOf(other)}"): ask what is wrong`,
    );
  const activity = activityIn(items);
  if (activity !== undefined)
    return unclear(`"${textOf(activity)}", of which no node knows: say what is slow, or between which ends`);
  return undefined;
}

/** "The loss on p2 is resolved", "p2 errors gone", and not "is the loss resolved", "the loss is not gone". */
function endedIn(items: readonly Item[]): Item | undefined {
  const at = items.findIndex(
    (item, index) => isWord(item, ENDED) && isMeaning(item, 'topic', 'empty', 'not') && index > 0,
  );
  const start =
    items.slice(0, Math.max(at, 0)).findLastIndex((item) => ['comma', 'dash', 'stop'].includes(item.kind)) + 1;
  const before = items.slice(start, at);
  const earlier = items.slice(0, at).some((item) => isMeaning(item, 'topic') && !isWell(item));
  const isAsked =
    items.some(asks) ||
    isWord(
      before.find((item) => !isWord(item, MANNERS)),
      /^(?:is|are|was|were|has|have|does|did|can|do)$/,
    ) ||
    items.some((item) => isMeaning(item, 'not') && items.indexOf(item) !== at);
  const isLast = items
    .slice(at + 1)
    .every((item) => item.kind === 'stop' || item.kind === 'time' || isMeaning(item, 'empty', 'aside'));
  return at > 0 && earlier && isLast && !isAsked ? items[at] : undefined;
}

const ENDED =
  /^(?:resolved|solved|fixed|recovered|gone|gone away|stopped|cleared|have stopped|has stopped|back to normal)$/;

/** "Why is p2 up", "how come eth1 works"; "why is p2 not up" and "why is it up and down" ask for a fault. */
function whyGood(items: readonly Item[]): Item | undefined {
  const at = items.findIndex(
    (item, index) =>
      isWord(item, /^(?:why|why is|how come)$/) || (isWord(item, /^how$/) && isWord(items[index + 1], /^comes?$/)),
  );
  if (at < 0) return undefined;
  const clause = clauseFrom(items, at);
  const topics = clause.filter((item) => isMeaning(item, 'topic'));
  if (clause.some((item) => isMeaning(item, 'not', 'turn', 'compare') || isWord(item, /^(?:only|so|too)$/)))
    return undefined;
  return topics.length > 0 && topics.every((item) => isWord(item, WELL)) ? topics[0] : undefined;
}

const WELL =
  /^(?:up|online|ok|okay|fine|good|well|healthy|alive|works?|working|functions?|stable|steady|sane|clean|safe|normal|fast|established|back|back up|is back|are back|available|reachable|pingable|intact|usable|solved|resolved|fixed|recovered|quick|how quick)$/;

/** A part of the sentence that says of what was complained before it that it is over: "slow - fixed", "was down, works again". */
function overIn(items: readonly Item[]): Item | undefined {
  const at = items.findIndex(
    (item, index) => index > 0 && (['comma', 'dash', 'stop'].includes(item.kind) || isWord(item, /^(?:but|and|then)$/)),
  );
  if (at < 0) return undefined;
  const [before, clause] = [items.slice(0, at), clauseFrom(items, at + 1)];
  const isBad = before.some((item) => isMeaning(item, 'topic') && item.kind === 'meaning' && !isWell(item));
  const topics = clause.filter((item) => isMeaning(item, 'topic'));
  const isBare = clause.every((item) => isMeaning(item, 'empty', 'topic', 'past', 'aside') || item.kind === 'time');
  const isAsked =
    clause.some(asks) || isWord(clause[0], /^(?:is|are|was|were|has|have|does|did|can)$/) || before.some(asks);
  return isBad && isBare && !isAsked && topics.length > 0 && topics.every(isWell) ? topics[0] : undefined;
}

function asks(item: Item): boolean {
  return isWord(item, QUESTION) || isWord(item, /^(?:is it true|is that true|check|verify)(?: |$)/);
}

function isWell(item: Item): boolean {
  return (
    isWord(item, WELL) ||
    (item.kind === 'meaning' &&
      isGood(item) &&
      item.meaning.kind === 'topic' &&
      isWord(item, /^(?:up|ok|fine|work|good)/))
  );
}

/** "What fixed p2", "what keeps p2 up", "who is affected by the loss", "how fast did p2 come back", "how long is the list". */
function isOtherAsked(items: readonly Item[], at: number): boolean {
  const before = items.slice(0, at);
  const isWhat = isWord(before.at(-1), /^what$/);
  if (isWhat && isWord(items[at], /^(?:fixed|solved|resolved|stops|stopped|recovered|cleared|restored)$/)) return true;
  if (
    isWhat &&
    isWord(items[at], /^keeps?$/) &&
    items.slice(at + 1).some(isWell) &&
    !items.slice(at).some((item) => isMeaning(item, 'not', 'role'))
  )
    return true;
  if (isWord(items[at], /^(?:affected|impacted|impact)$/) && isWord(items[at + 1], /^(?:by|of)$/) && before.some(asks))
    return true;
  if (
    isWord(items[at], /^(?:list|report)$/) &&
    isWord(before.at(-1), /^(?:the|a)$/) &&
    before.some((item) => isWord(item, /^how(?: |$)/))
  )
    return true;
  return (
    isWord(items[at], /^how (?:fast|quick|quickly)$/) &&
    isWord(items[at + 1], /^(?:did|does|do|can|could)$/) &&
    items
      .slice(at + 1)
      .some(
        (item) => isMeaning(item, 'topic') && isWord(item, /(?:^| )back|^(?:reboot|restart|recover|boot|come up|work)/),
      )
  );
}

/** "Did the backups run": that something is done is no complaint of how fast it goes. */
function activityIn(items: readonly Item[]): Item | undefined {
  const at = items.findIndex((item) => isMeaning(item, 'topic') && isWord(item, ACTIVITY));
  if (at < 0) return undefined;
  const isComplaint = items.some(
    (item, index) =>
      index !== at &&
      ((isMeaning(item, 'topic') && !isWord(item, ACTIVITY) && !isWell(item)) ||
        isMeaning(item, 'not') ||
        isWord(item, BAD)),
  );
  const isOfWay = items.filter(isName).length > 1 || items.some((item) => isWord(item, /^between$/));
  return isComplaint || (isOfWay && !items.some((item) => isWord(item, /^(?:did|does|do|has|have)$/)))
    ? undefined
    : items[at];
}

const ACTIVITY =
  /^(?:downloads?|uploads?|transfers|file copy|file copies|file transfers|big transfers|backups|copies|copying|video|video calls|voice|voice calls|voip|calls|streaming|meetings|web pages load)$/;
const BAD = /^(?:terribly|badly|too|takes?|taking|forever|quality|choppy)(?: |$)/;

function clauseFrom(items: readonly Item[], at: number): readonly Item[] {
  const end = items.findIndex((item, index) => index >= at && ['comma', 'dash', 'stop'].includes(item.kind));
  return items.slice(at, end < 0 ? undefined : end);
}
