// `npm run bench -- aggregate [--peers] [--rounds N] [--only trees|gateways] [--json]`: what an aggregator costs beside calling its server directly, in one run: latency
// at concurrency 1, calls a second at 16 and 64, processor time a call, a list of 500 tools. `--peers` installs gateways of npm in a
// temporary folder and measures them on the same server.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { freePort } from '../test/free-port.ts';
import { type Load, openRawSession, type RawSession } from './aggregate/raw-client.ts';
import { cpuMs, measureLevels, measureTree, residentBytes, wholeList } from './aggregate/tree.ts';
import { median, percentile } from './statistics.ts';

const ROOT = join(import.meta.dirname, '..');
const ECHO = join(import.meta.dirname, 'aggregate', 'echo-server.ts');
const CONCURRENCIES = [1, 16, 64] as const;
const [CALLS, WARM_UP, LISTS] = [3_000, 1_000, 50];

type Target = {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly tool: string;
  /** Process whose processor time is the gateway's; undefined: directly. */
  readonly pid: number | undefined;
  /** Mutual TLS instead of plain loopback HTTP. */
  readonly tls?: ConnectionOptions;
};

type Cell = Load & { readonly cpuUs: number | undefined };

export async function bench(args: readonly string[], say: (line: string) => void): Promise<Record<string, unknown>> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const running: ChildProcess[] = [];
  const rounds = Number(args[args.indexOf('--rounds') + 1]) || 3;
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
  try {
    const setting = { dir, running, say, freePort };
    const { port } = await startEcho(running, 1);
    const trees =
      only === 'gateways' ? {} : { levels: await measureLevels(setting, port), tree: await measureTree(setting) };
    for (const child of running.splice(0)) child.kill();
    if (only === 'trees') return trees;
    const targets = await startAll({ ...setting, withPeers: args.includes('--peers') });
    const figures = await measure(targets, rounds, say);
    return {
      rounds,
      callsInEachCell: CALLS,
      targets: figures,
      ...trees,
      lists: [await measureLists(setting, 500), await measureLists(setting, 10_000)],
    };
  } finally {
    for (const child of running) child.kill();
    await rm(dir, { recursive: true, force: true });
  }
}

type Setting = { readonly dir: string; readonly running: ChildProcess[]; readonly say: (line: string) => void };

async function startAll(setting: Setting & { readonly withPeers: boolean }): Promise<readonly Target[]> {
  const { port } = await startEcho(setting.running, 1);
  const direct = { name: 'direct', port, path: '/mcp', tool: 'echo', pid: undefined };
  const leaf = `{segment: s, url: 'http://127.0.0.1:${port}/mcp'}`;
  const http = await startAggregate(setting, 'http', { leaves: [leaf] });
  const stdio = await startAggregate(setting, 'stdio', {
    leaves: [`{segment: s, command: ${process.execPath}, args: ['${ECHO}', stdio]}`],
  });
  const own: Target[] = [
    { name: 'parley, server over HTTP', ...http, path: '/mcp', tool: 's__echo' },
    { name: 'parley, server over stdio', ...stdio, path: '/mcp', tool: 's__echo' },
    ...(await startTree(setting, leaf)),
  ];
  return [direct, ...own, ...(setting.withPeers ? await startPeers(setting, port) : [])];
}

/** A root over a region over the server: mutual TLS between the two, and to the client. */
async function startTree(setting: Setting, leaf: string): Promise<readonly Target[]> {
  const { dir } = setting;
  const clock = createSystemClock();
  const issue = { dir: join(dir, 'ca'), clock, addresses: ['127.0.0.1'] };
  await initAuthority({ dir: issue.dir, domain: 'bench.example', clock });
  for (const name of ['root', 'edge'])
    await issueCertificate({ ...issue, kind: 'node', name, out: join(dir, `id-${name}`) });
  await issueCertificate({ ...issue, kind: 'operator', name: 'alice', out: join(dir, 'id-alice') });
  const port = await freePort();
  const root = await startAggregate(setting, 'root', {
    leaves: [leaf],
    more: [`listen: {host: 127.0.0.1, port: ${port}}`],
  });
  const parents = `parents: [{node: root, addresses: [127.0.0.1], port: ${port}, segment: edge}]`;
  await startAggregate(setting, 'edge', { leaves: [leaf], more: [parents] });
  await until(async () => (await toolCount(root.port, '/mcp')) > 4, 'the region');
  const [cert, key, ca] = await Promise.all(
    ['chain.pem', 'key.pem', 'ca.pem'].map((name) => readFile(join(dir, 'id-alice', name))),
  );
  const tls = { cert: cert!, key: key!, ca: ca! };
  return [
    { name: 'parley, mutual TLS', port, path: '/mcp', tool: 's__echo', pid: root.pid, tls },
    { name: 'parley, two levels', ...root, path: '/mcp', tool: 'edge__s__echo' },
  ];
}

