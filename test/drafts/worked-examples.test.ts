// The worked examples of the three drafts, as printed, over sockets, by a client of its own (client/). What differs is known by its place, and
// a row of docs/notes-for-draft-authors.md says why.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { upAgents } from '../agent/agent-bed.ts';
import { LOG_LINE, openAggregators, openRouter } from './beds.ts';
import { type Connections, loadExample, runExample, type Step } from './client/example.ts';
import { credentialsIn, type FrameClient, type JsonRecord, openFrames } from './client/frames.ts';
import { openPost, type PostClient } from './client/post.ts';
import { registrationRun, routeRun } from './mcp-ax-run.ts';

const NOTES = readFileSync(join(import.meta.dirname, '../../docs/notes-for-draft-authors.md'), 'utf8');
const FILES = readdirSync(join(import.meta.dirname, 'examples'));

async function mustBeAsPrinted(file: string, connections: Connections): Promise<void> {
  const told = await runExample(loadExample(file), connections);
  const wrong = told.filter(({ unknown, unused }) => unknown.length + unused.length > 0);
  assert.deepEqual(
    wrong.map(({ step, unknown, unused }) => ({ section: step.section, unknown, unused })),
    [],
  );
}

test('each difference from a worked example has a row in the notes for the authors', () => {
  const rows = new Set([...NOTES.matchAll(/^\| (.+?) \|/gm)].map((match) => match[1]));
  const named = FILES.flatMap((file) => loadExample(file).steps.flatMap(({ differences = [] }) => differences));
  assert.deepEqual([...new Set(named.map(({ row }) => row).filter((row) => !rows.has(row)))], []);
});

test('the client of the worked examples shares no code with the source', () => {
  const dir = join(import.meta.dirname, 'client');
  const imported = readdirSync(dir).flatMap((file) =>
    [...readFileSync(join(dir, file), 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]!),
  );
  assert.deepEqual(
    imported.filter((name) => !name.startsWith('node:') && !/^\.\/[a-z-]+\.ts$/.test(name)),
    [],
  );
});

test('MCP-NET: the complete interaction, its pages, its error and its metadata [NET-1] [NET-6] [NET-10] [NET-13] [NET-14] [NET-15] [NET-20]', async (t) => {
  const { port, fake, operatorDir } = await openRouter(t);
  const router = await openFrames(port, credentialsIn(operatorDir));
  t.after(() => router.close());
  await mustBeAsPrinted('mcp-net.json', {
    exchange: (_step, send) => (send === undefined ? router.heard() : router.ask(send)),
    happen: () => fake.write(LOG_LINE),
  });
  await router.ended;
});

test('troubleshooting: the calls of the appendix after mcp/initialize [TS-3] [TS-14] [TS-34]', async (t) => {
  const { port, operatorDir } = await openRouter(t);
  const router = await openFrames(port, credentialsIn(operatorDir));
  t.after(() => router.close());
  await mustBeAsPrinted('troubleshooting-appendix.json', {
    exchange: (_step, send) => router.ask(send!),
    happen: () => {},
  });
});

test('troubleshooting: what a controller reads and captures of a BGP neighbour that is down [TS-1] [TS-3] [TS-9]', async (t) => {
  const { port, operatorDir } = await openRouter(t);
  const router = await openFrames(port, credentialsIn(operatorDir));
  t.after(() => router.close());
  await mustBeAsPrinted('troubleshooting-bgp.json', {
    exchange: (_step, send) => router.ask(send!),
    happen: () => {},
  });
});

test('troubleshooting: steps 2 and 3 by a node whose agent signs nothing, at three agents; then a question and its report [TS-8] [TS-14] [TS-15] [TS-16] [TS-18]', {
  timeout: 120_000,
}, async (t) => {
  const peers = { unsigned: ['px'] };
  const bed = await upAgents(['pe1', 'p2', 'pe3'], { pe1: { peers }, p2: { peers }, pe3: { peers } });
  t.after(() => bed.down());
  await bed.domain.identity('px');
  const credentials = credentialsIn(join(bed.dir, 'px'));
  const clients = new Map<string, PostClient>();
  for (const [name, node] of [
    ['PE-1', 'pe1'],
    ['P-2', 'p2'],
    ['PE-3', 'pe3'],
  ] as const)
    clients.set(name, await openPost(bed.portOf(node), credentials));
  t.after(() => {
    for (const client of clients.values()) client.close();
  });
  const exchange = async ({ over, path }: Step, send: Parameters<Connections['exchange']>[1]) =>
    (await clients.get(over)!.post(path!, send!)).body;
  await mustBeAsPrinted('troubleshooting-step-3.json', { exchange, happen: () => {} });
  await bed.domain.identity('ann', { kind: 'operator', role: 'operator' });
  await mustAskAndRead(await openFrames(bed.portOf('pe1'), credentialsIn(join(bed.dir, 'ann'))));
});

/** Use case 4.4.1 and §5 Step-5: an intent, its answer, and the report under the URN of the draft, with the members that it prints. */
async function mustAskAndRead(client: FrameClient): Promise<void> {
  const asks = (id: number, method: string, params: JsonRecord) => client.ask({ jsonrpc: '2.0', id, method, params });
  await asks(1, 'mcp/initialize', { protocolVersion: '2025-12', capabilities: [] });
  const intent = 'Verify reachability between PE-1 and PE-3';
  const { result } = await asks(2, 'tools/call', { name: 'parley-ask', arguments: { intent } });
  const { verdict, uri } = result as { readonly verdict: JsonRecord; readonly uri: string };
  assert.equal(verdict['kind'], 'healthy');
  assert.match(uri, /^urn:ietf:params:xml:ns:yang:ietf-mcp\/report\/[0-9a-z-]+$/);
  const read = await asks(3, 'resources/read', { uri });
  const report = read['result'] as JsonRecord;
  assert.equal(report['creator'], 'pe1');
  assert.match(String(report['created']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  assert.equal(typeof report['hypothesis'], 'string');
  assert.ok(Array.isArray(report['evidence']));
  assert.deepEqual(Object.keys(report['signatures'] as JsonRecord).sort(), ['p2', 'pe1', 'pe3']);
  client.close();
}

test('MCP-AX: registration, a call through three aggregators, and a tool whose server is gone [AX-4] [AX-7] [AX-19]', async (t) => {
  await mustBeAsPrinted('mcp-ax.json', await registrationRun(t, await openAggregators(t)));
});

test('MCP-AX: a call comes to a gateway of another make with its route and cursor [AX-9]', async (t) => {
  await mustBeAsPrinted('mcp-ax-route.json', await routeRun(t, await openAggregators(t)));
});
