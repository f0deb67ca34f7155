// Whether names, URIs and YANG paths fit what a rule or a scope of a token names [NET-16, TS-29]. Pure.
import { canonicalUri, sameKey } from '../router/key-spelling.ts';
import { LIST_KEYS, type PathStep } from '../router/yang-path.ts';

/** `pattern`: a name, or its beginning and `*`; everything when absent. */
export function fits(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

export function fitsUri(pattern: string | undefined, uri: string, isDeny: boolean): boolean {
  const spelling = (text: string) => canonicalUri(text, isDeny);
  return fits(pattern === undefined ? undefined : spelling(pattern), spelling(uri));
}

/**
 * Where `steps` lie: within the subtree that `path` names, above it on the way there (the keys of lists on the way included), or apart.
 * `unkeyed`: what a list that is named without keys counts as.
 */
export function placeOf(
  path: readonly PathStep[],
  steps: readonly PathStep[],
  unkeyed: boolean,
): 'within' | 'above' | 'apart' {
  let module: string | undefined;
  let ruleModule: string | undefined;
  for (const [index, wanted] of path.entries()) {
    const step = steps[index];
    if (step === undefined) return 'above';
    module = step.module ?? module;
    ruleModule = wanted.module ?? ruleModule;
    if (step.name !== wanted.name || module !== ruleModule)
      return isKeyOf(path[index - 1], steps, index) ? 'above' : 'apart';
    if (!sameEntry(wanted, step, unkeyed)) return isListAbove(step, steps, index) ? 'above' : 'apart';
  }
  return 'within';
}

/** The last step is a key of the entry that the path leads through. */
function isKeyOf(list: PathStep | undefined, steps: readonly PathStep[], index: number): boolean {
  if (list === undefined || index !== steps.length - 1) return false;
  return keysOf(list).some(([name]) => bare(name) === steps[index]!.name);
}

/** The list as a whole, of which the path names an entry. */
function isListAbove(step: PathStep, steps: readonly PathStep[], index: number): boolean {
  return index === steps.length - 1 && keysOf(step).length === 0;
}

/** `unkeyed`: what a list that is named without keys counts as. */
function sameEntry(wanted: PathStep, step: PathStep, unkeyed: boolean): boolean {
  const keys = keysOf(wanted);
  const given = keysOf(step);
  if (keys.length === 0) return true;
  if (given.length === 0) return unkeyed;
  return keys.every(([name, value]) => {
    const found = given.find((entry) => entry[0] === name || bare(entry[0]) === bare(name));
    return found === undefined ? unkeyed : sameKey(found[0], found[1], value);
  });
}

/** By name; positions take the names of the list's keys. */
function keysOf(step: PathStep): readonly (readonly [string, string])[] {
  if (!Array.isArray(step.keys)) return Object.entries(step.keys);
  const names = LIST_KEYS[step.name] ?? [];
  return step.keys.map((value: string, index) => [names[index] ?? String(index), value] as const);
}

function bare(name: string): string {
  return name.split(':').at(-1)!;
}
