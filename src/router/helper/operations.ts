// The closed set of operations of the privileged helper. Each reads, probes or captures, once its request has passed its schema; the only
// things that any of them sets are our own LLDP TLV and our own IS-IS LSP. An unknown operation lists the valid ones.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { withoutPayloads } from '#codec/pcap-headers.ts';
import type { PayloadRelease } from '#model/consent.ts';
import {
  costOfDhcp,
  costOfEchoes,
  costOfProbe,
  costOfReach,
  costOfScan,
  costOfServices,
  type ProbeCost,
} from '#model/links/probe-cost.ts';
import type { HostScanRequest, ServiceProbe } from '#model/router/hosts.ts';
import type { Capture, CaptureFilter } from '#model/router/router-port.ts';
import { refuse } from '#model/wire/check.ts';
import { loadLibc } from '../native/libc.ts';
import type { Operation, OperationContext } from '../protocol/operation.ts';
import { READ_REQUESTS, type ReadOperations } from '../protocol/read-operations.ts';
import { buildShowCommand } from '../protocol/show-commands.ts';
import { type Handlers, operationsOf } from '../protocol/typed-operations.ts';
import { askBgpNeighbours } from './device/bgp-neighbours.ts';
import { askBgpOrigins } from './device/bgp-origins.ts';
import { capturePackets } from './device/capture.ts';
import * as device from './device/device-reads.ts';
import { runEcho } from './device/echo.ts';
import { aliveDaemons, askBgpPrefix, askFrr, askRibRoutes } from './device/frr.ts';
import * as lldp from './device/lldp.ts';
import { createAnnouncer, tlvWriter } from './device/lldp-announcer.ts';
import { readFilters } from './filters.ts';
import { refuseForeignGateways } from './hosts/dhcp-arguments.ts';
import { askDhcp } from './hosts/dhcp-request.ts';
import { scanHosts } from './hosts/hosts.ts';
import { probeServices } from './hosts/service-probe.ts';
import { type Speakers, speakIsis } from './isis/speak.ts';
import { HELPER_LIMITS } from './limits.ts';
import { createLinkMonitor } from './link-monitor/link-monitor.ts';
import { brieflyOpen, createKeptSockets } from './port-sockets.ts';
import { askKernels } from './probe/kernel-answers.ts';
import type { ProbeKeys } from './probe/probe-keys.ts';
import { createProbeRates } from './probe/probe-rates.ts';
import { type ProberParts, sendProbes } from './probe/prober.ts';
import { reachAll } from './probe/reach.ts';
import { createHeardListener } from './snoop/requests.ts';
import { createServedListener } from './snoop/services.ts';

export type OperationParts = ProberParts & {
  readonly frrFolder: string;
  readonly lldpSocket: string;
  readonly keys: ProbeKeys;
  /** Verifies consents to payloads of packets; without it none leave. */
  readonly release?: PayloadRelease | undefined;
  /** The far ends of the links that are monitored, whenever they are given. */
  readonly onMonitored: (addresses: readonly string[]) => void;
};

type All = Handlers<typeof READ_REQUESTS, ReadOperations>;

/** Between two fetches of frames that wait in the kernel: a question's answer is waited for, a node's own scan is not. */
const QUICK_TURN_MS = 5;
const SLOW_TURN_MS = 40;

export function createOperations(parts: OperationParts): ReadonlyMap<string, Operation> {
  // All kinds of probes together: a caller finds no second set of places under another name.
  const inPlace = boundedTogether(HELPER_LIMITS.helperProbeRuns, 'probe runs');
  const rates = createProbeRates(parts.clock);
  const rated: Rated = (costOf, handle) => async (request, context) => {
    const release = rates.take(costOf(request));
    try {
      return await handle(request, context);
    } finally {
      release();
    }
  };
  const runs: Rated = (costOf, handle) => inPlace(rated(costOf, handle));
  return operationsOf<typeof READ_REQUESTS, ReadOperations>(READ_REQUESTS, {
    ...frrOperations(parts.frrFolder),
    ...probeOperations(parts, runs),
    ...hostOperations(parts, runs),
    ...isisOperations(parts),
    ...lldpOperations(parts),
    ...deviceOperations(parts, rated),
  });
}

/** Questions to the routing daemons. */
function frrOperations(
  folder: string,
): Pick<All, 'frr' | 'bgp-prefix' | 'bgp-neighbours' | 'rib-routes' | 'bgp-origins' | 'daemons'> {
  return {
    frr: ({ query }, { signal }) => askFrr(folder, query, signal),
    'bgp-prefix': ({ prefix }, { signal }) => askBgpPrefix(folder, prefix, signal),
    'bgp-neighbours': ({ peers }, { signal }) => askBgpNeighbours(folder, peers, signal),
    'rib-routes': ({ destinations }, { signal }) => askRibRoutes(folder, destinations, signal),
    'bgp-origins': ({ destinations }, { signal }) => askBgpOrigins(folder, destinations, signal),
    daemons: (_, { signal }) => aliveDaemons(folder, signal),
  };
}

