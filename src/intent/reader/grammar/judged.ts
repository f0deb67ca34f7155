// What something is worth: "is this loss acceptable", "is a flap on eth1 a concern", "is it ok that p2 is slow". What could be measured is the subject,
// and by which standard it counts is asked; no node has one. How much it is, and whether it still is, are measured.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { foundIn, saidIn } from './said.ts';

export function judgedIn(items: readonly Item[]): Refusal | undefined {
  const found = foundIn(saidIn(items), THAT, MATTERS, SUBJECT, STATE);
  if (found === undefined) return undefined;
  return { reason: 'unclear', words: `what something is worth ("${found}"): ask whether it is so, or how much it is` };
}

/** "Is it ok that", and not "is it true that", "is it p2 that". */
const THAT =
  / (?:is|was|isn't|be) it (?!(?:really |actually |just |also )*(?:true|possible|correct|right|so|me|because|a fact|the case|only|not|L\/true|L\/correct) )(?:(?!N |T\/(?!trouble)|[SPVZ|])\S+ ){1,5}?(?:that|if|when) /;
const MATTERS =
  / (?:(?:does|do|did|would) (?:it|this|that|these|they) (?:L\/)?matter |(?:should|must|need|do|does|have|shall|can) (?:i|we|you|one|anyone|someone) (?:(?:have|need) to |be |really )*(?:L\/)?(?:worry|worried|worrying|concerned|care|bother|bothered|panic|alarmed|afraid|upset) )/;
/** How much, since when, in which way: said of a thing that is measured. */
const MEASURED =
  '(?:L/)?(?:\\w*(?:increas|decreas|grow|rise|rising|fall|worsen|improv|persist|symmetric)\\w*|sporadic|periodic|erratic|massive|total|partial|bursty|permanent|frequent|worse|better|back|visible|real|one-way|over|away|constant|continuous|intermittent|\\w+ly|there|here|ongoing|recent|new|old|local|related|caused|due|seen|measured|recorded|left|remaining|enough|higher|lower|bigger|smaller|big|huge|small|large|tiny|zero|ms)';
const WORTH =
  '(?:T/trouble/(?!gone|resolved|solved|fixed|clear|stop|recover|back|over|down|up|active)\\S+|(?:L/)?(?:concerns?|worry|worried|matter|expected|affecting|reason|cause|impact|worth|deal))';
const FAULT =
  'T/(?:loss|errors|flap|delay|jitter|uptime|changes|capacity/congest\\w*|trouble/(?:outages?|failures?|faults?|glitch\\w*|hiccups?))\\S*';
/** The thing, where it is, and what is said of it. */
const SUBJECT = new RegExp(
  `(?:^|\\|) (?:so |ok |okay |then |hi |please |and |but |well )*(?:is|are|was|were|would|isn't|aren't) (?!there |it )(?:(?:the|this|that|these|those|a|an|any|such|our|some|packet|P/\\S+) )*${FAULT} (?:like this )?(?:(?:on|of|at|in|from|to|towards|between|and|for|the|N|S/\\S+|Z|be|P/\\S+) )*(?:(?:really|still|also|a|an|any|the|actually|too|very|so|just|something to|no|(?:L/)?(?:big|huge|real|serious)) )*(?!${MEASURED} )(?:${WORTH}|L/\\S+) (?!with |on |of |between |N )`,
);
/** "Is a session down on p2 an issue". */
const STATE =
  /(?:^|\|) (?:is|are|was|were|would) (?:a|an|one) (?:S\/\S+ )?T\/session\/\S+ (?:T\/\S+ )?(?:(?:on|of|at|in|to|between|and|N|be) )+(?:a|an|any) T\/trouble\/\S+ /;
