// The troubleshooting draft's POST paths, over real sockets.
import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { test } from 'node:test';

import type { JsonObject } from '#base/json.ts';
import { until } from '../../fakes/clock.ts';
import { COUNTERS_URN, NODE, OTHER_NODE } from '../harness.ts';
import { httpBench, post } from './http-bench.ts';

const DRAFT_INITIALIZE = {
  jsonrpc: '2.0',
  method: 'mcp/initialize',
  params: { protocolVersion: '2025-12', capabilities: ['ietf-srv6-ping', 'ietf-unknown'] },
  id: 1,
};
const DRAFT_PING = { tool: 'ietf-srv6-ping', arguments: { Count: 100 } };

async function draftSession(
  url: string,
  capabilities: readonly string[] = ['ietf-srv6-ping', 'ietf-interface-counters'],
): Promise<Record<string, string>> {
  const initialized = await post(`${url}/mcp/initialize`, {
    ...DRAFT_INITIALIZE,
    params: { protocolVersion: '2025-12', capabilities },
  });
  assert.equal(initialized.status, 200);
  return { 'mcp-session-id': initialized.headers.get('mcp-session-id')! };
}

test('the draft flow: initialize echoes our names, a call answers with result and signature [TS-14] [TS-15] [TS-16]', async (t) => {
  const { url, calls } = await httpBench(t);
  const base = await url();
  const initialized = await post(`${base}/mcp/initialize`, DRAFT_INITIALIZE);
  assert.equal(initialized.status, 200);
  assert.deepEqual(initialized.body, {
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-12',
      capabilities: ['ietf-interface-counters', 'ietf-srv6-ping'],
      'privacy-level': 2,
      serverInfo: { name: 'parley', version: '0.1.0' },
    },
  });
  const session = { 'mcp-session-id': initialized.headers.get('mcp-session-id')! };
  const called = await post(`${base}/mcp/tool/call`, DRAFT_PING, session);
  assert.deepEqual(
    [called.status, called.body],
    [
      200,
      {
        jsonrpc: '2.0',
        id: null,
        result: { echo: { name: 'ietf-srv6-ping', arguments: { Count: 100 } } },
        signature: { payloadType: 'parley/result/v1', payload: 'YW5zd2Vy', signature: 'c2lnbmVkIGFuc3dlcg==' },
      },
    ],
  );
  assert.deepEqual(calls[0]?.content, {
    method: 'tools/call',
    params: { name: 'ietf-srv6-ping', arguments: { Count: 100 } },
  });
  assert.deepEqual(calls[0]?.authorised, ['ietf-srv6-ping']);
});

test('a draft resource read, and a refusal within the intersection [TS-15]', async (t) => {
  const { url, calls } = await httpBench(t);
  const base = await url();
  const session = await draftSession(base, ['ietf-interface-counters']);
  const read = await post(`${base}/mcp/resource/read`, { uri: COUNTERS_URN, id: 7 }, session);
  assert.deepEqual([read.body['id'], read.body['result']], [7, { echo: { uri: COUNTERS_URN } }]);
  const outside = await post(`${base}/mcp/tool/call`, DRAFT_PING, session);
  assert.equal((outside.body['error'] as JsonObject)['code'], -32083);
  assert.equal(calls.length, 1);
});

test("a draft call without a session id, with a made-up one, or with another certificate's is refused −32083 [TS-14]", async (t) => {
  const { url, calls, refused } = await httpBench(t);
  const session = await draftSession(await url(NODE));
  const base = await url(OTHER_NODE);
  const data = {
    detail: 'expected mcp/initialize on this connection, or the mcp-session-id that it gave',
    retryPossible: false,
  };
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32083, message: 'Network.AccessDenied', data } };
  for (const headers of [{}, { 'mcp-session-id': 'abc' }, session]) {
    const { status, body } = await post(`${base}/mcp/tool/call`, DRAFT_PING, headers);
    assert.deepEqual([status, body], [403, refusal]);
  }
  assert.equal(calls.length, 0);
  assert.deepEqual(
    refused.map((entry) => /another certificate/.test(entry.reason)),
    [false, false, true],
  );
});

