// What differs between an answer as a draft prints it and the answer that came: each difference must be known by its place and kind, and none
// may be known that is not there.
import type { Json, JsonRecord } from './frames.ts';

/**
 * `value`: of the same type. `longer`: a text that begins as printed. `extra`: a member that is not printed. `missing`: one that is printed and
 * does not come. `at` may end in `.*`: whatever is of that kind below.
 */
export type Difference = { readonly at: string; readonly as: 'value' | 'longer' | 'extra' | 'missing' };

export function differences(printed: Json, got: Json, at = ''): readonly Difference[] {
  if (isRecord(printed) && isRecord(got)) {
    const names = [...new Set([...Object.keys(printed), ...Object.keys(got)])];
    return names.flatMap((name) => member(printed[name], got[name], at === '' ? name : `${at}.${name}`));
  }
  if (
    !isElided(printed) &&
    Array.isArray(printed) &&
    Array.isArray(got) &&
    [...printed, ...got].some((item) => typeof item === 'object')
  )
    return [...Array(Math.max(printed.length, got.length)).keys()].flatMap((index) =>
      member(printed[index], got[index], `${at}.${index}`),
    );
  if (JSON.stringify(printed) === JSON.stringify(got)) return [];
  if (isElided(printed) && Array.isArray(got) && got.length > 1) return [{ at, as: 'value' }];
  if (typeof printed === 'string' && typeof got === 'string' && got.startsWith(printed)) return [{ at, as: 'longer' }];
  if (kindOf(printed) === kindOf(got)) return [{ at, as: 'value' }];
  return [
    { at, as: 'missing' },
    { at, as: 'extra' },
  ];
}

/** Whether a known difference is about one that was found. */
export function covers(known: Difference, found: Difference): boolean {
  if (known.as !== found.as) return false;
  return known.at.endsWith('*') ? found.at.startsWith(known.at.slice(0, -1)) : known.at === found.at;
}

function member(printed: Json | undefined, got: Json | undefined, at: string): readonly Difference[] {
  if (printed === undefined) return [{ at, as: 'extra' }];
  if (got === undefined) return [{ at, as: 'missing' }];
  return differences(printed, got, at);
}

/** `[ … 1000 items … ]` */
function isElided(value: Json): boolean {
  return Array.isArray(value) && value.length === 1 && String(value[0]).startsWith('…');
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a place such as `result.contents.0.uri`. */
export function valueAt(value: Json, at: string): Json | undefined {
  return at
    .split('.')
    .reduce<Json | undefined>((inner, name) => (inner as Record<string, Json> | undefined)?.[name], value);
}
