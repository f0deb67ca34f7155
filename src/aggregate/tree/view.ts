// What one kind of client sees of the namespace: a mounted subtree, names with dots or for MCP hosts, and its lists as text, made once and
// kept until something changes.
import type { JsonObject } from '#base/json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { hostNameOf } from '../names/names.ts';
import type { Answer } from '../wire/message.ts';
import { type Entries, type Entry, listedPrompt, listedTool, type ToolEntry } from './entries.ts';

export type ViewInit = {
  readonly names: 'dotted' | 'host';
  /** Only what lies below this path, whose segments the names then lack. */
  readonly mount?: string | undefined;
  /** Three tools by which the others are found and called, in place of all of them. */
  readonly compact: boolean;
};

export type View = {
  /** By the name in this view, or by the one with dots. */
  tool(name: string): ToolEntry | undefined;
  prompt(name: string): Entry | undefined;
  /** What a tool is called here. */
  nameOf(entry: Entry): string;
  tools(): Iterable<ToolEntry>;
  toolDefinition(entry: ToolEntry): JsonObject;
  /** One page of a list, kept; undefined for a cursor that is none. */
  toolPage(cursor: string | undefined): Answer | undefined;
  promptPage(cursor: string | undefined): Answer | undefined;
};

/** `ownTools`: those of the aggregator itself. */
export function createView(init: ViewInit, entries: Entries, ownTools: readonly JsonObject[]): View {
  const prefix = init.mount === undefined ? '' : `${init.mount}.`;
  const visible = (name: string) => {
    const relative = name.slice(prefix.length);
    return init.names === 'host' ? hostNameOf(relative) : relative;
  };
  const tools = byVisibleName(entries.tools, prefix, visible);
  const prompts = byVisibleName(entries.prompts, prefix, visible);
  const nameOf = (entry: Entry) => visible(entry.name);
  // A mounted subtree is not this aggregator: its own tools stand beside the whole only.
  const own = init.mount === undefined ? ownTools : [];
  const toolPages = pagesOf(tools, { member: 'tools', own, listed: listedTool });
  const promptPages = pagesOf(prompts, { member: 'prompts', own: [], listed: listedPrompt });
  return {
    tool: (name) => tools.get(name) ?? inMount(entries.tools, prefix, name),
    prompt: (name) => prompts.get(name) ?? inMount(entries.prompts, prefix, name),
    nameOf,
    tools: () => tools.values(),
    toolDefinition: (entry) => listedTool(entry, nameOf(entry)),
    toolPage: toolPages,
    promptPage: promptPages,
  };
}

function byVisibleName<E extends Entry>(
  entries: ReadonlyMap<string, E>,
  prefix: string,
  visible: (name: string) => string,
): ReadonlyMap<string, E> {
  const shown = [...entries.values()]
    .filter(({ name }) => name.startsWith(prefix))
    .map((entry) => [visible(entry.name), entry] as const)
    .toSorted(([one], [other]) => compare(one, other));
  const found = new Map<string, E>();
  // Two names with one digest: the first keeps the form for hosts, the second is reached by its name with dots alone.
  for (const [name, entry] of shown) if (!found.has(name)) found.set(name, entry);
  return found;
}

function inMount<E>(entries: ReadonlyMap<string, E>, prefix: string, name: string): E | undefined {
  return entries.get(prefix + name) ?? (name.startsWith(prefix) ? entries.get(name) : undefined);
}

/** A cursor is the last name of the page before: a list that changes meanwhile loses nothing that stayed. */
function pagesOf<E extends Entry>(
  entries: ReadonlyMap<string, E>,
  list: Paged<E>,
): (cursor: string | undefined) => Answer | undefined {
  const kept = new Map<string, Answer>();
  const names = [...entries.keys()];
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
    if (kept.size < AGGREGATE_LIMITS.listPages) kept.set(after, page);
    return page;
  };
}

type Paged<E> = {
  readonly member: string;
  /** Before all others. */
  readonly own: readonly JsonObject[];
  readonly listed: (entry: E, name: string) => JsonObject;
};

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

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function encodeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function decodeCursor(cursor: string): string | undefined {
  if (cursor.length > 2 * AGGREGATE_LIMITS.nameChars || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  return Buffer.from(cursor, 'base64url').toString();
}
