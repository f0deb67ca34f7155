// The tools `parley-stations` and `parley-knock`: which hosts answer on this node's ports, and whether services can be reached from
// here. Bounded; they leave no state behind (TS-22).
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { ToolOffer } from '#model/offer.ts';
import type { RouterPort } from '#model/router-port.ts';
import { KNOCK_PORTS, type Knock, type StationRequest } from '#model/stations.ts';

const ADDRESS: JsonObject = { type: 'string', minLength: 7, maxLength: 15 };

export function stationsOffer(router: RouterPort): ToolOffer {
  return {
    name: 'parley-stations',
    title: 'Hosts on ports',
    description:
      'Asks by ARP which of the given addresses answer on a port of this node, and what those hosts ask for when they have to answer somebody off their link.',
    capability: 'ietf-srv6-ping',
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          maxItems: LIMITS.stationPorts,
          items: {
            type: 'object',
            properties: {
              ifname: { type: 'string', minLength: 1, maxLength: 15 },
              addresses: { type: 'array', items: ADDRESS, maxItems: LIMITS.stationAddresses },
            },
            required: ['ifname', 'addresses'],
          },
        },
        census: { type: 'boolean', default: false },
      },
      required: ['ports'],
    },
    outputSchema: { type: 'object', required: ['ports'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const ports = args['ports'] as unknown as StationRequest['ports'];
      const answered = (await router.stations?.({ ports, census: args['census'] === true }, context.signal)) ?? [];
      return { ports: answered } as unknown as JsonObject;
    },
  };
}

export function knockOffer(router: RouterPort): ToolOffer {
  return {
    name: 'parley-knock',
    title: 'Services tried',
    description: 'Tries echoes, and the ports of well-known services, at the given addresses; tells what answered.',
    capability: 'ietf-srv6-ping',
    mutability: 'probe',
    inputSchema: {
      type: 'object',
      properties: {
        knocks: {
          type: 'array',
          maxItems: LIMITS.knocks,
          items: {
            type: 'object',
            properties: {
              destination: ADDRESS,
              service: { enum: ['echo', 'tcp', 'udp'] },
              port: { enum: [...KNOCK_PORTS] },
              record: { type: 'string', minLength: 3, maxLength: 253 },
              via: {
                type: 'object',
                properties: { ifname: { type: 'string' }, mac: { type: 'string' } },
                required: ['ifname', 'mac'],
              },
            },
            required: ['destination', 'service'],
          },
        },
      },
      required: ['knocks'],
    },
    outputSchema: { type: 'object', required: ['results'] },
    callers: ['node', 'operator', 'controller'],
    call: async (args, context) => {
      const results = (await router.knock?.(args['knocks'] as unknown as readonly Knock[], context.signal)) ?? [];
      return { results } as unknown as JsonObject;
    },
  };
}
