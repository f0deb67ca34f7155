// A client that names `sampling` is asked over its own session, in each dialect; one that does not is not, and may decline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { CallHandler } from '#model/ports.ts';
import { HANG_MS } from '../../until-written.ts';
import { OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer, toolDefinition } from '../harness.ts';

/** Answers with what the client's model said, or why it said nothing. */
const handler: CallHandler = async ({ client }) => {
  const signal = AbortSignal.timeout(HANG_MS);
  const said = await client!.request('sampling/createMessage', { maxTokens: 5 }, signal).then(
    (result) => String(result['model']),
    (error: { code: unknown }) => String(error.code),
  );
  return { status: 'answered', body: { said } };
};
const catalog = createCatalog({ tools: [toolDefinition({ name: 'ask', mutability: 'read' })], resources: [] });

const common = PARLEY_INITIALIZE['params'] as JsonObject;
const announced = common['capabilities'] as JsonObject;
const mcp = (capabilities: JsonObject): JsonObject => ({ ...PARLEY_INITIALIZE, params: { ...common, capabilities } });
const draft = (capabilities: readonly string[]): JsonObject => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'mcp/initialize',
  params: { protocolVersion: '2025-12', capabilities },
});
const INITIALIZE: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  MCP: [mcp({ ...announced, sampling: {} }), mcp(announced)],
  'MCP-NET': [mcp({ sampling: {} }), mcp({ prompts: {} })],
  troubleshooting: [draft(['ietf-srv6-ping', 'sampling']), draft(['ietf-srv6-ping'])],
};
const MODEL = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'theirs' };

for (const [dialect, [offering, silent]] of Object.entries(INITIALIZE)) {
  test(`${dialect}: the model of a client that names sampling answers; others are not asked [TS-5] [TS-7]`, async (t) => {
    const bench = await openBench({ catalog, handler });
    t.after(() => bench.close());
    const open = async (initialize: JsonObject) => {
      const peer = rawPeer(await bench.frames(OPERATOR));
      peer.send(initialize);
      await peer.next();
      if (dialect === 'MCP') peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const asked: unknown[] = [];
      const said = async (answer: JsonObject) => {
        peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: {} } });
        for (;;) {
          const message = (await peer.next())!;
          if (message['method'] === undefined) {
            const result = message['result'] as JsonObject;
            return isJsonObject(result['structuredContent']) ? result['structuredContent']['said'] : result['said'];
          }
          asked.push([message['method'], message['params']]);
          peer.send({ jsonrpc: '2.0', id: message['id']!, ...answer });
        }
      };
      return { said, asked };
    };
    const one = await open(offering);
    assert.equal(await one.said({ result: MODEL }), 'theirs');
    assert.deepEqual(one.asked, [['sampling/createMessage', { maxTokens: 5 }]]);
    const declined = await one.said({ error: { code: -1, message: 'User rejected sampling request' } });
    assert.equal(declined, dialect === 'MCP' ? '-1' : 'peer/declined');
    const other = await open(silent);
    assert.equal(await other.said({ result: MODEL }), 'caller/client-cannot');
    assert.deepEqual(other.asked, []);
  });
}