test('mcp/initialize without a shared capability is refused −32083 and issues no session id [TS-14]', async (t) => {
  const { url } = await httpBench(t);
  const { status, body, headers } = await post(`${await url()}/mcp/initialize`, {
    ...DRAFT_INITIALIZE,
    params: { capabilities: ['ietf-unknown'] },
  });
  assert.equal(status, 403);
  assert.equal((body['error'] as JsonObject)['code'], -32083);
  assert.equal(headers.get('mcp-session-id'), null);
});

test('a party keeps sixteen draft sessions: its longest unused one gives way', async (t) => {
  const { url } = await httpBench(t);
  const base = await url();
  const first = await draftSession(base);
  const second = await draftSession(base);
  assert.equal((await post(`${base}/mcp/tool/call`, DRAFT_PING, first)).status, 200);
  for (let count = 0; count < 15; count++) await draftSession(base);
  assert.equal((await post(`${base}/mcp/tool/call`, DRAFT_PING, first)).status, 200);
  assert.equal((await post(`${base}/mcp/tool/call`, DRAFT_PING, second)).status, 403);
});

test('a draft caller that goes away aborts the handler', async (t) => {
  let aborted = false;
  const { url, calls } = await httpBench(t, {
    handler: (call) =>
      new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          aborted = true;
          resolve({ status: 'answered', body: {} });
        });
      }),
  });
  const base = await url();
  const session = await draftSession(base);
  const controller = new AbortController();
  const going = fetch(`${base}/mcp/tool/call`, {
    method: 'POST',
    body: JSON.stringify(DRAFT_PING),
    headers: { 'content-type': 'application/json', ...session },
    signal: controller.signal,
  });
  going.catch(() => {});
  await until(() => calls.length === 1, 'the call');
  controller.abort();
  await until(() => aborted, 'the abort');
});

test('the connection that mcp/initialize came over is authorised as well, and no other [TS-14]', async (t) => {
  const { h2Url, calls } = await httpBench(t);
  const url = await h2Url();
  const open = () => {
    const session = connect(url);
    t.after(() => session.destroy());
    return session;
  };
  const [first, second] = [open(), open()];
  assert.equal((await postOver(first, '/mcp/initialize', DRAFT_INITIALIZE)).status, 200);
  assert.equal((await postOver(first, '/mcp/tool/call', DRAFT_PING)).status, 200);
  assert.equal((await postOver(second, '/mcp/tool/call', DRAFT_PING)).status, 403);
  assert.equal(calls.length, 1);
});

test('content-id and cursor of a resource: asked for by header or member, answered in both [TS-2] [NET-6]', async (t) => {
  const asked: unknown[] = [];
  const { url } = await httpBench(t, {
    handler: async ({ content }) => {
      asked.push(content.params);
      return {
        status: 'answered',
        body: { rows: [] },
        page: { mimeType: 'application/yang-data+json', contentId: 'etag-1', nextCursor: 'more' },
      };
    },
  });
  const base = await url();
  const session = await draftSession(base);
  const read = await post(
    `${base}/mcp/resource/read`,
    { uri: COUNTERS_URN, cursor: 'c' },
    {
      ...session,
      'content-id': 'etag-0',
    },
  );
  assert.deepEqual(asked, [{ uri: COUNTERS_URN, cursor: 'c', 'content-id': 'etag-0' }]);
  assert.deepEqual(
    [read.headers.get('content-id'), read.body['content-id'], read.body['nextCursor'], read.body['result']],
    ['etag-1', 'etag-1', 'more', { rows: [] }],
  );
});

function postOver(session: ClientHttp2Session, path: string, body: JsonObject) {
  return new Promise<{ readonly status: number }>((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
    stream.on('error', reject);
    stream.on('response', (headers) => {
      stream.resume();
      stream.on('end', () => resolve({ status: Number(headers[':status']) }));
    });
    stream.end(JSON.stringify(body));
  });
}
