// A sentence as one line, in which rules find how words follow each other: `N` a name or a place, `Z` a time, `|` a break, `T/loss/drops` what is asked,
// `S/link` another thing of a network, `V/ping` a verb of a network, `P/users` people and what they send, `L/seminar` a word that is not known. Any other
// word stands as it is.

import { classesOfWord } from '../../words/word-classes.ts';
import type { Item } from '../item.ts';

export function saidIn(items: readonly Item[]): string {
  return ` ${items.map(signOf).join(' ')} `;
}

function signOf(item: Item): string {
  switch (item.kind) {
    case 'time':
      return 'Z';
    case 'comma':
    case 'stop':
    case 'dash':
      return '|';
    case 'left':
      return `L/${joined(item.text)}`;
    case 'meaning':
      return meantSign(item);
    default:
      return 'N';
  }
}

function meantSign({ meaning, text }: Extract<Item, { readonly kind: 'meaning' }>): string {
  const said = text.toLowerCase();
  switch (meaning.kind) {
    case 'topic':
      return `T/${meaning.topic}/${joined(said)}`;
    case 'noun':
    case 'protocol':
    case 'service':
      return `S/${joined(said)}`;
    case 'verb':
      return `V/${joined(said)}`;
    case 'here':
    case 'everywhere':
      return 'N';
    case 'aside':
      return `L/${joined(said)}`;
    default:
      return ['person', 'packet', 'speaker'].some((each) => classesOfWord(said).has(each as 'person'))
        ? `P/${joined(said)}`
        : said;
  }
}

function joined(text: string): string {
  return text.toLowerCase().replaceAll(' ', '_');
}

/** The first of these that the line has, in words for people. */
export function foundIn(said: string, ...rules: readonly RegExp[]): string | undefined {
  for (const rule of rules) {
    const found = rule.exec(said)?.[0];
    if (found !== undefined)
      return found
        .replace(/\b(?:T\/[^/ ]+|[SVPL])\//g, '')
        .replace(/_/g, ' ')
        .replace(/[|]/g, '')
        .replace(/\bN\b/g, '…')
        .replace(/ +/g, ' ')
        .trim();
  }
  return undefined;
}
