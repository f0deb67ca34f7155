// Compact mode: three tools in place of thousands, over the same lookup, budgets and gates. The index is made once for each view.
import MiniSearch from 'minisearch';
import type { JsonObject } from '#base/json.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import { invalidParams, noSuchTool } from '../codes.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import type { Core } from '../tree/core.ts';
import type { ToolEntry } from '../tree/entries.ts';
import type { View } from '../tree/view.ts';
import { type Answer, resultAnswer } from '../wire/message.ts';
import { callTool, type ToolCall } from './call-tool.ts';

export type Compact = {
  /** Undefined for a tool that is none of the three. */
  call(view: View, call: ToolCall): Promise<Answer> | undefined;
};

export const COMPACT_TOOLS: readonly JsonObject[] = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by words of their names, titles and descriptions, the best first. Call it before describe_tool and call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: AGGREGATE_LIMITS.searchResults },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description: 'Gives the whole definition of one tool, with the schema of its arguments.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls one tool that search_tools has found, with arguments as describe_tool says.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
  },
];

export function createCompact(core: Core): Compact {
  return {
    call(view, call) {
      const args = objectOf(call.params['arguments']);
      switch (call.params['name']) {
        case 'search_tools':
          return search(view, args);
        case 'describe_tool':
          return describe(view, args);
        case 'call_tool':
          return callTool(core, view, innerCall(call, args));
        default:
          return undefined;
      }
    },
  };
}

type Hit = { readonly name: string; readonly title: string; readonly description: string };

const INDEXES = new WeakMap<View, MiniSearch<Hit>>();

function indexOf(view: View): MiniSearch<Hit> {
  const known = INDEXES.get(view);
  if (known !== undefined) return known;
  const index = new MiniSearch<Hit>({
    idField: 'name',
    fields: ['name', 'title', 'description'],
    storeFields: ['name', 'title', 'description'],
    // Words of a name stand between dots, dashes and underscores.
    tokenize: (text) => text.split(/[\s.,;:/()_-]+/).filter((word) => word !== ''),
    searchOptions: { boost: { name: 3, title: 2 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll([...view.tools()].map((entry) => hitOf(view, entry)));
  INDEXES.set(view, index);
  return index;
}

function hitOf(view: View, entry: ToolEntry): Hit {
  const { title, description } = entry.definition;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { name: view.nameOf(entry), title: text(title), description: text(description) };
}

async function search(view: View, args: JsonObject): Promise<Answer> {
  const { query, limit = 10 } = args;
  if (typeof query !== 'string') return invalidParams('expected a query');
  const most = Math.min(Math.max(1, Number(limit) || 1), AGGREGATE_LIMITS.searchResults);
  const found = indexOf(view).search(query).slice(0, most);
  const tools = found.map(({ name, title, description, score }) => ({
    name: String(name),
    ...(title === '' ? {} : { title: String(title) }),
    description: String(description).slice(0, DESCRIPTION_CHARS),
    score: Math.round(score * 100) / 100,
    ...(view.tool(String(name))?.isGated === true ? { needsApproval: true } : {}),
  }));
  return structured({ tools });
}

const DESCRIPTION_CHARS = 300;

async function describe(view: View, args: JsonObject): Promise<Answer> {
  const entry = view.tool(String(args['name']));
  return entry === undefined ? noSuchTool(String(args['name'])) : structured({ tool: view.toolDefinition(entry) });
}

function structured(structuredContent: JsonObject): Answer {
  return resultAnswer({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });
}

/** The call within the call, its arguments byte for byte. */
function innerCall(call: ToolCall, args: JsonObject): ToolCall {
  const outer = memberText(call.paramsText, 'arguments') ?? '{}';
  const inner = memberText(outer, 'arguments') ?? '{}';
  const named = withMember(call.paramsText, 'name', JSON.stringify(args['name'] ?? ''));
  return {
    ...call,
    paramsText: withMember(named, 'arguments', inner),
    params: { ...call.params, name: args['name'] ?? '', arguments: objectOf(args['arguments']) },
  };
}
