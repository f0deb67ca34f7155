// Which arguments stand in headers (MCP 2026-07-28, `x-mcp-header`) while the list of tools, which says so, is read again page by page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLeafSession } from '#aggregate/modern/leaf-session.ts';
import { UNSET } from '#aggregate/wire/link.ts';
import { decodeMessage, requestText } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock } from '../fakes/clock.ts';

const header = (name: string) => ({ type: 'object', properties: { a: { type: 'string', 'x-mcp-header': name } } });

function start() {
  const sent: { readonly id: number; readonly headers: Readonly<Record<string, string>> }[] = [];
  const link = { ...UNSET, start() {}, close() {}, closed: false };
  const session = createLeafSession({
    clock: createFakeClock(),
    below: {
      ...link,
      send: (_, about) => about.kind === 'request' && sent.push({ id: about.id, headers: about.headers ?? {} }),
    },
    above: { ...link, send() {} },
    capabilities: {},
  });
  let id = 0;
  const ask = (method: string, params: JsonObject) =>
    session.send(requestText(++id, method, JSON.stringify(params)), { kind: 'request', id });
  return {
    page(params: JsonObject, result: JsonObject) {
      ask('tools/list', params);
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
      const message = decodeMessage(Buffer.from(text));
      assert.ok(message.ok);
      session.receive(message.value, undefined);
    },
    headerOf(name: string) {
      ask('tools/call', { name, arguments: { a: 'x' } });
      return Object.keys(sent.at(-1)!.headers).find((each) => each.startsWith('mcp-param-'));
    },
  };
}

test('a tool of a later page keeps its headers while the list is read again [AX-1]', () => {
  const { page, headerOf } = start();
  const first = { tools: [{ name: 'one', inputSchema: header('One') }], nextCursor: 'c' };
  page({}, first);
  page({ cursor: 'c' }, { tools: [{ name: 'two', inputSchema: header('Two') }] });
  assert.deepEqual(['one', 'two'].map(headerOf), ['mcp-param-one', 'mcp-param-two']);
  page({}, { ...first, tools: [{ name: 'one', inputSchema: header('Other') }] });
  assert.deepEqual(['one', 'two'].map(headerOf), ['mcp-param-other', 'mcp-param-two']);
  page({ cursor: 'c' }, { tools: [] });
  assert.deepEqual(['one', 'two'].map(headerOf), ['mcp-param-other', undefined]);
});
