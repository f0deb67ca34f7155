// Agents as an operator runs them: a process each, mutual TLS on loopback, a Unix socket each, over one embedded network
// that the test holds. Every process is a child and ends by its pid; the folder goes with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { silentLog } from '#base/log.ts';
import { type OperatorClient, openOperatorClient } from '#mcp/client/operator-client.ts';
import { dialLocal } from '#mtls/local-socket.ts';
import { serveEmbeddedHub } from '#router/drivers/embedded/hub.ts';
import { createEmbeddedNetwork, type EmbeddedNetwork } from '#router/drivers/embedded/network.ts';
import { freePort } from '../free-port.ts';
import { createDomain, type Domain } from '../mtls/domain.ts';
import { THREE_ROUTERS } from '../router/embedded-bed.ts';
import { HANG_MS, hangs, untilWritten } from '../until-written.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const NODES = ['pe1', 'p2', 'pe3'] as const;
export type NodeName = (typeof NODES)[number];

export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

export type AgentBed = {
  readonly domain: Domain;
  readonly network: EmbeddedNetwork;
  readonly dir: string;
  readonly portOf: (node: NodeName) => number;
  readonly socketOf: (node: NodeName) => string;
  readonly auditOf: (node: NodeName) => string;
  readonly configOf: (node: NodeName) => string;
  readonly processOf: (node: NodeName) => ChildProcess;
  /** Starts an agent and waits until it has said so. */
  start(node: NodeName): Promise<void>;
  /** Ends an agent and resolves with its exit code, or the signal's name. */
  stop(node: NodeName, signal?: NodeJS.Signals): Promise<number | string>;
  log(node: NodeName): string;
  /** First audit file of a node as records. */
  audit(node: NodeName): Promise<readonly AuditEntry[]>;
  local(node: NodeName): Promise<OperatorClient>;
  down(): Promise<void>;
};

export type BedOptions = { readonly lifetimeMs?: number; readonly configurable?: boolean; readonly here?: boolean };

export type AuditEntry = Readonly<Record<string, string>>;

/** A name that the certificate of a node has, and its configuration has not. */
export function certifiedNameOf(node: NodeName): string {
  return `router-${node}.net.example`;
}

/**
 * `over`: configuration of one node that differs from the bed's. `lifetimeMs`: of their certificates. `configurable`: all nodes may be configured. `here`: the agents run in
 * this process, where a test asks nothing of their processes: three start in the time of one. */
export async function upAgents(
  nodes: readonly NodeName[],
  over: Partial<Record<NodeName, Readonly<Record<string, unknown>>>> = {},
  { lifetimeMs, configurable = false, here = false }: BedOptions = {},
): Promise<AgentBed> {
  const domain = await createDomain();
  const { dir } = domain;
  const network = createEmbeddedNetwork(THREE_ROUTERS);
  const hub = await serveEmbeddedHub({ network, socket: join(dir, 'hub.sock') });
  const ports = new Map<string, number>();
  for (const node of NODES) ports.set(node, await freePort());
  const children = new Map<string, ChildProcess>();
  const running = new Map<string, Awaited<ReturnType<typeof startHere>>>();
  const leave = removeWhenEnded(children, dir);
  const file = (node: string, name: string) => join(dir, `run-${node}`, name);

  const bed: AgentBed = {
    domain,
    network,
    dir,
    portOf: (node) => ports.get(node)!,
    socketOf: (node) => file(node, 'control.sock'),
    auditOf: (node) => file(node, 'state/audit'),
    configOf: (node) => file(node, 'parley.yaml'),
    processOf: (node) => children.get(node)!,
    async start(node) {
      if (here) return void running.set(node, await startHere(bed.configOf(node)));
      const before = count(bed.log(node), 'agent started');
      const args = ['--conditions=parley-source', MAIN, 'agent', '--config', bed.configOf(node)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env: environment() });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      children.set(node, child);
      const started = () => {
        if (child.exitCode !== null) throw new Error(`agent ${node} ended with ${child.exitCode}: ${said}`);
        return count(bed.log(node), 'agent started') > before;
      };
      await untilWritten(file(node, ''), started, [child]);
    },
    stop: (node, signal = 'SIGTERM') => end(children.get(node)!, signal),
    log: (node) => (existsSync(file(node, 'agent.log')) ? readFileSync(file(node, 'agent.log'), 'utf8') : ''),
    async audit(node) {
      const text = await readFile(join(bed.auditOf(node), 'audit-000000000000001.jsonl'), 'utf8');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AuditEntry);
    },
    local: async (node) => openOperatorClient(await dialLocal(bed.socketOf(node))),
    async down() {
      leave();
      for (const child of children.values()) await end(child, 'SIGKILL');
      for (const agent of running.values()) await agent.stop();
      await hub.close();
      await domain.remove();
    },
  };
  try {
    for (const node of nodes) {
      const lifetime = lifetimeMs === undefined ? {} : { lifetimeMs };
      await domain.identity(node, { dnsNames: [certifiedNameOf(node)], ...lifetime });
      await mkdir(file(node, 'state'), { recursive: true });
      await writeFile(bed.configOf(node), stringify({ ...settingsOf(node, bed, ports, configurable), ...over[node] }));
    }
    await Promise.all(nodes.map((node) => bed.start(node)));
  } catch (error) {
    await bed.down();
    throw error;
  }
  return bed;
}

