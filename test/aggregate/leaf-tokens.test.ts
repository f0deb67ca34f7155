// Tokens and certificates by which an aggregator comes to the servers below it (AX-15, RFC 8707): each server gets the one that is for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createLeafToken } from '#agent/aggregating/leaf-token.ts';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { issueCertificate } from '#mtls/authority.ts';
import { audienceFault } from '#mtls/tokens/request-token.ts';
import { createFakeClock, until } from '../fakes/clock.ts';
import { systemClock } from '../mtls/domain.ts';
import { HANG_MS } from '../until-written.ts';
import { bodyOf, createTokenBed, jwt, type TokenBed } from './token-bed.ts';

let bed: TokenBed;
before(async () => {
  bed = await createTokenBed();
});
after(() => bed.domain.remove());

/** A server that tells which tokens came, and refuses those in `refused`. */
function mcpServer() {
  const tokens: (string | undefined)[] = [];
  const state = { refused: new Set<string | undefined>(), clients: [] as string[] };
  const handler: RequestListener = async (request, response) => {
    const body = await bodyOf(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const token = request.headers.authorization;
    tokens.push(token);
    const { socket } = request;
    if ('getPeerCertificate' in socket)
      state.clients.push(String((socket as TLSSocket).getPeerCertificate().subject?.CN));
    if (state.refused.has(token)) return void response.writeHead(401).end();
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
        : { tools: [] };
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  return { tokens, state, handler };
}

async function plain(t: TestContext, handler: RequestListener): Promise<string> {
  const server = createHttp(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function start(
  t: TestContext,
  leaves: (dir: string) => Promise<readonly object[]>,
  identity = join(bed.domain.dir, 'root'),
) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-aggregate-'));
  let running: Awaited<ReturnType<typeof createAggregatorProcess>> | undefined;
  // In this order: what still runs writes to its folder.
  t.after(async () => {
    await running?.stop();
    await rm(dir, { recursive: true, force: true });
  });
  await writeFile(join(dir, 'ca.pem'), bed.domain.caPem);
  const config = aggregateSchema.parse({
    ...{ node: 'root', state: dir, identity: { dir: identity } },
    leaves: await leaves(dir),
  });
  const started = await createAggregatorProcess(config, silentLog);
  running = started;
  const { aggregator } = started;
  const slot = (segment: string) => aggregator.core.slots.get(segment)!;
  const up = (segment: string) => until(() => slot(segment).state === 'up', segment);
  return { slot, up };
}

test('each server gets a token that was asked for with its own name, and no other [AX-15]', async (t) => {
  const { url: endpoint, asked } = await bed.authorizationServer(t, (resource) => resource);
  const [one, two] = [mcpServer(), mcpServer()];
  const urls = [await plain(t, one.handler), await plain(t, two.handler)];
  const { up } = await start(t, async (dir) => {
    const secretFile = join(dir, 'secret');
    await writeFile(secretFile, 's3cret\n');
    const token = { endpoint, ca: join(dir, 'ca.pem') };
    return [
      { segment: 'one', url: urls[0], token },
      { segment: 'two', url: urls[1], token: { ...token, clientId: 'root', secretFile } },
    ];
  });
  await Promise.all([up('one'), up('two')]);
  const basic = `Basic ${Buffer.from('root:s3cret').toString('base64')}`;
  assert.deepEqual(
    new Map(asked.map(({ resource, by }) => [resource, by])),
    new Map([
      [urls[0], 'root'],
      [urls[1], basic],
    ]),
  );
  for (const [index, { tokens }] of [one, two].entries()) {
    const [, claims] = tokens[0]!.split('.');
    assert.equal(JSON.parse(Buffer.from(claims!, 'base64url').toString()).aud, urls[index]);
    assert.equal(new Set(tokens).size, 1);
  }
});

test('a token that is for another server is not sent, and the reason stands in the tree [AX-15]', async (t) => {
  const { url: endpoint, asked } = await bed.authorizationServer(t, () => 'https://other.example/mcp');
  const server = mcpServer();
  const url = await plain(t, server.handler);
  const { slot } = await start(t, async (dir) => [{ segment: 's', url, token: { endpoint, ca: join(dir, 'ca.pem') } }]);
  await until(() => slot('s').reason !== undefined, 'a reason');
  assert.match(slot('s').reason!, /expected a token for http:\/\/127.*, got one for https:\/\/other\.example\/mcp/);
  assert.ok(asked.length > 0);
  assert.deepEqual(server.tokens, []);
});

test('a token that another server takes as well is not sent, unless its names are all of this server [AX-15]', async (t) => {
  const url = 'https://jira.example/mcp';
  const aud = [url, 'https://drive.example/mcp'];
  const fault = audienceFault(jwt({ aud }), [url]);
  assert.match(
    fault!,
    /^expected a token for https:\/\/jira.example\/mcp alone, got one for https:\/\/drive.*\/mcp too: /,
  );
  assert.equal(audienceFault(jwt({ aud: [url, 'https://jira.example'] }), [url]), undefined);
  const { url: endpoint } = await bed.authorizationServer(t, () => ['api://tickets', 'account']);
  const [strict, named] = [mcpServer(), mcpServer()];
  const urls = [await plain(t, strict.handler), await plain(t, named.handler)];
  const { slot, up } = await start(t, async (dir) => {
    const token = { endpoint, ca: join(dir, 'ca.pem') };
    return [
      { segment: 'strict', url: urls[0], token, audience: 'api://tickets' },
      { segment: 'named', url: urls[1], token, audience: ['api://tickets', 'account'] },
    ];
  });
  await up('named');
  await until(() => slot('strict').reason !== undefined, 'a reason');
  assert.match(slot('strict').reason!, /expected a token for api:\/\/tickets alone, got one for account too/);
  assert.deepEqual([strict.tokens.length, named.tokens.length > 0], [0, true]);
});

test('a file with a token for another server, or with one for two servers, is no configuration [AX-15]', async (t) => {
  const url = 'https://jira.example/mcp';
  const leaves =
    (given: string, ...more: object[]) =>
    async (dir: string) => {
      const tokenFile = join(dir, 'token');
      await writeFile(tokenFile, given);
      return [{ segment: 'jira', url, tokenFile }, ...more.map((each) => ({ ...each, tokenFile }))];
    };
  await assert.rejects(start(t, leaves(jwt({ aud: 'https://drive.example' }))), /got one for https:\/\/drive\.example/);
  await assert.rejects(start(t, leaves(jwt({ sub: 'x' }))), /got one that names none \(aud\)/);
  const other = { segment: 'drive', url: 'https://drive.example/mcp' };
  await assert.rejects(
    start(t, leaves('opaque', other)),
    /alone, got the one for https:\/\/(jira|drive)\.example\/mcp/,
  );
  const named = async (dir: string) =>
    (await leaves('opaque', other)(dir)).map((each) => ({ ...each, audience: 'api://tickets' }));
  await assert.rejects(start(t, named), /alone, got the one for https:\/\/(jira|drive)\.example\/mcp/);
});

test('calls whose token is refused are made with another one, which is asked for once, in the same session [AX-15]', async (t) => {
  const { url: endpoint, asked } = await bed.authorizationServer(t, (resource) => resource);
  const server = mcpServer();
  const url = await plain(t, server.handler);
  const { slot, up } = await start(t, async (dir) => [
    { segment: 's', url, token: { endpoint, ca: join(dir, 'ca.pem') } },
  ]);
  await up('s');
  const before = slot('s').subserver!;
  server.state.refused.add(server.tokens[0]);
  const call = () =>
    before.request({ ...{ method: 'tools/call', paramsText: '{}', timeoutMs: HANG_MS, caller: undefined } }).answer;
  const answers = await Promise.all([call(), call(), call()]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['result', 'result', 'result'],
  );
  assert.deepEqual([asked.length, slot('s').state, slot('s').subserver === before], [2, 'up', true]);
  assert.notEqual(server.tokens.at(-1), server.tokens[0]);
});

test('with mutualTls the own certificate is shown, and only the CA of the domain counts [AX-15]', async (t) => {
  const server = mcpServer();
  const url = `${await bed.secured(t, server.handler)}/mcp`;
  const { slot, up } = await start(t, async () => [
    { segment: 'own', url, mutualTls: true },
    { segment: 'unknown', url },
  ]);
  await up('own');
  assert.deepEqual(new Set(server.state.clients), new Set(['root']));
  await until(() => slot('unknown').reason !== undefined, 'a reason');
  assert.equal(slot('unknown').state, 'starting');
});

test('a client that its certificate proves is named by clientId, and sends no secret [AX-15]', async (t) => {
  const forms: (string | null)[] = [];
  const hear = (_: IncomingMessage, form: URLSearchParams) => void forms.push(form.get('client_id'));
  const { url: endpoint, asked } = await bed.authorizationServer(t, (resource) => resource, hear);
  const url = await plain(t, mcpServer().handler);
  const { up } = await start(t, async (dir) => [
    { segment: 's', url, token: { endpoint, ca: join(dir, 'ca.pem'), clientId: 'agg-7' } },
  ]);
  await up('s');
  assert.deepEqual([forms, asked.map(({ by }) => by)], [['agg-7'], ['root']]);
  const lone = { segment: 's', url, token: { endpoint, secretFile: '/secret' } };
  assert.equal(aggregateSchema.safeParse({ node: 'x', leaves: [lone] }).success, false);
});

test('a certificate that is renewed in its folder is shown from then on, to servers and for tokens [AX-15]', async (t) => {
  await bed.domain.identity('renewed');
  const dir = join(bed.domain.dir, 'renewed');
  const shown = { server: [] as string[], tokens: [] as string[] };
  const note = (to: string[], { socket }: IncomingMessage) =>
    void to.push((socket as TLSSocket).getPeerCertificate().fingerprint256);
  const server = mcpServer();
  const url = await bed.secured(t, (request, response) => {
    note(shown.server, request);
    // Each request has its own connection.
    response.setHeader('connection', 'close');
    server.handler(request, response);
  });
  const { url: endpoint } = await bed.authorizationServer(
    t,
    (resource) => resource,
    (request) => note(shown.tokens, request),
  );
  const token = { endpoint, ca: join(dir, 'ca.pem') };
  const leaf = { segment: 's', url: `${url}/mcp`, mutualTls: true, token };
  const { slot, up } = await start(t, async () => [leaf], dir);
  await up('s');
  const { thumbprint } = await issueCertificate({
    ...{ dir: join(bed.domain.dir, 'ca'), kind: 'node', name: 'renewed', renew: true, out: dir, clock: systemClock },
  });
  const isRenewed = (seen: readonly string[]) => seen.at(-1)?.replaceAll(':', '').toLowerCase() === thumbprint;
  const look = () =>
    slot('s').subserver?.request({ method: 'tools/list', paramsText: '{}', timeoutMs: HANG_MS, caller: undefined })
      .answer;
  assert.deepEqual([isRenewed(shown.server), isRenewed(shown.tokens)], [false, false]);
  await until(async () => {
    await look();
    return isRenewed(shown.server);
  }, 'the server sees the new certificate');
  server.state.refused.add(server.tokens.at(-1));
  await look();
  await until(() => isRenewed(shown.tokens), 'the authorization server sees the new certificate');
});

test('a token is renewed when most of its life is over, and not sent after its end [AX-15]', async (t) => {
  const clock = createFakeClock();
  const { url: endpoint, asked } = await bed.authorizationServer(t, (resource) => resource);
  const config = aggregateSchema.parse({
    node: 'x',
    leaves: [
      { segment: 's', url: 'https://s.example/mcp', token: { endpoint, ca: join(bed.domain.dir, 'root', 'ca.pem') } },
    ],
  });
  const [leaf] = config.leaves;
  assert.ok(leaf !== undefined && 'url' in leaf);
  const { signal } = new AbortController();
  const parts = { identity: () => undefined, held: new Map(), clock, log: silentLog, signal };
  const token = (await createLeafToken(leaf, parts))!;
  assert.equal(token.current().ok, false);
  await token.ready();
  const first = token.current();
  await clock.advance(39_000);
  assert.deepEqual([token.current(), asked.length], [first, 1]);
  await clock.advance(2_000);
  token.current();
  await until(() => JSON.stringify(token.current()) !== JSON.stringify(first), 'another token');
  assert.equal(asked.length, 2);
  await clock.advance(61_000);
  assert.deepEqual(token.current(), {
    ok: false,
    reason: 'expected a token for https://s.example/mcp that is in force',
  });
});

test('an authorization server that fails is asked again after a wait, however many requests come [AX-15]', async (t) => {
  const clock = createFakeClock();
  let asked = 0;
  const endpoint = await bed.secured(t, async (request, response) => {
    const resource = new URLSearchParams(await bodyOf(request)).get('resource');
    if (++asked > 1) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: jwt({ aud: resource }), token_type: 'Bearer', expires_in: 60 }));
  });
  const token = { endpoint, ca: join(bed.domain.dir, 'root', 'ca.pem') };
  const [leaf] = aggregateSchema.parse({
    ...{ node: 'x', leaves: [{ segment: 's', url: 'https://s.example/mcp', token }] },
  }).leaves;
  assert.ok(leaf !== undefined && 'url' in leaf);
  let failures = 0;
  const log = { ...silentLog, warn: () => void failures++ };
  const { signal } = new AbortController();
  const given = (await createLeafToken(leaf, { identity: () => undefined, held: new Map(), clock, log, signal }))!;
  await given.ready();
  await clock.advance(41_000);
  given.current();
  await until(() => failures === 1, 'the first failure');
  for (let count = 0; count < 3; count++) given.current();
  await clock.advance(5_000);
  given.current();
  await until(() => failures === 2, 'the second failure');
  assert.deepEqual([asked, failures], [3, 2]);
});

test('a token is for the server whose URL, or whose place above it, it names [AX-15]', () => {
  const fits = (aud: unknown, name: string) => audienceFault(jwt({ aud } as JsonObject), [name]) === undefined;
  const url = 'https://s.example:8443/team/mcp';
  assert.deepEqual(
    [url, [url], 'https://s.example:8443', 'https://s.example:8443/team', 'https://S.example:8443/team/'].map((aud) =>
      fits(aud, url),
    ),
    [true, true, true, true, true],
  );
  assert.deepEqual(
    [
      ...['https://s.example/team/mcp', 'http://s.example:8443', 'https://s.example:8443/tea', `${url}/x`, ''],
      ...['https://s.example:8443.evil.example', 'https://s.example:8443/team/mcp/..%2f', undefined, [], 'data:,'],
      ...[5, {}, [null]],
    ].map((aud) => fits(aud, url)),
    Array(13).fill(false),
  );
  assert.equal(fits('api://tickets', 'api://tickets'), true);
  assert.equal(audienceFault('opaque', [url]), undefined);
});
