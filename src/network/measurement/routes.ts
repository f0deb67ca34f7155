// The tools `parley-lookups` and `parley-reach`: where this node would send packets for given addresses, and whether a few
// probes to them come back. Bounded; they leave no state behind (TS-22).
import type { ToolDefinition } from '#model/definition.ts';
import { lookupsRequest, reachRequest } from '#model/router/probe-schema.ts';
import type { RouteAnswer, RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';

const reachArguments = reachRequest.extend({ count: reachRequest.shape.count.default(5) }).strip();

export function lookupsTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-lookups',
    title: 'Forwarding lookups',
    description: 'Where this node forwards packets for each of the given addresses.',
    capability: 'parley-lookups',
    mutability: 'read',
    inputSchema: argumentSchema(lookupsRequest),
    outputSchema: { type: 'object', required: ['answers'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const { destinations } = checked(lookupsRequest, args);
      const answers = router.routes
        ? await router.routes(destinations, context.signal)
        : await oneByOne(router, destinations, context.signal);
      return { answers };
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
    inputSchema: argumentSchema(reachArguments),
    outputSchema: { type: 'object', required: ['results'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const { destinations, count, traffic } = checked(reachArguments, args);
      const results = (await router.reach?.(destinations, count, context.signal, traffic)) ?? [];
      return { results };
    },
  };
}
