// A sentence as signs, one for each item: what part of a sentence it is. A word of more than one class has a sign for each.

import { THING } from '../../words/sentence-words.ts';
import type { WordClass } from '../../words/word-classes.ts';
import { classesOfWord } from '../../words/word-classes.ts';
import type { Item } from '../item.ts';

/*
 * `^` an edge: the start, the end, a stop, a comma, a dash, "and", "but". N a name or a place, T what is asked, as a thing ("loss"), V what is asked,
 * as a verb or a state ("drops", "down"), S another thing of a network, R a preposition, A an auxiliary, X a negation, W a question word, P a pronoun,
 * O an opener, Z a time, Q a number, L a word that is not known or is named as not used, H "show", F anything else. Of words that say nothing of their
 * own: J an adjective, a one that stands only before what it is of, G an address, U a person, g one who asks, K a packet, C a record, M a measure, E what leads on, Y saying, B having, I going on, D doing.
 */
export type Sign = string;

const SIGNS: Readonly<Record<WordClass, Sign>> = {
  ...{
    adverb: '',
    determiner: '',
    pronoun: 'P',
    question: 'W',
    auxiliary: 'A',
    conjunction: '^',
    adjective: 'J',
    attribute: 'a',
  },
  ...{
    address: 'G',
    person: 'U',
    speaker: 'g',
    packet: 'K',
    record: 'C',
    measure: 'M',
    lead: 'E',
    saying: 'Y',
    having: 'B',
  },
  ...{ going: 'I', doing: 'D', opener: 'O' },
};

/** Empty for what may stand anywhere. */
export function signsOf(item: Item): readonly Sign[] {
  switch (item.kind) {
    case 'node':
    case 'ifname':
    case 'address':
    case 'record':
    case 'arrow':
      return ['N'];
    case 'time':
      return ['Z'];
    case 'number':
      return ['Q'];
    case 'dash':
    case 'comma':
    case 'stop':
      return ['^'];
    case 'left':
      return ['L'];
    case 'meaning':
      return meaningSigns(item);
  }
}

function meaningSigns({ meaning, text }: Extract<Item, { readonly kind: 'meaning' }>): readonly Sign[] {
  switch (meaning.kind) {
    case 'empty':
      return [...classesOfWord(text)].map((each) => SIGNS[each]);
    case 'topic':
      return [THING.test(text) ? 'T' : 'V'];
    case 'verb':
      return ['V'];
    case 'noun':
    case 'protocol':
    case 'srv6':
    case 'service':
    case 'port':
      return ['S'];
    case 'here':
    case 'everywhere':
      return ['N'];
    case 'role':
      return ['R'];
    case 'past':
      return ['A'];
    case 'not':
      return ['X'];
    case 'and':
      return ['^'];
    case 'aside':
      return ['L'];
    case 'show':
      return ['H'];
    default:
      return ['F'];
  }
}
