// A sentence that asks twice: "Are there errors on p2? How many?". A part that asks and is not what was read is named as not used. What a part adds is
// found by leaving it out: where the rest is read as before, the part was lost, unless it asks the same by itself.
import type { Intent } from '#model/intent.ts';
import { INTENT_LIMITS } from '../../limits.ts';
import { LOOKS, QUESTION } from '../../words/asking-words.ts';
import { PEOPLE } from '../../words/sentence-words.ts';
import { classesOfWord } from '../../words/word-classes.ts';
import { isData } from '../data-topics.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import { type Item, isPlace, textOf } from '../item.ts';
import type { KnownNames } from '../names.ts';
import type { Refusal } from '../slots.ts';
import { withName } from './referents.ts';
import { asksSomewhere, beginsAsking, isTag, itemsOfPart, low, type Part, partsOf } from './sentence-parts.ts';

type ReadPart = (words: string) => Intent | undefined;

/**
 * The question, with the parts that it leaves unanswered named as not used, or why it is not answered.
 * @param readPart undefined where the words are no question by themselves
 */
export function withUnanswered(
  sentence: string,
  whole: Intent,
  known: KnownNames,
  readPart: ReadPart,
): Intent | Refusal {
  const units = unitsOf(sentence, known);
  if (units.length < 2) return whole;
  const asking = units.filter(({ text }, at) => {
    const items = itemsOfPart(text, known);
    return (asksSomewhere(text, items) || (at > 0 && isWish(items))) && !isCourtesy(text, whole);
  });
  const isNamed = ({ text }: Part) => whole.notUsed?.some((words) => words.includes(bare(text))) === true;
  const open = asking.filter((unit) => !isNamed(unit));
  if (open.length > INTENT_LIMITS.sentenceParts)
    return {
      reason: 'unclear',
      words: `${open.length} questions in one sentence, of which ${INTENT_LIMITS.sentenceParts} are read at most: ask one at a time`,
    };
  const named = open.map((unit) => ({ ...unit, said: saidOf(unit, sentence, whole, known) }));
  const own = new Map(named.map((unit) => [unit, readPart(unit.said)]));
  if (
    isTimeTold(
      own,
      units.filter((unit) => !asking.includes(unit) && !ASKS_TIME.test(unit.text)),
      whole,
      known,
    )
  )
    return { reason: 'unclear', words: TIME_BESIDE };
  const alone = soleOf(own, whole, known);
  if (alone !== undefined) {
    const others = asking.filter((unit) => unit.from !== alone.unit.from).map(({ text }) => text);
    return naming({ ...alone.read, text: whole.text }, others);
  }
  return naming(whole, lostOf(own, sentence, whole, known, readPart));
}

/** "How often did it flap": asks of a time, and tells none. */
const ASKS_TIME = /^(?:and |but )?(?:how|since when|when)\b/i;

/** Said in a story: whether the question is of that time, the sentence does not say. */
export const TIME_BESIDE = 'a time beside the question: say it in the question';

/** A part with the name of what it is about. */
type Named = Part & { readonly said: string };
type Own = ReadonlyMap<Named, Intent | undefined>;

/** Each of them once, and without the words that stand in a longer one. */
function naming(intent: Intent, parts: readonly string[]): Intent {
  if (parts.length === 0) return intent;
  const own = new Map(parts.map((text) => [bare(text).toLowerCase(), text]));
  const isIn = (words: string) =>
    [...own.keys()].some((text) => ` ${text.replace(/[^\w.:/-]+/g, ' ')} `.includes(` ${words.toLowerCase()} `));
  return { ...intent, notUsed: [...(intent.notUsed ?? []).filter((words) => !isIn(words)), ...own.values()] };
}

/** "It" and "there" by what stands before them, or by what was read. */
function saidOf({ text, from }: Part, sentence: string, whole: Intent, known: KnownNames): string {
  const byName = withName(text, sentence.slice(0, from), known);
  if (byName !== undefined) return byName;
  const subject = subjectOf(whole);
  const items = itemsOfPart(text, known);
  // "Is it me" asks of another thing.
  if (
    subject === undefined ||
    items.some(isPlace) ||
    !items.some((item) => isMeaning(item, 'topic') || isWord(item, /^back$/))
  )
    return text;
  return text.replace(/\bit\b/i, subject).replace(/\b(?:over |in )?there(?=[.?!]*$)/i, `on ${subject}`);
}

/** "BGP sessions on p2", and else the one place. */
function subjectOf({ topic, path, ifname, understoodAs, when }: Intent): string | undefined {
  if (when !== undefined) return undefined;
  if (topic === 'session') return understoodAs;
  const [node, ...more] = path.map(({ as }) => as);
  if (more.length > 0) return undefined;
  return ifname === undefined || node === undefined ? node : `${ifname} on ${node}`;
}

