// A sentence that asks twice: "Are there errors on p2? How many?". A part that asks and is not what was read is named as not used. What a part adds is
// found by leaving it out: where the rest is read as before, the part was lost, unless it asks the same by itself.
import type { Intent } from '#model/intent.ts';
import { INTENT_LIMITS } from '../../limits.ts';
import { isData } from '../data-topics.ts';
import { isMeaning, isWord } from '../frames/parts.ts';
import type { KnownNames } from '../names.ts';
import { withName } from './referents.ts';
import { beginsAsking, isAsking, isTag, itemsOfPart, type Part, partsOf } from './sentence-parts.ts';

/**
 * The question, with the parts that it leaves unanswered named as not used.
 * @param readPart undefined where the words are no question by themselves
 */
export function withUnanswered(
  sentence: string,
  whole: Intent,
  known: KnownNames,
  readPart: (words: string) => Intent | undefined,
): Intent {
  const units = unitsOf(sentence, known);
  if (units.length < 2) return whole;
  const asking = units.filter(({ text }) => isAsking(text, itemsOfPart(text, known)) && !isCourtesy(text, whole));
  const isNamed = ({ text }: Part) => whole.notUsed?.some((words) => words.includes(bare(text))) === true;
  const open = asking.filter((unit) => !isNamed(unit));
  const checked = open.slice(0, INTENT_LIMITS.sentenceParts);
  const own = new Map(
    checked.map((unit) => [unit, readPart(withName(unit.text, sentence.slice(0, unit.from), known) ?? unit.text)]),
  );
  const alone = soleOf(own, whole);
  if (alone !== undefined) {
    const others = asking.filter((unit) => unit !== alone.unit).map(({ text }) => text);
    return { ...alone.read, text: whole.text, notUsed: [...(alone.read.notUsed ?? []), ...others] };
  }
  const unread = open.slice(checked.length).map(({ text }) => text);
  const lost = [...lostOf(own, sentence, whole, known, readPart), ...unread];
  return lost.length === 0 ? whole : { ...whole, notUsed: [...(whole.notUsed ?? []), ...lost] };
}

type Own = ReadonlyMap<Part, Intent | undefined>;

/** "Has p2 rebooted and is it me": the only part that is a question by itself, where another one took its time from it. */
function soleOf(own: Own, whole: Intent): { readonly unit: Part; readonly read: Intent } | undefined {
  const [first, ...more] = [...own].flatMap(([unit, read]) => (read === undefined ? [] : [{ unit, read }]));
  if (first === undefined || more.length > 0 || own.size < 2) return undefined;
  const { read } = first;
  const isSame = read.topic === whole.topic && read.path.map(keyOf).join() === whole.path.map(keyOf).join();
  return isSame && read.when !== undefined && whole.when === undefined ? first : undefined;
}

function keyOf({ key }: Intent['path'][number]): string {
  return key;
}

function lostOf(
  own: Own,
  sentence: string,
  whole: Intent,
  known: KnownNames,
  readPart: (words: string) => Intent | undefined,
): readonly string[] {
  const isAlone = (unit: Part) => [...own].every(([other, read]) => other === unit || read === undefined);
  return [...own]
    .filter(([unit, read]) => {
      if (read !== undefined)
        return !isWithin(read, whole, isAlone(unit)) && !(own.size === 1 && isGeneral(unit.text, read, whole, known));
      const rest = readPart(without(sentence, unit));
      return rest !== undefined && rest.understoodAs === whole.understoodAs;
    })
    .map(([{ text }]) => text);
}

/** Sentences and parts of them that begin as a question does: "p2 is slow, is it me". */
function unitsOf(sentence: string, known: KnownNames): readonly Part[] {
  const units: Part[] = [];
  for (const part of partsOf(sentence, UNIT)) {
    const last = units.at(-1);
    const isOwn = last === undefined || /[.?!;]\)?$/.test(last.text) || beginsAsking(itemsOfPart(part.text, known));
    if (isOwn) units.push(part);
    else units[units.length - 1] = { text: sentence.slice(last.from, part.to).trim(), from: last.from, to: part.to };
  }
  return units;
}