function probeOperations(
  parts: OperationParts,
  runs: Rated,
): Pick<All, 'filters' | 'offloads' | 'probe' | 'reach' | 'probe-key' | 'link-watch' | 'capture'> {
  const watchLinks = createLinkMonitor(parts);
  return {
    filters: (_, { signal }) => readFilters(signal),
    offloads: async ({ interfaces }) => {
      const libc = await loadLibc();
      return Object.fromEntries(interfaces.map((name) => [name, libc.offloads(name)]));
    },
    probe: runs(costOfProbe, (request, { signal }) => sendProbes(request, parts, signal)),
    reach: runs(costOfReach, ({ traffic, ...request }, { signal }) =>
      traffic === undefined ? reachAll(request, parts, signal) : askKernels(request, traffic, parts, signal),
    ),
    'probe-key': async (key) => {
      parts.keys.admit(key);
      return null;
    },
    'link-watch': bounded(1, 'watchers of links', ({ links }, { signal }) => {
      parts.onMonitored(links.flatMap(({ far4, far6 }) => [far4, far6].filter((address) => address !== undefined)));
      return watchLinks(links, signal);
    }),
    capture: bounded(HELPER_LIMITS.helperCaptures, 'captures', async ({ decision, ...request }, { signal, emit }) => {
      const capture = () => capturePackets(request, parts.reflectPort, () => emit('listening'), signal);
      const captured =
        decision === undefined
          ? headersOf(request.filter, await capture())
          : await releaseOf(parts)(request, decision as JsonObject, capture);
      return { ...captured, pcap: Buffer.from(captured.pcap).toString('base64') };
    }),
  };
}

/** Our own probes carry no data of customers; of all other packets no payload leaves this process. */
function headersOf({ kind }: CaptureFilter, captured: Capture): Capture {
  return kind === 'probe' ? captured : { ...captured, pcap: withoutPayloads(captured.pcap) };
}

function releaseOf({ release }: OperationParts): PayloadRelease {
  if (release !== undefined) return release;
  throw new ParleyError(
    'node/no-payload',
    'expected a folder that says whose consent counts (--authority), this helper has none: no payload leaves it',
  );
}

type OfHosts =
  | 'host-scan'
  | 'watch-hosts'
  | 'service-probe'
  | 'watch-services'
  | 'served'
  | 'heard'
  | 'dhcp'
  | 'watch-dhcp';

/** What concerns hosts, which have no agent: which are there, what they serve, ask for and are offered. */
function hostOperations(parts: OperationParts, runs: Rated): Pick<All, OfHosts> {
  const served = createServedListener(parts.clock);
  const heard = createHeardListener();
  const kept = createKeptSockets();
  const dhcp: All['dhcp'] = async ({ asks, patient }, { signal }) => {
    refuseForeignGateways(asks);
    return askDhcp(asks, patient, parts, signal);
  };
  const services: All['service-probe'] = ({ serviceProbes, ...how }, { signal }) =>
    probeServices(serviceProbes.map(meantMembers), how, parts, signal);
  return {
    'host-scan': runs(costOfScan, async (request, { signal }) =>
      scanHosts(eachOnce(request), parts, signal, {
        sockets: await brieflyOpen(),
        turnMs: QUICK_TURN_MS,
        solicit: true,
      }),
    ),
    // What a node does by itself all day takes the place of no question.
    'watch-hosts': bounded(1, 'host scans of its own', async (request, { signal }) =>
      scanHosts(eachOnce(request), parts, signal, { sockets: await kept(), turnMs: SLOW_TURN_MS, solicit: false }),
    ),
    'service-probe': runs(costOfServices, services),
    'watch-services': bounded(1, 'service probes of its own', services),
    served: bounded(1, 'listeners for services', ({ ifnames }) => served(ifnames)),
    heard: bounded(1, 'listeners for questions', ({ ifnames }) => heard(ifnames)),
    dhcp: runs(costOfDhcp, dhcp),
    'watch-dhcp': bounded(1, 'DHCP questions of its own', dhcp),
  };
}

/** An address that is named twice is asked once. */
export function eachOnce({ ports, census }: HostScanRequest): HostScanRequest {
  return { ports: ports.map(({ ifname, addresses }) => ({ ifname, addresses: [...new Set(addresses)] })), census };
}

/** Only the members that its service knows; a try of a port names one. */
export function meantMembers({ destination, service, port, via, record, timed }: ServiceProbe): ServiceProbe {
  if (service === 'echo') return { destination, service, ...(via === undefined ? {} : { via }) };
  return {
    destination,
    service,
    port: port ?? refuse('a port of a well-known service', port),
    ...(record === undefined ? {} : { record }),
    ...(timed === true && service === 'udp' ? { timed } : {}),
  };
}

