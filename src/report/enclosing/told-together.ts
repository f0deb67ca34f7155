// What several regions say of changes, and in tables, as one list: rows that two of them have stand once. Judges nothing. Pure.
import type { ToldChanges, ToldTable } from '#model/finding.ts';
import type { Report } from '#model/report.ts';

/** Nearest first, over the whole time that one of them was asked about; undefined where none tells changes. */
export function changesOf(reports: readonly Report[]): ToldChanges | undefined {
  const told = reports.flatMap(({ changes }) => changes ?? []);
  if (told.length < 2) return told[0];
  return {
    sinceMs: Math.max(...told.map(({ sinceMs }) => sinceMs)),
    untilMs: Math.min(...told.map(({ untilMs }) => untilMs)),
    changes: onceEach(told.flatMap(({ changes }) => changes)).toSorted((one, other) => one.agoMs - other.agoMs),
    left: told.reduce((total, { left }) => total + left, 0),
    notKnown: onceEach(told.flatMap(({ notKnown }) => notKnown)),
  };
}

/** Undefined where none has a table, or theirs are of different things. */
export function tableOf(reports: readonly Report[]): ToldTable | undefined {
  const told = reports.flatMap(({ table }) => table ?? []);
  const [first] = told;
  if (first === undefined || told.length === 1) return first;
  const headOf = ({ title, columns }: ToldTable) => JSON.stringify([title, columns]);
  if (told.some((each) => headOf(each) !== headOf(first))) return undefined;
  const isTimed = told.every(({ agesMs, rows }) => agesMs?.length === rows.length);
  const pairs = told.flatMap(({ rows, agesMs }) => rows.map((row, at) => ({ row, ageMs: agesMs?.[at] ?? 0 })));
  const once = [...new Map(pairs.map((pair) => [JSON.stringify(pair.row), pair])).values()];
  const sorted = isTimed ? once.toSorted((one, other) => one.ageMs - other.ageMs) : once;
  return {
    ...{ title: first.title, columns: first.columns, rows: sorted.map(({ row }) => row) },
    ...(isTimed ? { agesMs: sorted.map(({ ageMs }) => ageMs) } : {}),
    left: told.reduce((total, { left }) => total + left, 0),
    notKnown: onceEach(told.flatMap(({ notKnown }) => notKnown)),
  };
}

function onceEach<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
