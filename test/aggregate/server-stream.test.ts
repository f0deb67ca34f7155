// The GET stream of a server over HTTP, in a session of an older revision: where it fails it is opened again, and nothing else ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TokenSource } from '#aggregate/wire/http-headers.ts';
import { createHttpLink } from '#aggregate/wire/http-link.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import { createSystemClock } from '#base/clock.ts';
import { ok } from '#base/result.ts';
import { until } from '../fakes/clock.ts';

const EVENTS = { 'content-type': 'text/event-stream' };

type Get = { readonly lastEventId: string | undefined; readonly token: string | undefined };
type OnGet = (response: ServerResponse) => void;

const status =
  (code: number): OnGet =>
  (response) =>
    void response.writeHead(code).end();
const cut: OnGet = (response) => void response.socket?.destroy();
/** One event, whose id is `id`, and the end. */
const one =
  (id: string): OnGet =>
  (response) => {
    const told = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: id } });
    response.writeHead(200, EVENTS).end(`id: ${id}\nretry: 1\ndata: ${told}\n\n`);
  };
const open: OnGet = (response) => void response.writeHead(200, EVENTS).write(': here\n\n');

/** A server whose GETs are answered by one of `onGets` after the other; a call is open in the stream of its POST. */
async function serve(t: TestContext, onGets: readonly OnGet[], token?: TokenSource) {
  const gets: Get[] = [];
  const posts: ServerResponse[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST') {
      response.writeHead(200, EVENTS).flushHeaders();
      return void posts.push(response);
    }
    if (request.method !== 'GET') return void response.writeHead(204).end();
    const { authorization } = request.headers;
    gets.push({ lastEventId: request.headers['last-event-id'] as string | undefined, token: authorization });
    (onGets[gets.length - 1] ?? open)(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const link = createHttpLink({ url, ...(token === undefined ? {} : { token }) });
  t.after(() => {
    link.close();
    server.closeAllConnections();
    server.close();
  });
  const peer = createPeer(link, createSystemClock());
  const state = { doubts: 0, heard: [] as unknown[], reason: undefined as string | undefined };
  link.doubted = () => {
    state.doubts += 1;
  };
  peer.onNotification = ({ params }) => void state.heard.push(params['data']);
  peer.onEnd = (reason) => {
    state.reason = reason;
  };
  const call = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: undefined });
  await until(() => posts.length === 1, 'the open call');
  link.agreed('2025-11-25');
  const answer = () => {
    posts[0]!.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result: { seen: true } })}\n\n`);
    return call.answer;
  };
  return { link, gets, state, answer };
}

test('a stream that fails in every way is opened again where it ended, and an open call goes on [AX-1]', async (t) => {
  const { link, gets, state, answer } = await serve(t, [one('g-1'), status(503), cut, status(400), one('g-2'), open]);
  await until(() => gets.length === 6, 'the last stream');
  assert.deepEqual(
    gets.map(({ lastEventId }) => lastEventId),
    [undefined, 'g-1', 'g-1', 'g-1', 'g-1', 'g-2'],
  );
  assert.deepEqual([state.heard, state.doubts, link.closed], [['g-1', 'g-2'], 3, false]);
  assert.deepEqual(await answer(), { kind: 'result', text: '{"seen":true}' });
});

test('a stream that cannot be opened at first is tried again [AX-1]', async (t) => {
  const { link, gets, state } = await serve(t, [status(503), cut, open]);
  await until(() => gets.length === 3, 'the stream');
  assert.deepEqual([state.doubts, link.closed], [0, false]);
});

test('a server that does not know the session any more ends it [AX-1]', async (t) => {
  const { link, gets, state } = await serve(t, [one('g-1'), status(503), status(404)]);
  await until(() => link.closed, 'the end of the session');
  assert.deepEqual([gets.length, state.reason], [3, 'the server does not know the session any more']);
});

test('a server that has no stream keeps its session, whether it says so at once or later [AX-1]', async (t) => {
  for (const before of [[], [one('g-1')]]) {
    const { link, gets, answer } = await serve(t, [...before, status(405)]);
    await until(() => gets.length === before.length + 1, 'the refusal');
    assert.equal((await answer()).kind, 'result');
    assert.equal(link.closed, false);
  }
});

test('a stream whose token is refused is opened with another one [AX-1] [AX-15]', async (t) => {
  let current = 'T1';
  const token: TokenSource = {
    current: () => ok(current),
    async another(refused) {
      if (refused === current) current = 'T2';
      return ok(current);
    },
  };
  const { link, gets, answer } = await serve(t, [one('g-1'), status(401), open], token);
  await until(() => gets.length === 3, 'the stream');
  assert.deepEqual(
    gets.map((each) => each.token),
    ['Bearer T1', 'Bearer T1', 'Bearer T2'],
  );
  assert.equal((await answer()).kind, 'result');
  assert.equal(link.closed, false);
});
