// A worked example of a draft as data, and its run: every request as printed, every answer compared with the printed one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { covers, type Difference, differences, valueAt } from './compare.ts';
import type { Json, JsonRecord } from './frames.ts';

/** `row`: the first column of the row of docs/notes-for-draft-authors.md that says why. */
export type KnownDifference = Difference & { readonly row: string };

export type Step = {
  /** Where the draft prints it. */
  readonly section: string;
  /** A connection of the run. */
  readonly over: string;
  /** Of a POST. */
  readonly path?: string;
  /** As printed, where the draft prints a request. */
  readonly send?: JsonRecord;
  /** As printed. */
  readonly answer: JsonRecord;
  /** The answer is the entry of this list that has the printed name. */
  readonly entryOf?: string;
  readonly differences?: readonly KnownDifference[];
  /** A printed value → where the answer has the value that stands for it from here on. */
  readonly bind?: Readonly<Record<string, string>>;
  /** What happens on the device before. */
  readonly first?: string;
};

export type Example = { readonly name: string; readonly steps: readonly Step[] };

export type Told = {
  readonly step: Step;
  readonly unknown: readonly Difference[];
  readonly unused: readonly KnownDifference[];
};

export type Connections = {
  /** Undefined `send`: the next message that comes by itself. */
  exchange(step: Step, send: JsonRecord | undefined): Promise<Json>;
  happen(what: string): Promise<void> | void;
};

const EXAMPLES = join(import.meta.dirname, '../examples');

export function loadExample(file: string): Example {
  return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as Example;
}

/** Differences that no step knows, and those that a step knows and that are not there. */
export async function runExample(example: Example, connections: Connections): Promise<readonly Told[]> {
  const bound = new Map<string, string>();
  const told: Told[] = [];
  for (const step of example.steps) {
    if (step.first !== undefined) await connections.happen(step.first);
    const send = step.send === undefined ? undefined : (withBound(step.send, bound) as JsonRecord);
    const answered = entryOf(step, await connections.exchange(step, send));
    const found = differences(withBound(step.answer, bound), answered);
    const known = step.differences ?? [];
    const isKnown = (one: Difference) => known.some((each) => covers(each, one));
    const isThere = (one: Difference) => found.some((each) => covers(one, each));
    told.push({
      step,
      unknown: found.filter((one) => !isKnown(one)),
      unused: known.filter((one) => !isThere(one)),
    });
    for (const [printed, at] of Object.entries(step.bind ?? {})) bound.set(printed, String(valueAt(answered, at)));
  }
  return told;
}

function entryOf({ entryOf: list, answer }: Step, answered: Json): Json {
  if (list === undefined) return answered;
  const entries = (valueAt(answered, list) ?? []) as readonly JsonRecord[];
  return entries.find(({ name }) => name === answer['name']) ?? {};
}

function withBound(value: Json, bound: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return bound.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item: Json) => withBound(item, bound));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBound(inner, bound)]));
}
