// One difference between two diagnoses, and the comparison of plain values: another number, truth, name or member is a difference of the
// diagnosis; another sentence is a difference of words.
import { isJsonObject } from '#base/json.ts';

export type Difference = {
  readonly kind: 'diagnosis' | 'words';
  readonly what: string;
  /** As text; absent: there was none. */
  readonly expected?: string;
  readonly actual?: string;
};

export function differs(what: string, expected: unknown, actual: unknown): Difference {
  return differenceOf('diagnosis', what, expected, actual);
}

export function wordsDiffer(what: string, expected: string | undefined, actual: string | undefined): Difference {
  return differenceOf('words', what, expected, actual);
}

/** Texts beside each other; that one of them is missing is no matter of words where the other says something. */
export function textual(what: string, expected: string | undefined, actual: string | undefined): readonly Difference[] {
  return expected === actual ? [] : [wordsDiffer(what, expected, actual)];
}

/** What only one of the two lists holds, each as often as it stands there more. */
export function ofLists(expected: readonly string[], actual: readonly string[]) {
  const extra = [...actual];
  const missing = expected.filter((each) => {
    const at = extra.indexOf(each);
    if (at >= 0) extra.splice(at, 1);
    return at < 0;
  });
  return { missing, extra };
}

/** Leaf by leaf; lists in their order. */
export function inValues(what: string, expected: unknown, actual: unknown): readonly Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      return [differs(`${what}: how many`, String(expected.length), String(actual.length))];
    return expected.flatMap((each, at) => inValues(`${what}[${at}]`, each, actual[at]));
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort();
    return names
      .filter((name) => expected[name] !== undefined || actual[name] !== undefined)
      .flatMap((name) => inValues(`${what}.${name}`, expected[name], actual[name]));
  }
  if (Object.is(expected, actual)) return [];
  const areSentences = [expected, actual].every((each) => typeof each === 'string' && each.includes(' '));
  return [differenceOf(areSentences ? 'words' : 'diagnosis', what, expected, actual)];
}

function differenceOf(kind: Difference['kind'], what: string, expected: unknown, actual: unknown): Difference {
  return {
    ...{ kind, what },
    ...(expected === undefined ? {} : { expected: textOf(expected) }),
    ...(actual === undefined ? {} : { actual: textOf(actual) }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
