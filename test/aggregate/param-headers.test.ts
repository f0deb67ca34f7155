// Arguments that stand in headers too (MCP 2026-07-28, `x-mcp-header`), through an aggregator between the official SDK's client and its server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { decodeHeader, encodeHeader, paramHeaderFault, paramHeaders } from '#mcp/modern/param-headers.ts';
import { until } from '../fakes/clock.ts';
import { overHttp, postModern, REVISION, request } from '../mcp/modern/modern-bench.ts';

const ARGUMENTS = { region: 'Zürich', at: { rack: 7 }, plain: 'x' };
const SENT = { 'mcp-param-region': '=?base64?WsO8cmljaA==?=', 'mcp-param-rack': '7' };

/** Called with headers as the SDK checks them; those of each call that got through. */
async function startLeaf(t: TestContext) {
  const calls: IncomingHttpHeaders[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'leaf', version: '1' });
      const inputSchema = z.object({
        region: z.string().meta({ 'x-mcp-header': 'Region' }),
        at: z.object({ rack: z.int().meta({ 'x-mcp-header': 'Rack' }) }),
        plain: z.string(),
      });
      server.registerTool('move', { inputSchema, annotations: { readOnlyHint: true } }, async (given) => ({
        content: [{ type: 'text' as const, text: JSON.stringify(given) }],
      }));
      return server;
    },
    { legacy: 'reject' },
  );
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]) as [
      string,
      string,
    ][];
    const body = incoming.method === 'POST' ? { body: Buffer.concat(chunks) } : {};
    if (Buffer.concat(chunks).includes('"tools/call"')) calls.push(incoming.headers);
    const web = await handler.fetch(new Request('http://leaf/mcp', { method: incoming.method!, headers, ...body }));
    response.writeHead(web.status, Object.fromEntries(web.headers));
    if (web.body !== null) for await (const chunk of web.body) response.write(chunk);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

async function start(t: TestContext) {
  const { calls, url } = await startLeaf(t);
  const dir = await mkdtemp(join(tmpdir(), 'parley-aggregate-'));
  const config = aggregateSchema.parse({
    ...{ node: 'root', state: dir, identity: { dir: join(dir, 'none') }, loopback: { port: 0 } },
    ...{ view: { names: 'dotted' }, leaves: [{ segment: 's', url }] },
  });
  const running = await createAggregatorProcess(config, silentLog);
  t.after(async () => {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  });
  await until(() => running.aggregator.core.slots.get('s')?.state === 'up', 'the server');
  return { calls, url: `http://127.0.0.1:${running.loopbackPort}/mcp` };
}

const paramsIn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')));

for (const [label, mode] of [
  ['2026-07-28', { pin: REVISION }],
  ['an older revision', 'legacy'],
] as const)
  test(`the arguments of a client of ${label} come to the server in headers as well [AX-1]`, async (t) => {
    const { calls, url } = await start(t);
    const client = await overHttp(t, url, mode);
    await client.listTools();
    const { content } = await client.callTool({ name: 's.move', arguments: ARGUMENTS });
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(ARGUMENTS) }]);
    assert.deepEqual(calls.map(paramsIn), [SENT]);
  });

test('a header that is missing, or says other than the body, is refused before the call goes down [AX-1]', async (t) => {
  const { calls, url } = await start(t);
  const call = async (headers: Record<string, string>) => {
    const message = request(1, 'tools/call', { name: 's.move', arguments: ARGUMENTS });
    const { status, body } = await postModern(url, message, headers);
    const { error } = body as { error?: { code: number; data?: { mismatch: { header: string } } } };
    return [status, error?.code, error?.data?.mismatch.header];
  };
  const refused = (header: string) => [400, -32_020, header];
  assert.deepEqual(await call({}), refused('Mcp-Param-region'));
  assert.deepEqual(await call({ ...SENT, 'mcp-param-region': 'Basel' }), refused('Mcp-Param-region'));
  assert.deepEqual(await call({ ...SENT, 'mcp-param-region': '=?base64?WsO8?=' }), refused('Mcp-Param-region'));
  assert.deepEqual(await call({ ...SENT, 'mcp-param-rack': '8' }), refused('Mcp-Param-rack'));
  assert.equal(calls.length, 0);
  assert.deepEqual(await call({ ...SENT, 'mcp-param-rack': '7.0', 'mcp-param-plain': 'not declared' }), [
    200,
    undefined,
    undefined,
  ]);
  assert.equal(calls.length, 1);
});

test('declarations where no chain of properties leads, twice, or under no name of a header, are none', () => {
  const field = { type: 'string', 'x-mcp-header': 'A' };
  const sent = (schema: JsonObject) => paramHeaders(schema, { a: 'x', b: 'y', c: ['z'] });
  assert.deepEqual(sent({ properties: { a: field } }), { 'mcp-param-a': 'x' });
  const odd: JsonObject[] = [
    { properties: { a: field, b: { ...field, 'x-mcp-header': 'a' } } },
    { properties: { a: field, c: { type: 'array', items: field } } },
    { properties: { a: field }, allOf: [{ properties: { b: field } }] },
    { properties: { a: { ...field, 'x-mcp-header': 'two words' } } },
    { properties: { a: { ...field, type: 'object' } } },
    { ...field, properties: { a: field } },
  ];
  for (const schema of odd) assert.deepEqual(sent(schema), {}, JSON.stringify(schema));
  // Data is no schema.
  assert.deepEqual(sent({ properties: { a: { ...field, default: { 'x-mcp-header': 'B' } } } }), { 'mcp-param-a': 'x' });
});

test('a value that HTTP would change goes as Base64, and what is none of it is refused', () => {
  for (const text of ['x', 'two words', 'a\tb', 'ü', '', ' x', 'x ', '=?base64?eA==?=', 'a\nb', '\ufeffx', '😀'])
    assert.equal(decodeHeader(encodeHeader(text)), text);
  assert.equal(encodeHeader('two words'), 'two words');
  assert.equal(decodeHeader('=?base64?e?='), undefined);
  assert.equal(decodeHeader('=?base64?/w==?='), undefined);
  const schema = { properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } };
  assert.deepEqual(paramHeaders(schema, { n: 2 ** 60 }), {});
  assert.equal(paramHeaderFault(schema, { n: 2 ** 60 }, {}), undefined);
  assert.equal(paramHeaderFault(schema, { n: null }, { 'mcp-param-n': '1' }), undefined);
  assert.ok(paramHeaderFault(schema, { n: 1 }, { 'mcp-param-n': 'x' }) !== undefined);
});
