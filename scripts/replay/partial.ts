// What is concluded of a kept case when a part of its evidence is not there, or is of another size or age: nodes that do not tell a part of
// their state, nodes that are silent, measurements that were not made. A record of conclusions, not of wordings.

import { basename } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Diagnosis } from '#model/finding.ts';
import { CASE, loadCase } from './case-files.ts';
import { inputOf, type ReplayCase } from './replay-case.ts';
import { translated } from './translate.ts';

/** Conclusion → the changes of the evidence that lead to it; what leaves the conclusion as it is stands first. */
export type PartialConclusions = Readonly<Record<string, readonly string[]>>;

type Part = { readonly name: string; readonly change: (each: ReplayCase) => ReplayCase };
type Entry = ReplayCase['evidence'][number];

/** Of all changes of a case every so many are made: which, differs from case to case. */
const EVERY = 8;
/** Parts without which a state is none. */
const NEEDED = new Set(['inventory', 'missing', 'neighbours', 'adjacencies', 'filters', 'nodeCounters']);

/** The first case of each kind (`fault-link_down`, `healthy`) by the names of the files. */
export function firstOfEachKind(files: readonly string[]): readonly string[] {
  const kindOf = (file: string) => basename(file, CASE).replace(/-[0-9a-f]+$/, '');
  return [...new Map([...files].reverse().map((file) => [kindOf(file), file])).values()].reverse();
}

export function partialConclusionsOf(file: string, index: number): PartialConclusions {
  return partialConclusions(translated(loadCase(file).case), index);
}

/** @param index of the case in its list */
export function partialConclusions(each: ReplayCase, index: number): PartialConclusions {
  const found = new Map([[conclusionOf(diagnose(inputOf(each))), ['all']]]);
  for (const { name, change } of partsOf(each).filter((_, place) => (place + index) % EVERY === 0)) {
    const conclusion = conclusionOf(diagnose(inputOf(change(each))));
    found.set(conclusion, [...(found.get(conclusion) ?? []), name]);
  }
  return Object.fromEntries(found);
}

function conclusionOf({ verdict, findings, remarks = [], candidates, clues, links }: Diagnosis): string {
  const named = findings.map(({ fault, resource, confidence, remedy }) =>
    [confidence, fault, resource, ...(remedy?.change === undefined ? [] : [JSON.stringify(remedy.change)])].join(' '),
  );
  const others = candidates.filter(({ chosen }) => !chosen).map(({ fault, resource }) => `not ${fault} ${resource}`);
  const kinds = [...Map.groupBy(clues, ({ kind }) => kind)].map(([kind, { length }]) => `${length} ${kind}`).sort();
  const sums = [
    `${verdict.reasons.length + remarks.length} reasons`,
    `${links.length} links`,
    `clues: ${kinds.join(', ')}`,
  ];
  return [verdict.kind, ...named, ...others.sort(), ...sums].join('; ');
}

function partsOf(each: ReplayCase): readonly Part[] {
  const states = each.evidence.filter(({ kind }) => kind === 'state').map(({ body }) => objectOf(body));
  const names = unique(states.flatMap(Object.keys)).filter((name) => !NEEDED.has(name));
  const kept = unique(states.flatMap((state) => Object.keys(objectOf(state['history']))));
  return [
    ...names.map((name) => ofStates(`without ${name}`, (state) => without(state, name))),
    ...kept.map((name) =>
      ofStates(`without history.${name}`, (state) => ({
        ...state,
        history: without(objectOf(state['history']), name),
      })),
    ),
    ...each.nodeNames.map((node) => dropping(`${node} silent`, (entry) => entry.node === node)),
    ...unique(each.evidence.map(({ kind }) => kind)).map((kind) =>
      dropping(`no ${kind}`, (entry) => entry.kind === kind),
    ),
    dropping('no state before', ({ kind, phase }) => kind === 'state' && phase === 'before'),
    dropping('no state after', ({ kind, phase }) => kind === 'state' && phase === 'after'),
    ofBodies('half the losses', halfLost),
    ofBodies('ages doubled', (value) => withAges(value, 2)),
    ofBodies('ages halved', (value) => withAges(value, 0.5)),
  ];
}

function dropping(name: string, isDropped: (entry: Entry) => boolean): Part {
  return {
    name,
    change: (each) => {
      const gone = new Set(each.evidence.filter(isDropped).map(({ id }) => id));
      const evidence = each.evidence.filter(({ id }) => !gone.has(id));
      const outcomes = each.outcomes.map((outcome) =>
        gone.has(outcome.callId) ? { ...outcome, status: 'timed-out' as const } : outcome,
      );
      return { ...each, evidence, outcomes };
    },
  };
}

function ofBodies(name: string, change: (body: JsonValue) => JsonValue): Part {
  const changed = (entry: Entry): Entry => (entry.body === undefined ? entry : { ...entry, body: change(entry.body) });
  return { name, change: (each) => ({ ...each, evidence: each.evidence.map(changed) }) };
}

function ofStates(name: string, change: (state: JsonObject) => JsonObject): Part {
  const changed = (entry: Entry): Entry =>
    entry.kind === 'state' && isJsonObject(entry.body) ? { ...entry, body: change(entry.body) } : entry;
  return { name, change: (each) => ({ ...each, evidence: each.evidence.map(changed) }) };
}

/** Probes and echoes of which half as many are lost, on their way there and back. */
function halfLost(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(halfLost);
  if (!isJsonObject(value)) return value;
  const rest = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, halfLost(each)]));
  const { sent, received, reflected } = value;
  if (typeof sent !== 'number' || typeof received !== 'number') return rest;
  const less = (arrived: number) => sent - Math.floor((sent - arrived) / 2);
  return {
    ...rest,
    received: less(received),
    ...(typeof reflected === 'number' ? { reflected: less(reflected) } : {}),
  };
}

/** Everything that a node tells the age of, so many times as old. */
function withAges(value: JsonValue, times: number): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withAges(each, times));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      /(?:agoMs|AgoMs|upMs)$/.test(name) && typeof each === 'number' ? Math.round(each * times) : withAges(each, times),
    ]),
  );
}

function without(state: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([each]) => each !== name));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)].sort();
}
