// Tools of every aggregator itself, as they are listed; what they do is in the folder `serve`.
import type { JsonObject } from '#base/json.ts';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };
const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false };

export const OWN_TOOLS: readonly JsonObject[] = [
  {
    name: 'aggregate_tree',
    title: 'Tree of servers',
    description:
      'Shows which MCP servers and aggregators stand below this one, how each is, and what was spent of budgets.',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
  },
  {
    name: 'notifications_dropped',
    title: 'Dropped notifications',
    description:
      'Says for each server how many of its notifications were dropped, because it sent more than is passed on.',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
  },
];
