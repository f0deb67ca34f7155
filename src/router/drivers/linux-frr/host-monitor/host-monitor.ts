// A node's own looks at the hosts on its ports: every few seconds those that it remembers are asked by ARP probes and echoes, what they
// were seen to serve is tried, and what is not as usual goes into the history of hosts. Asks no host that it has not heard, but for those that an operator's
// neighbour entry names; looks twice before it believes; bounded in hosts and services a look.
import { type Clock, STOPPED } from '#base/clock.ts';
import { every } from '#base/every.ts';
import { LIMITS } from '#base/limits.ts';
import { isInside, userNetworksOf, userPorts } from '#model/hosts/host-places.ts';
import { isLate, isSlowAnswer } from '#model/hosts/name-servers.ts';
import type { History } from '#model/router/control-plane.ts';
import type { WatchedHosts } from '#model/router/host-history.ts';
import {
  type Host,
  type HostScanRequest,
  SERVICE_PORTS,
  type Served,
  type ServiceProbe,
  type ServiceProbeResult,
} from '#model/router/hosts.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import type { HostSigns } from '../../../protocol/read-operations.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { createFixedHosts } from './fixed-hosts.ts';
import type { Look, WatchedPort } from './host-anomalies.ts';
import { createHostHistory, type HostHistory } from './host-history.ts';
import { createHostScan } from './host-scan.ts';
import { createLastAnswers } from './last-answers.ts';
import { createPageTurns, type PageTurns } from './page-turns.ts';

export type HostMonitorInit = {
  readonly helper: ReadHelper;
  readonly clock: Clock;
  readonly hosts: boolean;
  readonly services: boolean;
  /** What the node knows at this moment; undefined while it does not know itself. */
  readonly known: () => { readonly state: NodeState; readonly history: History } | undefined;
  /** Where this node forwards what is for these addresses. */
  readonly routes: (destinations: readonly string[]) => Promise<readonly RouteAnswer[]>;
};

export type HostMonitor = {
  heard(heard: Pick<HostSigns, 'asks' | 'names' | 'connections'>): void;
  watched(withPast: boolean): WatchedHosts;
  /** Hosts that the node remembers, those with fixed entries among them, with the age of the last answer of each to a look. */
  aged(hosts: readonly Host[]): readonly Host[];
  stop(): void;
};

/** A service that was just started again refuses for a moment. */
const AGAIN_MS = 1_000;
const NONE: ReadonlyMap<string, string> = new Map();

export function startHostMonitor(init: HostMonitorInit): HostMonitor {
  const history = createHostHistory();
  const askHosts = (request: HostScanRequest) => init.helper.call('watch-hosts', request);
  const scan = createHostScan(askHosts);
  const fixed = createFixedHosts(askHosts);
  const answers = createLastAnswers();
  const stopped = new AbortController();
  const pages = createPageTurns();
  let running = false;
  const look = async () => {
    const known = init.known();
    if (running || known === undefined || stopped.signal.aborted) return;
    running = true;
    try {
      const watched = watchedPorts(known.state);
      const ownServices = servicesOn(watched, known.history.services ?? []);
      if (init.hosts) answers.looked(await fixed.seek(known.state, watched), init.clock.monotonicMs());
      const hosts = hostsOn(watched, fixed.with(known.history.hosts ?? []));
      const ports = init.hosts ? await scan(watched, hosts) : [];
      answers.looked(ports, init.clock.monotonicMs());
      const seen = known.history.services ?? [];
      const portOf = init.services ? await portsOfServers(ownServices, seen, init.routes) : NONE;
      const services = ownServices.filter(({ destination }) => portOf.has(destination));
      const tried = await tryServices(init, { services, portOf, pages }, history, stopped.signal);
      history.looked({ watched, hosts, ports, ...tried }, init.services, init.clock.monotonicMs());
    } finally {
      running = false;
    }
  };
  if (init.hosts || init.services) void every(init.clock, DRIVER_LIMITS.hostScanMs, stopped.signal, look);
  return {
    heard({ asks, names, connections }) {
      const known = init.known();
      if (known === undefined) return;
      const wanted = {
        asks: init.hosts ? asks : [],
        names: init.services ? names : [],
        connections: init.services ? connections : [],
      };
      history.heard(wanted, watchedPorts(known.state), init.clock.monotonicMs());
    },
    watched: (withPast) => history.watched(init.clock.monotonicMs(), withPast),
    aged: (hosts) => answers.aged(fixed.with(hosts), init.clock.monotonicMs()),
    stop: () => stopped.abort(STOPPED),
  };
}

function watchedPorts({ inventory }: NodeState): readonly WatchedPort[] {
  return userPorts(inventory)
    .map((entry) => ({ ifname: entry.name, networks: userNetworksOf(entry) }))
    .slice(0, LIMITS.hostPorts);
}

