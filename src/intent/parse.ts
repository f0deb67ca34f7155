// What an operator asked becomes an intent: natural language, or YAML/JSON (TS-7a). Guesses nothing: what is not understood
// comes back with what was, and with the forms that are known.
import { parse as parseYaml } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Intent } from '#model/intent.ts';
import { whatChanged } from './grammar/changes.ts';
import { inOtherWords } from './grammar/everyday.ts';
import type { Recognition } from './grammar/form.ts';
import { INTENT_FORMS } from './grammar/forms.ts';
import { recognisedIn } from './grammar/recognised.ts';
import { clockTimeIn, withoutTime } from './grammar/time-phrase.ts';
import { INTENT_LIMITS } from './limits.ts';

export type ParsedIntent =
  | { readonly ok: true; readonly intent: Intent }
  | {
      readonly ok: false;
      /** What was understood and what was missing, for people: "packet loss; no path with two ends was named". */
      readonly understood: string;
      /** Examples of every form that is known. */
      readonly forms: readonly string[];
      /** True for words, false for a structure, nothing, or too much: only words can mean something else than they say. */
      readonly isSentence: boolean;
    };

/** Total: any text gives an intent or says why not. */
export function parseIntent(text: string): ParsedIntent {
  if (text.length > LIMITS.intentChars)
    return refuse(`nothing: the text has ${text.length} characters, ${LIMITS.intentChars} are read at most`);
  const typed = text.trim();
  if (typed === '') return refuse('nothing: the text is empty');
  const structure = structureOf(typed);
  if (structure !== undefined) return fromStructure(structure, typed);
  if (/^(?:\{|(?:---\s*\n\s*)?kind\s*:)/.test(typed))
    return refuse('the start of a structure that is no whole YAML or JSON');
  const oneLine = typed.replace(/\s+/g, ' ');
  // What changed has times of day of its own.
  if (whatChanged.about(oneLine))
    return ofSentence(concluded([asTyped(whatChanged.fromText(oneLine), oneLine, undefined)], ''));
  const clockTime = clockTimeIn(oneLine);
  if (clockTime !== undefined)
    return refuse(
      `a question about "${clockTime}"; nodes know how long ago something was, not at what time: say "in the last ten minutes"`,
    );
  const { rest, sinceMs } = withoutTime(oneLine);
  const plain = inOtherWords(rest);
  const rows = INTENT_FORMS.filter((form) => form.about(plain));
  const tries = rows.map((form) => asTyped(form.fromText(plain), oneLine, sinceMs));
  return ofSentence(concluded(tries, ['no question that is known', ...recognisedIn(typed)].join('; ')));
}

function ofSentence(read: ParsedIntent): ParsedIntent {
  return read.ok ? read : { ...read, isSentence: true };
}

/** Loss along a path is measured, and only now: what was lost before is a question about all that lies between its ends. */
function asTyped(read: Recognition, text: string, sinceMs: number | undefined): Recognition {
  if (!read.ok) return read;
  const { intent } = read;
  if (sinceMs === undefined) return { ok: true, intent: { ...intent, text } };
  const about: Intent = intent.kind === 'path-loss' ? { ...intent, kind: 'reachability', encapsulation: 'ip' } : intent;
  return { ok: true, intent: { ...about, text, sinceMs } };
}

function fromStructure(value: JsonObject, text: string): ParsedIntent {
  const row = INTENT_FORMS.find((form) => form.kind === value['kind']);
  const kinds = INTENT_FORMS.map((form) => form.kind).join(', ');
  if (row === undefined) return refuse(`a structure without a kind that is known (${kinds})`);
  return concluded([row.fromStructure(value, text)], '');
}

function concluded(tries: readonly Recognition[], nothing: string): ParsedIntent {
  const complete = tries.find((entry) => entry.ok);
  if (complete !== undefined) return complete;
  const first = tries.find((entry) => !entry.ok);
  return refuse(first === undefined ? nothing : [...first.understood, first.problem].join('; '));
}

/** JSON and YAML objects are structures; a sentence, even one that YAML could read, is not. */
function structureOf(text: string): JsonObject | undefined {
  if (!/^\{|^(?:---\s*\n)?\s*[A-Za-z_-]+\s*:(?:\s|$)/.test(text)) return undefined;
  const value = jsonOf(text) ?? (isFlatYaml(text) ? yamlOf(text) : undefined);
  return isJsonObject(value) && (text.startsWith('{') || 'kind' in value) ? value : undefined;
}

/**
 * A YAML parser goes back over nested brackets, `? ` keys and `- - ` lists, and each level multiplies its time: 2,000 characters took
 * minutes. So it only ever sees a flat structure: no such keys, anchors, aliases, tags or blocks, few brackets, few lines.
 */
function isFlatYaml(text: string): boolean {
  const countOf = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  if (countOf(/[[{]/g) > INTENT_LIMITS.intentBrackets) return false;
  if (countOf(/[\r\n]/g) >= INTENT_LIMITS.intentLines || countOf(/:/g) > INTENT_LIMITS.intentLines) return false;
  return !/[?&*!|>%@`\t]|-\s+-\s/.test(text.replace(/^---\s*\n/, ''));
}

function jsonOf(text: string): JsonValue | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function yamlOf(text: string): JsonValue | undefined {
  try {
    return parseYaml(text, {
      maxAliasCount: 0,
      uniqueKeys: true,
      prettyErrors: false,
      // Anything less, and what is broken is mended in silence: half a structure would be a whole question.
      logLevel: 'error',
    }) as JsonValue;
  } catch {
    return undefined;
  }
}

function refuse(understood: string): ParsedIntent {
  return { ok: false, understood, forms: INTENT_FORMS.flatMap((form) => form.examples), isSentence: false };
}
