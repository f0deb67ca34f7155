// `npm run conformance -- --clients`: published MCP clients against a real agent, over the loopback endpoint, mutual TLS and stdio. Writes
// docs/clients.md, prints the same as a table or with `--json`, and ends with 1 where a step fails. Installs the clients at its first run.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { upAgents } from '../../test/agent/agent-bed.ts';
import { startRoot } from '../../test/aggregate/root-bed.ts';
import { ROOT } from '../source-files.ts';

const HERE = import.meta.dirname;
const STEPS = ['connect', 'list', 'call', 'read', 'prompt', 'subscribe', 'progress', 'cancel'] as const;
type Step = (typeof STEPS)[number];

type Endpoint = Readonly<Record<string, unknown>>;
type Over = 'loopback' | 'mutual TLS' | 'stdio' | 'root, loopback' | 'root, stdio';
/** `over`: what the client can do by itself; mutual TLS needs a `fetch` of one's own. */
type Published = {
  readonly client: string;
  readonly driver: string;
  readonly over: readonly Over[];
  readonly more?: Endpoint;
};

/** Long enough that a busy machine does not lose the agent below the root. */
const HEARTBEAT_MS = 20_000;

/** The same agent as a mounted subtree of an aggregator. */
const ROOT_WAYS: readonly Over[] = ['root, loopback', 'root, stdio'];
const ALL: readonly Over[] = ['loopback', 'mutual TLS', 'stdio', ...ROOT_WAYS];
const PLAIN: readonly Over[] = ['loopback', 'stdio', ...ROOT_WAYS];
const v2 = (mode: unknown, label: string): Published => {
  return { client: `@modelcontextprotocol/client 2.4.0, ${label}`, driver: 'client-v2.mjs', over: ALL, more: { mode } };
};
const inspector = (era: string): Published => {
  const client = `Inspector 2.12.0 CLI, ${era}`;
  return { client, driver: 'command-lines.mjs', over: PLAIN, more: { client: 'inspector', era } };
};
const CLIENTS: readonly Published[] = [
  { client: '@modelcontextprotocol/sdk 1.32.2', driver: 'sdk-v1.mjs', over: ALL },
  v2('legacy', 'legacy'),
  v2('auto', 'auto'),
  v2({ pin: '2026-07-28' }, 'pinned to 2026-07-28'),
  inspector('legacy'),
  inspector('auto'),
  inspector('modern'),
  { client: '@ai-sdk/mcp 2.0.99', driver: 'ai-sdk.mjs', over: ALL },
  { client: '@langchain/mcp-adapters 1.1.4', driver: 'langchain.mjs', over: PLAIN },
  { client: 'mcp-use 1.34.6', driver: 'mcp-use.mjs', over: PLAIN },
  { client: 'mcporter 0.12.3', driver: 'command-lines.mjs', over: PLAIN, more: { client: 'mcporter' } },
];

/** What cannot be run, with its own defect. */
const NOT_RUN = [
  'mcp-use is 1.34.6, the last with a client: the client of 2.5.2 is `@mcp-use/client`, which npm answers with 404 (November 2026).',
];

/** true, or why it failed; a step that the client has no call for is absent. */
type Row = {
  readonly client: string;
  readonly over: Over;
  readonly steps: Readonly<Partial<Record<Step, true | string>>>;
};

