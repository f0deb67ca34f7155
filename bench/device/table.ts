// The large table of the device benchmark: put into the kernel of a node of a lab by `ip -batch`, learned by the node's zebra, read by
// `ip -j route` and by our client, while zebra is asked for its version again and again.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathInNode, REPOSITORY, runInNetwork } from '../../simulations/lab/node-processes.ts';
import { identityDir, LAB_OPERATOR } from '../../simulations/lab/pki.ts';
import type { LabRecord, NodeRecord } from '../../simulations/lab/registry.ts';
import { tryRun } from '../../simulations/lab/shell.ts';
import { askDaemon } from '../../simulations/lab/vty.ts';
import { pause } from '../../simulations/lab/wait.ts';
import { median, percentile, tenths } from '../statistics.ts';

const AGENT = 'main.js agent';
/** The same of an agent that runs from source. */
export const AGENT_SOURCE = 'main.ts agent';
const ZEBRA = '/usr/lib/frr/zebra';
/** The most routes a page that a node gives out as lines, and as YANG data. */
const LINES = 6_000;
const YANG_ROUTES = 2_000;

/** Fewer notices than the socket of zebra holds, where a caller waits for it to have read them. */
const BATCH = 5_000;
const FILL_MS = 300_000;
const PAGING_MS = 120_000;
const SETTLE_MS = 180_000;
const QUIET_LOOKS = 6;
const LOOK_MS = 500;
const SAMPLE_PAUSE_MS = 10;

/** `count` host routes from the private 10/8, over eight next hops, as a daemon with protocol `static` would put them; `taken` after each batch. */
export async function fillTable(
  node: NodeRecord,
  folder: string,
  count: number,
  taken: (count: number) => Promise<void> = async () => {},
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const upTo = Math.min(count, from + BATCH);
    const lines: string[] = [];
    for (let index = from; index < upTo; index++)
      lines.push(
        `route add 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}/32 via 198.18.0.${2 + (index % 8)} dev wan0 proto static\n`,
      );
    const file = join(folder, 'routes.batch');
    await writeFile(file, lines.join(''));
    const filled = await tryRun('ip', ['-n', node.namespace, '-batch', file], { timeoutMs: FILL_MS });
    if (filled.exitCode !== 0) throw new Error(`expected ip -batch to succeed: ${filled.stderr.slice(0, 300)}`);
    await taken(upTo);
  }
}

/** Resolves when zebra has used no processor time for a while: it has taken in what the kernel told it. */
export async function zebraSettles(node: NodeRecord): Promise<number> {
  const started = performance.now();
  const pid = pidOf(node, ZEBRA);
  let quiet = 0;
  for (let ticks = cpuTicks(pid); quiet < QUIET_LOOKS; ) {
    if (performance.now() - started > SETTLE_MS) throw new Error('expected zebra to settle');
    await pause(LOOK_MS);
    const now = cpuTicks(pid);
    quiet = now - ticks <= 1 ? quiet + 1 : 0;
    ticks = now;
  }
  return (performance.now() - started) / 1_000;
}

/** Seconds of `ip -j route` whose output goes to a reader that throws it away. */
export async function ipSeconds(node: NodeRecord): Promise<number> {
  const started = performance.now();
  const read = await runInNetwork(
    node.namespace,
    ['sh', '-c', 'ip -j route show table main | cat > /dev/null'],
    PAGING_MS,
  );
  if (read.exitCode !== 0) throw new Error(`expected ip to print the table: ${read.stderr.slice(0, 300)}`);
  return (performance.now() - started) / 1_000;
}

export type Paged = {
  readonly pages: number;
  readonly routes: number;
  readonly filled: number;
  readonly outOfOrder: number;
  readonly seconds: number;
  readonly longestPageMs: number;
};

export async function pageTable(
  lab: LabRecord,
  node: NodeRecord,
  form: 'lines' | 'yang',
  limit: number,
): Promise<Paged> {
  const program = join(REPOSITORY, 'bench/device/page-table.ts');
  const identity = identityDir(lab, 'operator', LAB_OPERATOR);
  const argv = [process.execPath, '--conditions=parley-source', program, identity, node.name, form, String(limit)];
  const read = await runInNetwork(node.namespace, argv, PAGING_MS);
  if (read.exitCode !== 0) throw new Error(`expected the table page by page: ${read.stderr.slice(0, 600)}`);
  return JSON.parse(read.stdout) as Paged;
}

