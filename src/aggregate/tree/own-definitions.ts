// Tools of every aggregator itself, as they are listed; what they do is in the folder `serve`.
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import type { Asked } from '../asked/asked.ts';
import type { Caller } from '../leaf/events.ts';

export type OwnToolContext = {
  readonly party: Party;
  readonly asked: Asked;
  /** Stands behind the calls that this one makes below. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
};

/** A tool of the aggregator itself that its process hands in. */
export type OwnTool = {
  /** As it is listed. Arguments are checked against its `inputSchema`. */
  readonly definition: JsonObject;
  /** Throws ParleyError; its `data.wireCode` is the code of the answer. */
  call(args: JsonObject, context: OwnToolContext): Promise<JsonObject>;
  /** What a person or a language model reads first. */
  readonly summary?: ((result: JsonObject) => readonly JsonObject[]) | undefined;
};

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
      'Says for each server how many of its notifications were dropped here, because it sent more than is passed on or what only aggregators say, and how many were missing when they came here, as their numbers show.',
    inputSchema: NO_ARGUMENTS,
    annotations: READ_ONLY,
  },
];
