// Checks of single arguments, for operations whose requests are not schemas: what passes is an enumerated word, a number within bounds,
// or text within a length; nothing else can reach a program's argument list, so nothing can be injected into one.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { refuse } from '#model/wire/check.ts';

export function oneOf<Word extends string | boolean>(words: readonly Word[], value: JsonValue | undefined): Word {
  return words.find((word) => word === value) ?? refuse(`one of ${words.join(', ')}`, value);
}

export function integer(value: JsonValue | undefined, least: number, most: number): number {
  return Number.isInteger(value) && within(value, least, most)
    ? (value as number)
    : refuse(`an integer from ${least} to ${most}`, value);
}

/** Unknown members are refused: what is misspelled must not be silently left out. */
export function onlyMembers(args: JsonObject, names: readonly string[]): void {
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`only the members ${names.join(', ') || '(none)'}`, unknown);
}

/** Text of at most `mostChars`; what it may say is the operation's to check. */
export function text(value: JsonValue | undefined, mostChars: number): string {
  return typeof value === 'string' && value.length <= mostChars
    ? value
    : refuse(`text of at most ${mostChars} characters`, typeof value === 'string' ? value.length : value);
}

export function matching(pattern: RegExp, what: string, value: JsonValue | undefined): string {
  return typeof value === 'string' && pattern.test(value) ? value : refuse(what, typeof value);
}

function within(value: JsonValue | undefined, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}
