// Answers over HTTP whose stream ends early, in a session of an older revision: the rest is fetched where the server has said that it can be.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { until } from '../fakes/clock.ts';
import { linkTo } from './link-bed.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const RESULT = '{"jsonrpc":"2.0","id":1,"result":{"seen":true}}';

type Get = { readonly lastEventId: string | undefined; readonly response: ServerResponse };

/** A server whose answers and streams a test writes. */
async function serve(t: TestContext, onPost: (response: ServerResponse) => void) {
  const gets: Get[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'POST') return void request.resume().once('end', () => onPost(response));
    const lastEventId = request.headers['last-event-id'] as string | undefined;
    gets.push({ lastEventId, response });
  });
  const { link, peer } = await linkTo(t, server);
  const general = () => gets.filter(({ lastEventId }) => lastEventId === undefined);
  const answers = () => gets.filter(({ lastEventId }) => lastEventId !== undefined);
  const call = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: undefined });
  return { answers, general, call, link };
}

test('an answer whose stream ends is fetched from where it ended, once or more often [AX-1]', async (t) => {
  const { answers, call } = await serve(t, (response) => {
    response.writeHead(200, EVENTS);
    response.end('id: e-1\nretry: 1\ndata: \n\n');
  });
  await until(() => answers().length === 1, 'the stream to be asked for again');
  const [first] = answers();
  assert.equal(first!.lastEventId, 'e-1');
  first!.response.writeHead(200, EVENTS).end('id: e-2\ndata: \n\n');
  await until(() => answers().length === 2, 'the stream to be asked for once more');
  assert.equal(answers()[1]!.lastEventId, 'e-2');
  answers()[1]!.response.writeHead(200, EVENTS).write(`id: e-3\ndata: ${RESULT}\n\n`);
  assert.deepEqual(await call.answer, { kind: 'result', text: '{"seen":true}' });
});

test('an answer that stays away through so many streams fails its request, and the session goes on [AX-1]', async (t) => {
  const { answers, call, link } = await serve(t, (response) => {
    response.writeHead(200, EVENTS).end('id: e-1\nretry: 1\ndata: \n\n');
  });
  for (let count = 1; count <= AGGREGATE_LIMITS.resumptions; count++) {
    await until(() => answers().length === count, `stream ${count}`);
    answers()[count - 1]!.response.writeHead(200, EVENTS).end();
  }
  const answer = await call.answer;
  assert.equal(answer.kind, 'error');
  assert.match(answer.text, /could not be resumed: HTTP status 200/);
  assert.deepEqual([answers().length, link.closed], [AGGREGATE_LIMITS.resumptions, false]);
});

test('an answer of a session that is gone is not asked for again, and ends the link [AX-1]', async (t) => {
  const { answers, call, link } = await serve(t, (response) => {
    response.writeHead(200, EVENTS).end('id: e-1\nretry: 1\ndata: \n\n');
  });
  await until(() => answers().length === 1, 'the stream to be asked for again');
  answers()[0]!.response.writeHead(404).end();
  assert.match((await call.answer).text, /HTTP status 404/);
  assert.deepEqual([answers().length, link.closed], [1, true]);
});

test('a stream without event ids that ends early fails its request at once [AX-1]', async (t) => {
  const { answers, call } = await serve(t, (response) => {
    response.writeHead(200, EVENTS).end('data: \n\n');
  });
  assert.match((await call.answer).text, /the server answered with HTTP status 200 and no result/);
  assert.equal(answers().length, 0);
});

test('a cancelled call ends the stream by which the rest of its answer was fetched [AX-1]', async (t) => {
  let posts = 0;
  let isEnded = false;
  const { answers, call, link } = await serve(t, (response) => {
    if (++posts > 1) return void response.writeHead(202).end();
    response.writeHead(200, EVENTS).end('id: e-1\nretry: 1\ndata: \n\n');
  });
  await until(() => answers().length === 1, 'the stream to be asked for again');
  const [{ response }] = answers() as [Get];
  response.once('close', () => {
    isEnded = true;
  });
  response.writeHead(200, EVENTS).write(': here\n\n');
  call.cancel('enough');
  await until(() => isEnded, 'the end of the stream');
  assert.deepEqual([answers().length, link.closed], [1, false]);
});

test('a cancelled call ends the stream that its answer would have come by [AX-1]', async (t) => {
  const open: ServerResponse[] = [];
  let isEnded = false;
  const { call, link } = await serve(t, (response) => {
    if (open.push(response) > 1) return void response.writeHead(202).end();
    response.once('close', () => {
      isEnded = true;
    });
    response.writeHead(200, EVENTS).write('id: e-1\ndata: \n\n');
  });
  await until(() => open.length === 1, 'the call');
  call.cancel('enough');
  await until(() => isEnded, 'the end of the stream');
  assert.match((await call.answer).text, /enough/);
  assert.deepEqual([open.length, link.closed], [2, false]);
});

test('a server that wants no wait before its stream is resumed is not asked without a pause [AX-1]', async (t) => {
  const { general } = await serve(t, () => {});
  const wait = AGGREGATE_LIMITS.resumeWaitLeastMs;
  const beganMs = performance.now();
  for (let count = 1; count <= 3; count++) {
    await until(() => general().length === count, `stream ${count}`);
    general()[count - 1]!.response.writeHead(200, EVENTS).end('retry: 0\ndata: \n\n');
  }
  assert.ok(performance.now() - beganMs >= 1.8 * wait);
});
