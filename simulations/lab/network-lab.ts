// One lab from nothing to a healthy network and back: writes down, creates, starts, waits; takes down exactly what was written down.
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { messageOf, ParleyError } from '#base/error.ts';
import { createCables } from './cables.ts';
import { type BaselineCheck, waitForBaseline } from './health.ts';
import { createNamespaces, removeNamespaces } from './namespaces.ts';
import {
  type AgentClock,
  CONFIG_SOCKET,
  clockOf,
  HELPER_AUTHORITY,
  HELPER_SOCKET,
  writeNodeFiles,
} from './node-files.ts';
import { type ConfigurationCommands, REPOSITORY, runInNode, startNode } from './node-processes.ts';
import { createLabPki, type LabCertificates, type LabPki } from './pki.ts';
import { defaultPrefix, namespacesOf, PREFIX_CHARS, planLab } from './plan.ts';
import { powerOff } from './power-off.ts';
import {
  createRegistry,
  isStale,
  type LabRecord,
  labDir,
  markProcess,
  type NodeRecord,
  type Registry,
} from './registry.ts';
import { loadTopology, type Topology, type TopologyNode } from './topology.ts';

export type LabOptions = {
  readonly topologyFile: string;
  readonly name?: string;
  readonly prefix?: string;
  readonly timers?: 'fast' | 'default';
  /** False: routers only. */
  readonly agents?: boolean;
  /** Routers that run no agent although the others do. */
  readonly withoutAgent?: readonly string[];
  /** What makes this network healthy, where it is not what the lab's own networks have in common. */
  readonly baseline?: (lab: LabRecord) => readonly BaselineCheck[];
  /** Starts the configuration helper on every node: the usual one, or these command lines. */
  readonly configuration?: boolean | ConfigurationCommands;
  /** What changes need on every node; nothing unless given. */
  readonly consent?: 'off' | 'required';
  /** Folder that every node finds as /opt/extra. */
  readonly extra?: string;
  /** Command lines that stand in for agent and helper, and the folder that they find as /opt/extra (tests). */
  readonly standIn?: { readonly agent: string; readonly helper: string; readonly folder: string };
  /** Start agents from dist/ instead of src/. */
  readonly dist?: boolean;
  /** Added to the agents' environment: `PARLEY_*` overrides. */
  readonly agentEnvironment?: Readonly<Record<string, string>>;
  /** Lives on when this process ends. */
  readonly keep?: boolean;
  readonly seed?: number;
  readonly logLevel?: string;
  readonly dir?: string;
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Nodes renew their certificates; else one lasts as long as a lab does. */
  readonly certificates?: LabCertificates;
  /** Bound on the old generation of each agent, where a test asks for less than an installed one has. */
  readonly agentHeapMegabytes?: number;
};

export type RunningLab = {
  readonly record: LabRecord;
  readonly topology: Topology;
  readonly registry: Registry;
  readonly seconds: number;
  down(): Promise<number>;
  /** Takes a node down as a loss of power would and brings it up again; resolves with the lab as it is then. */
  reboot(node: string): Promise<RunningLab>;
};

/** Nodes that start at the same time: FRR, lldpd, helper and agent of each need a processor for a second or two. */
const STARTING_AT_ONCE = 6;

/**
 * As in packaging/systemd: a small young generation keeps an idle process 15 MB smaller, and an old one with a bound is cleaned before it has
 * grown by a third: an agent that gives out a million routes as YANG data stays 60 MB smaller. With --memory-saver-mode V8 lets a heap grow by a
 * third between two cleanings and not by several times (docs/decisions/0083-memory-of-a-working-agent.md).
 */
const heap = (megabytes: number) => `--max-semi-space-size=2 --memory-saver-mode --max-old-space-size=${megabytes}`;
const HEAP_MEGABYTES = { agent: 256, helper: 192, configurationHelper: 192 } as const;

export const LAB_DOMAIN = 'lab.example';

/** Brings a lab up and waits for its healthy baseline; whatever goes wrong, nothing is left. */
export async function upLab(options: LabOptions): Promise<RunningLab> {
  const say = options.say ?? (() => {});
  const started = performance.now();
  if (process.getuid?.() !== 0) throw new ParleyError('caller/not-root', 'expected root: labs are network namespaces');
  if (options.dist && !existsSync(join(REPOSITORY, 'dist/main.js')))
    throw new ParleyError('caller/no-build', 'expected dist/ for --dist, there is none: run "npm run build" first');
  const loaded = await loadTopology(options.topologyFile);
  if (!loaded.ok)
    throw new ParleyError(
      'caller/topology',
      `expected a topology of the subset in docs, got problems:\n${loaded.reason}`,
    );
  const topology = loaded.value;
  const registry = createRegistry(options.dir ?? labDir());
  for (const cleaned of await downStale(registry)) say(`removed what was left of ${cleaned}`);
  const planned = planRecord(topology, options, registry);
  for (const note of topology.notes) say(`note: ${note}`);
  await registry.create(planned);
  try {
    const record = await buildLab(planned, topology, registry, options, say);
    const seconds = secondsSince(started);
    say(`lab ${record.name} is up after ${seconds} s`);
    return runningLab({ record, topology, registry, seconds, options });
  } catch (error) {
    const left = await downLab(registry, planned).then(() => undefined, messageOf);
    if (left === undefined) throw error;
    throw new ParleyError('node/lab-left', `${messageOf(error)}; and it could not be taken down: ${left}`, {
      cause: error,
    });
  }
}

