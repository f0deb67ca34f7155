// Serves an embedded network over a Unix socket, so that agents in other processes share it, and takes the faults that a
// lab puts into it. Same wire and same bounds as the privileged helper.
import { createSystemClock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { type Log, silentLog } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import type { LldpPort, RouterPort } from '#model/router/router-port.ts';
import type { Operation } from '../../protocol/operation.ts';
import { type HelperServer, listenHelper } from '../../protocol/server.ts';
import { createEmbeddedConfiguration } from './configuration.ts';
import { configurationOperations } from './configuration-wire.ts';
import type { EmbeddedFault } from './description.ts';
import { createEmbeddedDriver, createEmbeddedLldp } from './driver.ts';
import type { EmbeddedNetwork } from './network.ts';

export type HubInit = { readonly network: EmbeddedNetwork; readonly socket: string; readonly log?: Log };

export function serveEmbeddedHub(init: HubInit): Promise<HelperServer> {
  return listenHelper({ path: init.socket, operations: createHubOperations(init.network), log: init.log ?? silentLog });
}

/** What a network's nodes offer, and `fault` for the lab. */
function createHubOperations(network: EmbeddedNetwork): ReadonlyMap<string, Operation> {
  const parts = { clock: createSystemClock(), log: silentLog, newId: () => randomHex(systemRandom, 4) };
  const ends = new Map(
    network.nodes.map((node) => [
      node,
      { router: createEmbeddedDriver({ network, node }), lldp: createEmbeddedLldp({ network, node }) },
    ]),
  );
  const configurations = new Map(
    network.nodes.map((node) => [node, createEmbeddedConfiguration({ network, node, ...parts })]),
  );
  const fault: Operation = async (args) => {
    network.apply(args as unknown as EmbeddedFault);
    return null;
  };
  return new Map([...createPortOperations(ends), ...configurationOperations(configurations), ['fault', fault]]);
}

export type NodePorts = { readonly router: RouterPort; readonly lldp: LldpPort };

/** RouterPort and LldpPort of several nodes as operations; each call names the node that it means. */
export function createPortOperations(ends: ReadonlyMap<string, NodePorts>): ReadonlyMap<string, Operation> {
  const endOf = (args: JsonObject): NodePorts => {
    const end = ends.get(String(args['node']));
    if (end !== undefined) return end;
    throw new ParleyError(
      'caller/bad-argument',
      `expected one of the nodes ${[...ends.keys()].join(', ')}, got ${String(args['node'])}`,
    );
  };
  const json = (value: unknown): JsonValue => value as JsonValue;
  const operations: Record<string, Operation> = {
    state: async (args, { signal }) =>
      json(await endOf(args).router.state(signal, args['parts'] === 'all' ? 'all' : 'wire')),
    counters: async (args, { signal }) => json(await endOf(args).router.counters(signal)),
    route: async (args, { signal }) => json(await endOf(args).router.route(String(args['destination']), signal)),
    reach: async (args, { signal }) =>
      json(
        (await endOf(args).router.reach?.(
          { destinations: namesIn(args['destinations']), count: Number(args['count']) },
          signal,
        )) ?? [],
      ),
    probe: async (args, { signal }) => json(await endOf(args).router.probe(requestOf(args), signal)),
    capture: async (args, { signal }) => {
      const captured = await endOf(args).router.capture(requestOf(args), signal);
      return { ...captured, pcap: Buffer.from(captured.pcap).toString('base64') };
    },
    'lldp-neighbours': async (args, { signal }) => json(await endOf(args).lldp.neighbours(signal)),
    'lldp-announce': async (args) => {
      await endOf(args).lldp.announce(
        String(args['oui']),
        Number(args['subtype']),
        Buffer.from(String(args['information']), 'hex'),
      );
      return null;
    },
    'lldp-withdraw': async (args) => {
      await endOf(args).lldp.withdraw(String(args['oui']), Number(args['subtype']));
      return null;
    },
    'lldp-watch': async (args, { signal, emit }) => {
      const stop = await endOf(args).lldp.watch(() => emit('changed'));
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      stop();
      return null;
    },
  };
  return new Map(Object.entries(operations));
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The members of the request itself; the driver checks them. */
function requestOf<Request>(args: JsonObject): Request {
  return args['request'] as unknown as Request;
}
