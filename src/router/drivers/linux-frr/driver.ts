// RouterPort of a Linux router with FRR: the kernel is read by iproute2 and /proc without privilege, everything else through
// the privileged helper. A part that does not answer is listed as missing with its reason; the rest is still given.
import { hostname, release } from 'node:os';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Result } from '#base/result.ts';
import type { History, Qdisc } from '#model/router/control-plane.ts';
import { logSignsOf } from '#model/router/log-events.ts';
import { captureRequest, probeRequest } from '#model/router/probe-schema.ts';
import type {
  Adjacency,
  CutList,
  FilterRule,
  InterfaceState,
  Neighbour,
  NodeState,
  RouterPort,
} from '#model/router/router-port.ts';
import { cutPart, HELPER_PART } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { onLinkTest } from '../../native/addresses.ts';
import { loadLibc } from '../../native/libc.ts';
import type { FrrQuery } from '../../protocol/read-operations.ts';
import { createReadHelper, type ReadHelper } from '../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import { readCommits, withCommits } from './commits.ts';
import { createConfigurationClient } from './configuration.ts';
import { parseAdjacencies, parseHostnames } from './frr/adjacencies.ts';
import { type Asking, readControlPlane } from './frr/control-plane.ts';
import { createDescriptions } from './frr/descriptions.ts';
import { forwardingNames, readForwarding } from './kernel/forwarding.ts';
import { loopbacksOf, type Offloads } from './kernel/interfaces.ts';
import { type KernelReading, readKernel } from './kernel/kernel-read.ts';
import { readKernelTables, readNeighbourTable, readQdiscs } from './kernel/kernel-tables.ts';
import { readNodeCounters } from './kernel/node-counters.ts';
import { readResources } from './kernel/resources.ts';
import { readTcFilters } from './kernel/tc-filters.ts';
import { parseNeighbours } from './lldp-neighbours.ts';
import { createNodeMemory } from './memory/node-memory.ts';
import { startRouteWatch } from './memory/route-events.ts';
import { createSteeredWays, type SteeredWays } from './memory/steered-routes.ts';
import type { DayStore } from './memory/store/day-store.ts';
import { parseFilters } from './nftables/filters.ts';
import { XTABLES_PART, xtablesUnread } from './nftables/xtables-unread.ts';
import { withInputRoutes } from './routing-table/input-routes.ts';
import { withOrigins } from './routing-table/origins.ts';
import { parseRib } from './routing-table/rib.ts';
import { type ReadRib, readComparedRoutes, readRoute, readRoutes } from './routing-table/route.ts';
import { connectKind } from './routing-table/route-recheck.ts';
import { readUnnumbered } from './unnumbered.ts';

export type LinuxFrrInit = {
  readonly node: string;
  readonly helperSocket: string;
  readonly clock: Clock;
  /** Socket of the configuration helper; without it nothing can be configured. */
  readonly configSocket?: string;
  /** Its memory of days; left out: it remembers nothing from before its start. */
  readonly days?: DayStore;
  /** What the node looks at by itself; left out: everything. */
  readonly watch?: { readonly links: boolean; readonly hosts: boolean; readonly services: boolean };
  /** False: nothing of hosts is remembered. */
  readonly rememberHosts?: boolean;
};

type Missing = { part: string; reason: string }[];
type Reading = {
  readonly helper: ReadHelper;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly missing: Missing;
  /** Lists that were not read to their end. */
  readonly cut: CutList[];
};

/** Readings that several parts wait for. */
type Begun = {
  readonly kernel: Promise<KernelReading>;
  readonly qdiscs: Promise<readonly Qdisc[] | undefined>;
};

/** How much longer than its own time a probe run of the helper may take before we stop waiting; a busy reflector is waited for after the linger. */
const GRACE_MS = ROUTER_LIMITS.reflectorBusyMs + 2_000;

