// "Is there news about changes on p2": whether there is something that people make or hold, and what it is about. No thing of a network is "about" a
// node either: "a session about loss on p2" is of another sort. "Anything about p2" asks about p2.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { foundIn, saidIn } from './said.ts';

export function matterIn(items: readonly Item[]): Refusal | undefined {
  const found = foundIn(saidIn(items), ABOUT_THING, MATTER, ON);
  if (found === undefined) return undefined;
  return { reason: 'unclear', words: `what is said about something ("${found}"): ask about the thing itself` };
}

const THERE =
  '(?:(?:is|are|was|were) there|has there been|have there been|(?:do|did|have) (?:we|you|they|i)(?: have| got)?|any|got|have)';
const WHAT = '(?:(?:a|an|any|some|the|no|new|recent|more|other|another|already|yet|also|L/\\w+) )*';
const ABOUT = '(?:about|regarding|concerning|as to|L/regarding|L/concerning)';
const PRONOUN = '(?:anything|something|nothing|everything|what|how|i|we|you|know|told|heard|else|wrong|talk)';
const ABOUT_THING = new RegExp(`(?:^|\\|) ${THERE} ${WHAT}(?:T/(?!trouble|\\w+/news)|S/)\\S+ ${ABOUT} `);
const MATTER = new RegExp(`(?:^|\\|) ${THERE} ${WHAT}(?!${PRONOUN} )(?!T/(?!\\w+/news))(?!N )[^| ]+ ${ABOUT} [^|]*T/`);
const ON =
  /(?:^|\|) (?:is|are|was|were) there (?:a|an|any) L\/\S+(?:ion|ment|ing|ar|report|talk|memo|note) on (?:the |a )?T\//;