function isisOperations({ clock }: OperationParts): Pick<All, 'isis-speak' | 'isis-announce'> {
  const speakers: Speakers = new Map();
  return {
    'isis-speak': bounded(
      HELPER_LIMITS.helperSpeakers,
      'IS-IS speakers',
      async ({ information, ...request }, { signal, emit }) => {
        const announced = { ...request, information: octetsOf(information) };
        await speakIsis(announced, { clock, speakers }, (event) => emit(JSON.stringify(event)), signal);
        return null;
      },
    ),
    'isis-announce': async ({ ifname, information }) => {
      const speaker = speakers.get(ifname);
      speaker?.announce(octetsOf(information));
      return speaker !== undefined;
    },
  };
}

function octetsOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

type OfLldp = 'lldp-neighbours' | 'lldp-local' | 'lldp-announce' | 'lldp-withdraw' | 'lldp-watch';

function lldpOperations({ lldpSocket, clock }: OperationParts): Pick<All, OfLldp> {
  const neighbours = lldp.createNeighbourReader(lldp.neighbourSource(lldpSocket), clock);
  const announcer = createAnnouncer(tlvWriter(lldpSocket));
  return {
    'lldp-neighbours': (_, { signal }) => neighbours.read(signal),
    'lldp-local': (_, { signal }) => lldp.readLocalPorts(lldpSocket, signal),
    // Lasts as long as its connection: an agent that is killed announces nothing.
    'lldp-announce': bounded(
      HELPER_LIMITS.helperAnnouncements,
      'announcements',
      async ({ information, ...tlv }, { signal, emit }) => {
        await announcer.hold(ownTlv(tlv), information, () => emit('announced'), signal);
        return null;
      },
    ),
    'lldp-withdraw': async (tlv, { signal }) => {
      await announcer.withdraw(ownTlv(tlv), signal);
      return null;
    },
    'lldp-watch': bounded(HELPER_LIMITS.lldpMonitors, 'watchers', async (_, { signal, emit }) => {
      await neighbours.watch(() => emit('changed'), signal);
      return null;
    }),
  };
}

function ownTlv(tlv: lldp.LldpTlv): lldp.LldpTlv {
  return lldp.isOwnOui(tlv.oui) ? tlv : refuse('a locally administered OUI', tlv.oui);
}

type OfDevice = 'show' | 'native' | 'facts' | 'configuration' | 'crashes' | 'log' | 'log-watch' | 'echo';

/** What operators read of the device beside what correlation needs. */
function deviceOperations(parts: OperationParts, rated: Rated): Pick<All, OfDevice> {
  return {
    show: async ({ form, places }, { signal }) => {
      const command = buildShowCommand(form, places);
      if (command.source === 'vtysh') return device.readConfiguration('running', signal);
      if (command.source === 'file') return device.readConfiguration('startup', signal);
      return device.showFromDaemon(parts.frrFolder, command, signal);
    },
    native: ({ module, datastore }, { signal }) => device.readNative(parts.frrFolder, module, datastore, signal),
    facts: async () => ({ daemons: await device.runningDaemons(parts.frrFolder), log: await device.hasLog() }),
    configuration: ({ which }, { signal }) => device.readConfiguration(which, signal),
    crashes: () => device.listCrashes(),
    log: ({ count }, { signal }) => device.readLog(count, signal),
    'log-watch': bounded(HELPER_LIMITS.lldpMonitors, 'watchers', async (_, { signal, emit }) => {
      await device.followLog(
        (added) => emit(JSON.stringify(added)),
        (ms, ended) => parts.clock.sleep(ms, ended),
        signal,
      );
      return null;
    }),
    echo: bounded(
      HELPER_LIMITS.helperEchoes,
      'pings',
      rated(costOfEchoes, (request, { signal, emit }) =>
        runEcho(request, (reply) => emit(JSON.stringify(reply)), signal),
      ),
    ),
  };
}

type Handler<Request, Answer> = (request: Request, context: OperationContext) => Promise<Answer>;

function bounded<Request, Answer>(
  most: number,
  what: string,
  handle: Handler<Request, Answer>,
): Handler<Request, Answer> {
  return boundedTogether(most, what)(handle);
}

type Bounded = <Request, Answer>(handle: Handler<Request, Answer>) => Handler<Request, Answer>;
/** Bounded by what all of them together may send. */
type Rated = <Request, Answer>(
  costOf: (request: NoInfer<Request>) => ProbeCost,
  handle: Handler<Request, Answer>,
) => Handler<Request, Answer>;

/** Refuses at once when `most` are running, over all that is bounded by it: a queue would only hide the load. */
function boundedTogether(most: number, what: string): Bounded {
  let running = 0;
  return (handle) => async (request, context) => {
    if (running >= most)
      throw new ParleyError('node/helper-busy', `expected at most ${most} ${what} at once, got one more`);
    running += 1;
    try {
      return await handle(request, context);
    } finally {
      running -= 1;
    }
  };
}