export function createLinuxFrrDriver(init: LinuxFrrInit): RouterPort & Required<Pick<RouterPort, 'latest'>> {
  const { clock } = init;
  const helper = createReadHelper(init.helperSocket);
  const { watch = { links: true, hosts: true, services: true } } = init;
  const known = { descriptionsOf: createDescriptions(), ways: createSteeredWays(() => clock.monotonicMs()) };
  /** The whole state where a history is given, and else what a question about one path needs. */
  const read = async (signal: AbortSignal | undefined, history?: () => Promise<History>): Promise<NodeState> => {
    const reading: Reading = { helper, clock, signal, missing: [], cut: [] };
    const kernel = readKernel(clock, signal);
    const qdiscs = part(reading, 'qdiscs', undefined, () => readQdiscs(signal));
    const heard = neighboursOf(reading);
    const isWhole = history !== undefined;
    const [wire, rest] = await Promise.all([
      readWire(init.node, reading, { kernel, qdiscs, heard }),
      isWhole ? readRest(reading, { kernel, qdiscs }, known, history) : ofUnnumbered(reading, kernel, heard),
    ]);
    return { ...wire, ...rest, missing: reading.missing, ...(reading.cut.length === 0 ? {} : { cut: reading.cut }) };
  };
  const memory = createNodeMemory({
    node: init.node,
    ...(init.days === undefined ? {} : { days: init.days }),
    helper,
    clock,
    monitor: watch,
    rememberHosts: init.rememberHosts ?? true,
    read: (history) => read(undefined, history),
    counters: readNodeCounters,
    routes: readRoutes,
    routeEvents: startRouteWatch(loadLibc()),
  });
  const configuration = init.configSocket === undefined ? undefined : createConfigurationClient(init.configSocket);
  return {
    driver: 'linux-frr',
    async state(signal, parts = 'wire') {
      const beganMs = clock.monotonicMs();
      const isWhole = parts === 'all' || parts === 'past';
      const [whole, commits] = await Promise.all([
        read(signal, isWhole ? () => memory.history(parts === 'past') : undefined),
        isWhole ? readCommits(configuration) : undefined,
      ]);
      const state = withCommits(whole, commits);
      if (parts === 'all' && state.missing.length === 0) memory.keep(state, beganMs);
      if (parts === 'past') return { ...state, past: memory.past(state) };
      return parts === 'log' ? withLog(state, { helper, clock, signal }) : state;
    },
    latest: () => memory.latest(),
    ...(memory.remembered === undefined ? {} : { remembered: memory.remembered }),
    routes: async (destinations, signal) =>
      withOrigins(
        await withInputRoutes(await readComparedRoutes(destinations, ribReader(helper), signal), signal),
        helper,
        signal,
      ),
    async reach(request, signal) {
      const timeoutMs = request.destinations.length * request.count + ROUTER_LIMITS.helperReadMs;
      return helper.call('reach', request, { signal, timeoutMs });
    },
    admitProbes: async (key, signal) => void (await helper.call('probe-key', key, { signal })),
    onLink: onLinkTest,
    counters: (signal) => readCounters({ helper, clock, signal, missing: [], cut: [] }),
    ...hostCalls(helper),
    route: readRoute,
    async probe(request, signal) {
      const { count, intervalMs, lingerMs } = checked(probeRequest, request);
      return helper.call('probe', request, { signal, timeoutMs: count * intervalMs * 2 + lingerMs + GRACE_MS });
    },
    async capture(request, signal) {
      const timeoutMs = checked(captureRequest, request).timeoutMs + ROUTER_LIMITS.helperReadMs;
      const { pcap, ...rest } = await helper.call('capture', request, { signal, timeoutMs });
      return { ...rest, pcap: new Uint8Array(Buffer.from(pcap, 'base64')) };
    },
    ...(configuration === undefined ? {} : { configuration }),
    close: () => memory.stop(),
  };
}

/** Routes that zebra cannot be asked for are not compared: it may not run, or be an older helper's to ask. */
function ribReader(helper: ReadHelper): ReadRib {
  return async (destinations, signal) => {
    const asked = destinations.slice(0, ROUTER_LIMITS.ribRoutes);
    const texts = await helper.call('rib-routes', { destinations: asked }, { signal }).catch(() => []);
    signal?.throwIfAborted();
    return new Map(
      asked.flatMap((destination, index) => {
        const route = parseRib(texts[index] ?? '');
        return route === undefined ? [] : [[destination, route] as const];
      }),
    );
  };
}

async function readCounters(reading: Reading): ReturnType<RouterPort['counters']> {
  const { interfaces, sids } = await readKernel(reading.clock, reading.signal);
  return { interfaces: withOffloads(interfaces, await offloadsOf(reading, interfaces)), sids };
}

