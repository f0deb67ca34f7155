// Questions about people and their records: "who broke p2", "whose fault is it", "the delay of the ticket about p2", "the capacity of the team". No
// node knows them, and the rest of the sentence alone would ask about a node.

import type { Topic } from '#model/intent.ts';
import { ARTICLE } from '../../words/asking-words.ts';
import { PEOPLE } from '../../words/sentence-words.ts';
import { hasWord, isMeaning, isNoun, isWord } from '../frames/parts.ts';
import { type Item, isName, isSign, textOf } from '../item.ts';
import { type Refusal, unsupported } from '../slots.ts';

export function peopleIn(items: readonly Item[]): Refusal | undefined {
  const record = items.find((_, at) => isOfRecord(items, at));
  if (record !== undefined)
    return unsupported(`"${textOf(record)}", which is nothing that a node has: ask about the node`);
  const asked = items.find((item, at) => isAsked(items, at) && isWord(items[at + 1], WISHES) && isWord(item, WHO));
  if (asked !== undefined) return unsupported('what people want or are to do; answers say what is and what was');
  const counted = items.find((item, at) => isWord(item, COUNTED) && isHowMany(items, at));
  if (counted !== undefined)
    return unsupported(`how many there are ("${textOf(counted)}"): ask what is wrong, or to be shown a table`);
  return undefined;
}

/** "Who made p2 slow", "whose packets are lost on p2": with a place, what is measured has no person in it. */
export function doerIn(items: readonly Item[], topic: Topic): Refusal | undefined {
  const whose = items.some((item) => isWord(item, /^whose$/)) && topic !== 'where';
  const who =
    items.some((item, at) => isWord(item, WHO) && isAsked(items, at) && !isWord(items[at + 1], DROPS)) &&
    OF_NODES.includes(topic);
  const isPlaced = items.some(isName) && !items.some((item) => isMeaning(item, 'role') && isWord(item, /^except/));
  return whose || (who && isPlaced)
    ? unsupported(`${whose ? 'whose something is' : 'who does or did something'}, which no node knows`)
    : undefined;
}

const WHO = /^(?:who|whom)$/;
const WISHES = /^(?:needs?|wants?|should|may|might|must|shall|likes?|would|connected|established)$/;
/** Topics of which "who" is no peer, no owner, no host, and none that changed a configuration. */
const OF_NODES: readonly Topic[] = [
  ...(['trouble', 'loss', 'delay', 'jitter', 'capacity', 'flap'] as const),
  ...(['errors', 'mtu', 'traffic', 'counters', 'interfaces'] as const),
];

/** "Who drops traffic to p2": which node does. */
const DROPS = /^(?:drops?|loses?|discards?|eats|swallows|blackholes)(?: (?:packets|traffic|frames))?$/;

/** Where a clause begins, and not behind people: "a customer who is down". */
function isAsked(items: readonly Item[], at: number): boolean {
  const before = items[at - 1];
  return before === undefined || isSign(before) || !PEOPLE.test(textOf(before));
}

/** "How many users", "how many members": of such things nothing is counted. */
function isHowMany(items: readonly Item[], at: number): boolean {
  return isWord(items[at - 1], /^many$/) && isWord(items[at - 2], /^how$/) && hasWord(items, /^how$/);
}

const COUNTED = /^(?:customers?|users?|clients?|callers?|people|colleagues|members?|flows?|streams?|parts|tickets?)$/;

/** "The status of the case", "the team of p2": what is asked is of a record, or of people. */
function isOfRecord(items: readonly Item[], at: number): boolean {
  if (isWord(items[at], YOU) && isTopic(items[at - 1]) && isReach(items[at - 1])) return true;
  if (isWord(items[at], /^contact$/) && isWord(items[at - 1], ARTICLE)) return !isWord(items[at + 1], /^(?:to|with)$/);
  if (isWord(items[at], /^faults?$/) && isWord(items[at - 1], /^(?:my|our|your|his|her|their)$/)) return true;
  // "Yesterday's ticket", "the morning report".
  if (items[at - 1]?.kind === 'time' && isWord(items[at], OF_DAY)) return true;
  if (!isWord(items[at], RECORD) || !isWord(items[at - 1], ARTICLE)) return false;
  const isOf = isMeaning(items[at - 2], 'role');
  const start = items.slice(0, isOf ? at - 2 : at - 1).findLastIndex((item) => !isName(item) && !isNoun(item, 'node'));
  const before = items[start];
  const isObject =
    (isTopic(before) && (isOf || isWord(before, /^(?:reach|lose|lost|drop|discard|contact)$/))) ||
    isMeaning(before, 'verb') ||
    (isWord(before, ASKS_TO_LOOK) && isMeaning(items[at + 1], 'role'));
  // "The ticket vanished".
  return isObject || (isMeaning(items[at + 1], 'topic') && isWord(items[at + 1], /^(?:vanished|disappeared|dropped)$/));
}

function isTopic(item: Item | undefined): boolean {
  return isMeaning(item, 'topic');
}

function isReach(item: Item | undefined): boolean {
  return isWord(item, /^(?:reach|contact)$/);
}

const ASKS_TO_LOOK = /^(?:check|look into|look at|investigate|verify|watch|monitor|examine|inspect|review)$/;
const OF_DAY = /^(?:reports?|tickets?|cases?|meetings?|requests?|orders?)$/;
const YOU = /^(?:you|him|her|them)$/;
const RECORD =
  /^(?:tickets?|cases?|orders?|requests?|questions?|reports?|descriptions?|title|subject|investigations?|teams?|colleagues?|owner of|owner|manager|engineers?|staff|project|rack|people)$/;
