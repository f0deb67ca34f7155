// The closed set of operations of the read helper. Each checks its arguments and then reads, probes or captures; the only
// things that any of them sets are our own LLDP TLV and our own IS-IS LSP. An unknown operation lists the valid ones.
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { loadLibc } from '../native/libc.ts';
import { brieflyOpen, createKeptSockets } from '../native/port-sockets.ts';
import { readFilters } from '../native/programs.ts';
import * as check from '../protocol/arguments.ts';
import { dhcpArguments } from '../protocol/dhcp-arguments.ts';
import type { Operation } from '../protocol/operation.ts';
import { capturePackets } from './device/capture.ts';
import * as device from './device/device-reads.ts';
import { runEcho } from './device/echo.ts';
import { aliveDaemons, askBgpPrefix, askFrr, FRR_QUERY_NAMES } from './device/frr.ts';
import * as lldp from './device/lldp.ts';
import { createAnnouncer, tlvWriter } from './device/lldp-announcer.ts';
import { buildShowCommand } from './device/show-commands.ts';
import { askDhcp } from './hosts/dhcp-request.ts';
import { scanHosts } from './hosts/hosts.ts';
import { probeServices } from './hosts/service-probe.ts';
import { type Speakers, speakIsis } from './isis/speak.ts';
import { createLinkWatcher } from './link-monitor/link-monitor.ts';
import { createProbeRates } from './probe/probe-rates.ts';
import { type ProberParts, sendProbes } from './probe/prober.ts';
import { reachAll } from './probe/reach.ts';
import { createHeardListener } from './snoop/requests.ts';
import { createServedListener } from './snoop/services.ts';

export type OperationParts = ProberParts & { readonly frrFolder: string; readonly lldpSocket: string };

/** Most interfaces of one offload read. */
const OFFLOAD_INTERFACES = 4_096;

/** Between two fetches of frames that wait in the kernel: somebody waits for a question's answer, for nobody's a node's own look. */
const QUICK_TURN_MS = 5;
const SLOW_TURN_MS = 40;

export function createOperations(parts: OperationParts): ReadonlyMap<string, Operation> {
  const speakers: Speakers = new Map();
  const rates = createProbeRates(parts.clock);
  const watchLinks = createLinkWatcher(parts);
  return new Map<string, Operation>(
    Object.entries({
      ...frrOperations(parts.frrFolder),
      filters: async (args, { signal }) => {
        check.onlyMembers(args, []);
        return readFilters(signal);
      },
      offloads: async (args) => {
        check.onlyMembers(args, ['interfaces']);
        const names = args['interfaces'];
        if (!Array.isArray(names) || names.length > OFFLOAD_INTERFACES)
          return check.refuse(`at most ${OFFLOAD_INTERFACES} interfaces`, names);
        const libc = await loadLibc();
        return Object.fromEntries(
          names.map((name: JsonValue) => [check.interfaceName(name), libc.offloads(check.interfaceName(name))]),
        );
      },
      probe: bounded(LIMITS.helperProbes, 'probe runs', async (args, { signal }) => {
        const request = check.probeArguments(args);
        const release = rates.take(request);
        try {
          return await sendProbes(request, parts, signal);
        } finally {
          release();
        }
      }),
      reach: bounded(LIMITS.helperProbes, 'probe runs', async (args, { signal }) =>
        (await reachAll(check.reachArguments(args), parts, signal)).map((result) => ({ ...result })),
      ),
      ...hostOperations(parts),
      'link-watch': bounded(
        1,
        'watchers of links',
        async (args, { signal }) => (await watchLinks(check.watchArguments(args), signal)) as unknown as JsonValue,
      ),
      capture: bounded(LIMITS.helperCaptures, 'captures', async (args, { signal, emit }) => {
        const captured = await capturePackets(
          check.captureArguments(args),
          parts.reflectPort,
          () => emit('listening'),
          signal,
        );
        return { ...captured, pcap: Buffer.from(captured.pcap).toString('base64') };
      }),
      'isis-speak': bounded(LIMITS.helperSpeakers, 'IS-IS speakers', async (args, { signal, emit }) => {
        const request = check.speakArguments(args);
        await speakIsis(request, { clock: parts.clock, speakers }, (event) => emit(JSON.stringify(event)), signal);
        return null;
      }),
      'isis-announce': async (args) => {
        check.onlyMembers(args, ['ifname', 'information']);
        const information = check.hexText(args['information'], 1, LIMITS.lldpInfoBytes);
        const speaker = speakers.get(check.interfaceName(args['ifname']));
        speaker?.announce(Uint8Array.from(Buffer.from(information, 'hex')));
        return speaker !== undefined;
      },
      ...lldpOperations(parts),
      ...deviceOperations(parts),
    } satisfies Record<string, Operation>),
  );
}

