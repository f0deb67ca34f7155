// Words that turn a question round or take another thing for its subject: "everything works except p2" complains of p2, and "p2 gets nowhere" asks
// about the way from it.
import { isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, textOf } from '../item.ts';
import { type KnownNames, knownNode } from '../names.ts';
import { type Refusal, unclear } from '../slots.ts';

export function turnedIn(items: readonly Item[], known: KnownNames): Refusal | undefined {
  return (
    exceptIn(items) ??
    nowhereIn(items) ??
    timeoutsIn(items) ??
    forbiddenIn(items) ??
    bundleIn(items) ??
    whichPortIn(items) ??
    lostRouteIn(items) ??
    clockIn(items) ??
    noNameIn(items, known)
  );
}

/** "All routers are up except pe2" says that pe2 is not; "is everything ok except pe2" leaves it out. */
function exceptIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex(
    (item) => item.kind === 'meaning' && item.meaning.kind === 'role' && item.meaning.role === 'except',
  );
  const before = items.slice(0, at);
  const whole = before.findIndex(
    (item) => isMeaning(item, 'everywhere') || isWord(item, /^(?:everything|all|everyone|everybody)(?: |$)/),
  );
  const isSaid = before.slice(whole).some((item) => isWord(item, /(?:^| )(?:is|are|works?|working|runs|running)$/));
  const isAsked = before.slice(0, whole + 1).some((item) => isWord(item, ASKED));
  if (at < 0 || whole < 0 || !isSaid || isAsked) return undefined;
  return unclear('that all is well except some: ask what is wrong on the ones that are meant');
}

/** "Pe1 cannot get anywhere": where to is not said. */
function nowhereIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex((item) =>
    isWord(item, /^(?:gets? (?:anywhere|nowhere|out)|got nowhere|getting nowhere)$/),
  );
  const before = items.slice(0, at).findLast((item) => !isMeaning(item, 'empty', 'not'));
  if (at < 0 || !isName(before) || items.slice(at).some(isName)) return undefined;
  return unclear(`"${textOf(items[at])}", a way from a place, and not where to: name both ends`);
}

/** "198.19.1.10 gets timeouts from 198.19.2.10": the one that gets them asks. */
function timeoutsIn(items: readonly Item[]): Refusal | undefined {
  const at = items.findIndex((item, index) => isWord(item, /^time-?outs$/) && isWord(items[index + 1], /^from$/));
  const isGetting = items
    .slice(0, at)
    .some((item) => isWord(item, /^(?:gets?|got|getting|sees?|saw|has|have|had|receives?)$/));
  if (at < 0 || !isGetting || !items.slice(0, at).some(isName)) return undefined;
  return unclear(
    `"${textOf(items[at])} from", of which it is not said which end asks: say which one cannot reach which`,
  );
}

/** "Must not reach": what may be is not measured, and a way that is open would be called well. */
function forbiddenIn(items: readonly Item[]): Refusal | undefined {
  const modal = items.find((item, index) => {
    const next = items.slice(index + 2).find((each) => !isMeaning(each, 'empty'));
    const isReach =
      isMeaning(next, 'verb') ||
      (next?.kind === 'meaning' && next.meaning.kind === 'topic' && next.meaning.topic === 'reach');
    return isWord(item, /^(?:should|must|shall|may|ought)$/) && isMeaning(items[index + 1], 'not') && isReach;
  });
  return modal === undefined
    ? undefined
    : unclear(`"${textOf(modal)} not": what is to be is not known; ask whether one reaches the other`);
}

/** A bundle of links, or a part of one, is an interface that is to be named. */
function bundleIn(items: readonly Item[]): Refusal | undefined {
  const isInterface = items.some(({ kind }) => kind === 'ifname');
  const bundle = items.find((item) => isNoun(item, 'interface') && isWord(item, BUNDLE));
  const member = items.find(
    (item, at) => isWord(item, /^members?$/) && isWord(items[at + 1], /^(?:of|link|port|links|ports|interface)$/),
  );
  const found = member ?? (isInterface ? undefined : bundle);
  return found === undefined ? undefined : unclear(`"${textOf(found)}": name the interface that is meant`);
}

/** "Which port of leaf1 is 198.51.100.81 on"; "ports 22-25". */
function whichPortIn(items: readonly Item[]): Refusal | undefined {
  const range = items.find(
    (item, at) => item.kind === 'node' && /^\d+-\d+$/.test(item.name) && isNoun(items[at - 1], 'interface'),
  );
  if (range?.kind === 'node') return unclear(`ports ${range.name} in one question: ask about one of them`);
  const isWhich = items.some((item, at) => isWord(item, /^(?:which|what)$/) && isNoun(items[at + 1], 'interface'));
  const isOther =
    !items.some(({ kind }) => kind === 'address') || items.some((item) => isMeaning(item, 'topic', 'verb'));
  return isWhich && !isOther ? unclear('on which port an address is: ask where it is') : undefined;
}

/** "Did pe1 lose its route": no packets. */
function lostRouteIn(items: readonly Item[]): Refusal | undefined {
  const isLost = items.some((item, at) => {
    const next = items.slice(at + 1).find((each) => !isMeaning(each, 'empty'));
    return isWord(item, /^(?:lose|loses|losing|lost)$/) && isWord(next, /^routes?$/);
  });
  return isLost
    ? { reason: 'unsupported', words: 'routes that were lost: ask what changed, or whether it can be reached' }
    : undefined;
}

/** "At 15h" is a time of day, and "15h" a stretch of time. */
function clockIn(items: readonly Item[]): Refusal | undefined {
  const time = items.find(
    (item, at) =>
      item.kind === 'time' && /^\d{1,2} ?h(?:rs?|ours?)?$/i.test(item.text) && isWord(items[at - 1], /^at$/),
  );
  return time?.kind === 'time' ? unclear(`"at ${time.text}": say a time such as "at 15:00"`) : undefined;
}

/** "On purpose": no name, unless a node has it. */
function noNameIn(items: readonly Item[], known: KnownNames): Refusal | undefined {
  const word = items.find(
    (item) =>
      item.kind === 'node' && /^(?:purpose|listening)$/i.test(item.name) && knownNode(item.name, known) === undefined,
  );
  return word?.kind === 'node' ? unclear(`"${word.name}", of which no answer says anything`) : undefined;
}

const ASKED = /^(?:how|is|are|was|were|does|do|did|has|have|what|why|which|who|if|whether|check|verify|show)(?: |$)/;
const BUNDLE = /^(?:port-?channels?|bundles?|aggregates?|etherchannels?|trunks?|lags?)$/;
