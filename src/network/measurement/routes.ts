// The tools `parley-lookups` and `parley-reach`: where this node would send packets for given addresses, and whether a few
// probes to them come back. Bounded; they leave no state behind (TS-22).
import type { ToolDefinition } from '#model/definition.ts';
import { costOfReach } from '#model/links/probe-cost.ts';
import { lookupsRequest, reachRequest } from '#model/router/probe-schema.ts';
import type { RouteAnswer, RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';
import { NETWORK_LIMITS } from '../limits.ts';
import { refuseForeignSource, withinNetwork } from './hosts.ts';
import { questionOf } from './probe-key.ts';

const reachArguments = reachRequest
  .omit({ question: true })
  .extend({ count: reachRequest.shape.count.default(5) })
  .strip();

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
    listing: 'agents',
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
    probes: (args) => costOfReach(checked(reachArguments, args)),
    inputSchema: argumentSchema(reachArguments),
    outputSchema: { type: 'object', required: ['results'] },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const { destinations: asked, count, traffic, packetBytes, sources } = checked(reachArguments, args);
      for (const source of sources ?? []) await refuseForeignSource(router, source, context.signal);
      // Agents alone answer UDP probes, each within its own bounds; any host answers the others.
      const isBounded = context.caller.kind === 'node' && traffic !== undefined;
      const isOnLink = isBounded ? router.onLink?.() : undefined;
      const destinations = isOnLink ? await reachable(router, isOnLink, { asked, count }, context.signal) : asked;
      const send =
        destinations.length === 0
          ? undefined
          : router.reach?.(
              {
                ...{ destinations, count },
                ...(traffic === undefined ? {} : { traffic }),
                ...(packetBytes === undefined ? {} : { packetBytes }),
                ...(sources === undefined ? {} : { sources }),
                ...questionOf(context),
              },
              context.signal,
            );
      const results = (await send) ?? [];
      const left = [...new Set(asked)].filter((destination) => !destinations.includes(destination));
      return { results, ...(left.length === 0 ? {} : { left }) };
    },
  };
}

/**
 * What is on this node's links, and for a few probes what is within its network. IPv6 lookups do not tell the route that matched, so that of
 * IPv6 all that has a way counts as within.
 */
async function reachable(
  router: RouterPort,
  isOnLink: (address: string) => boolean,
  { asked, count }: { readonly asked: readonly string[]; readonly count: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const far = asked.filter((destination) => !isOnLink(destination));
  if (far.length === 0) return asked;
  if (count > NETWORK_LIMITS.farProbes) return asked.filter(isOnLink);
  const echoes = far.map((destination) => ({ destination, service: 'echo' }) as const);
  const within = new Set((await withinNetwork(router, echoes, signal)).map(({ destination }) => destination));
  return asked.filter((destination) => isOnLink(destination) || destination.includes(':') || within.has(destination));
}
