// Another token for a server below: asked for when one is refused, not more often than the authorization server bears, and not after the end.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { createLeafToken } from '#agent/aggregating/leaf-token.ts';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { STOPPED } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { ok } from '#base/result.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { createTokenBed, type TokenBed } from './token-bed.ts';

const URL_OF_SERVER = 'https://s.example/mcp';

let bed: TokenBed;
before(async () => {
  bed = await createTokenBed();
});
after(() => bed.domain.remove());

async function leafToken(source: object) {
  const clock = createFakeClock();
  const stopped = new AbortController();
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (sentence: string) => void warnings.push(sentence) };
  const { leaves } = aggregateSchema.parse({ node: 'x', leaves: [{ segment: 's', url: URL_OF_SERVER, ...source }] });
  const [leaf] = leaves;
  assert.ok(leaf !== undefined && 'url' in leaf);
  const parts = { identity: () => undefined, held: new Map(), clock, log, signal: stopped.signal };
  return { token: (await createLeafToken(leaf, parts))!, clock, stopped, warnings };
}

const askedAt = (endpoint: string) => leafToken({ token: { endpoint, ca: join(bed.domain.dir, 'root', 'ca.pem') } });

test('one token that many calls find refused is replaced once, and the next one not at once [AX-15]', async (t) => {
  const { url, asked } = await bed.authorizationServer(t, (resource) => resource);
  const { token, clock } = await askedAt(url);
  await token.ready();
  const first = token.current();
  assert.ok(first.ok);
  const given = await Promise.all([1, 2, 3].map(() => token.another(first.value)));
  assert.deepEqual([new Set(given.map((each) => JSON.stringify(each))).size, asked.length], [1, 2]);
  const [second] = given;
  assert.ok(second?.ok);
  assert.notEqual(second.value, first.value);
  assert.deepEqual(await token.another(first.value), second);
  assert.deepEqual(await token.another(second.value), {
    ok: false,
    reason: 'another token was asked for within the last 5 s',
  });
  assert.deepEqual([token.current(), asked.length], [second, 2]);
  await clock.advance(5_000);
  assert.equal((await token.another(second.value)).ok, true);
  assert.equal(asked.length, 3);
});

test('a token that is refused stays the one that is shown while no other is given [AX-15]', async (t) => {
  let isAway = false;
  const url = await bed.secured(t, (_, response) => {
    if (isAway) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60 }));
  });
  const { token, clock } = await askedAt(url);
  await token.ready();
  assert.deepEqual(await token.another('opaque'), {
    ok: false,
    reason: 'expected another token of the authorization server, got the same',
  });
  isAway = true;
  await clock.advance(5_000);
  const given = await token.another('opaque');
  assert.match(given.ok ? '' : given.reason, /got status 503/);
  assert.deepEqual(token.current(), ok('opaque'));
});

test('a file is read again when the token in it is refused [AX-15]', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-token-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const tokenFile = join(dir, 'token');
  await writeFile(tokenFile, 'one');
  const { token } = await leafToken({ tokenFile });
  await token.ready();
  assert.deepEqual(await token.another('one'), {
    ok: false,
    reason: `expected another token in ${tokenFile}, got the same`,
  });
  await writeFile(tokenFile, 'two');
  assert.deepEqual(await token.another('one'), ok('two'));
  assert.deepEqual(token.current(), ok('two'));
});

/** An authorization server that answers with `first`, and never again. */
async function silent(t: TestContext, first: RequestListener = () => {}) {
  const state = { asked: 0, givenUp: 0 };
  const url = await bed.secured(t, (request, response) => {
    state.asked += 1;
    request.socket.once('close', () => {
      state.givenUp += 1;
    });
    first(request, response);
  });
  return { state, url };
}

test('who stops while a token is fetched waits for no answer, and leaves no connection [AX-15]', async (t) => {
  const { state, url } = await silent(t);
  const { token, stopped } = await askedAt(url);
  const ready = token.ready();
  await until(() => state.asked === 1, 'the request');
  stopped.abort(STOPPED);
  await assert.rejects(ready, (error) => error === STOPPED);
  await until(() => state.givenUp === 1, 'the end of the connection');
  await assert.rejects(token.ready(), (error) => error === STOPPED);
});

test('who stops while a token is renewed hears of no failure [AX-15]', async (t) => {
  let isFirst = true;
  const { state, url } = await silent(t, (_, response) => {
    if (!isFirst) return;
    isFirst = false;
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60 }));
  });
  const { token, clock, stopped, warnings } = await askedAt(url);
  await token.ready();
  await clock.advance(41_000);
  token.current();
  await until(() => state.asked === 2, 'the renewal');
  stopped.abort(STOPPED);
  await until(() => state.givenUp === 2, 'the end of the connection');
  assert.deepEqual(warnings, []);
});

test('an aggregator stops while a token for a server below is fetched [AX-15]', async (t) => {
  const { state, url: endpoint } = await silent(t);
  const dir = await mkdtemp(join(tmpdir(), 'parley-aggregate-'));
  let stop = async () => {};
  // In this order: what still runs writes to its folder.
  t.after(async () => {
    await stop();
    await rm(dir, { recursive: true, force: true });
  });
  const ca = join(bed.domain.dir, 'root', 'ca.pem');
  const config = aggregateSchema.parse({
    ...{ node: 'root', state: dir, identity: { dir: join(bed.domain.dir, 'root') } },
    leaves: [{ segment: 's', url: URL_OF_SERVER, token: { endpoint, ca } }],
  });
  // The request never comes to its own deadline.
  t.mock.method(AbortSignal, 'timeout', () => new AbortController().signal);
  const running = await createAggregatorProcess(config, silentLog);
  let stopping: Promise<void> | undefined;
  stop = () => (stopping ??= running.stop());
  await until(() => state.asked === 1, 'the request');
  let hasStopped = false;
  void stop().then(() => {
    hasStopped = true;
  });
  await until(() => hasStopped && state.givenUp === 1, 'the end of all');
  assert.equal(state.asked, 1);
});