/** `only`: rows with this text alone; the page keeps the others as they are. */
export async function main({ json, only }: { readonly json: boolean; readonly only?: string }): Promise<void> {
  await install();
  const rows: Row[] = [];
  const port = await freePort();
  const token = createHash('sha256').update(`${process.pid}`).digest('hex');
  const rootPort = await freePort();
  const parent = { node: 'root', addresses: ['127.0.0.1'], port: rootPort, segment: 'pe1', heartbeatMs: HEARTBEAT_MS };
  const bed = await upAgents(['pe1'], { pe1: { parent } });
  const root = await startRoot(bed, rootPort);
  try {
    await bed.stop('pe1');
    const tokenFile = join(bed.dir, 'loopback-token');
    await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
    const config = await readFile(bed.configOf('pe1'), 'utf8');
    await writeFile(bed.configOf('pe1'), `${config}\nloopback:\n  port: ${port}\n  tokenFile: ${tokenFile}\n`);
    await bed.start('pe1');
    while (root.slots.get('pe1')?.state !== 'up') await setTimeout(100);
    await bed.domain.identity('ann', { kind: 'operator', role: 'admin' });
    const identity = join(bed.dir, 'ann');
    const parley = ['--conditions=parley-source', join(ROOT, 'src/main.ts'), 'mcp', '--socket', bed.socketOf('pe1')];
    const endpoints: Readonly<Record<Over, Endpoint>> = {
      loopback: { url: `http://127.0.0.1:${port}/mcp`, headers: { authorization: `Bearer ${token}` } },
      'mutual TLS': { url: `https://127.0.0.1:${bed.portOf('pe1')}/mcp`, tls: tlsFiles(identity) },
      stdio: { command: process.execPath, args: parley },
      'root, loopback': { url: `http://127.0.0.1:${root.loopbackPort}/mcp?mount=pe1`, prompt: root.prompt() },
      'root, stdio': { command: process.execPath, args: [...parley.slice(0, 3), ...root.way], prompt: root.prompt() },
    };
    for (const { client, driver, over, more } of CLIENTS) {
      for (const way of over.filter((each) => `${client}, ${each}`.includes(only ?? ''))) {
        const row = { client, over: way, steps: await drive(driver, { ...endpoints[way], ...more }) };
        rows.push(row);
        if (!json) console.log(line(row));
      }
    }
  } finally {
    await root.stop();
    await bed.down();
  }
  const page = join(ROOT, 'docs/clients.md');
  await writeFile(page, only === undefined ? pageOf(rows) : replaced(await readFile(page, 'utf8'), rows));
  if (json) console.log(JSON.stringify({ schemaVersion: 1, rows }));
  process.exitCode = rows.every(({ steps }) => Object.values(steps).every((done) => done === true)) ? 0 : 1;
}

function tlsFiles(dir: string): Endpoint {
  return { ca: join(dir, 'ca.pem'), cert: join(dir, 'chain.pem'), key: join(dir, 'key.pem') };
}

/** Of the folder beside this file, by its own lock file; anew where one of them is not there as it should be. */
async function install(): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const versions = await Promise.all(
    Object.keys(dependencies).map(async (name) => {
      const text = await readFile(join(HERE, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
      return (JSON.parse(text) as { readonly version?: string }).version;
    }),
  );
  if (Object.values(dependencies).every((version, index) => versions[index] === version)) return;
  console.error('installing the published clients (once) …');
  await new Promise<void>((resolve, reject) => {
    execFile('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HERE }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}

function drive(driver: string, endpoint: Endpoint): Promise<Row['steps']> {
  const args = [join(HERE, 'drivers', driver), JSON.stringify(endpoint)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 500_000, maxBuffer: 16_777_216 }, (_error, stdout, stderr) => {
      const last = stdout.trim().split('\n').at(-1) ?? '';
      try {
        resolve(JSON.parse(last) as Row['steps']);
      } catch {
        resolve({ connect: `the client ended without a result: ${stderr.slice(-200)}` });
      }
    });
  });
}

const mark = (done: true | string | undefined) =>
  done === undefined ? 'no such call' : done === true ? 'yes' : `no: ${done}`;

function line({ client, over, steps }: Row): string {
  return `${client.padEnd(56)} ${over.padEnd(11)} ${STEPS.map((step) => `${step} ${mark(steps[step])}`).join(', ')}`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const startOf = ({ client, over }: Row) => `| ${client} | ${over} |`;
const rowOf = (row: Row) => `${startOf(row)} ${STEPS.map((step) => cell(mark(row.steps[step]))).join(' | ')} |`;

function replaced(page: string, rows: readonly Row[]): string {
  const anew = (old: string) => rows.find((row) => old.startsWith(startOf(row)));
  return page
    .split('\n')
    .map((old) => {
      const row = anew(old);
      return row === undefined ? old : rowOf(row);
    })
    .join('\n');
}

function pageOf(rows: readonly Row[]): string {
  return [
    '# MCP clients',
    '',
    'Published MCP clients against a real agent, and against an aggregator ("root") of which the agent is a mounted subtree;',
    '`npm run conformance -- --clients` writes this page.',
    '"No such call" stands where the client has no call for a step.',
    '',
    `| client | over | ${STEPS.join(' | ')} |`,
    `|---|---|${STEPS.map(() => '---').join('|')}|`,
    ...rows.map(rowOf),
    '',
    ...NOT_RUN,
    '',
  ].join('\n');
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