async function startEcho(running: ChildProcess[], tools: number): Promise<{ readonly port: number }> {
  const child = start(running, process.execPath, [ECHO, 'http', String(tools)], 'pipe');
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return { port: Number(chunk.toString()) };
}

async function startAggregate(
  { dir, running }: Setting,
  name: string,
  { leaves, more = [] }: { readonly leaves: readonly string[]; readonly more?: readonly string[] },
): Promise<{ readonly port: number; readonly pid: number }> {
  const port = await freePort();
  const file = join(dir, `${name}.yaml`);
  const budget =
    'budget: {callsPerMinute: 10000000, costUnitsPerSession: 1000000000, mutableCallsPerSession: 10000000}';
  await writeFile(
    file,
    [
      `node: ${name}`,
      `state: ${join(dir, name)}`,
      `identity: {dir: ${join(dir, `id-${name}`)}}`,
      `loopback: {port: ${port}}`,
      budget,
      ...more,
      'log: {level: error}',
      'leaves:',
      ...leaves.map((leaf) => `  - ${leaf}`),
    ].join('\n'),
  );
  const child = start(running, process.execPath, [
    '--conditions=parley-source',
    join(ROOT, 'src/main.ts'),
    'aggregate',
    '--config',
    file,
  ]);
  await until(async () => (await toolCount(port, '/mcp')) > 2, 'the aggregator');
  return { port, pid: child.pid! };
}

/** Gateways of npm that answer Streamable HTTP; one that does not install or start is left out, and said. */
async function startPeers({ dir, running, say }: Setting, echoPort: number): Promise<readonly Target[]> {
  const folder = join(dir, 'peers');
  const found: Target[] = [];
  const peers = [
    {
      name: 'mcp-proxy',
      tool: 'echo',
      args: (port: number) => ['--port', String(port), '--server', 'stream', '--', process.execPath, ECHO, 'stdio'],
    },
    {
      name: 'supergateway',
      tool: 'echo',
      args: (port: number) => [
        ...['--stdio', `${process.execPath} ${ECHO} stdio`, '--outputTransport', 'streamableHttp'],
        ...['--stateful', '--port', String(port), '--logLevel', 'none'],
      ],
    },
    {
      name: '@1mcp/agent',
      tool: 's_1mcp_echo',
      args: (port: number) => ['serve', '--port', String(port), '--config', join(dir, '1mcp.json')],
    },
  ];
  await writeFile(
    join(dir, '1mcp.json'),
    JSON.stringify({ mcpServers: { s: { type: 'http', url: `http://127.0.0.1:${echoPort}/mcp` } } }),
  );
  for (const peer of peers) {
    try {
      await promisify(execFile)('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', peer.name], {
        timeout: 180_000,
      });
      const port = await freePort();
      const { bin } = JSON.parse(await readFile(join(folder, 'node_modules', peer.name, 'package.json'), 'utf8'));
      const program = join(
        folder,
        'node_modules',
        peer.name,
        typeof bin === 'string' ? bin : Object.values(bin as Record<string, string>)[0]!,
      );
      const child = start(running, process.execPath, [program, ...peer.args(port)]);
      await until(async () => (await toolCount(port, '/mcp')) > 0, peer.name);
      found.push({ name: peer.name, port, path: '/mcp', tool: peer.tool, pid: child.pid! });
    } catch (error) {
      say(`${peer.name} is left out: ${String(error).split('\n')[0]}`);
    }
  }
  return found;
}

