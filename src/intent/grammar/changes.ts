// The row of the grammar for what changed: "what changed in the last hour?", "since 14:00", "today", "on leaf1", "before the fault". A time of
// day means the asked node's own clock: nodes tell how long ago something was, and no two clocks are compared.

import { placesIn } from './fault-forms.ts';
import type { IntentForm, Recognition } from './form.ts';
import { intentOf } from './make-intent.ts';
import { structured } from './structured.ts';
import { clockTimeIn, daysIn, timeOfDayIn, withoutTime } from './time-phrase.ts';

const LEAD =
  '(?:(?:please|so|and|now|hey|hi|hello|(?:can|could)\\s+you|do\\s+you\\s+know|tell\\s+(?:me|us)|show(?:\\s+(?:me|us))?|list|give\\s+(?:me|us))[,:]?\\s+)*';
const CHANGED =
  '(?:changed|changes|been\\s+(?:changed|modified|altered|touched|reconfigured)|(?:was|were|got)\\s+(?:changed|modified|altered|touched|reconfigured))';
const ASKS = new RegExp(
  `^${LEAD}(?:(?:what|which\\s+\\w+|who)(?:'s|\\s+(?:all|else|has|have))*\\s+${CHANGED}|(?:did|has|have)\\s+(?:any(?:thing|one|body)|some(?:thing|one|body))\\s+(?:been\\s+)?changed?|(?:(?:were|are|have)\\s+there\\s+(?:been\\s+)?)?(?:the\\s+|all\\s+|any\\s+|recent\\s+|last\\s+|latest\\s+|what\\s+are\\s+the\\s+)*(?:configuration\\s+|config\\s+)?changes)\\b`,
  'i',
);
const BEFORE_FAULT =
  /\b(?:right\s+|just\s+|shortly\s+)?before\s+(?:(?:the|this|that|our)\s+(?:\w+\s+)?(?:faults?|outage|problems?|trouble|incident|failure|loss|alarm|issue)|(?:it|that|everything|the\s+network)\s+(?:broke|failed|went\s+(?:down|wrong)|stopped))\b/i;
/** Without a time in the question. */
const DAY_MS = 86_400_000;

export const whatChanged: IntentForm = {
  kind: 'changes',
  examples: [
    'what changed in the last hour?',
    'what changed on PE-1 since 14:00?',
    'what changed before the fault?',
    '{ kind: changes, nodes: [PE-1], since: 2h }',
  ],
  about: (text) => ASKS.test(plain(text)),
  fromText,
  fromStructure: (value, text) => {
    const read = structured('changes', value, text, []);
    return read.ok ? { ok: true, intent: { sinceMs: DAY_MS, ...read.intent } } : read;
  },
};

function plain(text: string): string {
  return text.replace(/[?!.]+$/, '').replace(/[’‘]/g, "'");
}

function fromText(sentence: string): Recognition {
  // What was asked is no name of a node.
  const typed = plain(sentence)
    .replace(ASKS, ' ')
    .replace(/\bof\s+(?=the\s+(?:last|past|previous)\b)/i, 'in ');
  if (BEFORE_FAULT.test(typed)) {
    const text = typed.replace(BEFORE_FAULT, ' ');
    const read = intentOf('fault', text, placesIn(text), {});
    return read.ok ? { ok: true, intent: { ...read.intent, beforeFault: true } } : read;
  }
  const clock = timeOfDayIn(typed);
  if (clock !== undefined) {
    const read = intentOf('changes', clock.rest, placesIn(clock.rest), {});
    return read.ok ? { ok: true, intent: { ...read.intent, sinceClock: clock.sinceClock } } : read;
  }
  const days = daysIn(typed);
  const other = days === undefined ? clockTimeIn(typed) : undefined;
  if (other !== undefined)
    return {
      ...{ ok: false, understood: ['what changed'] },
      problem: `"${other}" is no time that is known: say "since 14:00", "today" or "in the last two days"`,
    };
  const { rest, sinceMs = DAY_MS } = days ?? withoutTime(typed);
  return intentOf('changes', rest, placesIn(rest), { sinceMs });
}