function hostsOn(ports: readonly WatchedPort[], hosts: readonly Host[]): readonly Host[] {
  return hosts.filter(({ ifname, address }) =>
    ports.some((port) => port.ifname === ifname && port.networks.some((network) => isInside(network, address))),
  );
}

/** Services on the node's own ports, each once, also where it was seen behind two: what is further away is its own router's. */
function servicesOn(ports: readonly WatchedPort[], services: readonly Served[]): readonly ServiceProbe[] {
  const found = services.flatMap(({ ifname, address, service, port }): ServiceProbe[] =>
    SERVICE_PORTS.some((known) => known === port) &&
    ports.some((each) => each.ifname === ifname && each.networks.some((network) => isInside(network, address)))
      ? [{ destination: address, service, port }]
      : [],
  );
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Address → port, of servers that this node reaches over a port on which they were seen. The others are left out: over a route for a part
 * of the network, another host would answer instead.
 */
async function portsOfServers(
  services: readonly ServiceProbe[],
  seen: readonly Served[],
  routes: HostMonitorInit['routes'],
): Promise<ReadonlyMap<string, string>> {
  if (services.length === 0) return NONE;
  const ways = await routes([...new Set(services.map(({ destination }) => destination))]);
  return new Map(
    seen.flatMap(({ address, ifname }) => {
      const way = ways.find(({ destination }) => destination === address);
      return way?.ifname === ifname ? [[address, ifname] as const] : [];
    }),
  );
}

async function serviceProbe(
  helper: ReadHelper,
  serviceProbes: readonly ServiceProbe[],
  whole = false,
): Promise<readonly ServiceProbeResult[]> {
  if (serviceProbes.length === 0) return [];
  return helper.call('watch-services', { serviceProbes, ...(whole ? { whole } : {}) });
}

/** Services that refuse, asked twice, and slow name servers, timed later; what servers say of names of their own goes to the history. */
async function tryServices(
  { helper, clock }: Pick<HostMonitorInit, 'helper' | 'clock'>,
  {
    services,
    portOf,
    pages,
  }: {
    readonly services: readonly ServiceProbe[];
    /** Address → the port that a server is behind. */
    readonly portOf: ReadonlyMap<string, string>;
    readonly pages: PageTurns;
  },
  history: HostHistory,
  signal: AbortSignal,
): Promise<Pick<Look, 'refused' | 'late'>> {
  const names = history.names().filter(({ address }) => services.some(isDnsAt(address)));
  const asked = names.map(
    ({ address, name }): ServiceProbe => ({ destination: address, service: 'udp', port: 53, record: name }),
  );
  // A question for a name tells as well whether the server is there.
  const plain = services.filter(
    (each) => !(each.port === 53 && names.some(({ address }) => address === each.destination)),
  );
  const all = [...plain, ...asked];
  const now = [false, true].flatMap((isIpv6) =>
    all.filter(({ destination }) => destination.includes(':') === isIpv6).slice(0, DRIVER_LIMITS.probedServices),
  );
  const whole = now.filter((each) => each.service === 'udp' || pages(each, clock.monotonicMs()));
  const first = [
    ...(await serviceProbe(
      helper,
      now.filter((each) => !whole.includes(each)),
    )),
    ...(await serviceProbe(helper, whole, true)),
  ];
  for (const result of first) {
    const ifname = portOf.get(result.destination);
    if (ifname !== undefined) history.tried(ifname, result, clock.monotonicMs());
  }
  const doubtful = first.filter((each) => isRefused(each) || each.found === false);
  const slow = [...new Set(first.filter(isSlowAnswer).map(({ destination }) => destination))];
  if (doubtful.length + slow.length > 0) await clock.sleep(AGAIN_MS, signal);
  const again = await serviceProbe(helper, doubtful.map(serviceProbeOf));
  const timed = await serviceProbe(
    helper,
    slow.map((destination) => ({ destination, service: 'udp', port: 53, timed: true })),
  );
  const last = [...first.filter((each) => !doubtful.includes(each)), ...again];
  const atMs = clock.monotonicMs();
  for (const result of last) {
    const name = names.find(({ address, name }) => address === result.destination && name === result.record);
    if (name !== undefined && result.open) history.named(name, result.found === true, atMs);
  }
  return {
    refused: last
      .filter(isRefused)
      .map(({ record: _record, found: _found, addresses: _addresses, reply: _reply, ...rest }) => rest),
    late: timed.filter(isLate),
  };
}

function serviceProbeOf({ destination, service, port, record }: ServiceProbeResult): ServiceProbe {
  return {
    ...{ destination, service },
    ...(port === undefined ? {} : { port }),
    ...(record === undefined ? {} : { record }),
  };
}

function isRefused({ answered, open }: ServiceProbeResult): boolean {
  return answered && !open;
}

function isDnsAt(address: string): (each: ServiceProbe) => boolean {
  return ({ destination, service, port }) => destination === address && service === 'udp' && port === 53;
}
