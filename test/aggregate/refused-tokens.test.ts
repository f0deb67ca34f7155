// A server over HTTP that refuses a token: what it refused is sent once more with another, and nothing else ends.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import type { TokenSource } from '#aggregate/wire/http-headers.ts';
import { errorAnswer, resultAnswer } from '#aggregate/wire/message.ts';
import type { Call } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { createFakeClock, settle, until } from '../fakes/clock.ts';
import { createFakeServer, leafOf, startedWith } from './harness.ts';
import { linkTo } from './link-bed.ts';

/** Tokens that a test hands out: `T1`, then what `next` says. */
function tokens(next: (refused: string | undefined) => Promise<Result<string>> | Result<string>) {
  const asked: (string | undefined)[] = [];
  let current = ok('T1') as Result<string>;
  const source: TokenSource = {
    current: () => current,
    async another(refused) {
      asked.push(refused);
      const given = await next(refused);
      if (given.ok) current = given;
      return given;
    },
  };
  return { source, asked, end: () => (current = bad('the token has ended')) };
}

type Seen = { readonly token: string; readonly method: string };

/** A server that refuses the tokens in `refused`; of a call of `wait` it answers with a stream that the test ends. */
async function serve(t: TestContext, source: TokenSource, refused: ReadonlySet<string>) {
  const seen: Seen[] = [];
  const waiting: { readonly id: number; readonly response: ServerResponse }[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    const token = String(request.headers.authorization).slice('Bearer '.length);
    seen.push({ token, method });
    if (refused.has(token)) return void response.writeHead(401).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'wait') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return void waiting.push({ id, response });
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { by: token } }));
  });
  const { link, peer } = await linkTo(t, server, source);
  const call = (method: string): Call => peer.call({ method, paramsText: '{}', timeoutMs: undefined });
  /** A call that is open when a token is refused. */
  const opened = async () => {
    const made = call('wait');
    await until(() => waiting.length === 1, 'the open call');
    const answer = () => {
      const [{ id, response }] = waiting as [(typeof waiting)[number]];
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
    };
    return { answered: made.answer, answer };
  };
  return { link, peer, call, opened, seen };
}

test('a refused call is made once more with another token, and an open one goes on [AX-15]', async (t) => {
  const refused = new Set<string>();
  const { source, asked } = tokens(() => ok('T2'));
  const { link, call, opened, seen } = await serve(t, source, refused);
  const open = await opened();
  refused.add('T1');
  assert.deepEqual(await call('tools/call').answer, { kind: 'result', text: '{"by":"T2"}' });
  open.answer();
  assert.equal((await open.answered).kind, 'result');
  assert.deepEqual([link.closed, asked], [false, ['T1']]);
  assert.deepEqual(
    seen.map(({ token }) => token),
    ['T1', 'T1', 'T2'],
  );
});

test('a call whose second token is refused too ends alone, and its error says so [AX-15]', async (t) => {
  const refused = new Set<string>();
  const { source } = tokens(() => ok('T2'));
  const { link, call, opened, seen } = await serve(t, source, refused);
  const open = await opened();
  for (const token of ['T1', 'T2']) refused.add(token);
  const answer = await call('tools/call').answer;
  assert.equal(answer.kind, 'error');
  assert.match(answer.text, /the server refused the token, and another one too: HTTP status 401/);
  assert.equal(seen.length, 3);
  open.answer();
  assert.equal((await open.answered).kind, 'result');
  assert.equal(link.closed, false);
});

test('a refused call without another token ends alone, and its error says why there is none [AX-15]', async (t) => {
  const refused = new Set<string>();
  const { source } = tokens(() => bad('the authorization server is away'));
  const { link, call, opened, seen } = await serve(t, source, refused);
  const open = await opened();
  refused.add('T1');
  const answer = await call('tools/call').answer;
  assert.match(answer.text, /the server refused the token \(HTTP status 401\): the authorization server is away/);
  open.answer();
  assert.equal((await open.answered).kind, 'result');
  assert.deepEqual([seen.length, link.closed], [2, false]);
});

test('while no token is in force calls wait for another one, and end with the reason where none comes [AX-15]', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Result<string>>();
  const { source, end } = tokens(() => promise);
  const { link, call, opened, seen } = await serve(t, source, new Set());
  const open = await opened();
  end();
  const waits = call('tools/call');
  resolve(ok('T2'));
  assert.deepEqual(await waits.answer, { kind: 'result', text: '{"by":"T2"}' });
  open.answer();
  assert.equal((await open.answered).kind, 'result');
  assert.deepEqual([seen.length, link.closed], [2, false]);

  const none = tokens(() => bad('the authorization server is away'));
  none.end();
  const other = await serve(t, none.source, new Set());
  assert.match((await other.call('tools/call').answer).text, /the authorization server is away/);
  assert.deepEqual([other.seen, other.link.closed], [[], false]);
});

test('a call that is given up while another token is asked for is not made [AX-15]', async (t) => {
  const refused = new Set(['T1']);
  const { promise, resolve } = Promise.withResolvers<Result<string>>();
  const { source, asked } = tokens(() => promise);
  const { call, seen } = await serve(t, source, refused);
  const made = call('tools/call');
  await until(() => asked.includes('T1'), 'another token to be asked for');
  made.cancel('enough');
  assert.match((await made.answer).text, /enough/);
  resolve(ok('T2'));
  assert.equal((await call('tools/list').answer).kind, 'result');
  await until(
    () => seen.some(({ method, token }) => method === 'notifications/cancelled' && token === 'T2'),
    'its end',
  );
  assert.deepEqual(
    seen.filter(({ method }) => method === 'tools/call').map(({ token }) => token),
    ['T1'],
  );
});

test('a server that refuses a ping keeps its session while a call is open, and no longer [AX-15]', async () => {
  const { aggregator, clock, client, server, finish } = await withOpenCall();
  server.more['ping'] = () => errorAnswer(-32_603, 'no');
  await clock.advance(2 * AGGREGATE_LIMITS.pingMs);
  assert.equal(aggregator.core.slots.get('s')?.state, 'up');
  finish();
  await settle();
  server.isDown = true;
  await clock.advance(2 * AGGREGATE_LIMITS.pingMs);
  assert.equal(aggregator.core.slots.get('s')?.state, 'degraded');
  assert.equal(await client.codeOf('tools/call', { name: 's.look' }), -32_002);
});

async function withOpenCall() {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const made = { finish: () => {} };
  const { aggregator, client } = await startedWith([leafOf('s', server)], clock);
  const params: JsonObject = { name: 's.look' };
  server.onCall = () =>
    new Promise((resolve) => {
      made.finish = () => resolve(resultAnswer({ content: [] }));
    });
  void client.ask('tools/call', params);
  await settle();
  return { aggregator, clock, client, server, finish: () => made.finish() };
}
