// The tool `parley-history`: what this node remembers of a span of time, days back. A read; a node without such a memory says so.
import { ParleyError } from '#base/error.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { rememberedRequest } from '#model/router/remembered-days.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';

export function historyTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-history',
    title: 'What this node remembers',
    description:
      'Of a span of time, days back: what went up and down, losses of its link probes, errors of its interfaces, changes of settings, and how far memory reaches.',
    capability: 'ietf-interface-counters',
    mutability: 'read',
    inputSchema: argumentSchema(rememberedRequest),
    outputSchema: {
      type: 'object',
      properties: {
        reachMs: { type: 'integer', description: 'How far back memory reaches' },
        minutes: { type: 'integer', description: 'Minutes of the span that were recorded' },
        gaps: { type: 'array', description: 'Times of the span of which nothing is recorded' },
        events: { type: 'array', description: 'What went up and down, newest first' },
        losses: { type: 'array', description: 'Minutes in which probes over a link were lost' },
        errors: { type: 'array', description: 'Minutes in which an interface counted errors or drops' },
        links: { type: 'array', description: 'What was measured over each link in the whole span' },
        changes: { type: 'array', description: 'Changes of settings, newest first' },
        left: { type: 'integer', description: 'Rows that had no room' },
        disk: { type: 'object', description: 'Octets on disk, and how many there may be' },
      },
      required: ['reachMs', 'minutes', 'gaps', 'events', 'changes', 'disk'],
    },
    callers: ['node', 'operator', 'controller'],
    listing: 'extended',
    call: async (args, context) => {
      const request = checked(rememberedRequest, args);
      if (router.remembered === undefined)
        throw new ParleyError('node/no-days', 'expected a node with a memory of days, this one has none');
      return { ...(await router.remembered(request, context.signal)) };
    },
  };
}