type Running = Pick<RunningLab, 'record' | 'topology' | 'registry' | 'seconds'> & { readonly options: LabOptions };

function runningLab(running: Running): RunningLab {
  const { record, topology, registry, seconds, options } = running;
  return {
    ...{ record, topology, registry, seconds },
    down: () => downLab(registry, record),
    reboot: async (name) => {
      const index = record.nodes.findIndex((node) => node.name === name);
      const { init: _gone, ...node } = record.nodes[index]!;
      const restoreCarrier = await powerOff(record, record.nodes[index]!);
      await restoreCarrier();
      const nodes = record.nodes.with(index, await startDescribed(record, node, topology.nodes[index]!, options));
      const rebooted = { ...record, nodes };
      await registry.update(rebooted);
      return runningLab({ ...running, record: rebooted });
    },
  };
}

/** Takes a lab down by its record; returns the seconds it took. */
export async function downLab(registry: Registry, record: LabRecord): Promise<number> {
  const started = performance.now();
  await removeNamespaces(namespacesOf(record));
  await registry.forget(record);
  return secondsSince(started);
}

/** Removes what this process could not take down before under this name. */
export async function downOwn(registry: Registry, name: string): Promise<void> {
  const self = markProcess(process.pid);
  const own = (await registry.list()).filter(
    ({ name: known, owner }) => known === name && owner.pid === self?.pid && owner.startTicks === self.startTicks,
  );
  for (const record of own) await downLab(registry, record);
}

/** Removes labs whose owner died before they were up, or whose nodes are gone; returns their names. */
export async function downStale(registry: Registry): Promise<string[]> {
  const stale = (await registry.list()).filter(isStale);
  for (const record of stale) await downLab(registry, record);
  return stale.map((record) => record.name);
}

function planRecord(topology: Topology, options: LabOptions, registry: Registry): LabRecord {
  const name = options.name ?? topology.name;
  const prefix = options.prefix ?? defaultPrefix(name, randomBytes(2).toString('hex'));
  if (!/^[a-z0-9][a-z0-9-]*$/.test(prefix) || prefix.length > PREFIX_CHARS) {
    throw new ParleyError(
      'caller/lab-prefix',
      `expected a prefix of at most ${PREFIX_CHARS} characters [a-z0-9-], got ${prefix}`,
    );
  }
  return planLab(topology, {
    name,
    prefix,
    status: options.keep ? 'starting' : 'running',
    owner: markProcess(process.pid)!,
    timers: options.timers ?? 'fast',
    agents: options.agents === false ? 'none' : options.standIn ? 'stand-in' : 'real',
    seed: options.seed ?? randomInt(1, 1_000_000),
    folder: registry.folderOf(name),
    ...(options.withoutAgent ? { withoutAgent: options.withoutAgent } : {}),
  });
}

async function buildLab(
  planned: LabRecord,
  topology: Topology,
  registry: Registry,
  options: LabOptions,
  say: (line: string) => void,
): Promise<LabRecord> {
  const pki = planned.agents === 'real' ? createLabPki(planned, LAB_DOMAIN, options.certificates) : undefined;
  const written = pki?.then(
    () => {},
    () => {},
  );
  try {
    await createNamespaces(namespacesOf(planned));
    await createCables(planned);
  } catch (error) {
    // The lab's folder goes with it, and must not be written to afterwards.
    await written;
    throw error;
  }
  say(`${planned.nodes.length} namespaces for nodes, ${planned.cables.length} hidden cables`);
  options.signal?.throwIfAborted();
  const identities = await pki;
  const limited = pLimit(STARTING_AT_ONCE);
  const nodes = await Promise.all(
    planned.nodes.map((_, index) => limited(() => raiseNode(planned, topology, index, options, identities))),
  );
  const raised = { ...planned, nodes };
  await registry.update(raised);
  say(`routers${planned.agents === 'none' ? '' : ' and agents'} started`);
  await waitForBaseline(raised, say, options.signal, options.baseline?.(raised));
  const record: LabRecord = { ...raised, status: options.keep ? 'up' : 'running' };
  await registry.update(record);
  return record;
}