/** "P2 was down yesterday, is it up now": the part that asks is a question of now by itself, and what tells of it has a time. */
function isTimeTold(own: Own, told: readonly Part[], whole: Intent, known: KnownNames): boolean {
  if (whole.when === undefined) return false;
  const isTold = told.some(({ text }) => tellsTime(itemsOfPart(text, known)));
  return (
    isTold &&
    [...own].some(([{ text }, read]) => {
      // Without a name it is no question by itself, and still one of now: "BGP on p2 was down for an hour. Is it up?".
      const isNow = read === undefined ? whole.when === 'past' && !asksPast(text, known) : read.when === undefined;
      return isNow && ![CHECKS, GENERALLY, JUDGED].some((words) => words.test(low(text)));
    })
  );
}

function asksPast(text: string, known: KnownNames): boolean {
  return asksTime(text, known) || itemsOfPart(text, known).some((item) => isMeaning(item, 'past'));
}

/** More than a time: "since yesterday, is p2 slow" asks of it. */
function tellsTime(items: readonly Item[]): boolean {
  const isTelling = items.some(
    (item) => isPlace(item) || isMeaning(item, 'topic', 'verb', 'noun') || item.kind === 'left',
  );
  // "Users complain since monday": it goes on.
  const isGoingOn =
    items.some((item) => isWord(item, PEOPLE)) && !items.some((item) => isWord(item, /^(?:was|were|had|did)$/));
  return isTelling && items.some((item) => item.kind === 'time' && !(isGoingOn && /^since /i.test(item.text)));
}

/** Asks that it be looked at: when and at what, the rest says. */
const CHECKS = /^(?:please |pls |can you |could you )*(?:check|show|list|tell|look|have a look|take a look|verify)\b/;
const GENERALLY = /^(?:any|anything|what|why)\b/;

/**
 * The only part that is a question by itself, where another one took its time from it ("has p2 rebooted and is it me"), adds one ("and yesterday"), or
 * has a verb of the past ("who did it").
 */
function soleOf(
  own: Own,
  whole: Intent,
  known: KnownNames,
): { readonly unit: Named; readonly read: Intent } | undefined {
  const [first, ...more] = [...own].flatMap(([unit, read]) => (read === undefined ? [] : [{ unit, read }]));
  if (first === undefined || more.length > 0 || own.size < 2) return undefined;
  const { read, unit } = first;
  const isSame = read.topic === whole.topic && read.path.map(keyOf).join() === whole.path.map(keyOf).join();
  const others = [...own.keys()].filter((other) => other !== unit);
  const isAdded = others.some((other) => addsTime(itemsOfPart(other.text, known)));
  // "Is BGP on p2 up? Who did it": only its verb is of the past.
  const isVerb =
    isSameBefore(whole, read) && !others.some(({ text }) => movesTime(text, known) || IT_BEFORE.test(text));
  return isSame && (isAdded || isVerb || (read.when !== undefined && whole.when === undefined)) ? first : undefined;
}

/** "And yesterday?": another time than that of the question before it. */
function addsTime([first, ...items]: readonly Item[]): boolean {
  const isTime = (item: Item) =>
    item.kind === 'time' ? !/when$|^since/.test(item.text) : isMeaning(item, 'empty', 'role');
  return isMeaning(first, 'and') && items.every(isTime) && items.some(({ kind }) => kind === 'time');
}

function keyOf({ key }: Intent['path'][number]): string {
  return key;
}

function lostOf(own: Own, sentence: string, whole: Intent, known: KnownNames, readPart: ReadPart): readonly string[] {
  return [...own]
    .filter(([unit, read]) => {
      if (read !== undefined && isWithin(unit.text, read, whole, known)) return false;
      if (read !== undefined && own.size === 1 && isGeneral(unit.text, read, whole, known)) return false;
      // It gave its place to another question, and its own is lost.
      if (read !== undefined && read.topic !== whole.topic && isOwnQuestion(unit.text, known))
        return !isUp(unit, read, whole);
      const isPlaceOnly = read !== undefined && read.path.length > 0 && !isOwnQuestion(unit.text, known);
      if (isPlaceOnly && read.path.every(({ key }) => whole.path.some((each) => each.key === key))) return false;
      const isTimed = read !== undefined || movesTime(unit.text, known);
      return [[], [...own.keys()]].some((named) =>
        addsNothing(readPart(without(sentence, unit, named)), whole, isTimed),
      );
    })
    .map(([{ text }]) => text);
}

