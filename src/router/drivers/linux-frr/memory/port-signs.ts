// What passed on the node's ports to hosts, fetched from the helper's passive listeners: services, names, ARP requests, DNS questions and DHCP. What
// is kept of it is bounded; everything else goes to the subscribers at once. What waited in the helper before this agent listened is thrown away.
import type { Clock } from '#base/clock.ts';
import { LIMITS } from '#base/limits.ts';
import type { Heard } from '#model/router/dhcp.ts';
import type { DhcpSign } from '#model/router/dhcp-history.ts';
import type { HostSigns } from '../../../protocol/read-operations.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { createHeardMemory, readHeard } from '../host-monitor/snooped-requests.ts';

export type Subscriber = {
  hosts(signs: HostSigns): void;
  dhcp(signs: readonly DhcpSign[]): void;
};

export type PortSigns = {
  subscribe(subscriber: Subscriber): void;
  /** The ports that lead to hosts, from now on. */
  listenOn(ifnames: readonly string[]): void;
  /** Fetches services, names, ARP requests and connection requests. */
  listen(): Promise<void>;
  /** Fetches DNS questions and DHCP. */
  listenToRequests(): Promise<void>;
  /** Services since they were taken last. */
  takeServices(): HostSigns['services'];
  requests(nowMs: number): readonly Heard[];
};

export function createPortSigns(helper: ReadHelper, clock: Pick<Clock, 'monotonicMs'>): PortSigns {
  const subscribers: Subscriber[] = [];
  const requests = createHeardMemory();
  const isNew = { served: newSince(), heard: newSince() };
  let ports: readonly string[] = [];
  let services: HostSigns['services'] = [];
  return {
    subscribe: (subscriber) => void subscribers.push(subscriber),
    listenOn(ifnames) {
      ports = ifnames;
    },
    async listen() {
      const asked = ports;
      const found = asked.length === 0 ? undefined : await optional(() => helper.call('served', { ifnames: asked }));
      const isFresh = isNew.served(asked, found !== undefined);
      if (found === undefined) return;
      const { names, asks, connections = [] } = found;
      const fresh = found.services.filter(isFresh);
      services = [...services, ...fresh].slice(-LIMITS.hosts);
      const signs = {
        services: fresh,
        names: names.filter(isFresh),
        asks: asks.filter(isFresh),
        connections: connections.filter(isFresh),
      };
      for (const subscriber of subscribers) subscriber.hosts(signs);
    },
    async listenToRequests() {
      const asked = ports;
      const heard = asked.length === 0 ? undefined : await optional(() => readHeard(helper, asked));
      const isFresh = isNew.heard(asked, heard !== undefined);
      if (heard === undefined) return;
      requests.add(heard.rows.filter(isFresh), clock.monotonicMs());
      const signs = heard.signs.filter(isFresh);
      for (const subscriber of subscribers) subscriber.dhcp(signs);
    },
    takeServices() {
      const taken = services;
      services = [];
      return taken;
    },
    requests: (nowMs) => requests.heard(nowMs),
  };
}

type OfPort = { readonly ifname: string };

/**
 * The helper outlives its agents, and listens on a port as long as an agent fetches: what waits at the first fetch from a port passed before
 * this one listened there, at a time that is not known. Called at every fetch, answers which of its signs are newer than the one before.
 */
function newSince(): (ports: readonly string[], isFetched: boolean) => (sign: OfPort) => boolean {
  let listened: ReadonlySet<string> = new Set();
  return (ports, isFetched) => {
    const before = listened;
    if (isFetched) listened = new Set(ports);
    else if (ports.length === 0) listened = new Set();
    return ({ ifname }) => before.has(ifname);
  };
}

async function optional<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
