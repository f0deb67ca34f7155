// What was said, and how something is found out: "have you told me that p2 is down", "where would I look for loss". The speaking, or the looking, is what
// is asked; the rest of the sentence is only its object. "Can you tell me whether" is polite, and asks for what follows.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { foundIn, saidIn } from './said.ts';

export function speechIn(items: readonly Item[]): Refusal | undefined {
  const said = saidIn(items);
  const speech = foundIn(said, SAID, SAID_THAT, STILL, HEARD);
  if (speech !== undefined)
    return { reason: 'unclear', words: `what was said ("${speech}"); answers say what is and what was: ask that` };
  const method = foundIn(said, HOW, WHERE, MEANS, TOOL, USED, WAY);
  if (method === undefined) return undefined;
  return { reason: 'unclear', words: `how something is found out ("${method}"): ask for what is to be found` };
}

const PERSON =
  '(?:i|we|you|he|she|they|parley|it|(?:(?:the|our|my|a|an) )?(?:L/|P/)?(?:team|noc|boss|vendor|colleagues?|operator|engineer)s?)';
const ADVERBS = '(?:(?:just|already|ever|really|also|still|not|actually|not yet|never|again) )*';
const SAYS =
  '(?:[LTV]/(?:\\w+/)?)?(?:say|says|said|saying|tell|told|telling|mention|mentioned|claim|claimed|claiming|report|reported|reporting|state|stated|stating|answer|answered|reply|replied|write|wrote|written|announced?|informe?d?|warn|warned|confirm|confirmed|deny|denied|promised?|suggest|suggested|explain|explained|assert|asserted|noted?|alert|alerted|notify|notified|argued?|insist|insisted|maintain|admit|admitted|declared?|concluded?|repeat|repeated|advised?|email|emailed)';
const SAID = new RegExp(` (?:have|has|had|did|didn't|haven't|hasn't|hadn't) ${PERSON} ${ADVERBS}${SAYS} `);
/** Any verb with a clause that "that" begins is of saying, but one of seeing. */
const SAID_THAT = new RegExp(
  ` (?:have|has|had|did) (?:${PERSON}|anyone|someone|anybody|somebody|P/\\S+) ${ADVERBS}(?!(?:[LT]/(?:\\w+/)?)?(?:see|seen|saw|notice\\w*|observe\\w*|find|found|spot\\w*|detect\\w*|know|known|think|thought|check\\w*|measure\\w*|experience\\w*) )(?![NZ|] )\\S+ (?:(?:me|us|them|him|her|anyone) )?that `,
);
const STILL = new RegExp(` (?:do|does|are|is|were|was) ${PERSON} ${ADVERBS}${SAYS} `);
const HEARD = new RegExp(
  ` (?:(?:did|have|had|do) i (?:[LT]/)?\\S+ you (?:(?:right|correctly|to) )*${SAYS}|(?:was|is) it ${PERSON} (?:who|that) (?:has |have |had )?${SAYS}) `,
);

const MODAL = '(?:can|could|should|would|might|may|must|shall|do|does|did)';
const ASKER =
  '(?:i|we|you|one|they|he|she|someone|somebody|anyone|anybody|people|P/\\S+|an? (?:L/)?(?:operator|engineer|admin|user))';
/** What moves or is lost is the network's: "how do we reach p2", "where can packets get lost". */
const OWN =
  '(?:V/(?!(?:see|find|show|notice|spot|view|check|read|get)(?:_| ))|T/(?:loss|reach|path|changes)/|T/trouble/(?!(?:measure|check|test|verify|monitor) )|(?:lose|lost|reach|go(?! about)|come|get (?:from|to|there|N)|travel|know|have|experience|suffer) )';
const HOW = new RegExp(` how ${MODAL} ${ASKER} (?!${OWN})\\S+ `);
const WHERE = new RegExp(
  ` where (?:(?:can|could|should|would|might|may|must|shall|to) (?:${ASKER} )?(?!${OWN})(?!N )\\S+|(?:do|does|did) ${ASKER} (?:[LT]/(?:\\w+/)?)?(?:look|find|check|read|view|click|search|display|go)) `,
);
const MEANS = new RegExp(
  ` (?:with|by|in|on|through|using|under|from) (?:what|which)(?: (?:L/\\S+|means|way|tool|command))? ${MODAL} ${ASKER} (?!${OWN})`,
);
const SHOWS =
  '(?:[LT]/(?:\\w+/)?)?(?:tells?|shows?|gives?|displays?|lists?|prints?|reports?|reveals?|contains?|measures?|knows?)';
const TOOL = new RegExp(` (?:what|which) (?:L/\\S+ )+(?:would |can |could |will )?${SHOWS} `);
const FINDS =
  '(?:[LTV]/(?:\\w+/)?)?(?:see|view|find|show|read|check|measure|display|look|get|watch|track|monitor|detect|spot|notice|observe|query|list|print|fetch|inspect|identify|test|verify|determine|learn|find_out)';
const USED = new RegExp(
  ` what ${MODAL} ${ASKER} (?:[LT]/)?(?:use|type|click|open|press|run|enter|call|need|do) .*?to ${FINDS}`,
);
const WAY = new RegExp(
  ` what (?:is|are|would be|was) (?:[^| ]+ )*?(?:L/\\S+|S/way|S/path|T/path/way|way|method|how) to ${FINDS} `,
);