/** Asks zebra for its version over its socket, again and again, until `work` ends; milliseconds of each answer. */
export async function whileSamplingZebra<T>(
  node: NodeRecord,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly zebraMs: readonly number[] }> {
  const socket = pathInNode(node, '/run/frr/zebra.vty');
  const zebraMs: number[] = [];
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      const started = performance.now();
      await askDaemon(socket, 'show version');
      zebraMs.push(performance.now() - started);
      await pause(SAMPLE_PAUSE_MS);
    }
  })();
  try {
    return { result: await work(), zebraMs };
  } finally {
    isDone = true;
    await sampling;
  }
}

/** Routes that zebra has learned of the kernel. */
export async function zebraRoutes(node: NodeRecord): Promise<number> {
  const text = await askDaemon(pathInNode(node, '/run/frr/zebra.vty'), 'show ip route summary');
  return Number(/^kernel\s+(\d+)/m.exec(text)?.[1] ?? 0);
}

/** A figure of /proc/<pid>/status in kB: `VmRSS`, `VmHWM`. */
export function memoryKb(node: NodeRecord, program: string, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pidOf(node, program)}/status`, 'utf8');
  return Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(status)?.[1]);
}

/** The process of a node's network whose command line holds `program`. */
export function pidOf(node: NodeRecord, program: string): number {
  const pids = execFileSync('ip', ['netns', 'pids', node.namespace], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const found = pids.find((pid) => {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ');
    return argv.includes(program) && !/^(setpriv|env|bash|\/bin\/bash) /.test(argv);
  });
  if (found === undefined) throw new Error(`expected a process ${program} in ${node.name}`);
  return Number(found);
}

function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

export async function measureTable(lab: LabRecord, count: number, say: (line: string) => void) {
  const node = lab.nodes[0]!;
  const rest = memoryKb(node, AGENT, 'VmRSS');
  await fillTable(node, lab.folder, count);
  say(`${count} routes in the kernel`);
  const settleSeconds = await zebraSettles(node);
  const learned = await zebraRoutes(node);
  say(`zebra settled after ${hundredths(settleSeconds)} s with ${learned} routes of the kernel`);
  const zebraBefore = memoryKb(node, ZEBRA, 'VmRSS');
  const ip = [await ipSeconds(node), await ipSeconds(node), await ipSeconds(node)];
  say(`ip -j route: ${ip.map(hundredths).join(', ')} s`);
  const { result: paged, zebraMs } = await whileSamplingZebra(node, () => pageTable(lab, node, 'lines', LINES));
  const zebraAfter = memoryKb(node, ZEBRA, 'VmRSS');
  say(`${paged.routes} routes on ${paged.pages} pages: ${hundredths(paged.seconds)} s`);
  if (paged.filled !== count || paged.outOfOrder > 0)
    throw new Error(
      `expected ${count} routes once and in order, got ${paged.filled}, ${paged.outOfOrder} out of order`,
    );
  const peakKb = memoryKb(node, AGENT, 'VmHWM');
  const yang = await pageTable(lab, node, 'yang', YANG_ROUTES);
  return {
    routes: paged.routes,
    pages: paged.pages,
    ipSeconds: hundredths(median(ip)),
    pagedSeconds: hundredths(paged.seconds),
    pagedYangSeconds: hundredths(yang.seconds),
    longestPageMs: hundredths(paged.longestPageMs),
    agentRestMb: tenths(rest / 1_000),
    agentPeakMb: tenths(peakKb / 1_000),
    agentPeakYangMb: tenths(memoryKb(node, AGENT, 'VmHWM') / 1_000),
    zebra: {
      learned,
      settleSeconds: hundredths(settleSeconds),
      versionMs: { max: tenths(Math.max(...zebraMs)), p99: tenths(percentile(zebraMs, 0.99)), count: zebraMs.length },
      rssMb: tenths(zebraBefore / 1_000),
      growthPercent: hundredths(((zebraAfter - zebraBefore) / zebraBefore) * 100),
    },
    ratios: { pagedToIp: hundredths(paged.seconds / median(ip)), yangToIp: hundredths(yang.seconds / median(ip)) },
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
