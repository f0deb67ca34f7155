// Tools of agents as tools of an aggregator: the same definition, for operators and controllers.
import type { OwnTool } from '#aggregate/tree/own-definitions.ts';
import { ParleyError } from '#base/error.ts';
import type { ToolDefinition } from '#model/definition.ts';

export function ownToolOf(tool: ToolDefinition): OwnTool {
  const { name, title, description, inputSchema, outputSchema, callers } = tool;
  return {
    definition: {
      ...{ name, title, description, inputSchema, outputSchema },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async call(args, { party, signal }) {
      // A parent asks for its clients: it counts as a controller, as at an agent.
      if (party.kind !== 'node' && !callers.includes(party.kind))
        throw new ParleyError('caller/not-permitted', `expected an operator, got ${party.kind}/${party.name}`);
      return tool.call(args, { caller: party, signal, progress: () => {} });
    },
  };
}
