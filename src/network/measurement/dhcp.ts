// The tool `parley-dhcp`: what DHCP servers would give to a host of this node's networks, asked as a relay asks and never taken. Bounded;
// leaves no state behind (TS-22). For another node it asks only servers to which a route other than the default one leads.
import type { ToolDefinition } from '#model/definition.ts';
import { costOfDhcp } from '#model/links/probe-cost.ts';
import { dhcpRequest } from '#model/router/dhcp.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';
import { withinNetwork } from './hosts.ts';

/** An unknown argument of a newer peer is passed over. */
const dhcpArguments = dhcpRequest.extend({ patient: dhcpRequest.shape.patient.default(false) }).strip();

export function dhcpTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-dhcp',
    title: 'Addresses on offer',
    description:
      'Asks DHCP servers, as a relay does, what they would offer to a host of a network of this node; takes no lease.',
    capability: 'parley-dhcp',
    listing: 'agents',
    mutability: 'probe',
    probes: (args) => costOfDhcp(checked(dhcpArguments, args)),
    inputSchema: argumentSchema(dhcpArguments),
    outputSchema: { type: 'object', required: ['answers'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const { asks: asked, patient } = checked(dhcpArguments, args);
      const tries = asked.map(({ server }) => ({ destination: server, service: 'udp' }) as const);
      const near = context.caller.kind === 'node' ? await withinNetwork(router, tries, context.signal) : tries;
      const asks = asked.filter((_, index) => near.includes(tries[index]!));
      const answers = (await router.dhcp?.(asks, patient, context.signal)) ?? [];
      return { answers };
    },
  };
}
