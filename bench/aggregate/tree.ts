// Whole trees over mutual TLS: eight levels, and one root over ten regions over fifty leaves each with twenty tools, in at most ten processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { median } from '../statistics.ts';
import type { Leaf } from './leaves.ts';
import { openRawSession, type RawSession } from './raw-client.ts';

export type TreeSetting = {
  readonly dir: string;
  readonly running: ChildProcess[];
  readonly say: (line: string) => void;
  readonly freePort: () => Promise<number>;
};

const BUDGET = { callsPerMinute: 10_000_000, costUnitsPerSession: 1_000_000_000, mutableCallsPerSession: 10_000_000 };
const [REGIONS, LEAVES, TOOLS] = [10, 50, 20] as const;
const LEVELS = 8;
const [REGIONS_IN_ONE, LEAF_PROCESSES] = [2, 4] as const;
const [CALLS, ROUNDS] = [1_000, 3] as const;
const WAIT_MS = 120_000;

type Issue = (name: string) => Promise<string>;

async function authority(dir: string): Promise<Issue> {
  const clock = createSystemClock();
  const issue = { dir: join(dir, 'tree-ca'), clock, addresses: ['127.0.0.1'] };
  await initAuthority({ dir: issue.dir, domain: 'bench.example', clock });
  return async (name) => {
    const out = join(dir, `tree-${name}`);
    await issueCertificate({ ...issue, kind: 'node', name, out });
    return out;
  };
}

/** What one level more costs: the same call through one to eight aggregators, each the parent of the next. */
export async function measureLevels(setting: TreeSetting, echoPort: number): Promise<Record<string, unknown>> {
  const { dir, freePort } = setting;
  const issue = await authority(join(dir, 'levels'));
  const ports = await Promise.all(Array.from({ length: LEVELS }, freePort));
  const configs = [];
  for (let level = 1; level <= LEVELS; level++) {
    const identity = { dir: await issue(`level${level}`) };
    const parents = level === 1 ? [] : [parentAt(`level${level - 1}`, ports[level - 2]!, 'down')];
    const leaves = level === LEVELS ? [{ segment: 's', url: `http://127.0.0.1:${echoPort}/mcp` }] : [];
    const listen = { host: '127.0.0.1', port: ports[level - 1] };
    const state = join(dir, 'levels', `state${level}`);
    configs.push({ node: `level${level}`, state, identity, listen, parents, leaves, ...common() });
  }
  const { child, ports: loopback } = await startRegions(setting, 'levels', configs);
  // From the nearest to the server up to the root.
  const p50: number[] = [];
  const cpuUs: number[] = [];
  for (let depth = 1; depth <= LEVELS; depth++) {
    const name = [...Array.from({ length: depth - 1 }, () => 'down'), 's', 'echo'].join('.');
    const session = await openRawSession(loopback[LEVELS - depth]!, '/mcp?names=dotted');
    const params = { name, arguments: { text: 'hello' } };
    await until(() => session.ask('tools/call', params).then(() => true), `depth ${depth}`);
    await session.run('tools/call', params, CALLS, 1);
    const rounds = [];
    const beforeMs = await cpuMs(child.pid!);
    for (let round = 0; round < ROUNDS; round++) rounds.push((await session.run('tools/call', params, CALLS, 1)).p50Ms);
    cpuUs.push((((await cpuMs(child.pid!)) - beforeMs) * 1_000) / (CALLS * ROUNDS));
    session.close();
    p50.push(median(rounds));
    setting.say(
      `${depth} levels: p50 ${median(rounds).toFixed(3)} ms, ${cpuUs.at(-1)!.toFixed(0)} us of processor time`,
    );
  }
  const perLevelMs = (p50.at(-1)! - p50[0]!) / (LEVELS - 1);
  const cpuUsPerLevel = Math.round((cpuUs.at(-1)! - cpuUs[0]!) / (LEVELS - 1));
  return {
    levels: LEVELS,
    p50Ms: p50.map(three),
    perLevelMs: three(perLevelMs),
    cpuUs: cpuUs.map(Math.round),
    cpuUsPerLevel,
  };
}

