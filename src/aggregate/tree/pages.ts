// A list in pages, as text that is made once.
import type { JsonObject } from '#base/json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Answer } from '../wire/message.ts';

export type Paged<E> = {
  /** Of the result: where the entries stand. */
  readonly member: string;
  /** Before all others. */
  readonly own: readonly JsonObject[];
  readonly listed: (entry: E, name: string) => JsonObject;
};

/** A cursor is the last name of the page before: a list that changes meanwhile loses nothing that stayed. Undefined for a cursor that is none. */
export function pagesOf<E>(
  entries: ReadonlyMap<string, E>,
  list: Paged<E>,
): (cursor: string | undefined) => Answer | undefined {
  const kept = new Map<string, Answer>();
  const names = [...entries.keys()].toSorted(compare);
  return (cursor) => {
    const after = cursor === undefined ? '' : decodeCursor(cursor);
    if (after === undefined) return undefined;
    const known = kept.get(after);
    if (known !== undefined) return known;
    const from = after === '' ? 0 : indexAfter(names, after);
    const text = pageText(names.slice(from), list, after === '' ? list.own : [], (name) =>
      JSON.stringify(list.listed(entries.get(name)!, name)),
    );
    const page: Answer = { kind: 'result', text, isKept: true };
    // Not under a cursor that a client has made up.
    if ((after === '' || entries.has(after)) && kept.size < AGGREGATE_LIMITS.listPages) kept.set(after, page);
    return page;
  };
}

function pageText(
  names: readonly string[],
  { member }: { readonly member: string },
  own: readonly JsonObject[],
  textOf: (name: string) => string,
): string {
  const texts = own.map((each) => JSON.stringify(each));
  let chars = 0;
  let taken = 0;
  for (const name of names) {
    const text = textOf(name);
    chars += text.length;
    if (taken >= AGGREGATE_LIMITS.pageEntries || (taken > 0 && chars > AGGREGATE_LIMITS.pageChars)) break;
    texts.push(text);
    taken += 1;
  }
  const last = names[taken - 1];
  const next = taken < names.length && last !== undefined ? `,"nextCursor":${JSON.stringify(encodeCursor(last))}` : '';
  return `{"${member}":[${texts.join(',')}]${next}}`;
}

function indexAfter(names: readonly string[], last: string): number {
  const index = names.findIndex((name) => compare(name, last) > 0);
  return index === -1 ? names.length : index;
}

export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function encodeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > AGGREGATE_LIMITS.cursorChars || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  return Buffer.from(cursor, 'base64url').toString();
}
