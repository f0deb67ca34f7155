// Starts and enters nodes: each has network, mount, PID and UTS namespaces of its own and a root file system with nothing of the lab in it
// (node-root.sh), and its processes start as on a real machine (node-image/start-node.sh).
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import type { Finished } from '#base/process.ts';
import { markProcess, type NodeRecord, type ProcessMark } from './registry.ts';
import { tryRun } from './shell.ts';
import { waitUntil } from './wait.ts';

export const REPOSITORY = join(import.meta.dirname, '../..');
const NODE_ROOT = join(import.meta.dirname, 'node-root.sh');
const START_NODE = join(REPOSITORY, 'simulations/node-image/start-node.sh');
/** Many nodes start at once on few processors. */
const START_MS = 120_000;

export type NodeStart = {
  readonly lldpIntervalSeconds: number;
  /** Command lines inside the node; empty: not started. */
  readonly helper: string;
  readonly configuration?: ConfigurationCommands;
  readonly agent: string;
  /** Folder of this machine that the node sees read-only as /opt/extra. */
  readonly extra?: string;
};

/** Command lines of the configuration helper and of what undoes changes without it; empty: not started. */
export type ConfigurationCommands = { readonly helper: string; readonly rollback: string };

/** Starts a node and resolves when its daemons have their configuration. */
export async function startNode(node: NodeRecord, start: NodeStart): Promise<ProcessMark> {
  const output = openSync(join(node.folder, 'start.log'), 'a');
  const child = spawn(
    'ip',
    [
      'netns',
      'exec',
      node.namespace,
      'unshare',
      '--mount',
      '--pid',
      '--uts',
      '--fork',
      '--kill-child',
      'bash',
      NODE_ROOT,
    ],
    { detached: true, stdio: ['ignore', output, output], env: nodeEnvironment(node, start) },
  );
  closeSync(output);
  child.unref();
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(
        new ParleyError('node/lab-node', `expected node ${node.name} to run, it ended with ${code}: ${startLog(node)}`),
      ),
    );
  });
  failed.catch(() => {});
  return Promise.race([failed, startedProcess(node, child.pid!)]);
}

export type EnterOptions = { readonly timeoutMs?: number; readonly asAgent?: boolean };

/** Runs a program inside all namespaces of a node, as root unless `asAgent`. */
export function runInNode(node: NodeRecord, argv: readonly string[], options: EnterOptions = {}): Promise<Finished> {
  const [program, ...args] = commandInNode(node, argv, options);
  return tryRun(program!, args, { timeoutMs: options.timeoutMs ?? 30_000 });
}

/** The agent's other groups in node-root.sh, which open the sockets of the read helper and of the configuration helper. */
const HELPER_GROUP_OFFSETS = [20_000, 30_000];

/** The command line of this machine that runs `argv` inside a node. */
export function commandInNode(
  node: NodeRecord,
  argv: readonly string[],
  options: Pick<EnterOptions, 'asAgent'> = {},
): string[] {
  const uid = String(node.uid);
  const groups = ['--groups', HELPER_GROUP_OFFSETS.map((offset) => node.uid + offset).join(',')];
  const drop = [...groups, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const as = options.asAgent ? ['setpriv', '--reuid', uid, '--regid', uid, ...drop] : [];
  // Entering the mount namespace sets root and folder to the node's; --root or --wd would leave a folder of this machine open.
  const enter = ['--mount', '--uts', '--net', '--pid'];
  const target = String(initOf(node).pid);
  return ['nsenter', '--target', target, ...enter, ...as, 'env', '-i', ...INNER_ENVIRONMENT, ...argv];
}

/** Runs a program in a node's network namespace only, with this machine's files: leaves nothing behind in the node. */
export function runInNetwork(namespace: string, argv: readonly string[], timeoutMs = 30_000): Promise<Finished> {
  return tryRun('ip', ['netns', 'exec', namespace, ...argv], { timeoutMs });
}

/** A path inside the node as this machine's root sees it. */
export function pathInNode(node: NodeRecord, path: string): string {
  return `/proc/${initOf(node).pid}/root${path}`;
}

const INNER_ENVIRONMENT = [
  'PATH=/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'LC_ALL=C',
  'HOME=/root',
];

function initOf(node: NodeRecord): ProcessMark {
  if (!node.init)
    throw new ParleyError('caller/node-not-started', `expected node ${node.name} to run, it was never started`);
  return node.init;
}

function nodeEnvironment(node: NodeRecord, start: NodeStart): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_NAME: node.name,
    NODE_ROLE: node.role,
    NODE_SERVICES: node.services.join(' '),
    LLDP_INTERVAL: String(start.lldpIntervalSeconds),
    PARLEY_HELPER: start.helper,
    PARLEY_CONFIG: start.configuration?.helper ?? '',
    PARLEY_ROLLBACK: start.configuration?.rollback ?? '',
    PARLEY_AGENT: start.agent,
    LAB_FOLDER: node.folder,
    LAB_REPOSITORY: REPOSITORY,
    LAB_NODE_BINARY: process.execPath,
    LAB_START: START_NODE,
    LAB_UID: String(node.uid),
    LAB_EXTRA: start.extra ?? '',
  };
}

async function startedProcess(node: NodeRecord, outerPid: number): Promise<ProcessMark> {
  let init: ProcessMark | undefined;
  await waitUntil(
    `node ${node.name} to start`,
    async () => {
      const pid = firstChild(outerPid);
      if (pid === undefined) return 'its first process';
      const there = await access(`/proc/${pid}/root/run/node-started`).then(
        () => true,
        () => false,
      );
      init = there ? markProcess(pid) : undefined;
      return init ? undefined : `its daemons (${startLog(node)})`;
    },
    { timeoutMs: START_MS, intervalMs: 10 },
  );
  return init!;
}

function firstChild(pid: number): number | undefined {
  try {
    const first = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0];
    return first ? Number(first) : undefined;
  } catch {
    return undefined;
  }
}

function startLog(node: NodeRecord): string {
  try {
    return readFileSync(join(node.folder, 'start.log'), 'utf8').trim().split('\n').slice(-3).join(' | ');
  } catch {
    return 'no log';
  }
}
