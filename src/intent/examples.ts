// Examples of questions that are understood, with names of this network, those nearest to what was typed first.
import { nodeKey } from '#model/names.ts';
import { INTENT_LIMITS } from './limits.ts';
import type { KnownNames } from './reader/names.ts';

/** `A`, `B` and `C` stand for nodes. */
const FORMS: readonly string[] = [
  'What is wrong?',
  'What is wrong with A?',
  'Why can A not reach B?',
  'Why is the path from A to B slow?',
  'Check the link between A and C',
  'Why did A lose its IS-IS adjacency with C?',
  'Why is BGP neighbor 192.0.2.1 down on A?',
  'Did the link between A and C flap in the last 10 minutes?',
  'What was wrong last night?',
  'What changed on A since 14:00?',
  // Whether C is on the way is not known here: it stands below those that need no way.
  'Verify packet loss on the SRv6 path from A to B via C',
  'Which path does traffic take from A to B?',
  'Show me the neighbours of C',
  'How much traffic is on eth1 of A?',
  'Can A reach 198.51.100.7 port 443?',
];
const STAND_INS = ['PE-1', 'PE-3', 'P-2'];

/** At most five. */
export function examplesFor(typed: string, { here, nodes = [] }: KnownNames): readonly string[] {
  const named = nodes.filter((node) => nodeKey(typed).includes(nodeKey(node)));
  const others = [...(here === undefined ? [] : [here]), ...nodes];
  const names = [...new Set([...named, ...others])];
  const [first = STAND_INS[0], second = STAND_INS[1], third = STAND_INS[2]] = names;
  const words = new Set(wordsOf(typed));
  const nearness = (form: string) => wordsOf(form).filter((word) => words.has(word)).length;
  return FORMS.map((form, index) => ({ form, index, near: nearness(form) }))
    .sort((one, other) => other.near - one.near || one.index - other.index)
    .slice(0, INTENT_LIMITS.shownExamples)
    .map(({ form }) => form.replace(/\b[ABC]\b/g, (name) => ({ A: first, B: second, C: third })[name]!));
}

/** Short words are in every question. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z-]{4,}/g) ?? [];
}
