// DevicePort of a Linux router with FRR: tables, load and neighbours from the kernel without privilege, everything else through
// the privileged helper. A typed command is taken apart here; the helper gets its form and its places, never the text.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type {
  DeviceFacts,
  DevicePort,
  EchoReply,
  EchoRequest,
  EchoResult,
  NativeModule,
  YangDatastore,
} from '#model/router/device-port.ts';
import { echoRequest } from '#model/router/device-schema.ts';
import { checked, refuse } from '#model/wire/check.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { NATIVE_MODULES, type ReadOperations } from '../../protocol/read-operations.ts';
import { parseShowCommand, SHOW_FORMS, type ShowCommand } from '../../protocol/show-commands.ts';
import { createReadHelper, type ReadHelper } from '../../protocol/typed-operations.ts';
import { readTold } from './frr/bgp-sessions.ts';
import { readIp, textOf } from './kernel/ip-command.ts';
import { createLoadMeter, readBootTime, readMemory } from './kernel/load.ts';
import { createRouteReader } from './routing-table/route-dump.ts';

export type LinuxDeviceInit = { readonly helperSocket: string; readonly clock: Clock };

/** Where FRR installs its modules; their newest revision is read from there. */
const YANG_FOLDER = '/usr/share/yang';

const NATIVE: readonly Omit<NativeModule, 'revision'>[] = [
  { module: 'frr-interface', namespace: 'http://frrouting.org/yang/interface', datastores: ['running', 'operational'] },
  { module: 'frr-isisd', namespace: 'http://frrouting.org/yang/isisd', datastores: ['running'] },
  { module: 'frr-routing', namespace: 'http://frrouting.org/yang/routing', datastores: ['running'] },
  { module: 'frr-vrf', namespace: 'http://frrouting.org/yang/vrf', datastores: ['operational'] },
];

const DAEMON_OF_MODULE: Readonly<Record<string, string>> = {
  'frr-interface': 'isisd',
  'frr-isisd': 'isisd',
  'frr-routing': 'staticd',
  'frr-vrf': 'staticd',
};

export function createLinuxDevice(init: LinuxDeviceInit): DevicePort {
  const helper = createReadHelper(init.helperSocket);
  const routes = createRouteReader({ clock: init.clock });
  const meter = createLoadMeter(init.clock);
  const echo = (request: EchoRequest, each: (reply: EchoReply) => void, signal?: AbortSignal) =>
    sendEchoes(helper, request, each, signal);
  return {
    facts: async (signal) => factsOf(await helper.call('facts', {}, { signal })),
    show: (command, signal) => show(parseShowCommand(command), { helper, echo }, signal),
    native: async (module, datastore, signal) =>
      nativeTree(module, await helper.call('native', nativeRequest(module, datastore), { signal })),
    routes: (request, signal) => routes.page(request, signal),
    load: () => meter.load(),
    memory: readMemory,
    log: (count, signal) => helper.call('log', { count }, { signal }),
    watchLog(lines) {
      const stopped = new AbortController();
      const onEvent = (event: string) => lines(JSON.parse(event) as readonly string[]);
      helper
        .call('log-watch', {}, { signal: stopped.signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent })
        .catch(() => {});
      return () => stopped.abort();
    },
    configuration: (which, signal) => helper.call('configuration', { which }, { signal }),
    crashes: (signal) => helper.call('crashes', {}, { signal }),
    echo,
    bgpNeighbours: async (signal) => {
      const { daemons } = await helper.call('facts', {}, { signal });
      if (!daemons.includes('bgpd')) return undefined;
      return readTold({
        frr: (query) => helper.call('frr', { query }, { signal }),
        neighbours: (peers) => helper.call('bgp-neighbours', { peers: [...peers] }, { signal }),
      });
    },
    async close() {
      routes.close();
      meter.close();
    },
  };
}

type Reach = { readonly helper: ReadHelper; readonly echo: DevicePort['echo'] };