async function startHere(file: string) {
  const [{ createAgent }, { loadConfig }] = await Promise.all([
    import('#agent/create-agent.ts'),
    import('#config/load.ts'),
  ]);
  return createAgent(await loadConfig({ file }), silentLog);
}

/** A test that is interrupted runs no `after`: its agents and its folder go here. Returns the way to take that back. */
function removeWhenEnded(children: ReadonlyMap<string, ChildProcess>, dir: string): () => void {
  const clean = () => {
    for (const child of children.values()) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  const interrupted = () => process.exit(130);
  process.once('exit', clean);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  return () => {
    process.off('exit', clean);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  };
}

/** Loopback addresses are never passed on by peer exchange, so each node is told of both others. */
function settingsOf(node: string, bed: AgentBed, ports: ReadonlyMap<string, number>, configurable: boolean) {
  const run = join(bed.dir, `run-${node}`);
  const others = NODES.filter((name) => name !== node);
  return {
    node,
    domain: 'lab.example',
    listen: { host: '127.0.0.1', port: ports.get(node) },
    control: { socket: join(run, 'control.sock'), group: ownGroup() },
    identity: { dir: join(bed.dir, node) },
    state: join(run, 'state'),
    driver: { kind: 'embedded', hub: join(bed.dir, 'hub.sock'), configurable },
    discovery: {
      lldp: false,
      static: others.map((name) => ({ node: name, addresses: ['127.0.0.1'], port: ports.get(name) })),
    },
    probe: { count: 400 },
    log: { level: 'debug', file: join(run, 'agent.log') },
  };
}

/** Nothing of this machine's settings reaches the processes under test, but where temporary and compiled files are. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    ...{ PATH, HOME },
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
}

/** Runs one `parley` command as a process. Rejects when it hangs. */
export function runParley(args: readonly string[], extra: NodeJS.ProcessEnv = {}, boundMs = HANG_MS): Promise<Ended> {
  const env = { ...environment(), ...extra };
  const child = spawn(process.execPath, ['--conditions=parley-source', MAIN, ...args], { env });
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // It ends by itself, or with the test.
  const leave = () => void child.kill('SIGKILL');
  process.once('exit', leave);
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr })),
  );
  return Promise.race([ended, hangs(`parley ${args.join(' ')}`, boundMs)]).finally(() => {
    process.off('exit', leave);
    leave();
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill(signal);
    // A process that was stopped gets its signal when it goes on.
    child.kill('SIGCONT');
    await Promise.race([gone, hangs(`the end of process ${child.pid} by ${signal}`)]).finally(() =>
      child.kill('SIGKILL'),
    );
  }
  return child.exitCode ?? child.signalCode ?? 'unknown';
}

function ownGroup(): string {
  const id = String(process.getgid?.() ?? 0);
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((entry) => entry.split(':')[2] === id);
  return line?.split(':')[0] ?? 'root';
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
