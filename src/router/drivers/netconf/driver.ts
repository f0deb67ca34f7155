// RouterPort of a NETCONF device: its interfaces by ietf-interfaces. What the protocol does not give (neighbours, filters, probes) is
// named as missing or refused; nothing is filled in.
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { isJsonObject } from '#base/json.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { NodeState, RouterPort } from '#model/router/router-port.ts';
import { interfacesOf, type ReadInterfaces } from './interfaces.ts';
import { notHere } from './not-here.ts';
import type { NetconfReader } from './reader.ts';

export type NetconfDriverParts = {
  readonly node: string;
  readonly reader: NetconfReader;
  readonly configuration?: ConfigurationPort & { close(): void };
};

const NEVER = ['neighbours', 'adjacencies', 'filters', 'node-counters', 'sids', 'offloads', 'carrier-changes'].map(
  (part) => ({
    part,
    reason: 'this device is asked by NETCONF, which does not tell them here',
  }),
);

export function createNetconfDriver({ node, reader, configuration }: NetconfDriverParts): RouterPort {
  return {
    driver: 'netconf',
    async state(signal) {
      const [read, system] = await Promise.all([readInterfaces(reader, signal), readSystem(reader, signal)]);
      const { interfaces } = read;
      const state: NodeState = {
        inventory: {
          node,
          driver: 'netconf',
          system: { kernel: system.kernel, routing: 'unknown', hostname: system.hostname },
          interfaces,
          sids: [],
          loopbacks: interfaces
            .filter(({ kind }) => kind === 'loopback')
            .flatMap(({ addresses }) => addresses.map((address) => address.split('/')[0]!)),
        },
        neighbours: [],
        adjacencies: [],
        filters: [],
        nodeCounters: {},
        missing: [...NEVER, ...read.missing, ...system.missing],
      };
      return state;
    },
    counters: async (signal) => ({ interfaces: (await readInterfaces(reader, signal)).interfaces, sids: [] }),
    route: notHere('routes'),
    probe: notHere('probes'),
    capture: notHere('captures'),
    ...(configuration === undefined ? {} : { configuration }),
    close: async () => configuration?.close(),
  };
}

async function readInterfaces(reader: NetconfReader, signal: AbortSignal | undefined): Promise<ReadInterfaces> {
  const { modules } = await reader.schemas(signal);
  if (modules.some(({ name }) => name === 'ietf-interfaces'))
    return interfacesOf(await reader.read('ietf-interfaces', 'operational', undefined, signal));
  return { interfaces: [], missing: [{ part: 'interfaces', reason: 'the device does not have ietf-interfaces' }] };
}

type System = Pick<NodeState['inventory']['system'], 'kernel' | 'hostname'> & {
  readonly missing: NodeState['missing'];
};

async function readSystem(reader: NetconfReader, signal: AbortSignal | undefined): Promise<System> {
  const unknown = { kernel: 'unknown', hostname: 'unknown' };
  try {
    const data = await reader.read('ietf-system', 'operational', undefined, signal);
    const platform = inside(inside(data, 'ietf-system:system-state'), 'platform');
    const hostname = inside(data, 'ietf-system:system')['hostname'];
    const kernel = [platform['os-name'], platform['os-release']].filter((text) => typeof text === 'string').join(' ');
    const missing = typeof hostname === 'string' ? [] : [{ part: 'hostname', reason: 'the device does not tell it' }];
    return { kernel: kernel || 'unknown', hostname: typeof hostname === 'string' ? hostname : 'unknown', missing };
  } catch (error) {
    signal?.throwIfAborted();
    return { ...unknown, missing: [{ part: 'system', reason: messageOf(error) }] };
  }
}

function inside(value: JsonObject, name: string): JsonObject {
  const member = value[name];
  return member !== undefined && isJsonObject(member) ? member : {};
}
