// Access tokens at an aggregator (AX-15, RFC 8707): one for this aggregator narrows its holder, one for another server is refused, and none goes down.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createAggregatorProcess, type RunningAggregator } from '#agent/create-aggregator.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import type { Identity } from '#mtls/identity.ts';
import { issueToken } from '#mtls/tokens/issue.ts';
import { mcpHost, send } from '../agent/token-bed.ts';
import { until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { envelope } from '../mcp/modern/modern-bench.ts';
import { createDomain, type Domain, systemClock } from '../mtls/domain.ts';

let domain: Domain;
let registrar: Identity;
let host: Identity;
let thief: Identity;
let root: RunningAggregator;
const seen: string[] = [];
const leaf = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push(`${request.rawHeaders.join(' ')} ${body}`);
  const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params: JsonObject };
  if (id === undefined) return void response.writeHead(202).end();
  const tool = (name: string, readOnlyHint: boolean) => ({
    ...{ name, inputSchema: { type: 'object' } },
    annotations: { readOnlyHint, destructiveHint: false },
  });
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'x', version: '1' },
    },
    'tools/list': { tools: [tool('look', true), tool('peek', true), tool('put', false)] },
    'resources/list': { resources: [{ uri: 'note:1', name: 'n' }] },
    'resources/templates/list': { resourceTemplates: [] },
    'resources/read': { contents: [] },
    'tools/call': { content: [{ type: 'text', text: `called ${String(params?.['name'])}` }] },
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});

before(async () => {
  domain = await createDomain();
  await domain.identity('root');
  registrar = await domain.identity('reg1');
  host = await domain.identity('host', { kind: 'operator', role: 'admin' });
  thief = await domain.identity('thief', { kind: 'operator', role: 'admin' });
  leaf.listen(0, '127.0.0.1');
  await once(leaf, 'listening');
  const url = `http://127.0.0.1:${(leaf.address() as AddressInfo).port}/mcp`;
  const config = aggregateSchema.parse({
    ...{ node: 'root', state: join(domain.dir, 'state'), identity: { dir: join(domain.dir, 'root') } },
    listen: { host: '127.0.0.1', port: await freePort() },
    tokens: { issuers: [{ registrar: 'reg1', role: 'operator' }], required: ['operator/host'] },
    leaves: [{ segment: 's', url, unsaid: 'open' }],
    view: { names: 'dotted' },
  });
  root = await createAggregatorProcess(config, silentLog);
  await until(() => root.aggregator.core.slots.get('s')?.state === 'up', 'the server');
});
after(async () => {
  await root.stop();
  leaf.closeAllConnections();
  leaf.close();
  await domain.remove();
});

const at = (identity = host) => ({ port: root.port!, identity, ca: domain.caPem });
const resourceOf = (node: string) => `https://${node}.lab.example:${root.port}/mcp`;

function tokenFor(resource: string, scope: string): Promise<string> {
  return issueToken({
    ...{ identity: registrar, holder: host.party, thumbprint: host.thumbprint, audience: resource },
    ...{ scopes: scope.split(' '), seconds: 120, clock: systemClock, random: systemRandom },
  });
}

test('a client that needs a token learns where to get one for this aggregator [AX-15]', async () => {
  const refused = await mcpHost(at()).open();
  assert.equal(refused.status, 401);
  const url = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1];
  assert.equal(url, `https://root.lab.example:${root.port}/.well-known/oauth-protected-resource/mcp`);
});

test('a token for this aggregator permits what its scopes name, and no more [AX-15]', async () => {
  const token = await tokenFor(resourceOf('root'), 'parley:tool:s.look parley:resource:note:*');
  const client = mcpHost(at());
  assert.equal((await client.open(token)).status, 200);
  assert.match(JSON.stringify(await client.call({ name: 's.look', arguments: {} }, token)), /called look/);
  assert.match(JSON.stringify(await client.call({ uri: 'note:1' }, token, 'resources/read')), /"contents":\[\]/);
  for (const name of ['s.peek', 's.put', 'aggregate_tree'])
    assert.match(
      JSON.stringify(await client.call({ name, arguments: {} }, token)),
      /-32083.*scope of the access token/,
    );
  // Without the token the same session is not the client's.
  assert.deepEqual(await client.call({ name: 's.look', arguments: {} }), { status: 401 });
  const wider = await tokenFor(resourceOf('root'), 'parley:class:read');
  assert.deepEqual(await client.call({ name: 's.look', arguments: {} }, wider), { status: 404 });
});

test('a token for another server, or of another certificate, is refused with the reason [AX-15]', async () => {
  const foreign = await mcpHost(at()).open(await tokenFor(resourceOf('pe1'), 'parley:class:read'));
  assert.equal(foreign.status, 401);
  assert.match(
    String(foreign.headers['www-authenticate']),
    /expected a token for this node \(aud\), got one for another/,
  );
  const stolen = await mcpHost(at(thief)).open(await tokenFor(resourceOf('root'), 'parley:class:read'));
  assert.equal(stolen.status, 401);
  assert.match(String(stolen.headers['www-authenticate']), /bound to the certificate of this connection/);
});

test('a request of 2026-07-28 has the rights of its own token alone [AX-15]', async () => {
  const wide = await tokenFor(resourceOf('root'), 'parley:class:read');
  const narrow = await tokenFor(resourceOf('root'), 'parley:tool:s.look');
  const call = async (token: string, name: string) => {
    const params = { name, arguments: {}, _meta: envelope() };
    const answer = await send({
      ...at(),
      ...{ path: '/mcp', method: 'POST' },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return answer.body;
  };
  assert.match(await call(wide, 's.peek'), /called peek/);
  assert.match(await call(narrow, 's.peek'), /scope of the access token/);
  assert.match(await call(narrow, 's.look'), /called look/);
});

test('no token of a client reaches a server below, in headers or in a body [AX-15]', async () => {
  const token = await tokenFor(resourceOf('root'), 'parley:class:read');
  const client = mcpHost(at());
  await client.open(token);
  seen.length = 0;
  await client.call({ name: 's.look', arguments: {}, _meta: { 'io.parley/token': token, authorization: 'x' } }, token);
  assert.equal(seen.length, 1);
  assert.ok(!seen[0]!.includes(token) && !/authorization:? bearer/i.test(seen[0]!), seen[0]);
});