/** More than a name, or that it be looked at: "p2?", "check p2". */
function isOwnQuestion(text: string, known: KnownNames): boolean {
  return saysTopic(text, known) || (beginsAsking(itemsOfPart(text, known)) && !CHECKS.test(low(text)));
}

/** How long it is up says that it is. */
function isUp({ text }: Part, own: Intent, { topic, when, path }: Intent): boolean {
  const isSame = own.path.length > 0 && own.path.map(keyOf).join() === path.map(keyOf).join();
  return topic === 'uptime' && when === undefined && isSame && /^is \S+ up$/.test(low(text));
}

/**
 * Or only that it asks of now, beside a story: "we rebooted p2, is that a problem". Or only that its verb is of the past: "who did it".
 * @param isTimed it asks when, or how often
 */
function addsNothing(rest: Intent | undefined, whole: Intent, isTimed: boolean): boolean {
  if (rest === undefined) return false;
  if (rest.understoodAs === whole.understoodAs) return true;
  return isSameBefore(rest, whole) || (!isTimed && isSameBefore(whole, rest));
}

/** The same of the past as of now. */
function isSameBefore(past: Intent, { understoodAs, when }: Intent): boolean {
  return when === undefined && past.when === 'past' && past.understoodAs?.startsWith(`${understoodAs} `) === true;
}

/** How what is asked was, or began. */
const IT_BEFORE = /\b(?<!who )(?:was|were|did) (?:it|they|there)\b/i;

/** Asks of a time, or of what there was: "did it flap", "how was it", "was there any"; and not "who did it". */
function movesTime(text: string, known: KnownNames): boolean {
  const isOther =
    !/^how (?:was|were) /.test(low(text)) && itemsOfPart(text, known).some((item) => isWord(item, QUESTION));
  return !isOther || asksTime(text, known) || saysTopic(text, known);
}

function asksTime(text: string, known: KnownNames): boolean {
  return TIMES.test(low(text)) || itemsOfPart(text, known).some(({ kind }) => kind === 'time');
}

const TIMES = /\b(?:when|since|how (?:long|often|many times?)|times?|ever|before|first|last|lately|recently|history)\b/;

/** "The number please", "help me": asks by no form, and says nothing of a network. */
function isWish(items: readonly Item[]): boolean {
  return (
    items.some(isWished) &&
    items.every((item, at) => {
      const isBefore = isMeaning(item, 'role') && isMeasure(items[at + 1]);
      return isMeaning(item, 'empty', 'show', 'here', 'and') || isMeasure(item) || isBefore;
    })
  );
}

function isWished(item: Item): boolean {
  return isWord(item, /\bhelp\b/) || isMeasure(item);
}

function isMeasure(item: Item | undefined): boolean {
  return classesOfWord(textOf(item)).has('measure');
}

/** The same is asked of the same, or of a part of it. */
function isWithin(text: string, own: Intent, whole: Intent, known: KnownNames): boolean {
  if (own.understoodAs === whole.understoodAs) return true;
  const isPlaced = own.path.length > 0;
  const isOfProtocol = own.protocol === whole.protocol || (own.protocol === undefined && !isPlaced);
  const isSame = own.topic === whole.topic && own.when === whole.when && isOfProtocol;
  const isOfOthers = itemsOfPart(text, known).some(
    (item) => (isMeaning(item, 'everywhere') && !isWord(item, /^all$/)) || isWord(item, OTHERS),
  );
  const isPart = !isPlaced ? !isOfOthers : own.ifname === whole.ifname;
  return isSame && isPart && own.path.every(({ key }) => whole.path.some((each) => each.key === key));
}

const OTHERS = /^(?:others?|another|next|else|anything else|what else|rest|ones?)$/;

/** Sentences and parts of them that begin as a question does, or hold one: "p2 is slow, is it me", "is p2 slow, tell us how much". */
function unitsOf(sentence: string, known: KnownNames): readonly Part[] {
  const units: Part[] = [];
  for (const part of partsOf(sentence, UNIT)) {
    const last = units.at(-1);
    const items = itemsOfPart(part.text, known);
    const isOwn =
      last === undefined ||
      /[.?!;]\)?$/.test(last.text) ||
      // Behind "and" the question mark may be that of the whole: "is the link between p2 and p4 up?".
      asksSomewhere(JOINED.test(part.text) ? bare(part.text) : part.text, items) ||
      isWish(items);
    if (isOwn) units.push(part);
    else units[units.length - 1] = { text: sentence.slice(last.from, part.to).trim(), from: last.from, to: part.to };
  }
  return units;
}

const JOINED = /^(?:and|but|then|plus|also) /i;