/** What concerns hosts, which have no agent: who is there, what they serve, ask for and are offered. */
function hostOperations(parts: OperationParts): Record<string, Operation> {
  const served = createServedListener();
  const heard = createHeardListener();
  const kept = createKeptSockets();
  return {
    'host-scan': bounded(
      LIMITS.helperProbes,
      'probe runs',
      async (args, { signal }) =>
        (await scanHosts(check.hostScanArguments(args), parts, signal, {
          sockets: await brieflyOpen(),
          turnMs: QUICK_TURN_MS,
        })) as unknown as JsonValue,
    ),
    // What a node does by itself all day takes the place of nobody's question.
    'watch-hosts': bounded(
      1,
      'looks at hosts',
      async (args, { signal }) =>
        (await scanHosts(check.hostScanArguments(args), parts, signal, {
          sockets: await kept(),
          turnMs: SLOW_TURN_MS,
        })) as unknown as JsonValue,
    ),
    'watch-services': bounded(
      1,
      'looks at services',
      async (args, { signal }) =>
        (await probeServices(check.serviceProbeArguments(args), parts, signal)) as unknown as JsonValue,
    ),
    'service-probe': bounded(
      LIMITS.helperProbes,
      'probe runs',
      async (args, { signal }) =>
        (await probeServices(check.serviceProbeArguments(args), parts, signal)) as unknown as JsonValue,
    ),
    served: bounded(
      1,
      'listeners for services',
      async (args) => (await served(check.servedArguments(args))) as unknown as JsonValue,
    ),
    heard: bounded(
      1,
      'listeners for questions',
      async (args) => (await heard(check.servedArguments(args))) as unknown as JsonValue,
    ),
    dhcp: bounded(LIMITS.helperProbes, 'probe runs', async (args, { signal }) => {
      const { asks, patient } = dhcpArguments(args);
      return (await askDhcp(asks, patient, parts, signal)) as unknown as JsonValue;
    }),
    'watch-dhcp': bounded(1, 'looks at DHCP servers', async (args, { signal }) => {
      const { asks, patient } = dhcpArguments(args);
      return (await askDhcp(asks, patient, parts, signal)) as unknown as JsonValue;
    }),
  };
}

function lldpOperations({ lldpSocket, clock }: OperationParts): Record<string, Operation> {
  const neighbours = lldp.createNeighbourReader(lldp.neighbourSource(lldpSocket), clock);
  const announcer = createAnnouncer(tlvWriter(lldpSocket));
  return {
    'lldp-neighbours': async (args, { signal }) => {
      check.onlyMembers(args, []);
      return neighbours.read(signal);
    },
    'lldp-local': async (args, { signal }) => {
      check.onlyMembers(args, []);
      return lldp.readLocalPorts(lldpSocket, signal);
    },
    // Lasts as long as its connection: an agent that is killed announces nothing.
    'lldp-announce': bounded(LIMITS.helperAnnouncements, 'announcements', async (args, { signal, emit }) => {
      check.onlyMembers(args, ['oui', 'subtype', 'information']);
      const information = check.hexText(args['information'], 0, LIMITS.lldpInfoBytes);
      await announcer.hold(tlvOf(args), information, () => emit('announced'), signal);
      return null;
    }),
    'lldp-withdraw': async (args, { signal }) => {
      check.onlyMembers(args, ['oui', 'subtype']);
      await announcer.withdraw(tlvOf(args), signal);
      return null;
    },
    'lldp-watch': bounded(LIMITS.helperWatches, 'watchers', async (args, { signal, emit }) => {
      check.onlyMembers(args, []);
      await neighbours.watch(() => emit('changed'), signal);
      return null;
    }),
  };
}

