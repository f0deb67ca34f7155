// The demo without root or Linux: the same agents as real processes over real mutual TLS on loopback, the routers behind them in a small network in
// this process. Nothing outside a temporary folder is touched.
import { type ChildProcess, spawn } from 'node:child_process';
import { access, chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import type { EmbeddedDescription } from '#router/drivers/embedded/description.ts';
import { serveEmbeddedHub } from '#router/drivers/embedded/hub.ts';
import { createEmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import { LAB_DOMAIN } from '../lab/network-lab.ts';
import { REPOSITORY } from '../lab/node-processes.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Act, ASKED } from './acts.ts';
import type { Stage } from './stage.ts';

const MAIN = join(REPOSITORY, 'src/main.ts');
const START_MS = 20_000;
const STOP_MS = 5_000;
const NODES = ['pe1', 'p2', 'pe3'] as const;

/** pe1 – p2 – pe3, as simulations/topologies/srv6-three.clab.yml. */
export const EMBEDDED_THREE: EmbeddedDescription = {
  seed: 2001,
  nodes: NODES.map((name, index) => ({
    name,
    loopback: `fd00:0:0:${index + 1}::1`,
    sids: [
      { sid: `fd00:5a:${index + 1}::e`, behavior: 'End' },
      { sid: `fd00:5a:${index + 1}::d6`, behavior: 'End.DT6', table: 'main' },
    ],
  })),
  links: [
    {
      a: { node: 'pe1', ifname: 'eth1', address: 'fd00:12::/127' },
      b: { node: 'p2', ifname: 'eth1', address: 'fd00:12::1/127' },
    },
    {
      a: { node: 'p2', ifname: 'eth2', address: 'fd00:23::/127' },
      b: { node: 'pe3', ifname: 'eth1', address: 'fd00:23::1/127' },
    },
  ],
};

export async function openEmbeddedStage(init: {
  readonly reportFolder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
  await chmod(folder, 0o700);
  const network = createEmbeddedNetwork(EMBEDDED_THREE);
  const hub = await serveEmbeddedHub({ network, socket: join(folder, 'hub.sock') });
  const agents: ChildProcess[] = [];
  const down = async () => {
    await Promise.all(agents.map(stopAgent));
    await hub.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await issueIdentities(folder);
    const ports = await freePorts(NODES.length);
    for (const [index, node] of NODES.entries()) agents.push(await startAgent(folder, node, index, ports));
    await Promise.all(NODES.map((node) => agentAnswers(folder, node, init.signal)));
    const caFile = join(init.reportFolder, 'ca.pem');
    await copyFile(join(folder, 'ca/ca.pem'), caFile);
    init.say(`agents of ${NODES.join(', ')} answer on ports ${ports.join(', ')}`);
    return {
      kind: 'embedded',
      description: `${NODES.length} agent processes with mutual TLS on loopback, over the embedded network`,
      namespaces: [],
      reportFolder: init.reportFolder,
      caFile,
      inject: async (act) => {
        if (act.embedded) network.apply(act.embedded);
        return async () => {
          network.apply({ kind: 'repair' });
          return [];
        };
      },
      askCommand: (act, intent, file) => askCommand(folder, ports, act, intent, file),
      fetchReport: async () => {},
      tls: async () => undefined,
      down,
    };
  } catch (error) {
    await down();
    throw error;
  }
}

async function issueIdentities(folder: string): Promise<void> {
  const clock = createSystemClock();
  const dir = join(folder, 'ca');
  await initAuthority({ dir, domain: LAB_DOMAIN, clock });
  for (const node of NODES)
    await issueCertificate({ dir, kind: 'node', name: node, out: join(folder, node, 'identity'), clock });
  await issueCertificate({ dir, kind: 'operator', name: 'operator', out: join(folder, 'operator'), clock });
}

/** Every node stands in every other's list of static peers: loopback addresses are never passed on by peer exchange. */
async function startAgent(
  folder: string,
  node: string,
  index: number,
  ports: readonly number[],
): Promise<ChildProcess> {
  const home = join(folder, node);
  await mkdir(join(home, 'state'), { recursive: true });
  const others = NODES.map((name, other) => ({ node: name, addresses: ['127.0.0.1'], port: ports[other]! })).filter(
    (peer) => peer.node !== node,
  );
  const config = {
    node,
    domain: LAB_DOMAIN,
    listen: { host: '127.0.0.1', port: ports[index] },
    control: { socket: join(home, 'control.sock'), group: '' },
    identity: { dir: join(home, 'identity') },
    state: join(home, 'state'),
    driver: { kind: 'embedded', hub: join(folder, 'hub.sock') },
    discovery: { lldp: true, static: others },
    log: { level: 'info', file: join(home, 'agent.log') },
  };
  await writeFile(join(home, 'parley.yaml'), stringify(config));
  const child = spawn(
    process.execPath,
    ['--conditions=parley-source', MAIN, 'agent', '--config', join(home, 'parley.yaml')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  child.on('error', () => {});
  return child;
}

async function agentAnswers(folder: string, node: string, signal: AbortSignal): Promise<void> {
  const socket = join(folder, node, 'control.sock');
  const probe = () =>
    access(socket).then(
      () => undefined,
      () => socket,
    );
  await waitUntil(`the agent of ${node}`, probe, { timeoutMs: START_MS, intervalMs: 50, signal });
}

function askCommand(
  folder: string,
  ports: readonly number[],
  act: Act,
  intent: string,
  file: string,
): readonly string[] {
  const command = [
    process.execPath,
    '--conditions=parley-source',
    MAIN,
    'ask',
    intent,
    '--json',
    '--progress',
    '--save',
    file,
  ];
  if (act.door === 'unix-socket') return [...command, '--socket', join(folder, ASKED, 'control.sock')];
  const port = ports[NODES.indexOf(ASKED)];
  return [...command, '--connect', `127.0.0.1:${port}`, '--node', ASKED, '--identity', join(folder, 'operator')];
}

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAnywhere()));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere(): Promise<ReturnType<typeof createServer>> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function stopAgent(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
