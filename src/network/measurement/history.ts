// The tool `parley-history`: what this node remembers of a span of time, days back. A read; a node without such a memory says so.
import { ParleyError } from '#base/error.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { rememberedRequest } from '#model/router/remembered.ts';
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
    outputSchema: { type: 'object', required: ['reachMs', 'minutes', 'gaps', 'events', 'changes', 'disk'] },
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
