// The whole way with real processes: the official servers over pipes and HTTP below a region, the region below a root over mutual TLS, and the
// official client at `parley mcp`.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ROOT } from '../../scripts/source-files.ts';
import { runParley } from '../agent/agent-bed.ts';
import { until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { createDomain } from '../mtls/domain.ts';

const domain = await createDomain();
const running: ChildProcess[] = [];
after(async () => {
  for (const child of running) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill()) await exited;
  }
  await domain.remove();
});

const official = (name: string) => join(ROOT, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.push(child);
  return child;
}

async function startAggregate(name: string, config: string): Promise<string> {
  const file = join(domain.dir, `${name}.yaml`);
  const socket = join(domain.dir, `${name}.sock`);
  await writeFile(
    file,
    `node: ${name}\nstate: ${join(domain.dir, `${name}-state`)}\ncontrol: {socket: ${socket}}\nidentity: {dir: ${join(domain.dir, name)}}\n${config}`,
  );
  start(['--conditions=parley-source', 'src/main.ts', 'aggregate', '--config', file]);
  return socket;
}

async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client(
    { name: 'walk', version: '1' },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=parley-source', 'src/main.ts', 'mcp', ...args],
    cwd: ROOT,
  });
  // The SDK declares its optional members without `undefined`, which exactOptionalPropertyTypes distinguishes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

type Result = {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
};

test('official servers over pipes and HTTP, two levels, mutual TLS, official client [AX-1] [AX-2] [AX-15] [AX-16]', async () => {
  for (const name of ['root', 'edge']) await domain.identity(name);
  await domain.identity('alice', { kind: 'operator', role: 'operator' });
  await domain.identity('boss', { kind: 'operator', role: 'admin' });
  const files = join(domain.dir, 'files');
  await mkdir(files);
  await writeFile(join(files, 'a.txt'), 'kept');
  const [port, webPort] = [await freePort(), await freePort()];
  start([official('server-everything'), 'streamableHttp'], { PORT: String(webPort) });
  const node = process.execPath;
  const rootSocket = await startAggregate(
    'root',
    `listen: {host: 127.0.0.1, port: ${port}}\nleaves:\n  - {segment: memory, command: ${node}, args: [${official('server-memory')}], env: {MEMORY_FILE_PATH: ${join(domain.dir, 'memory.json')}}}\n`,
  );
  await startAggregate(
    'edge',
    `parents:\n  - {node: root, addresses: [127.0.0.1], port: ${port}, segment: edge, heartbeatMs: 500}\nleaves:\n  - {segment: every, command: ${node}, args: [${official('server-everything')}], unsaid: open}\n  - {segment: web, url: 'http://127.0.0.1:${webPort}/mcp', unsaid: open}\n  - {segment: files, command: ${node}, args: [${official('server-filesystem')}, ${files}]}\n`,
  );
  const tree = async () => (await runParley(['aggregate', 'tree', '--socket', rootSocket, '--json'])).stdout;
  await until(async () => allUp(await tree()), 'all servers to be up', 90_000, 200);

  const way = ['--connect', `127.0.0.1:${port}`, '--identity', join(domain.dir, 'alice')];
  const client = await connect(way);
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'sampled here' },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ann' } }));
  const call = async (name: string, args: Record<string, unknown>, options = {}) =>
    (await client.callTool({ name, arguments: args }, undefined, options)) as Result;
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(
    ['edge__every__echo', 'edge__web__echo', 'edge__files__read_text_file', 'memory__read_graph'].every((name) =>
      names.includes(name),
    ),
    names.join(' '),
  );
  for (const place of ['edge__every', 'edge__web']) {
    assert.equal((await call(`${place}__echo`, { message: 'hi' })).content[0]!.text, 'Echo: hi');
    const progress: number[] = [];
    // The official client drops progress that it reads together with the answer: the last step may be that.
    await call(
      `${place}__trigger-long-running-operation`,
      { duration: 1, steps: 2 },
      { onprogress: (each: { progress: number }) => progress.push(each.progress) },
    );
    assert.equal(progress[0], 1, place);
    assert.ok(
      (await call(`${place}__trigger-sampling-request`, { prompt: 'x', maxTokens: 5 })).content[0]!.text!.includes(
        'sampled here',
      ),
      place,
    );
    assert.ok(JSON.stringify(await call(`${place}__trigger-elicitation-request`, {})).includes('Name: Ann'), place);
    const links = (await call(`${place}__get-resource-links`, { count: 2 })).content as unknown as readonly {
      readonly type: string;
      readonly uri: string;
    }[];
    const link = links.find(({ type }) => type === 'resource_link')!;
    assert.equal((await client.readResource({ uri: link.uri })).contents[0]!.uri, link.uri, place);
  }
  const prompt = await client.getPrompt({ name: 'edge__every__args-prompt', arguments: { city: 'Oslo' } });
  assert.ok(JSON.stringify(prompt).includes('Oslo'));
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'edge__every__completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  assert.deepEqual(completion.values, ['Engineering']);
  assert.deepEqual((await call('edge__files__read_text_file', { path: join(files, 'a.txt') })).structuredContent, {
    content: 'kept',
  });

  const write = () => call('edge__files__write_file', { path: join(files, 'a.txt'), content: 'changed' });
  assert.equal((await write()).isError, true);
  assert.equal(await readFile(join(files, 'a.txt'), 'utf8'), 'kept');
  const admin = ['--connect', `127.0.0.1:${port}`, '--identity', join(domain.dir, 'boss')];
  const { pending } = JSON.parse((await runParley(['approvals', ...admin, '--json'])).stdout) as {
    pending: readonly { id: string }[];
  };
  assert.equal((await runParley(['approve', pending[0]!.id, ...admin])).exitCode, 0);
  assert.equal((await write()).isError, undefined);
  assert.equal(await readFile(join(files, 'a.txt'), 'utf8'), 'changed');
  assert.equal((await write()).isError, true);
  await client.close();
});

function allUp(text: string): boolean {
  const { tree } = JSON.parse(text) as { tree?: { below: readonly Shown[] } };
  if (tree === undefined) return false;
  const all = tree.below.flatMap((each) => [each, ...(each.below ?? [])]);
  return all.length === 5 && all.every(({ state }) => state === 'up');
}

type Shown = { readonly state: string; readonly below?: readonly Shown[] };
