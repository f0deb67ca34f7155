// The contract of every device port on a real router with FRR: the linux-frr driver inside the node, its configuration helper, and what
// runs as `vtysh` says it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import type { DevicePort, RouteEntry } from '#model/router/device-port.ts';
import { createConfigurationClient } from '#router/drivers/linux-frr/configuration.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONFIG_SOCKET, HELPER_SOCKET } from '../../simulations/lab/node-files.ts';
import { commandInNode, pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { type DeviceBed, devicePortContract } from '../contracts/device-port.ts';
import { HANG_MS } from '../until-written.ts';

const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/pair.clab.yml');
const DEVICE_SOCKET = '/run/device.sock';
const dir = mkdtempSync(join(tmpdir(), 'parley-frr-device-'));
let lab: RunningLab;
let host: ChildProcess;
let bed: DeviceBed;

before(async () => {
  const prefix = `fd${randomBytes(2).toString('hex')}`.slice(0, 6);
  const extra = join(import.meta.dirname, 'device-host');
  lab = await upLab({ topologyFile: TOPOLOGY, name: prefix, prefix, dir, extra, configuration: true });
  const node = lab.record.nodes[0]!;
  const serve = ['node', '--conditions=parley-source', '/opt/extra/serve.ts', HELPER_SOCKET, DEVICE_SOCKET];
  const [program, ...args] = commandInNode(node, serve);
  host = spawn(program!, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const device = remoteDevice(pathInNode(node, DEVICE_SOCKET));
  const configuration = createConfigurationClient(pathInNode(node, CONFIG_SOCKET));
  const answers = () =>
    device.facts().then(
      () => undefined,
      (error: Error) => error.message,
    );
  await waitUntil('the device to answer', answers, { timeoutMs: HANG_MS, intervalMs: 50 });
  bed = {
    device,
    configuration,
    describe: (holder, text) => configuration.edit!(holder, ['interface eth1', ` description ${text}`]),
    mistake: (holder) => configuration.edit!(holder, ['interface eth1', ' do write']),
    async described() {
      const { stdout } = await runInNode(node, ['vtysh', '-c', 'show running-config']);
      return /^interface eth1\n(?: .*\n)*? description (\S+)/m.exec(stdout)?.[1];
    },
    declares: {
      cliDialect: 'frr-vtysh',
      command: { text: 'show isis hostname', shows: /0000\.0000\.0002 b/ },
      native: {
        module: 'frr-isisd',
        datastore: 'running',
        path: '/frr-isisd:isis',
        holds: (data) => JSON.stringify(data).includes('"is-type"'),
      },
      routes: true,
      log: true,
      startup: true,
    },
  };
});
after(async () => {
  if (host?.exitCode === null) host.kill('SIGKILL');
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

devicePortContract('linux-frr', () => bed);

/** Every method as one call; signals and callbacks stay on this side. */
function remoteDevice(socket: string): DevicePort {
  const host = createHelperClient(socket);
  const call =
    (method: string) =>
    async (...given: unknown[]): Promise<never> =>
      (await host.call('call', { method, arguments: given as unknown as JsonValue })) as never;
  return {
    facts: () => call('facts')(),
    show: (command) => call('show')(command),
    native: (module, datastore) => call('native')(module, datastore),
    async routes({ each, ...request }) {
      const page: { readonly routes: readonly RouteEntry[]; readonly next?: string } = await call('routes')(request);
      each(page.routes);
      return page.next;
    },
    load: () => call('load')(),
    memory: () => call('memory')(),
    log: (count) => call('log')(count),
    watchLog: () => () => {},
    configuration: (which) => call('configuration')(which),
    crashes: () => call('crashes')(),
    echo: (request) => call('echo')(request),
    bgpNeighbours: () => call('bgpNeighbours')(),
    close: async () => {},
  };
}
