// What will be, said without "will": "is p2 going to see loss", "are we to lose p2", "is p2 in for an outage". An infinitive behind "going to", behind a
// word that says what is expected, or behind "to" after the subject of "is", makes the whole clause one of the future, whichever verb it is.
import type { Item } from '../item.ts';
import type { Refusal } from '../slots.ts';
import { foundIn, saidIn } from './said.ts';

export function futureIn(items: readonly Item[]): Refusal | undefined {
  const found = foundIn(saidIn(items), GOING, EXPECTED, IS_TO, HEADING, COMING, NEAR);
  if (found === undefined) return undefined;
  return { reason: 'unsupported', words: `what will be ("${found}"); answers say what is and what was` };
}

/** Behind "to", what is no place: "going to p2" and "going to the customers" are ways. */
const INFINITIVE =
  '(?!(?:the|a|an|our|my|your|his|her|this|that|these|those|its|their|any|all|every|some|both|each|and|or|which|what|where) )(?![NZ|] )(?![SP]/)\\S+ ';
const GOING = new RegExp(` (?:(?:going|about) to ${INFINITIVE}|(?:L/)?gonna )`);
const EXPECTED = new RegExp(
  ` (?:L/)?(?:likely|unlikely|bound|expected|scheduled|supposed|planned|meant|certain|liable|prone|destined|poised|slated|predicted|forecast|doomed|on course|on track|due) to (?!T/(?:capacity|loss|errors|trouble)/)${INFINITIVE}`,
);
/** "Is p2 to fail", and not "is there a way to reach p2". */
const IS_TO = new RegExp(
  `(?:^|\\|| when| why| which \\S+) (?:is|are) (?!there |it )(?:(?!for )[^| ]+ )*?(?:N|[SP]/\\S+|T/(?!delay|path|reach)\\S+|we|you|they|it|something|anything) (?:Z )?to ${INFINITIVE}`,
);
const HEADING =
  / (?:(?:L\/)?(?:heading|headed) (?:for|into|towards?) |facing (?:a |an |any |another )*T\/(?:changes|uptime|flap)\/|in for (?:(?:a|an|any|some|more|heavy) )*[TL]\/)/;
/** "A change coming up"; a session that comes up is established. */
const COMING = / (?:T\/(?:changes|uptime|flap)\/\S+|(?:a|any|an) T\/\S+) (?:T\/\w+\/)?coming[_ ]up /;
const NEAR =
  / (?:L\/)?(?:imminent|looming|looms?|impending|upcoming|forthcoming|awaits?|awaiting|foreseen|predicted|anticipated|likely|in store) /;