/** What concerns hosts is the helper's to do. */
function hostCalls(helper: ReadHelper): Pick<RouterPort, 'hosts' | 'serviceProbe' | 'dhcp'> {
  return {
    hosts: (request, signal) => helper.call('host-scan', request, { signal }),
    serviceProbe: (request, signal) => helper.call('service-probe', request, { signal }),
    dhcp: (asks, patient, signal) => helper.call('dhcp', { asks, patient }, { signal, timeoutMs: LIMITS.dhcpCallMs }),
  };
}

/** What a question about one path needs: the quick part. */
async function readWire(
  node: string,
  reading: Reading,
  { kernel, qdiscs, heard }: Begun & { readonly heard: Promise<readonly Neighbour[]> },
): Promise<Omit<NodeState, 'missing'>> {
  const interfacesRead = kernel.then(({ interfaces }) => interfaces);
  const [{ interfaces, sids, atMs }, offloads, filters, adjacencies, neighbours, nodeCounters, routing] =
    await Promise.all([
      kernel,
      interfacesRead.then((entries) => offloadsOf(reading, entries)),
      filtersOf(reading, kernel, qdiscs),
      adjacenciesOf(reading),
      heard,
      part(reading, 'node-counters', {}, readNodeCounters),
      part(reading, 'routing-version', 'unknown', async () =>
        (await frr(reading, 'version')).split('\n')[0]!.replace(/ on Linux.*$/, ''),
      ),
    ]);
  return {
    inventory: {
      node,
      driver: 'linux-frr',
      system: { kernel: release(), routing, hostname: hostname() },
      interfaces: withOffloads(interfaces, offloads),
      mastersTold: true,
      sids,
      loopbacks: loopbacksOf(interfaces),
    },
    neighbours,
    adjacencies,
    filters,
    ...(reading.missing.some(({ part: name }) => name === 'filters') ? {} : { filtersInOrder: true as const }),
    nodeCounters,
    countersReadMs: atMs,
  };
}

function askingOf(reading: Reading): Asking {
  return {
    helper: { call: (operation, request) => reading.helper.call(operation, request, { signal: reading.signal }) },
    part: (name, absent, read) => part(reading, name, absent, read),
    noteCut: (lists) => reading.cut.push(...lists),
  };
}

async function ofUnnumbered(
  reading: Reading,
  kernel: Promise<KernelReading>,
  heard: Promise<readonly Neighbour[]>,
): Promise<Partial<NodeState>> {
  const asking = { ...askingOf(reading), table: () => readNeighbourTable(reading.signal) };
  return readUnnumbered(asking, (await kernel).interfaces, await heard);
}

/** What one look knows from the looks before it. */
type Memories = { readonly descriptionsOf: ReturnType<typeof createDescriptions>; readonly ways: SteeredWays };

/** Protocols, tables, queues and history: what only questions about more than a path need. */
async function readRest(
  reading: Reading,
  { kernel, qdiscs: queues }: Begun,
  { descriptionsOf, ways }: Memories,
  history: () => Promise<History>,
): Promise<Partial<NodeState>> {
  const asking = askingOf(reading);
  const [control, tables, qdiscs, forwarding, resources, nodeCounters, descriptions, remembered] = await Promise.all([
    kernel.then(({ interfaces }) => readControlPlane(asking, interfaces)),
    part(reading, 'kernel-tables', undefined, async () => {
      const { cut, ...read } = await readKernelTables(connectKind, reading.signal);
      reading.cut.push(...cut);
      return { ...read, noWayTo: await ways.look(read.staticRoutes) };
    }),
    queues,
    part(reading, 'forwarding', undefined, async () => {
      const { interfaces } = await kernel;
      const state = await readForwarding(interfaces);
      const all = forwardingNames(interfaces).length;
      reading.cut.push(...cutPart('forwarding-interfaces', Math.min(all, DRIVER_LIMITS.forwardingInterfaces), all));
      return state;
    }),
    part(reading, 'resources', undefined, () => readResources()),
    part(reading, 'node-counters', {}, readNodeCounters),
    descriptionsOf(() => frr(reading, 'descriptions'), reading.signal),
    history(),
  ]);
  return {
    ...control,
    descriptions,
    ...tables,
    ...(qdiscs === undefined ? {} : { qdiscs }),
    ...(forwarding === undefined ? {} : { forwarding }),
    ...(resources === undefined ? {} : { resources }),
    nodeCounters,
    history: remembered,
  };
}