async function show(command: ShowCommand, reach: Reach, signal: AbortSignal | undefined): Promise<string> {
  const { source, places, form } = command;
  if (source === 'kernel') return showNeighbours(command, signal);
  if (source !== 'echo') return reach.helper.call('show', { form, places }, { signal });
  const request: EchoRequest = {
    destination: places['ADDRESS']!,
    count: Number(places['COUNT'] ?? 5),
    ...(places['SOURCE'] === undefined ? {} : { source: places['SOURCE'] }),
    ...(places['VRF'] === undefined ? {} : { vrf: places['VRF'] }),
    intervalMs: 100,
    payloadBytes: 56,
    dontFragment: false,
  };
  return (await reach.echo(request, () => {}, signal)).stdout;
}

/** `10.0.0.5  00:50:56:ab:cd:ef  Vlan100`, one a line: address, link-layer address or state, interface. */
async function showNeighbours({ form, places }: ShowCommand, signal: AbortSignal | undefined): Promise<string> {
  const family = form.startsWith('show ip arp') ? '-4' : '-6';
  const vrf = places['VRF'];
  const to = places['ADDRESS'];
  const args = [
    '-j',
    family,
    'neigh',
    'show',
    ...(to === undefined ? [] : ['to', to]),
    ...(vrf === undefined ? [] : ['vrf', vrf]),
  ];
  const rows = await readIp(args, signal).catch((error) => {
    if (vrf === undefined || !(error instanceof ParleyError)) throw error;
    throw new ParleyError('caller/unknown-vrf', `expected a VRF of this device, got ${JSON.stringify(vrf)}`, {
      data: { path: 'vrf' },
    });
  });
  return rows
    .map((row) => {
      const states = Array.isArray(row['state']) ? row['state'].join(' ') : '';
      return `${textOf(row['dst'])}  ${textOf(row['lladdr']) ?? states}  ${textOf(row['dev'])}\n`;
    })
    .join('');
}

async function sendEchoes(
  helper: ReadHelper,
  request: EchoRequest,
  each: (reply: EchoReply) => void,
  signal?: AbortSignal,
): Promise<EchoResult> {
  const { count, intervalMs } = checked(echoRequest, request);
  return helper.call('echo', request, {
    signal,
    timeoutMs: count * intervalMs + ROUTER_LIMITS.helperReadMs * 2,
    onEvent: (event) => each(JSON.parse(event) as EchoReply),
  });
}

/** Only what the helper itself may ask FRR for. */
function nativeRequest(module: string, datastore: YangDatastore): ReadOperations['native']['request'] {
  return {
    module: NATIVE_MODULES.find((name) => name === module) ?? refuse(`one of ${NATIVE_MODULES.join(', ')}`, module),
    datastore:
      datastore === 'running' || datastore === 'operational' ? datastore : refuse('running or operational', datastore),
  };
}

/** The daemon prints its whole configuration; the answer is the part of the module that was asked for. */
function nativeTree(module: string, text: string): JsonObject {
  const tree = JSON.parse(text) as JsonValue;
  if (!isJsonObject(tree)) throw new ParleyError('node/unreadable', 'expected YANG data of FRR, got something else');
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name.startsWith(`${module}:`)));
}

async function factsOf({ daemons, log }: ReadOperations['facts']['answer']): Promise<DeviceFacts> {
  const there = NATIVE.filter(({ module }) => daemons.includes(DAEMON_OF_MODULE[module]!));
  return {
    cliDialect: 'frr-vtysh',
    nativeModules: await Promise.all(
      there.map(async (entry) => ({ ...entry, revision: await revisionOf(entry.module) })),
    ),
    protocols: ['bgp', 'isis', 'ospf'].filter((protocol) => daemons.includes(`${protocol}d`)),
    bootTime: await readBootTime(),
    notificationStreams: log ? ['syslog'] : [],
    commands: SHOW_FORMS,
  };
}

/** Empty where the module's text is not installed (RFC 8525 has an empty revision for a module without one). */
async function revisionOf(module: string): Promise<string> {
  const text = await readFile(`${YANG_FOLDER}/${module}.yang`, 'utf8').catch(() => '');
  return /^\s*revision\s+"?(\d{4}-\d{2}-\d{2})/m.exec(text)?.[1] ?? '';
}
