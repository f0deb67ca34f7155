// The node on which processes are killed, and its neighbour: starts and asks the configuration helper, and reads what runs, what would be
// started, and what the neighbour thinks, each on a way of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { JsonObject } from '#base/json.ts';
import type { CommitRecord } from '#router/config/journal.ts';
import { createHelperClient } from '#router/protocol/client.ts';
import { CONFIG_SOCKET } from '../../simulations/lab/node-files.ts';
import { commandInNode, pathInNode, runInNode } from '../../simulations/lab/node-processes.ts';
import type { NodeRecord } from '../../simulations/lab/registry.ts';
import { askDaemon } from '../../simulations/lab/vty.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { type CrashPoint, POINT_FILE } from './point.ts';

const AS_FRR = [
  'setpriv',
  '--reuid',
  'frr',
  '--regid',
  'frr',
  '--groups',
  'frr,frrvty',
  '--no-new-privs',
  '--inh-caps=-all,+net_admin',
  '--ambient-caps=-all,+net_admin',
  '--bounding-set=-all,+net_admin',
];
const HELPER = ['/opt/node/bin/node', '--conditions=parley-source'];
const JOURNAL = '/var/lib/parley-config/journal.json';
/** Nothing but the MTU that a change sets goes over it. */
export const SPARE_LINK = 'spare0';
const OPERATION_MS = 60_000;

export type NodeUnderTest = ReturnType<typeof createNodeUnderTest>;

/** `helperArguments` are added to the helper's own; `program` is the helper with the killing hook unless another is given. */
export function createNodeUnderTest(
  node: NodeRecord,
  neighbour: NodeRecord,
  helperArguments: readonly string[] = [],
  program = '/opt/extra/helper.ts',
) {
  let helper: ChildProcess | undefined;
  const client = createHelperClient(pathInNode(node, CONFIG_SOCKET));
  const ask = (operation: string, args: JsonObject, signal?: AbortSignal) =>
    client.call(operation, args, { timeoutMs: OPERATION_MS, signal }) as Promise<JsonObject>;
  const path = (inside: string) => pathInNode(node, inside);
  return {
    ask,
    /** As an agent holds a change of its session; the answer ends the hold. */
    hold(commit: unknown): () => void {
      const session = new AbortController();
      const held = { timeoutMs: Number.POSITIVE_INFINITY, signal: session.signal };
      client.call('hold', { commit: String(commit) }, held).catch(ignoreEnd);
      return () => session.abort(new Error('the session ended'));
    },
    async startHelper() {
      const command = [...AS_FRR, ...HELPER, program, '--socket', CONFIG_SOCKET, ...helperArguments];
      const [nsenter, ...args] = commandInNode(node, command);
      helper = spawn(nsenter!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      helper.stderr?.resume();
      const answers = () =>
        ask('status', {}).then(
          () => undefined,
          () => 'an answer',
        );
      await waitUntil('the configuration helper to answer', answers, { timeoutMs: 30_000, intervalMs: 20 });
    },
    helperLives: () => helper !== undefined && helper.exitCode === null && helper.signalCode === null,
    /** nsenter is its parent; the helper itself is the child that must die. */
    async killHelper() {
      const pid =
        Number(readFileSync(`/proc/${helper!.pid}/task/${helper!.pid}/children`, 'utf8').split(' ')[0]) || helper!.pid!;
      const gone = new Promise((resolve) => helper!.once('exit', resolve));
      process.kill(pid, 'SIGKILL');
      await gone;
    },
    setPoint: (point: CrashPoint) => writeFileSync(path(POINT_FILE), JSON.stringify(point)),
    pointReached: () => !existsSync(path(POINT_FILE)),
    clearPoint: () => rmSync(path(POINT_FILE), { force: true }),
    openRecord: () =>
      existsSync(path(JOURNAL)) ? (JSON.parse(readFileSync(path(JOURNAL), 'utf8')) as CommitRecord) : undefined,
    startup: () => readFileSync(path('/etc/frr/frr.conf'), 'utf8'),
    async running() {
      const { stdout } = await runInNode(node, ['vtysh', '-c', 'show running-config']);
      return stdout;
    },
    /** The MTU of the spare link, which is made where there is none. */
    async spareMtu(): Promise<number> {
      const show = () => runInNode(node, ['ip', '-json', 'link', 'show', 'dev', SPARE_LINK]);
      if ((await show()).exitCode !== 0)
        await runInNode(node, ['ip', 'link', 'add', SPARE_LINK, 'mtu', '1500', 'type', 'veth']);
      return (JSON.parse((await show()).stdout) as readonly { readonly mtu: number }[])[0]!.mtu;
    },
    /** What the neighbour says about us: the far side of every adjacency. */
    async neighbourSeesUs() {
      const said = await askDaemon(pathInNode(neighbour, '/run/frr/isisd.vty'), 'show isis neighbor');
      return said.split('\n').some((line) => line.trim().startsWith(`${node.name} `) && / Up /.test(line));
    },
    async weSeeNeighbour() {
      const said = await askDaemon(path('/run/frr/isisd.vty'), 'show isis neighbor');
      return said.split('\n').some((line) => line.trim().startsWith(`${neighbour.name} `) && / Up /.test(line));
    },
  };
}

/** A hold ends with its change, its session or the helper: each is seen in the journal. */
function ignoreEnd(): void {}
