// The tools `parley-node-state` and `ietf-interface-counters`: what both ends of every link say at one moment.
import * as z from 'zod';
import type { ToolDefinition } from '#model/definition.ts';
import type { ToldExpectations } from '#model/expectations.ts';
import { probeKey } from '#model/router/probe-schema.ts';
import { type RouterPort, STATE_PARTS } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { oneOf } from '#model/wire/fields.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';
import { admitProbes } from './probe-key.ts';

const noArguments = z.object({});
const stateArguments = z.object({
  parts: oneOf(STATE_PARTS).default('wire'),
  probeKey: probeKey.meta({ description: 'By which this node knows the probes of the question' }).exactOptional(),
});

const NOTHING_SAID = async (): Promise<ToldExpectations> => ({ lines: [] });

/** Inventory, counters, neighbours, adjacencies and packet filters (model/router/router-port.ts `NodeState`), and what `told` adds. */
export function nodeStateTool(
  router: RouterPort,
  told: () => Promise<ToldExpectations> = NOTHING_SAID,
): ToolDefinition {
  return {
    name: 'parley-node-state',
    title: 'State of this node',
    description:
      'Interfaces with counters, SRv6 SIDs, LLDP neighbours, IS-IS adjacencies and packet filters with counters; on request also routing protocols, hand-set routes, neighbour tables, queues and recent events.',
    capability: 'ietf-interface-counters',
    mutability: 'read',
    inputSchema: argumentSchema(stateArguments),
    outputSchema: {
      type: 'object',
      required: ['inventory', 'neighbours', 'adjacencies', 'filters', 'nodeCounters', 'missing'],
    },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const { parts, probeKey: key } = checked(stateArguments, args);
      const [state, { lines, refused }] = await Promise.all([
        router.state(context.signal, parts),
        told(),
        admitProbes(router, context, key),
      ]);
      return {
        ...state,
        ...(lines.length === 0 ? {} : { expectations: lines }),
        ...(refused === undefined ? {} : { expectationsRefused: refused }),
      };
    },
  };
}

/** Only counters: the cheapest read. */
export function interfaceCountersTool(router: RouterPort): ToolDefinition {
  return {
    name: 'ietf-interface-counters',
    title: 'Interface counters',
    description: 'Counters of every interface and SRv6 SID of this node.',
    capability: 'ietf-interface-counters',
    mutability: 'read',
    inputSchema: argumentSchema(noArguments),
    outputSchema: {
      type: 'object',
      properties: {
        interfaces: { type: 'array', items: { type: 'object' } },
        sids: { type: 'array', items: { type: 'object' } },
      },
      required: ['interfaces', 'sids'],
    },
    callers: ['node', 'operator', 'controller'],
    listing: 'extended',
    call: async (_args, context) => ({ ...(await router.counters(context.signal)) }),
  };
}
