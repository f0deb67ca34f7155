// The grammar table: every form of question that Parley understands. A later kind of intent joins by adding a row.
// Rows only recognise; none of them looks at the network. Implements TS-7a and TS-12.
import { parsePrefix } from '#base/ip.ts';
import { whatChanged } from './changes.ts';
import { ADDRESSED, addressed, FAULT_FORMS } from './fault-forms.ts';
import type { IntentForm } from './form.ts';
import { pathOf } from './path.ts';
import { encapsulationIn, pathIn } from './path-phrase.ts';

const LOSS =
  /\b(?:loss(?:es|y)?|los(?:e|es|ing|t)|drop(?:s|ped|ping)?|discard(?:s|ed|ing)?|missing packets|(?:packets|frames|traffic) (?:go|goes|going|gone|are|is) missing|black-?hol(?:e|ed|ing))\b/i;

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
    // Loss on the way to an address that need not be a node's: whether it can be reached is the question that is known.
    if (found.some((name) => parsePrefix(name) !== undefined) || (found.length === 0 && ADDRESSED.test(text)))
      return addressed(text);
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

export const INTENT_FORMS: readonly IntentForm[] = [pathLoss, ...FAULT_FORMS, whatChanged];
