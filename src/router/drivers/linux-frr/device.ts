// DevicePort of a Linux router with FRR: tables, load and neighbours from the kernel without privilege, everything else through
// the read helper. A typed command is taken apart here; the helper gets its form and its places, never the text.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type {
  CrashFile,
  DeviceFacts,
  DevicePort,
  EchoReply,
  EchoRequest,
  EchoResult,
  NativeModule,
} from '#model/router/device-port.ts';
import { parseShowCommand, SHOW_FORMS, type ShowCommand } from '../../helper/device/show-commands.ts';
import { echoArguments } from '../../protocol/arguments.ts';
import { createHelperClient, type HelperClient } from '../../protocol/client.ts';
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
  const helper = createHelperClient(init.helperSocket);
  const routes = createRouteReader({ clock: init.clock });
  const meter = createLoadMeter(init.clock);
  const ask = (operation: string, args: JsonObject, signal: AbortSignal | undefined) =>
    helper.call(operation, args, { signal });
  const echo = (request: EchoRequest, each: (reply: EchoReply) => void, signal?: AbortSignal) =>
    sendEchoes(helper, request, each, signal);
  return {
    facts: async (signal) => factsOf((await ask('facts', {}, signal)) as JsonObject),
    show: (command, signal) => show(parseShowCommand(command), { ask, echo }, signal),
    native: async (module, datastore, signal) =>
      nativeTree(module, String(await ask('native', { module, datastore }, signal))),
    routes: (request, signal) => routes.page(request, signal),
    load: () => meter.load(),
    memory: readMemory,
    log: async (count, signal) => (await ask('log', { count }, signal)) as readonly string[],
    watchLog(lines) {
      const stopped = new AbortController();
      const onEvent = (event: string) => lines(JSON.parse(event) as readonly string[]);
      helper
        .call('log-watch', {}, { signal: stopped.signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent })
        .catch(() => {});
      return () => stopped.abort();
    },
    configuration: async (which, signal) => String(await ask('configuration', { which }, signal)),
    crashes: async (signal) => (await ask('crashes', {}, signal)) as unknown as readonly CrashFile[],
    echo,
    bgpNeighbours: async (signal) => {
      const facts = (await ask('facts', {}, signal)) as JsonObject;
      if (!(facts['daemons'] as readonly string[]).includes('bgpd')) return undefined;
      const text = String(await ask('show', { form: 'show bgp neighbors json', places: {} }, signal));
      return JSON.parse(text) as JsonValue;
    },
    async close() {
      routes.close();
      meter.close();
    },
  };
}

type Reach = {
  ask(operation: string, args: JsonObject, signal: AbortSignal | undefined): Promise<JsonValue>;
  readonly echo: DevicePort['echo'];
};

async function show(command: ShowCommand, reach: Reach, signal: AbortSignal | undefined): Promise<string> {
  const { source, places, form } = command;
  if (source === 'kernel') return showNeighbours(command, signal);
  if (source !== 'echo') return String(await reach.ask('show', { form, places }, signal));
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
  helper: HelperClient,
  request: EchoRequest,
  each: (reply: EchoReply) => void,
  signal?: AbortSignal,
): Promise<EchoResult> {
  const checked = echoArguments({ ...request } as unknown as JsonObject);
  const answer = await helper.call('echo', { ...checked } as unknown as JsonObject, {
    signal,
    timeoutMs: checked.count * checked.intervalMs + LIMITS.helperReadMs * 2,
    onEvent: (event) => each(JSON.parse(event) as EchoReply),
  });
  return answer as unknown as EchoResult;
}

/** The daemon prints its whole configuration; the answer is the part of the module that was asked for. */
function nativeTree(module: string, text: string): JsonObject {
  const tree = JSON.parse(text) as JsonValue;
  if (!isJsonObject(tree)) throw new ParleyError('node/unreadable', 'expected YANG data of FRR, got something else');
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name.startsWith(`${module}:`)));
}

async function factsOf(facts: JsonObject): Promise<DeviceFacts> {
  const daemons = facts['daemons'] as readonly string[];
  const there = NATIVE.filter(({ module }) => daemons.includes(DAEMON_OF_MODULE[module]!));
  return {
    cliDialect: 'frr-vtysh',
    nativeModules: await Promise.all(
      there.map(async (entry) => ({ ...entry, revision: await revisionOf(entry.module) })),
    ),
    protocols: ['bgp', 'isis', 'ospf'].filter((protocol) => daemons.includes(`${protocol}d`)),
    bootTime: await readBootTime(),
    notificationStreams: facts['log'] === true ? ['syslog'] : [],
    commands: SHOW_FORMS,
  };
}

/** Empty where the module's text is not installed (RFC 8525 has an empty revision for a module without one). */
async function revisionOf(module: string): Promise<string> {
  const text = await readFile(`${YANG_FOLDER}/${module}.yang`, 'utf8').catch(() => '');
  return /^\s*revision\s+"?(\d{4}-\d{2}-\d{2})/m.exec(text)?.[1] ?? '';
}
