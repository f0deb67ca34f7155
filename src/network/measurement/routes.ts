// The tools `parley-lookups` and `parley-reach`: where this node would send packets for given addresses, and whether a few
// probes to them come back. Bounded; they leave no state behind (TS-22).
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { RouteAnswer, RouterPort } from '#model/router/router-port.ts';

const ADDRESSES: JsonObject = { type: 'string', minLength: 2, maxLength: 45 };

export function lookupsTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-lookups',
    title: 'Forwarding lookups',
    description: 'Where this node forwards packets for each of the given addresses.',
    capability: 'parley-lookups',
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: { destinations: { type: 'array', items: ADDRESSES, maxItems: LIMITS.lookups } },
      required: ['destinations'],
    },
    outputSchema: { type: 'object', required: ['answers'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const destinations = (args['destinations'] as readonly string[]).map(String);
      const answers = router.routes
        ? await router.routes(destinations, context.signal)
        : await oneByOne(router, destinations, context.signal);
      return { answers } as unknown as JsonObject;
    },
  };
}

async function oneByOne(
  router: RouterPort,
  destinations: readonly string[],
  signal: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const answers: RouteAnswer[] = [];
  for (const destination of destinations) answers.push(await router.route(destination, signal));
  return answers;
}

export function reachTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-reach',
    title: 'Reachability probes',
    description: 'Sends a few probes to each of the given addresses and counts what comes back.',
    capability: 'parley-reach',
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        destinations: { type: 'array', items: ADDRESSES, maxItems: LIMITS.reachDestinations },
        count: { type: 'integer', minimum: 1, maximum: LIMITS.reachProbes, default: 5 },
      },
      required: ['destinations'],
    },
    outputSchema: { type: 'object', required: ['results'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const destinations = (args['destinations'] as readonly string[]).map(String);
      const results = (await router.reach?.(destinations, Number(args['count'] ?? 5), context.signal)) ?? [];
      return { results } as unknown as JsonObject;
    },
  };
}
