// What an operator asked becomes an intent: natural language, or YAML/JSON (TS-7a). Guesses nothing: what is not understood
// comes back with what was, and with the forms that are known.
import { parse as parseYaml } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { Intent } from '#model/intent.ts';
import { examplesFor } from './examples.ts';
import { inEnglish, isForeign } from './languages/languages.ts';
import { INTENT_LIMITS } from './limits.ts';
import type { KnownNames } from './reader/names.ts';
import { readSentence } from './reader/read.ts';
import type { Refusal, RefusalReason } from './reader/slots.ts';
import { readStructure } from './structure/forms.ts';
import { unfused } from './words/fused.ts';

export type ParsedIntent =
  | { readonly ok: true; readonly intent: Intent }
  | {
      readonly ok: false;
      /** What was understood and what was missing, for people: "packet loss; no path with two ends was named". */
      readonly understood: string;
      readonly reason: RefusalReason;
      /** The question as it may have been meant. */
      readonly didYouMean?: string;
      /** Examples, nearest first, with names of this network. */
      readonly forms: readonly string[];
      /** True for words of which none says for certain that there is no answer: only those can mean something else than they say. */
      readonly isSentence: boolean;
    };

/** Total: any text gives an intent or says why not. `known`: names of the network, as far as the asked agent knows them. */
export function parseIntent(text: string, known: KnownNames = {}): ParsedIntent {
  if (text.length > LIMITS.intentChars)
    return refuse(`nothing: the text has ${text.length} characters, ${LIMITS.intentChars} are read at most`, known);
  const typed = text.trim();
  if (typed === '') return refuse('nothing: the text is empty', known);
  const structure = structureOf(typed);
  if (structure !== undefined) return fromStructure(structure, typed, known);
  if (/^(?:\{|(?:---\s*\n\s*)?kind\s*:)/.test(typed))
    return refuse('the start of a structure that is no whole YAML or JSON', known);
  const sentence = typed.replace(/\s+/g, ' ');
  const parsed = fromSentence(unfused(sentence, known.nodes), known);
  return parsed.ok ? { ok: true, intent: { ...parsed.intent, text: sentence } } : parsed;
}

function fromSentence(typed: string, known: KnownNames): ParsedIntent {
  const read = readSentence(typed, known);
  // A word of another language that is "not used" may be what turns the question round: "pe2 nicht".
  const isHalfRead = read.ok && read.intent.notUsed?.some((words) => words.split(' ').some(isForeign)) === true;
  if (read.ok && !isHalfRead) return read;
  const foreign = !read.ok && read.isSigned === true ? undefined : inEnglish(typed, isHalfRead);
  if (foreign?.kind === 'refusal') return inLanguage(foreign.words, known, typed);
  const translated = foreign === undefined ? undefined : readSentence(foreign.english, known);
  if (translated?.ok === true) return { ok: true, intent: { ...translated.intent, text: typed } };
  const isCertain = translated?.ok === false && SURE.includes(translated.refusal.reason);
  if (foreign?.otherwise !== undefined && !isCertain) return inLanguage(foreign.otherwise, known, typed);
  const refused = translated ?? read;
  return refused.ok ? { ok: true, intent: refused.intent } : refuse(refused.refusal.words, known, refused, typed);
}

function inLanguage(words: string, known: KnownNames, typed: string): ParsedIntent {
  return refuse(words, known, { refusal: { reason: 'language', words }, isOpen: false }, typed);
}

function fromStructure(value: JsonObject, text: string, known: KnownNames): ParsedIntent {
  const read = readStructure(value, text);
  return read.ok ? read : refuse([...read.understood, read.problem].join('; '), known);
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

/** What a language model may still make sense of: no order, nor what is known to be beyond any answer. */
const SURE: readonly RefusalReason[] = ['order', 'unsupported', 'language', 'unknown-name'];

function refuse(
  understood: string,
  known: KnownNames,
  read?: { readonly refusal: Refusal; readonly isOpen: boolean },
  typed = '',
): ParsedIntent {
  const { reason = 'unclear', didYouMean } = read?.refusal ?? {};
  return {
    // Of an order there is no form that would do it.
    ...{ ok: false, understood, reason, forms: reason === 'order' ? [] : examplesFor(typed, known) },
    ...(didYouMean === undefined ? {} : { didYouMean }),
    isSentence: read?.isOpen === true && !SURE.includes(reason),
  };
}
