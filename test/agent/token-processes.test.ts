// Access tokens end to end: agents as processes, mutual TLS on loopback, tokens of a registrar node and of a real identity provider [TS-29].
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Identity } from '#mtls/identity.ts';
import { type AgentBed, upAgents } from './agent-bed.ts';
import { mcpHost, send, tokenFrom } from './token-bed.ts';

let bed: AgentBed;
let host: Identity;
let thief: Identity;

const TRUST = { issuers: [{ registrar: 'p2', role: 'observer' }], required: ['operator/host'] };

before(async () => {
  bed = await upAgents(['pe1', 'p2', 'pe3'], {
    pe1: { tokens: TRUST },
    pe3: { tokens: TRUST },
    p2: {
      tokens: {
        issue: [{ to: ['operator/host'], scopes: ['parley:tool:parley-peers', 'parley:class:probe'], seconds: 120 }],
      },
    },
  });
  host = await bed.domain.identity('host', { kind: 'operator', role: 'admin' });
  thief = await bed.domain.identity('thief', { kind: 'operator', role: 'admin' });
});
after(() => bed.down());

const at = (node: 'pe1' | 'p2' | 'pe3', identity = host) => ({
  port: bed.portOf(node),
  identity,
  ca: bed.domain.caPem,
});
const resourceOf = (node: 'pe1' | 'pe3') => `https://${node}.lab.example:${bed.portOf(node)}/mcp`;

async function issued(node: 'pe1' | 'pe3', scope?: string): Promise<string> {
  const fields = { grant_type: 'client_credentials', resource: resourceOf(node) };
  const { status, body } = await tokenFrom(at('p2'), scope === undefined ? fields : { ...fields, scope });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body['expires_in'], 120);
  return String(body['access_token']);
}

test('an MCP host without a token is told where to get one (RFC 9728, RFC 6750) [TS-29]', async () => {
  const refused = await mcpHost(at('pe1')).open();
  assert.equal(refused.status, 401);
  const challenge = String(refused.headers['www-authenticate']);
  const url = /^Bearer resource_metadata="([^"]+)"$/.exec(challenge)?.[1];
  assert.equal(url, `https://pe1.lab.example:${bed.portOf('pe1')}/.well-known/oauth-protected-resource/mcp`);
});

test('a token of the registrar lets its holder call what its scope names, and no more, at the node that it is for [TS-29]', async () => {
  const token = await issued('pe1', 'parley:tool:parley-peers');
  const client = mcpHost(at('pe1'));
  assert.equal((await client.open(token)).status, 200);
  const peers = await client.call({ name: 'parley-peers', arguments: {} }, token);
  assert.match(JSON.stringify(peers), /"structuredContent":\{"node":"pe1"/);
  const beyond = await client.call({ name: 'parley-report-list', arguments: {} }, token);
  assert.match(JSON.stringify(beyond), /-32083.*the scope of the access token|the scope of the access token.*-32083/s);
  // Without the token the same session is no one's.
  assert.deepEqual(await client.call({ name: 'parley-peers', arguments: {} }), { status: 401 });
  const trail = await bed.audit('pe1');
  const call = trail.find((each) => each['method'] === 'tools/call parley-peers' && each['party'] === 'operator/host');
  assert.match(
    String(call?.['asker']),
    /^parley:\/\/lab\.example\/operator\/host \(token [0-9a-f]{32} of parley:\/\/lab\.example\/p2\)$/,
  );
});

test('a token counts up to the role that the node allows its issuer, whatever certificate and scope say [TS-29]', async () => {
  const token = await issued('pe1', 'parley:class:probe');
  const client = mcpHost(at('pe1'));
  await client.open(token);
  const refused = await client.call(
    { name: 'parley-ask', arguments: { intent: 'check loss between pe1 and p2' } },
    token,
  );
  assert.match(JSON.stringify(refused), /bounds tokens of parley:\/\/lab\.example\/p2/);
});

test('a stolen token is refused over another certificate, and at another node; both in the trail [TS-29]', async () => {
  const token = await issued('pe1');
  const refusals = [await mcpHost(at('pe1', thief)).open(token), await mcpHost(at('pe3')).open(token)];
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [401, 401],
  );
  assert.match(
    String(refusals[0]!.headers['www-authenticate']),
    /bound to the certificate of this connection, got one of another/,
  );
  assert.match(
    String(refusals[1]!.headers['www-authenticate']),
    /expected a token for this node \(aud\), got one for another/,
  );
  assert.match(JSON.stringify(await bed.audit('pe1')), /bound to the certificate of this connection/);
});

test('the registrar gives only what its configuration names, to whom it names, and says so in its trail [TS-29]', async () => {
  const ask = { grant_type: 'client_credentials', resource: resourceOf('pe1') };
  const errors = [
    await tokenFrom(at('p2', thief), ask),
    await tokenFrom(at('p2'), { ...ask, scope: 'parley:class:write' }),
    await tokenFrom(at('p2'), { ...ask, resource: 'pe1' }),
    await tokenFrom(at('p2'), { ...ask, grant_type: 'password' }),
  ];
  assert.deepEqual(
    errors.map(({ status, body }) => [status, body['error']]),
    [
      [400, 'unauthorized_client'],
      [400, 'invalid_scope'],
      [400, 'invalid_target'],
      [400, 'unsupported_grant_type'],
    ],
  );
  const trail = await bed.audit('p2');
  assert.equal(trail.filter(({ event }) => event === 'token-issued').length > 0, true);
});

test('a certificate whose name is in tokens.required opens no other door without a token: frames, page, drafts [TS-29]', async () => {
  const page = await send({ ...at('pe1'), path: '/console/peers' });
  assert.equal(page.status, 401);
  const { openOperatorClient } = await import('#mcp/client/operator-client.ts');
  const { dialTo } = await import('../mtls/domain.ts');
  const { socket } = await dialTo({ port: bed.portOf('pe1') }, host);
  const client = await openOperatorClient(socket);
  await assert.rejects(client.callTool('parley-peers', {}), /its certificate alone permits nothing/);
  await client.close();
});