async function measure(targets: readonly Target[], rounds: number, say: (line: string) => void) {
  const cells = new Map<string, Cell[]>();
  for (let round = 0; round < rounds; round++) {
    // The order changes, so that no target always follows the same one.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const session = await openRawSession(target.port, target.path, target.tls);
      for (const concurrency of CONCURRENCIES) {
        const cell = await measureCell(session, target, concurrency);
        const key = `${target.name} ${concurrency}`;
        cells.set(key, [...(cells.get(key) ?? []), cell]);
        say(
          `${key}: p50 ${cell.p50Ms.toFixed(3)} ms, ${Math.round(cell.callsPerSecond)}/s, ${cell.cpuUs?.toFixed(0) ?? '-'} us`,
        );
      }
      session.close();
    }
  }
  return targets.map((target) => rowOf(target, cells));
}

async function measureCell(session: RawSession, { tool, pid }: Target, concurrency: number): Promise<Cell> {
  const params = { name: tool, arguments: { text: 'hello, hello, hello' } };
  await session.run('tools/call', params, WARM_UP, concurrency);
  const before = pid === undefined ? undefined : await cpuMs(pid);
  const load = await session.run('tools/call', params, CALLS, concurrency);
  const after = pid === undefined ? undefined : await cpuMs(pid);
  return {
    ...load,
    cpuUs: before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / CALLS,
  };
}

/** Medians over the rounds; ratios are formed within a round. */
function rowOf(target: Target, cells: ReadonlyMap<string, readonly Cell[]>) {
  const at = CONCURRENCIES.map((concurrency) => {
    const own = cells.get(`${target.name} ${concurrency}`)!;
    const base = cells.get(`direct ${concurrency}`)!;
    const ratio = (value: (cell: Cell) => number) =>
      two(median(own.map((cell, round) => value(cell) / value(base[round]!))));
    const cpu = own.flatMap(({ cpuUs }) => cpuUs ?? []);
    return {
      concurrency,
      p50Ms: three(median(own.map(({ p50Ms }) => p50Ms))),
      p99Ms: three(median(own.map(({ p99Ms }) => p99Ms))),
      callsPerSecond: Math.round(median(own.map(({ callsPerSecond }) => callsPerSecond))),
      ...(cpu.length === 0 ? {} : { cpuUsPerCall: Math.round(median(cpu)) }),
      p50Ratio: ratio(({ p50Ms }) => p50Ms),
      callsRatio: ratio(({ callsPerSecond }) => callsPerSecond),
    };
  });
  return { name: target.name, at };
}

/** Ten servers below one aggregator: the first list, those that follow, and what a tool takes in memory. */
async function measureLists(setting: Setting, tools: number) {
  const servers = await Promise.all(Array.from({ length: 10 }, () => startEcho(setting.running, tools / 10)));
  const leaves = servers.map(({ port }, index) => `{segment: s${index}, url: 'http://127.0.0.1:${port}/mcp'}`);
  const empty = await startAggregate(setting, `empty-${tools}`, { leaves: leaves.slice(0, 1) });
  const { port, pid } = await startAggregate(setting, `lists-${tools}`, { leaves });
  await until(async () => (await toolCount(port, '/mcp')) >= Math.min(tools, 1_000), 'ten servers');
  const session = await openRawSession(port, '/mcp');
  await until(async () => (await wholeList(session)).tools > tools, 'every tool');
  const times: number[] = [];
  for (let index = 0; index < LISTS; index++) times.push((await wholeList(session)).ms);
  const { bytes, pages } = await wholeList(session);
  session.close();
  const perTool = ((await residentBytes(pid)) - (await residentBytes(empty.pid))) / (tools * 0.9);
  return {
    tools,
    pages,
    bytes,
    p50Ms: two(median(times)),
    p99Ms: two(percentile(times, 0.99)),
    bytesPerTool: Math.round(perTool),
  };
}

async function toolCount(port: number, path: string): Promise<number> {
  const session = await openRawSession(port, path);
  const { text } = await session.ask('tools/list', {});
  session.close();
  return text.split('"inputSchema"').length - 1;
}

function start(
  running: ChildProcess[],
  program: string,
  args: readonly string[],
  stdout: 'pipe' | 'ignore' = 'ignore',
): ChildProcess {
  const child = spawn(program, [...args], { stdio: ['ignore', stdout, 'ignore'] });
  running.push(child);
  return child;
}

const START_MS = 20_000;

async function until(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + START_MS;
  while (performance.now() < endMs) {
    if (await isDone().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`expected ${what} to answer within ${START_MS} ms`);
}

function two(value: number): number {
  return Math.round(value * 100) / 100;
}

function three(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