async function raiseNode(
  lab: LabRecord,
  topology: Topology,
  index: number,
  options: LabOptions,
  pki: LabPki | undefined,
): Promise<NodeRecord> {
  const node = lab.nodes[index]!;
  const described = topology.nodes[index]!;
  const agent = pki && node.role === 'router' && node.agent !== false && agentFiles(lab, index, pki, options);
  await writeNodeFiles({ node, topology: described, timers: lab.timers, ...(agent ? { agent } : {}) });
  return startDescribed(lab, node, described, options);
}

/** Starts a node whose files are written, and runs what its topology has it run. */
async function startDescribed(
  lab: LabRecord,
  node: NodeRecord,
  described: TopologyNode,
  options: LabOptions,
): Promise<NodeRecord> {
  const isAgentless = lab.agents === 'none' || node.role === 'host' || node.agent === false;
  const init = await startNode(node, {
    lldpIntervalSeconds: lab.timers === 'fast' ? 1 : 30,
    ...(isAgentless ? { helper: '', agent: '' } : commandLines(node.name, options)),
    ...(options.configuration && node.role === 'router' && node.agent !== false
      ? { configuration: configurationCommands(options) }
      : {}),
    ...(options.extra ? { extra: options.extra } : {}),
    ...(options.standIn ? { extra: options.standIn.folder } : {}),
  });
  const started = { ...node, init };
  if (described.exec.length > 0) {
    const said = await runInNode(started, ['bash', '--norc', '-euc', described.exec.join('\n')]);
    if (said.exitCode !== 0)
      throw new ParleyError(
        'node/lab-exec',
        `expected the exec list of ${node.name} to succeed: ${said.stderr.trim()}`,
      );
  }
  return started;
}

function agentFiles(lab: LabRecord, index: number, pki: LabPki, options: LabOptions) {
  const clock: AgentClock = clockOf(lab.seed, index);
  const isConfigurable = options.configuration !== undefined && options.configuration !== false;
  const { name } = lab.nodes[index]!;
  const registrarDir = pki.registrarDir(name);
  return {
    domain: LAB_DOMAIN,
    clock,
    identityDir: pki.nodeDir(name),
    logLevel: options.logLevel ?? 'info',
    ...(registrarDir === undefined ? {} : { registrarDir }),
    ...(options.certificates === undefined ? {} : { registrars: options.certificates.registrars }),
    ...(isConfigurable ? { configurable: options.consent ?? 'off' } : {}),
  };
}

function commandLines(node: string, options: LabOptions): { helper: string; agent: string } {
  if (options.standIn) return { helper: options.standIn.helper, agent: options.standIn.agent };
  const program = (path: string, megabytes: number) =>
    options.dist
      ? `node ${heap(megabytes)} /opt/parley/dist/${path}.js`
      : `node ${heap(megabytes)} --conditions=parley-source /opt/parley/src/${path}.ts`;
  const pairs = Object.entries(options.agentEnvironment ?? {}).map(([name, value]) => `${name}=${value}`);
  const environment = pairs.length === 0 ? '' : `env ${pairs.join(' ')} `;
  const helperArgs = `--socket ${HELPER_SOCKET} --frr /run/frr --lldpd-socket /run/lldpd.socket --reflect-port 9515 --node ${node}`;
  // As in packaging/systemd: payloads leave on an admin's signature, which the helper verifies by root's own files.
  const release = `--authority ${HELPER_AUTHORITY}`;
  return {
    helper: `${program('agent/privileged-helper', HEAP_MEGABYTES.helper)} ${helperArgs} ${release}`,
    // As in packaging/systemd.
    agent: `${environment}nice -n 5 ${program('main', options.agentHeapMegabytes ?? HEAP_MEGABYTES.agent)} agent --config /etc/parley/agent.yml`,
  };
}

function configurationCommands(options: LabOptions): ConfigurationCommands {
  if (typeof options.configuration === 'object') return options.configuration;
  const program = (name: string) =>
    options.dist
      ? `node ${heap(HEAP_MEGABYTES.configurationHelper)} /opt/parley/dist/${name}.js`
      : `node ${heap(HEAP_MEGABYTES.configurationHelper)} --conditions=parley-source /opt/parley/src/${name}.ts`;
  // Without agents there is no authority whose signatures could count, and nothing is changed.
  const authority = options.agents === false || options.standIn ? '' : ` --authority ${HELPER_AUTHORITY}`;
  return {
    helper: `${program('agent/config-helper')} --socket ${CONFIG_SOCKET}${authority}`,
    rollback: program('router/rollback/main'),
  };
}

export function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1_000;
}
