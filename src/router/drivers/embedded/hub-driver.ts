// The agent's side of an embedded hub: RouterPort and LldpPort of one node, and the lab's way to put faults in.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type {
  Capture,
  LldpPort,
  Neighbour,
  NodeState,
  ProbeResult,
  ReachResult,
  RouteAnswer,
  RouterPort,
} from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { createHelperClient } from '../../protocol/client.ts';
import { createHubConfiguration } from './configuration-wire.ts';
import type { EmbeddedFault } from './description.ts';

export type EmbeddedHubInit = {
  readonly socket: string;
  readonly node: string;
  /** The node may be configured. */
  readonly configurable?: boolean;
};

export function createEmbeddedHubDriver(init: EmbeddedHubInit): {
  readonly router: RouterPort;
  readonly lldp: LldpPort;
} {
  return { router: createHubRouter(init), lldp: createHubLldp(init) };
}

/** Puts a fault into the network behind `socket`, or repairs all. */
export async function injectEmbeddedFault(socket: string, fault: EmbeddedFault): Promise<void> {
  await createHelperClient(socket).call('fault', fault as unknown as JsonObject);
}

function createHubRouter({ socket, node, configurable = false }: EmbeddedHubInit): RouterPort {
  const hub = createHelperClient(socket);
  const ask = async <Value>(
    operation: string,
    args: JsonObject,
    signal: AbortSignal | undefined,
    timeoutMs?: number,
  ): Promise<Value> =>
    (await hub.call(
      operation,
      { node, ...args },
      { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    )) as unknown as Value;
  return {
    driver: 'embedded',
    state: (signal) => ask<NodeState>('state', {}, signal),
    counters: (signal) => ask<Pick<NodeState['inventory'], 'interfaces' | 'sids'>>('counters', {}, signal),
    route: (destination, signal) => ask<RouteAnswer>('route', { destination }, signal),
    reach: ({ destinations, count }, signal) =>
      ask<readonly ReachResult[]>('reach', { destinations: [...destinations], count }, signal, LIMITS.probeRunMs),
    probe: (request, signal) =>
      ask<ProbeResult>('probe', { request: { ...request } as unknown as JsonValue }, signal, LIMITS.probeRunMs),
    async capture(request, signal) {
      const timeoutMs = request.timeoutMs + ROUTER_LIMITS.helperReadMs;
      const answer = await ask<Omit<Capture, 'pcap'> & { readonly pcap: string }>(
        'capture',
        { request: { ...request } as unknown as JsonValue },
        signal,
        timeoutMs,
      );
      return { ...answer, pcap: new Uint8Array(Buffer.from(answer.pcap, 'base64')) };
    },
    ...(configurable ? { configuration: createHubConfiguration(socket, node) } : {}),
    close: async () => {},
  };
}

function createHubLldp({ socket, node }: EmbeddedHubInit): LldpPort {
  const hub = createHelperClient(socket);
  return {
    async announce(oui, subtype, information) {
      await hub.call('lldp-announce', { node, oui, subtype, information: Buffer.from(information).toString('hex') });
    },
    async withdraw(oui, subtype) {
      await hub.call('lldp-withdraw', { node, oui, subtype });
    },
    neighbours: async (signal) =>
      (await hub.call('lldp-neighbours', { node }, { signal })) as unknown as readonly Neighbour[],
    async watch(changed) {
      const stopped = new AbortController();
      hub
        .call('lldp-watch', { node }, { signal: stopped.signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent: changed })
        .catch(() => {
          // The hub is gone: a watcher looks once more and then finds out by itself.
          if (!stopped.signal.aborted) changed();
        });
      return () => stopped.abort();
    },
  };
}
