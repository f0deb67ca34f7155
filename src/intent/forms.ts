// The grammar table: every form of question that Parley understands. A later kind of intent joins by adding a row.
// Rows only recognise; none of them looks at the network. Implements TS-7a and TS-12.
import type { JsonObject } from '#base/json.ts';
import type { Intent } from '#model/intent.ts';
import { pathOf } from './path.ts';
import { encapsulationIn, pathIn } from './path-phrase.ts';

/** What one row made of a text: how far it got, and the intent when it got all the way. */
export type Recognition =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly understood: readonly string[]; readonly problem: string };

export type IntentForm = {
  readonly kind: Intent['kind'];
  /** One line each, shown to an operator whose question was not understood. */
  readonly examples: readonly string[];
  /** True when the text is about this row's subject. */
  about(text: string): boolean;
  fromText(text: string): Recognition;
  fromStructure(value: JsonObject, text: string): Recognition;
};

const LOSS =
  /\b(?:loss(?:es|y)?|los(?:e|es|ing|t)|drop(?:s|ped|ping)?|discard(?:s|ed|ing)?|missing packets|black-?hol(?:e|ed|ing))\b/i;

const pathLoss: IntentForm = {
  kind: 'path-loss',
  examples: [
    'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2',
    'check loss between PE-1 and PE-3 via P-2 and P-4',
    'is the path PE-1 -> P-2 -> PE-3 dropping packets?',
    '{ kind: path-loss, path: [PE-1, P-2, PE-3] }',
  ],
  about: (text) => LOSS.test(text),
  fromText: (text) => {
    const found = pathIn(text);
    const path = found.length === 0 ? undefined : pathOf(found);
    if (path === undefined)
      return { ok: false, understood: ['packet loss'], problem: 'no path with two ends was named' };
    if (!path.ok) return { ok: false, understood: ['packet loss', `path ${found.join(' > ')}`], problem: path.reason };
    return { ok: true, intent: { kind: 'path-loss', text, path: path.value, encapsulation: encapsulationIn(text) } };
  },
  fromStructure: (value, text) => {
    const unknown = Object.keys(value).filter((key) => !['kind', 'path', 'encapsulation'].includes(key));
    if (unknown.length > 0)
      return { ok: false, understood: ['kind path-loss'], problem: `unknown member ${unknown[0]}` };
    const names = Array.isArray(value['path']) ? value['path'] : [];
    const path = pathOf(names);
    if (!path.ok) return { ok: false, understood: ['kind path-loss'], problem: `path: ${path.reason}` };
    const encapsulation = value['encapsulation'] ?? 'srv6';
    if (encapsulation !== 'srv6' && encapsulation !== 'ip') {
      return { ok: false, understood: ['kind path-loss'], problem: 'encapsulation: expected srv6 or ip' };
    }
    return { ok: true, intent: { kind: 'path-loss', text, path: path.value, encapsulation } };
  },
};

export const INTENT_FORMS: readonly IntentForm[] = [pathLoss];