/** What operators read of the device beside what correlation needs. */
function deviceOperations(parts: OperationParts): Record<string, Operation> {
  return {
    show: async (args, { signal }) => {
      check.onlyMembers(args, ['form', 'places']);
      const places = args['places'];
      const command = buildShowCommand(args['form'], places !== undefined && isJsonObject(places) ? places : {});
      if (command.source === 'vtysh') return device.readConfiguration('running', signal);
      if (command.source === 'file') return device.readConfiguration('startup', signal);
      return device.showFromDaemon(parts.frrFolder, command, signal);
    },
    native: async (args, { signal }) => {
      check.onlyMembers(args, ['module', 'datastore']);
      const module = check.oneOf(device.NATIVE_MODULE_NAMES, args['module']);
      return device.readNative(
        parts.frrFolder,
        module,
        check.oneOf(['running', 'operational'], args['datastore']),
        signal,
      );
    },
    facts: async (args) => {
      check.onlyMembers(args, []);
      return { daemons: await device.runningDaemons(parts.frrFolder), log: await device.hasLog() };
    },
    configuration: async (args, { signal }) => {
      check.onlyMembers(args, ['which']);
      return device.readConfiguration(check.oneOf(['running', 'startup'], args['which']), signal);
    },
    crashes: async (args) => {
      check.onlyMembers(args, []);
      return (await device.listCrashes()) as unknown as JsonValue;
    },
    log: async (args, { signal }) => {
      check.onlyMembers(args, ['count']);
      return device.readLog(check.integer(args['count'], 1, LIMITS.logLines), signal);
    },
    'log-watch': bounded(LIMITS.helperWatches, 'watchers', async (args, { signal, emit }) => {
      check.onlyMembers(args, []);
      await device.followLog(
        (added) => emit(JSON.stringify(added)),
        (ms, ended) => parts.clock.sleep(ms, ended),
        signal,
      );
      return null;
    }),
    echo: bounded(LIMITS.helperEchoes, 'pings', async (args, { signal, emit }) => {
      const result = await runEcho(check.echoArguments(args), (reply) => emit(JSON.stringify(reply)), signal);
      return result as unknown as JsonValue;
    }),
  };
}

function tlvOf(args: JsonObject): lldp.LldpTlv {
  const oui = check.hexText(args['oui'], 3, 3);
  if (!lldp.isOwnOui(oui)) check.refuse('a locally administered OUI', oui);
  return { oui, subtype: check.integer(args['subtype'], 0, 255) };
}

/** Questions to the routing daemons. */
function frrOperations(folder: string): Record<string, Operation> {
  return {
    frr: async (args, { signal }) => {
      check.onlyMembers(args, ['query']);
      return askFrr(folder, check.oneOf(FRR_QUERY_NAMES, args['query']), signal);
    },
    'bgp-prefix': async (args, { signal }) => {
      check.onlyMembers(args, ['prefix']);
      return askBgpPrefix(folder, check.ipPrefix(args['prefix']), signal);
    },
    daemons: async (args, { signal }) => {
      check.onlyMembers(args, []);
      return (await aliveDaemons(folder, signal)).map((daemon) => ({ ...daemon }));
    },
  };
}

/** Refuses at once when `most` are running: a queue would only hide the load. */
function bounded(most: number, what: string, operation: Operation): Operation {
  let running = 0;
  return async (args, context) => {
    if (running >= most)
      throw new ParleyError('node/helper-busy', `expected at most ${most} ${what} at once, got one more`);
    running += 1;
    try {
      return await operation(args, context);
    } finally {
      running -= 1;
    }
  };
}
