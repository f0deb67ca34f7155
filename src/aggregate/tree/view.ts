// What one kind of client sees of the namespace: a mounted subtree, names with dots or for MCP hosts, and its lists as text, made once and
// kept until something changes.
import type { JsonObject } from '#base/json.ts';
import { hostNameOf } from '../names/names.ts';
import type { Answer } from '../wire/message.ts';
import { type Entries, type Entry, listedPrompt, listedTool, type ToolEntry } from './entries.ts';
import { compare, pagesOf } from './pages.ts';

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
