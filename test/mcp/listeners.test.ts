// Admission at every listener: what a caller may not use never reaches the handler, and each call is decided once, whichever
// way it comes in: frames in three dialects, HTTP/1.1, HTTP/2, the draft's POST, loopback, stdio, the console, the node itself.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { Agent, fetch as undiciFetch } from 'undici';
import { createLocalCalls } from '#agent/serving/local-calls.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { createConsole } from '#console/console.ts';
import type { Catalog } from '#mcp/catalog/catalog.ts';
import { createGate, type Gate } from '#mcp/catalog/gate.ts';
import { bridgeStdio } from '#mcp/client/stdio-bridge.ts';
import type { AdmittedCall } from '#model/ports.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { fakeClock, fakeParty } from '../fakes/signed-exchange.ts';
import { fakeEnvelope, NODE, OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer, sampleCatalog } from './harness.ts';
import { request as modernRequest, REVISION } from './modern/modern-bench.ts';

/** Calls a tool and gives the code of the refusal; undefined when the call was answered. */
type CallTool = (name: string, args: JsonObject) => Promise<unknown>;

type Scene = {
  readonly bench: Awaited<ReturnType<typeof openBench>>;
  readonly gate: Gate;
  readonly calls: AdmittedCall[];
  readonly decisions: unknown[];
};

/** A server whose catalog counts its decisions and whose handler keeps what reaches it. */
async function openScene(t: TestContext): Promise<Scene> {
  const calls: AdmittedCall[] = [];
  const decisions: unknown[] = [];
  const plain = sampleCatalog();
  const catalog: Catalog = {
    ...plain,
    admit: (content, scope) => {
      const decision = plain.admit(content, scope);
      decisions.push(decision);
      return decision;
    },
  };
  const gate = createGate({
    catalog: () => catalog,
    handler: async (call) => {
      calls.push(call);
      return { status: 'answered', body: {}, envelope: fakeEnvelope('answer') };
    },
    onRefused: () => {},
    log: silentLog,
  });
  const pages = createConsole({ node: 'p2', names: ['p2'], gate: (call) => gate(call, 'http'), log: silentLog });
  const bench = await openBench({ catalog, gate, pages });
  t.after(() => bench.close());
  return { bench, gate, calls, decisions };
}

const codeOf = (message: JsonObject | undefined): unknown =>
  (message?.['error'] as JsonObject | undefined)?.['code'] ??
  ((message?.['result'] as JsonObject | undefined)?.['isError'] === true ? 'isError' : undefined);

/** MCP's failures of tools are results; the code stands in their error object. */
function toolCodeOf(message: JsonObject | undefined): unknown {
  const result = message?.['result'] as JsonObject | undefined;
  if (result?.['isError'] !== true) return codeOf(message);
  const text = ((result['content'] as JsonObject[] | undefined)?.[0]?.['text'] ?? '') as string;
  return Number(/-32\d\d\d/.exec(`${JSON.stringify(result['structuredContent'] ?? '')} ${text}`)?.[0]);
}

const rpcCall = (id: number, name: string, args: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const PLAIN_INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const DRAFT_INITIALIZE: JsonObject = {
  jsonrpc: '2.0',
  id: 0,
  method: 'mcp/initialize',
  params: { protocolVersion: '2025-12', capabilities: ['ietf-srv6-ping'] },
};

function overFrames(initialize: JsonObject, party: typeof NODE, initialized: boolean) {
  return async ({ bench }: Scene): Promise<CallTool> => {
    const raw = rawPeer(await bench.frames(party));
    raw.send(initialize);
    assert.ok((await raw.next())?.['result'], 'the session opens');
    if (initialized) raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    let id = 0;
    return async (name, args) => {
      raw.send(rpcCall(++id, name, args));
      return toolCodeOf(await raw.next());
    };
  };
}

type Post = (path: string, body: JsonObject, headers: Record<string, string>) => Promise<{ text: string; id: string }>;

function overHttp(post: Post, extra: Record<string, string> = {}): Promise<CallTool> {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...extra };
  return post('/mcp', PLAIN_INITIALIZE, accept).then(async ({ id }) => {
    const session = { ...accept, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
    await post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    let count = 0;
    return async (name: string, args: JsonObject) => {
      const { text } = await post('/mcp', rpcCall(++count, name, args), session);
      const line = text.split('\n').find((each) => each.startsWith('data: {')) ?? `data: ${text}`;
      return toolCodeOf(JSON.parse(line.slice(6)) as JsonObject);
    };
  });
}

function poster(base: string, dispatcher?: Agent): Post {
  return async (path, body, headers) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers };
    const response = await undiciFetch(`${base}${path}`, { ...init, ...(dispatcher && { dispatcher }) });
    return { text: await response.text(), id: response.headers.get('mcp-session-id') ?? '' };
  };
}

