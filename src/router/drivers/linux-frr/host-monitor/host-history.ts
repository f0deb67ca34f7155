// What a node remembers of the hosts on its ports: looks that were not as usual, ARP requests for addresses off the link, names that a server
// gave and later did not, and what services answered this node. Bounded in number and age; of names only those leave the node that were lost,
// and those that it was given an address for itself.

import { LIMITS } from '#base/limits.ts';
import { isInside } from '#model/hosts/host-places.ts';
import type {
  FarAsk,
  HeardAsk,
  HeardConnections,
  HeardName,
  LookedPort,
  WatchedHosts,
} from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { makeRoom } from '../../../bounded-maps.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { createAnsweredServices } from './answered-services.ts';
import { createConnectionMemory } from './connection-memory.ts';
import { createKeptNames } from './dns-record-history.ts';
import { type Look, oddPartOf, type WatchedPort } from './host-anomalies.ts';

export type HostHistory = {
  /** What passed by since the last time. */
  heard(
    heard: {
      readonly asks: readonly HeardAsk[];
      readonly names: readonly HeardName[];
      readonly connections: readonly HeardConnections[];
    },
    ports: readonly WatchedPort[],
    atMs: number,
  ): void;
  /** A look at hosts; `tried` when services were tried as well. */
  looked(look: Look, tried: boolean, atMs: number): void;
  /** A server was asked for a name of its own. */
  named(name: HeardName, found: boolean, atMs: number): void;
  /** This node tried a service behind this port. */
  tried(ifname: string, result: ServiceProbeResult, atMs: number): void;
  /** Names to ask servers for. */
  names(): readonly HeardName[];
  watched(nowMs: number, withPast: boolean): WatchedHosts;
};

type KeptLook = {
  readonly fromMs: number;
  untilMs: number;
  readonly mark: string;
  ports: readonly LookedPort[];
  tries: readonly ServiceProbeResult[];
};
type KeptAsk = Omit<FarAsk, 'agoMs'> & { readonly atMs: number };

/** Looks farther apart than this are not one after another. */
const GAP_MS = DRIVER_LIMITS.hostScanMs * 3;

export function createHostHistory(): HostHistory {
  let looks: KeptLook[] = [];
  const asks = new Map<string, KeptAsk>();
  const names = createKeptNames();
  const answered = createAnsweredServices();
  const connections = createConnectionMemory();
  const hosts = createSpan();
  const services = createSpan();
  return {
    heard(heard, ports, atMs) {
      for (const ask of heard.asks) {
        const networks = ports.find(({ ifname }) => ifname === ask.ifname)?.networks ?? [];
        if (isFar(ask, networks)) keepAsk(asks, ask, atMs);
      }
      // On the host's own port: what passes other ports in its name may come from any host.
      const isAtHome = (ifname: string, address: string) =>
        ports.some((port) => port.ifname === ifname && port.networks.some((network) => isInside(network, address)));
      const ofServers = heard.names.filter(({ ifname, address }) => isAtHome(ifname, address));
      names.heard(ofServers, atMs);
      const ofClients = heard.connections.filter(({ ifname, client }) => isAtHome(ifname, client));
      connections.heard(ofClients, atMs);
      connections.forget(atMs);
    },
    looked(look, tried, atMs) {
      hosts.at(atMs);
      if (tried) services.at(atMs);
      const odd = oddPartOf(look);
      const last = looks.at(-1);
      if (odd !== undefined && last?.mark === odd.mark && atMs - last.untilMs <= GAP_MS)
        Object.assign(last, { ...odd, untilMs: atMs });
      else if (odd !== undefined) looks.push({ ...odd, fromMs: atMs, untilMs: atMs });
      looks = looks.filter(({ untilMs }) => atMs - untilMs <= DRIVER_LIMITS.historyMs).slice(-LIMITS.hostScans);
      for (const [key, ask] of asks) if (atMs - ask.atMs > DRIVER_LIMITS.historyMs) asks.delete(key);
      names.forget(atMs);
      answered.forget(atMs);
    },
    named: names.asked,
    tried: answered.tried,
    names: names.all,
    watched(nowMs, withPast) {
      const ago = (atMs: number) => Math.max(0, Math.round(nowMs - atMs));
      const told = answered.told(nowMs);
      const unanswered = connections.told(nowMs);
      return {
        ...hosts.told('hostsMs', nowMs),
        ...services.told('servicesMs', nowMs),
        asks: [...asks.values()].map(({ atMs, ...ask }) => ({ ...ask, agoMs: ago(atMs) })),
        names: names.lost(nowMs),
        ...(told.length === 0 ? {} : { answered: told }),
        ...(unanswered.length === 0 ? {} : { unanswered }),
        ...(withPast
          ? {
              looks: looks
                .map(({ fromMs, untilMs, ports, tries }) => ({
                  ...{ fromAgoMs: ago(fromMs), untilAgoMs: ago(untilMs) },
                  ports,
                  tries,
                }))
                .reverse(),
            }
          : {}),
      };
    },
  };
}

/** Addresses that are never a neighbour's: what hosts look for there says nothing of their mask. */
const NO_HOST = /^(?:0|127|169\.254|22[4-9]|23\d|24\d|25[0-5])\./;

function isFar({ sender, target }: HeardAsk, networks: WatchedPort['networks']): boolean {
  return (
    !NO_HOST.test(target) &&
    networks.some((network) => isInside(network, sender)) &&
    !networks.some((network) => isInside(network, target))
  );
}

function keepAsk(asks: Map<string, KeptAsk>, ask: HeardAsk, atMs: number): void {
  const key = JSON.stringify([ask.ifname, ask.mac, ask.sender, ask.target]);
  const count = (asks.get(key)?.count ?? 0) + 1;
  asks.delete(key);
  makeRoom(asks, LIMITS.arpRequests);
  asks.set(key, { ...ask, count, atMs });
}

/** Since when something was done without a gap. */
function createSpan() {
  let [firstMs, lastMs]: readonly [number | undefined, number] = [undefined, 0];
  return {
    at(atMs: number): void {
      if (firstMs === undefined || atMs - lastMs > GAP_MS) firstMs = atMs;
      lastMs = atMs;
    },
    told<N extends string>(name: N, nowMs: number): { readonly [K in N]?: number } {
      const going = firstMs !== undefined && nowMs - lastMs <= GAP_MS;
      return (going ? { [name]: Math.min(Math.round(nowMs - firstMs!), DRIVER_LIMITS.historyMs) } : {}) as {
        [K in N]?: number;
      };
    },
  };
}