/** Also before "and how many" and "(how many?)". */
const UNIT =
  /(?<=[.?!;,:])\s+|(?<=[?!])(?=[A-Za-z])|\s+(?:-{1,2}|–|—|\/\/|<-{1,2})\s+|\s+(?=\()|\s+(?=(?:and|but|so|then|plus|also) (?:then |also )?(?:what|why|how|when|who|whose|where|which|is|are|am|was|were|does|do|did|has|have|can|could|should|shall|must|will|since when)(?![\w-]))/gi;

function without(sentence: string, { from, to }: Part): string {
  return `${sentence.slice(0, from)} ${sentence.slice(to)}`
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[,;:]$/, '');
}

/** @param isAlone no other part is a question by itself: it may only say when, or of what */
function isWithin(own: Intent, whole: Intent, isAlone: boolean): boolean {
  if (own.understoodAs === whole.understoodAs) return true;
  const isSame = own.topic === whole.topic && (own.when === whole.when || (own.when === undefined && isAlone));
  const isPart = own.path.every(({ key }) => whole.path.some((each) => each.key === key));
  return isSame && isPart && (own.protocol === undefined || own.protocol === whole.protocol);
}

/** "Please check p2. It is slow": what is wrong, where a statement says what it is. */
function isGeneral(text: string, own: Intent, { topic = 'trouble', path }: Intent, known: KnownNames): boolean {
  const isSame = own.path.every(({ key }) => path.some((each) => each.key === key));
  if (own.topic !== 'trouble' || !isSame || topic === 'changes' || isData(topic)) return false;
  return itemsOfPart(text, known).every((item) => !isMeaning(item, 'topic') || isWord(item, GENERAL));
}

const GENERAL =
  /^(?:check|checking|checks|verify|test|testing|investigate|inspect|diagnose|diagnosis|troubleshoot|debug|examine|analy[sz]e|look .*|watch|monitor|health check|state|status|condition|(?:what|how) .*|wrong|going on|happening|problems?|issues?|troubles?)$/;

function bare(text: string): string {
  return text.replace(/^\(|[.?!;,:)]+$/g, '');
}

/** Asks that it be looked at, what is the matter, or why: an answer about a fault does. */
function isCourtesy(text: string, { topic = 'trouble' }: Intent): boolean {
  const said = bare(text)
    .toLowerCase()
    .replace(/^(?:(?:so|and|but) )+/, '');
  if (/^why\b/.test(said) && (topic === 'changes' || isData(topic))) return false;
  return isTag(said) || COURTESY.test(said) || WHY.test(said);
}

const WHY = /^why(?: \w+)?(?: (?:it|that|this|so))*$/;
const COURTESY =
  /^(?:(?:ok|okay|please|hi|hey|hello|well) )*(?:(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody|we|i) (?:please |kindly |just |quickly |maybe )*(?:tell|check|look|have a (?:quick )?look|take a (?:quick )?look|help|confirm|verify|advise|see|explain|investigate|let me know|say|ask (?:you )?something)(?: (?:me|us|out|into|at|on|with|for|it|this|that|here|please|now|something))*|(?:do|did) you (?:know|see (?:it|this|that)|have (?:an|any) idea)(?: why)?|(?:any|anyone|anybody|someone|somebody) (?:there|here|ideas?|clue|help)(?: why)?|what (?:is|was) (?:wrong|up|it|this|that|the (?:matter|problem|issue|cause|reason))|is (?:there )?(?:something|anything) (?:wrong|up|going on)|(?:is|are) there (?:any|some|one)|how (?:is|are) (?:you|things)|how come|who knows|what do you think|is (?:it|that) (?:true|possible|correct|right))$/;