/** Ten thousand tools: the list cold and cached, memory for each tool, and how long a killed region is missed. */
export async function measureTree(setting: TreeSetting): Promise<Record<string, unknown>> {
  const dir = join(setting.dir, 'tree');
  const issue = await authority(dir);
  const [rootPort, ...regionPorts] = await Promise.all(Array.from({ length: REGIONS + 1 }, setting.freePort));
  const rootConfig = {
    ...{ node: 'root', state: join(dir, 'state-root'), identity: { dir: await issue('root') } },
    ...{ listen: { host: '127.0.0.1', port: rootPort }, degraded: { graceSeconds: 0 }, ...common() },
  };
  const root = await startRegions(setting, 'tree-root', [rootConfig]);
  const emptyBytes = await residentBytes(root.child.pid!);
  const regions = [];
  for (let first = 0; first < REGIONS; first += REGIONS_IN_ONE) {
    const configs = [];
    for (let region = first; region < first + REGIONS_IN_ONE; region++) {
      const parents = [parentAt('root', rootPort!, `r${region}`)];
      const listen = { host: '127.0.0.1', port: regionPorts[region] };
      const identity = { dir: await issue(`region${region}`) };
      configs.push({
        node: `region${region}`,
        state: join(dir, `state${region}`),
        identity,
        listen,
        parents,
        ...common(),
      });
    }
    regions.push({ configs, running: await startRegions(setting, `tree-regions${first}`, configs) });
  }
  await startLeaves(setting, dir, issue, regionPorts);
  const session = await openRawSession(root.ports[0]!, '/mcp?names=dotted');
  const all = REGIONS * LEAVES * TOOLS;
  await until(async () => (await wholeList(session)).tools >= all, `${all} tools`);
  const bytesPerTool = Math.round(((await residentBytes(root.child.pid!)) - emptyBytes) / all);
  const cached = [];
  for (let index = 0; index < 20; index++) cached.push((await wholeList(session)).ms);
  // Another view has a list of its own, that is made when it is asked for the first time.
  const other = await openRawSession(root.ports[0]!, '/mcp?names=host');
  const cold = await wholeList(other);
  other.close();
  const lost = REGIONS_IN_ONE * LEAVES * TOOLS;
  const last = regions.at(-1)!;
  const killedMs = performance.now();
  last.running.child.kill('SIGKILL');
  await until(async () => (await wholeList(session)).tools <= all - lost + 100, 'the loss');
  const goneMs = performance.now() - killedMs;
  const restartedMs = performance.now();
  const { child } = await startRegions(setting, 'tree-again', last.configs);
  const listensMs = performance.now() - restartedMs;
  await until(async () => (await wholeList(session)).tools >= all, 'the return');
  const backMs = performance.now() - restartedMs;
  session.close();
  setting.say(
    `regions killed: gone after ${goneMs.toFixed(0)} ms, back ${backMs.toFixed(0)} ms after their start (pid ${child.pid})`,
  );
  return {
    ...{
      regions: REGIONS,
      leaves: REGIONS * LEAVES,
      tools: all,
      processes: 1 + REGIONS / REGIONS_IN_ONE + LEAF_PROCESSES,
    },
    list: { pages: cold.pages, bytes: cold.bytes, coldMs: three(cold.ms), cachedP50Ms: three(median(cached)) },
    bytesPerTool,
    killed: { tools: lost, goneMs: Math.round(goneMs), listensMs: Math.round(listensMs), backMs: Math.round(backMs) },
  };
}

function common() {
  return { loopback: { port: 0 }, budget: BUDGET, log: { level: 'error' } };
}

function parentAt(node: string, port: number, segment: string) {
  return { node, addresses: ['127.0.0.1'], port, segment, heartbeatMs: 2_000 };
}

async function startRegions({ dir, running }: TreeSetting, name: string, configs: readonly unknown[]) {
  const file = join(dir, `${name}.json`);
  await writeFile(file, JSON.stringify(configs));
  const { child, line } = await startProgram(running, 'regions.ts', file);
  return { child, ports: JSON.parse(line) as readonly number[] };
}

async function startLeaves({ running }: TreeSetting, dir: string, issue: Issue, regionPorts: readonly number[]) {
  const leaves: Leaf[] = [];
  for (let region = 0; region < REGIONS; region++) {
    for (let leaf = 0; leaf < LEAVES; leaf++) {
      const name = `leaf${region}-${leaf}`;
      const own = { segment: `l${leaf}`, id: randomUUID(), identity: await issue(name), tools: TOOLS };
      leaves.push({ ...own, region: `region${region}`, port: regionPorts[region]! });
    }
  }
  await mkdir(dir, { recursive: true });
  const share = Math.ceil(leaves.length / LEAF_PROCESSES);
  for (let index = 0; index < LEAF_PROCESSES; index++) {
    const file = join(dir, `leaves${index}.json`);
    await writeFile(file, JSON.stringify(leaves.slice(index * share, (index + 1) * share)));
    await startProgram(running, 'leaves.ts', file);
  }
}

/** Resolves with its first line. */
async function startProgram(running: ChildProcess[], program: string, file: string) {
  const args = ['--conditions=parley-source', join(import.meta.dirname, program), file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const [chunk] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(WAIT_MS) })) as [Buffer];
  return { child, line: chunk.toString().split('\n')[0]! };
}

export async function wholeList(session: RawSession) {
  const startedMs = performance.now();
  let [tools, bytes, pages] = [0, 0, 0];
  for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
    const { text } = await session.ask('tools/list', cursor === '' ? {} : { cursor });
    tools += text.split('"inputSchema"').length - 1;
    bytes += text.length;
    cursor = /"nextCursor":"([^"]+)"\}\}$/.exec(text)?.[1];
  }
  return { tools, bytes, pages, ms: performance.now() - startedMs };
}

export async function residentBytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

const CLOCK_TICK_MS = 10;

/** Time on the processor that the process has used, from /proc: other load on the machine does not count. */
export async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (performance.now() < endMs) {
    if (await isDone().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`expected ${what} within ${WAIT_MS} ms`);
}

function three(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
