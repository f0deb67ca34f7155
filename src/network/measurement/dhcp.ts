// The tool `parley-dhcp`: what DHCP servers would give to a host of this node's networks, asked as a relay asks and never taken. Bounded;
// leaves no state behind (TS-22). For another node it asks only servers to which a route other than the default one leads.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { withinNetwork } from './hosts.ts';

const ADDRESS: JsonObject = { type: 'string', minLength: 7, maxLength: 15 };

export function dhcpTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-dhcp',
    title: 'Addresses on offer',
    description:
      'Asks DHCP servers, as a relay does, what they would offer to a host of a network of this node; takes no lease.',
    capability: 'parley-dhcp',
    listing: 'extended',
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        asks: {
          type: 'array',
          maxItems: LIMITS.dhcpAsks,
          items: {
            type: 'object',
            properties: {
              ifname: { type: 'string', minLength: 1, maxLength: 15 },
              gateway: ADDRESS,
              server: ADDRESS,
              link: ADDRESS,
            },
            required: ['ifname', 'gateway', 'server'],
          },
        },
        patient: { type: 'boolean', default: false },
      },
      required: ['asks'],
    },
    outputSchema: { type: 'object', required: ['answers'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const asked = args['asks'] as unknown as readonly DhcpAsk[];
      const tries = asked.map(({ server }) => ({ destination: server, service: 'udp' }) as const);
      const near = context.caller.kind === 'node' ? await withinNetwork(router, tries, context.signal) : tries;
      const asks = asked.filter((_, index) => near.includes(tries[index]!));
      const answers = (await router.dhcp?.(asks, args['patient'] === true, context.signal)) ?? [];
      return { answers } as unknown as JsonObject;
    },
  };
}