/** MCP 2026-07-28: no session is opened. */
function modernOverFrames() {
  return async ({ bench }: Scene): Promise<CallTool> => {
    const raw = rawPeer(await bench.frames(OPERATOR));
    let id = 0;
    return async (name, args) => {
      raw.send(modernRequest(++id, 'tools/call', { name, arguments: args }));
      return toolCodeOf(await raw.next());
    };
  };
}

function modernOverHttp(serve: 'serveHttp1' | 'serveHttp2') {
  return async ({ bench }: Scene, t: TestContext): Promise<CallTool> => {
    const port = await bench.listen((socket) => bench.server[serve](socket, OPERATOR));
    const dispatcher = serve === 'serveHttp2' ? new Agent({ useH2c: true } as object) : undefined;
    t.after(() => dispatcher?.destroy());
    const post = poster(`http://127.0.0.1:${port}`, dispatcher);
    let id = 0;
    return async (name, args) => {
      const { text } = await post('/mcp', modernRequest(++id, 'tools/call', { name, arguments: args }), {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': REVISION,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      });
      return toolCodeOf(JSON.parse(text) as JsonObject);
    };
  };
}

async function byDraftPost({ bench }: Scene): Promise<CallTool> {
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, NODE));
  const post = poster(`http://127.0.0.1:${port}`);
  const json = { 'content-type': 'application/json' };
  const { id } = await post('/mcp/initialize', DRAFT_INITIALIZE, json);
  return async (tool, args) => {
    const { text } = await post('/mcp/tool/call', { tool, arguments: args }, { ...json, 'mcp-session-id': id });
    return codeOf(JSON.parse(text) as JsonObject);
  };
}

async function byLoopback(scene: Scene, t: TestContext): Promise<CallTool> {
  const token = 'a'.repeat(64);
  const loopback = await scene.bench.server.listenLoopback({ port: 0, party: OPERATOR, token });
  t.after(() => loopback.close());
  return overHttp(poster(`http://127.0.0.1:${loopback.port}`), { authorization: `Bearer ${token}` });
}

async function byStdio({ bench }: Scene): Promise<CallTool> {
  const input = new PassThrough();
  const output = new PassThrough();
  void bridgeStdio({ duplex: await bench.frames(OPERATOR), input, output, allTools: false });
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();
  let text = '';
  const next = async (): Promise<JsonObject> => {
    while (!text.includes('\n')) text += (await lines.next()).value as string;
    const line = text.slice(0, text.indexOf('\n'));
    text = text.slice(line.length + 1);
    return JSON.parse(line) as JsonObject;
  };
  const say = (message: JsonObject) => input.write(`${JSON.stringify(message)}\n`);
  say(PLAIN_INITIALIZE);
  await next();
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  let id = 0;
  return async (name, args) => {
    say(rpcCall(++id, name, args));
    return toolCodeOf(await next());
  };
}

async function byLocalCalls({ gate }: Scene): Promise<CallTool> {
  const self = fakeParty('p2');
  const local = createLocalCalls({
    party: self.party,
    capabilities: ['ietf-srv6-ping'],
    gate: (call) => gate(call, 'local'),
    signer: self.signer,
    nonces: self.nonces,
    random: systemRandom,
    clock: fakeClock,
  });
  return async (name, args) => {
    const { asker } = LOCAL_ASKER;
    const call = { kind: 'tool', name, arguments: args, sessionId: 'd1', asker, timeoutMs: 1_000 } as const;
    const { answer } = await local.call(call);
    return answer.status === 'refused' ? answer.code : undefined;
  };
}