/** What `read` gives, or `absent` with the reason noted: absence is not emptiness. An abort makes no part missing. */
async function part<T>(reading: Reading, name: string, absent: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    reading.signal?.throwIfAborted();
    if (error instanceof ParleyError && error.code === 'node/helper-unreachable') withoutHelper(reading);
    reading.missing.push({ part: name, reason: messageOf(error) });
    return absent;
  }
}

/** Once, and first: it is why the others are missing. */
function withoutHelper({ missing }: Reading): void {
  if (missing[0]?.part !== HELPER_PART)
    missing.unshift({ part: HELPER_PART, reason: 'it does not answer: see "parley doctor"' });
}

function withOffloads(interfaces: readonly InterfaceState[], offloads: Offloads): readonly InterfaceState[] {
  return interfaces.map((entry) => ({ ...entry, offloads: offloads[entry.name] ?? [] }));
}

function offloadsOf(reading: Reading, interfaces: readonly InterfaceState[]): Promise<Offloads> {
  return part(reading, 'offloads', {}, async () => {
    const names = interfaces.filter((entry) => entry.kind === 'physical').map((entry) => entry.name);
    return reading.helper.call('offloads', { interfaces: names }, { signal: reading.signal });
  });
}

function filtersOf(
  reading: Reading,
  kernel: Promise<KernelReading>,
  qdiscs: Promise<readonly Qdisc[] | undefined>,
): Promise<readonly FilterRule[]> {
  return part(reading, 'filters', [], async () => {
    const [{ ruleset, netdevChains, listed, legacy, legacyUnread = [] }, { interfaces, dummies }, queues] =
      await Promise.all([reading.helper.call('filters', {}, { signal: reading.signal }), kernel, qdiscs]);
    if (legacyUnread.length > 0) reading.missing.push({ part: XTABLES_PART, reason: xtablesUnread(legacyUnread) });
    const rules = valueOrThrow(
      parseFilters(
        ruleset,
        netdevChains,
        interfaces.map((entry) => entry.name),
        { ...legacy, ...(listed === undefined ? {} : { listed }) },
        (reason) => reading.missing.push({ part: 'filters', reason }),
      ),
    );
    const control = await readTcFilters(queues ?? [], interfaces, dummies, reading.signal);
    if (control.unread !== undefined) reading.missing.push({ part: 'traffic-control', reason: control.unread });
    return [...rules, ...control.rules];
  });
}

function adjacenciesOf(reading: Reading): Promise<readonly Adjacency[]> {
  return part(reading, 'adjacencies', [], async () => {
    try {
      const [tree, hostnames] = await Promise.all([frr(reading, 'isis-interfaces'), frr(reading, 'isis-hostnames')]);
      return valueOrThrow(parseAdjacencies(tree, parseHostnames(hostnames)));
    } catch (error) {
      // A daemon that was never started has no adjacencies, and nothing is missing.
      if (error instanceof ParleyError && error.code === 'node/frr-absent') return [];
      throw error;
    }
  });
}

function neighboursOf(reading: Reading): Promise<readonly Neighbour[]> {
  return part(reading, 'neighbours', [], async () => {
    try {
      return valueOrThrow(
        parseNeighbours(await reading.helper.call('lldp-neighbours', {}, { signal: reading.signal })),
      );
    } catch (error) {
      // A network without LLDP is a choice: its links are known by addresses and routing, and nothing is missing.
      if (error instanceof ParleyError && error.code === 'node/lldp-absent') return [];
      throw error;
    }
  });
}

async function frr(reading: Reading, query: FrrQuery): Promise<string> {
  return reading.helper.call('frr', { query }, { signal: reading.signal });
}

function valueOrThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new ParleyError('node/unreadable', result.reason);
}

type Asked = Pick<Reading, 'helper' | 'clock' | 'signal'>;

/** Nothing where there is no log that can be read: it supports, and is no part of the state. */
async function withLog(state: NodeState, { helper, clock, signal }: Asked): Promise<NodeState> {
  try {
    const options = { signal, timeoutMs: ROUTER_LIMITS.helperReadMs };
    const lines = await helper.call('log', { count: DRIVER_LIMITS.logSignLines }, options);
    return { ...state, logSigns: logSignsOf(lines, clock.nowMs()) };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ParleyError)) throw error;
    return state;
  }
}