/** Also before "and how many", "and find out how many", "and by the way is it me" and "(how many?)". */
const UNIT = new RegExp(
  [
    String.raw`(?<=[.?!;,:])\s+`,
    '(?<=[?!])(?=[A-Za-z])',
    String.raw`\s+(?:-{1,2}|–|—|\/\/|<-{1,2})\s+`,
    String.raw`\s+(?=\(|["'[](?:how|what|why|who|which|is|are)\b)`,
    String.raw`\s+(?=(?:and|but|then|plus|also) )`,
    String.raw`\s+(?=so (?:[a-z]+ ){0,4}?(?:how|who|whose|whom|whether)(?![\w-]))`,
    String.raw`\s+(?=so (?:(?:then|also|um|uh|oh|and|please|anyway|btw|by the way|in|on|at|to) )*(?:what|why|when|where|which|is|are|am|was|were|does|do|did|has|have|can|could|should|shall|must|will|might|won't|since when)(?![\w-]))`,
  ].join('|'),
  'gi',
);

/** @param units whose names stand for "it" in the rest */
function without(sentence: string, { from, to }: Part, units: readonly Named[]): string {
  let rest = '';
  let at = 0;
  for (const unit of units.filter((each) => each.from !== from)) {
    rest += `${cut(sentence, at, unit.from, from, to)} ${unit.said} `;
    at = unit.to;
  }
  rest += cut(sentence, at, sentence.length, from, to);
  return rest
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[,;:]$/, '');
}

/** From one place to another, without what stands between two others. */
function cut(sentence: string, start: number, end: number, from: number, to: number): string {
  if (to <= start || from >= end) return sentence.slice(start, end);
  return `${sentence.slice(start, from)} ${sentence.slice(to, end)}`;
}

/** "Please check p2. It is slow": what is wrong, where a statement says what it is. */
function isGeneral(text: string, own: Intent, { topic = 'trouble', path }: Intent, known: KnownNames): boolean {
  const isSame = own.path.every(({ key }) => path.some((each) => each.key === key));
  return own.topic === 'trouble' && isSame && topic !== 'changes' && !isData(topic) && !saysTopic(text, known);
}

/** What is asked, and not only that it is. */
function saysTopic(text: string, known: KnownNames): boolean {
  return itemsOfPart(text, known).some(
    (item) => isMeaning(item, 'topic', 'protocol') && !isWord(item, LOOKS) && !isWord(item, TROUBLE),
  );
}

const TROUBLE = /^(?:wrong|going on|happening|problems?|issues?|troubles?)$/;

function bare(text: string): string {
  return text.replace(/^\(|[.?!;,:)]+$/g, '');
}

/** Asks that it be looked at, what is the matter, or why: an answer about a fault does. */
function isCourtesy(text: string, { topic = 'trouble' }: Intent): boolean {
  const said = bare(text)
    .toLowerCase()
    .replace(/^(?:(?:so|and|but) )+/, '');
  const isWhy = /\bwhy$/.test(said);
  if ((isWhy || /^why\b/.test(said)) && (topic === 'changes' || isData(topic))) return false;
  return (
    isWhy || (isTag(said) && !(JUDGED.test(said) && MEASURES.includes(topic))) || COURTESY.test(said) || WHY.test(said)
  );
}

const MEASURES: readonly Intent['topic'][] = ['loss', 'delay', 'jitter', 'errors', 'capacity', 'traffic', 'uptime'];

/** By a standard that no node has; whether a link or a session is, the answer says. */
const JUDGED = /^is (?:that|this|it) (?:normal|ok)$/;
const WHY = /^why(?: \w+)?(?: (?:it|that|this|so))*$/;
const COURTESY =
  /^(?:(?:ok|okay|please|hi|hey|hello|well) )*(?:(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody|we|i) (?:please |kindly |just |quickly |maybe )*(?:tell|check|look|have a (?:quick )?look|take a (?:quick )?look|help|confirm|verify|advise|see|explain|investigate|let me know|say|ask (?:you )?something)(?: (?:me|us|out|into|at|on|with|for|it|this|that|here|please|now|something))*|(?:do|did) you (?:know|see (?:it|this|that)|have (?:an|any) idea)(?: why)?|(?:any|anyone|anybody|someone|somebody) (?:there|here|ideas?|clue|help)(?: why)?|what (?:is|was) (?:wrong|up|it|this|that|the (?:matter|problem|issue|cause|reason))|is (?:there )?(?:something|anything) (?:wrong|up|going on)|(?:is|are) there (?:any|some|one)|how (?:is|are) (?:you|things)|how come|who knows|(?:check and )?(?:tell (?:me|us)|let (?:me|us) know|report)|what do you think|is (?:it|that) (?:true|possible|correct|right))$/;