const LISTENERS: readonly (readonly [
  string,
  'node' | 'operator',
  (scene: Scene, t: TestContext) => Promise<CallTool>,
])[] = [
  ['frames, MCP between agents', 'node', overFrames(PARLEY_INITIALIZE, NODE, true)],
  ['frames, the MCP-NET draft', 'operator', overFrames(PLAIN_INITIALIZE, OPERATOR, false)],
  ['frames, the troubleshooting draft', 'node', overFrames(DRAFT_INITIALIZE, NODE, false)],
  [
    'HTTP/1.1',
    'operator',
    async ({ bench }) => {
      const port = await bench.listen((socket) => bench.server.serveHttp1(socket, OPERATOR));
      return overHttp(poster(`http://127.0.0.1:${port}`));
    },
  ],
  [
    'HTTP/2',
    'operator',
    async ({ bench }, t) => {
      const port = await bench.listen((socket) => bench.server.serveHttp2(socket, OPERATOR));
      const dispatcher = new Agent({ useH2c: true } as object);
      t.after(() => dispatcher.destroy());
      return overHttp(poster(`http://127.0.0.1:${port}`, dispatcher));
    },
  ],
  ['MCP 2026-07-28 over frames', 'operator', modernOverFrames()],
  ['MCP 2026-07-28 over HTTP/1.1', 'operator', modernOverHttp('serveHttp1')],
  ['MCP 2026-07-28 over HTTP/2', 'operator', modernOverHttp('serveHttp2')],
  ['the draft’s POST paths', 'node', byDraftPost],
  ['the loopback endpoint', 'operator', byLoopback],
  ['stdio', 'operator', byStdio],
  ['the node’s own calls', 'node', byLocalCalls],
];

for (const [name, kind, open] of LISTENERS) {
  test(`${name}: each call is admitted once, and the handler sees only what was admitted [TS-14, NET-16]`, async (t) => {
    const scene = await openScene(t);
    const { calls, decisions } = scene;
    const callTool = await open(scene, t);
    const counted = () => [decisions.length, calls.length];
    assert.deepEqual(counted(), [0, 0]);
    assert.equal(await callTool('ietf-srv6-ping', { Count: 0 }), -32602, 'arguments outside the schema');
    assert.deepEqual(counted(), [1, 0]);
    assert.equal(await callTool('no-such-tool', {}), -32602, 'a tool that does not exist');
    assert.deepEqual(counted(), [2, 0]);
    if (kind === 'node') {
      assert.equal(await callTool('parley-ask', {}), -32083, 'a tool for operators only');
      assert.equal(await callTool('parley-node-state', {}), -32083, 'a tool outside the intersection');
      assert.deepEqual(counted(), [4, 0]);
    }
    const before = decisions.length;
    assert.equal(await callTool('ietf-srv6-ping', { Count: 1 }), undefined);
    assert.deepEqual(counted(), [before + 1, 1]);
    assert.equal(calls[0]?.admission, decisions.at(-1), 'the handler gets the decision itself');
  });
}

test('the console: a question passes the same gate, and one that is denied reaches no handler [TS-12, NET-16]', async (t) => {
  const { bench, calls, decisions } = await openScene(t);
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, OPERATOR));
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  // The sample catalog has no such tool: the gate refuses.
  assert.equal(await get('/console/peers'), 400);
  assert.deepEqual([decisions.length, calls.length], [1, 0]);
  const asked = await fetch(`http://127.0.0.1:${port}/console/ask`, {
    method: 'POST',
    headers: { origin: `https://127.0.0.1:${port}`, 'content-type': 'application/json' },
    body: JSON.stringify({ intent: 'What is wrong?' }),
  });
  assert.match(await asked.text(), /"type":"answer"/);
  assert.deepEqual([decisions.length, calls.length], [2, 1]);
});
