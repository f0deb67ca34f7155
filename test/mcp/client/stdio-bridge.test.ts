// The stdio bridge: lines in, frames out and back; MCP to the letter; what is no message is answered, not passed on.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { bridgeStdio } from '#mcp/client/stdio-bridge.ts';
import type { CallHandler } from '#model/ports.ts';
import { HANG_MS } from '../../until-written.ts';
import { OPERATOR, openBench, toolDefinition } from '../harness.ts';

async function bridge(t: TestContext, allTools = false, handler?: CallHandler) {
  const tools = [toolDefinition({ name: 'ping' }), toolDefinition({ name: 'deep', listing: 'extended' })];
  const bench = await openBench({ catalog: createCatalog({ tools, resources: [] }), ...(handler && { handler }) });
  t.after(() => bench.close());
  const input = new PassThrough();
  const output = new PassThrough();
  const ended = bridgeStdio({ duplex: await bench.frames(OPERATOR), input, output, allTools });
  let text = '';
  const waiting: (() => void)[] = [];
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    for (const wake of waiting.splice(0)) wake();
  });
  const next = async (): Promise<JsonObject> => {
    while (!text.includes('\n')) await new Promise<void>((resolve) => waiting.push(resolve));
    const end = text.indexOf('\n');
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return JSON.parse(line) as JsonObject;
  };
  const say = (message: unknown) => input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return { say, next, input, ended };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
};

test('a host that knows nothing of us speaks MCP through the bridge, and its end ends the session [NET-19]', async (t) => {
  const { say, next, input, ended } = await bridge(t);
  say(INITIALIZE);
  const { result } = await next();
  assert.equal(((result as JsonObject)['capabilities'] as JsonObject)['completions'] !== undefined, true);
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {} } });
  const called = (await next())['result'] as JsonObject;
  assert.deepEqual(called['structuredContent'], { echo: { name: 'ping', arguments: {} } });
  input.end();
  assert.equal(await ended, undefined);
});

test('what a host lists, roots and sampling, reaches the node, whose question to its model comes back through the bridge [TS-5] [TS-7]', async (t) => {
  const { say, next } = await bridge(t, false, async ({ client }) => {
    const said = await client!.request('sampling/createMessage', { maxTokens: 5 }, AbortSignal.timeout(HANG_MS));
    return { status: 'answered', body: { said: String(said['model']) } };
  });
  const listed = { sampling: {}, roots: { listChanged: true } };
  say({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities: listed } });
  await next();
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {} } });
  const asked = await next();
  assert.deepEqual([asked['method'], asked['params']], ['sampling/createMessage', { maxTokens: 5 }]);
  const result = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'theirs' };
  say({ jsonrpc: '2.0', id: asked['id'], result });
  const called = (await next())['result'] as JsonObject;
  assert.deepEqual(called['structuredContent'], { said: 'theirs' });
});

test('the short list is what hosts see unless every tool is asked for', async (t) => {
  const names = async (allTools: boolean) => {
    const { say, next } = await bridge(t, allTools);
    say(INITIALIZE);
    await next();
    say({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return (((await next())['result'] as JsonObject)['tools'] as JsonObject[]).map(({ name }) => name);
  };
  assert.deepEqual([await names(false), await names(true)], [['ping'], ['ping', 'deep']]);
});

test('a line that is no message is answered with a parse error and not passed on', async (t) => {
  const { say, next } = await bridge(t);
  say('{"jsonrpc": "2.0", "id": 1, "id": 2}');
  const { error, id } = await next();
  assert.deepEqual([id, (error as JsonObject)['code']], [null, -32700]);
  say(INITIALIZE);
  assert.equal((await next())['id'], 0);
});

test('a line that is no request of MCP is answered by its id, and calls in flight go on [NET-14]', async (t) => {
  const held = Promise.withResolvers<Awaited<ReturnType<CallHandler>>>();
  const { say, next } = await bridge(t, false, () => held.promise);
  const codeOf = async () => {
    const { id, error } = await next();
    return [id, (error as JsonObject)['code']];
  };
  say({ jsonrpc: '2.0', id: 'probe', method: 'server/discover' });
  assert.deepEqual(await codeOf(), ['probe', -32601]);
  say(INITIALIZE);
  assert.ok((await next())['result']);
  say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {} } });
  say({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: null });
  assert.deepEqual(await codeOf(), [2, -32600]);
  say([{ jsonrpc: '2.0', id: 3, method: 'ping' }]);
  assert.deepEqual(await codeOf(), [null, -32600]);
  held.resolve({ status: 'answered', body: { done: true } });
  const called = (await next())['result'] as JsonObject;
  assert.deepEqual(called['structuredContent'], { done: true });
});
