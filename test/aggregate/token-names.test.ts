// What the scopes of an access token name at an aggregator (AX-15, TS-29): things as they stand in the whole tree, in whatever view they are asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import { parseScopes } from '#model/rights/token-scope.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import { ALICE, connectClient, createFakeServer, createTestAggregator, leafOf, uuid } from './harness.ts';

const DENIED = -32_083;

function holderOf(scope: string, isInForce = () => true): Party {
  const scopes = parseScopes(scope);
  assert.ok(scopes.ok);
  const token = { issuer: 'reg1', subject: 'alice', id: 't1', key: scope, ceiling: 'operator' as const };
  return { ...ALICE, token: { ...token, scopes: scopes.value, isInForce } };
}

async function start(scope: string, view: JsonObject = {}, isInForce = () => true) {
  const clock = createFakeClock();
  const leaf = () => {
    const server = createFakeServer(clock);
    server.more = {
      initialize: () =>
        resultAnswer({
          protocolVersion: '2025-11-25',
          capabilities: { prompts: {}, resources: {}, completions: {} },
          serverInfo: { name: 'fake', version: '1' },
        }),
      'prompts/list': () => resultAnswer({ prompts: [{ name: 'a.x' }, { name: 'x' }] }),
      'prompts/get': () => resultAnswer({ messages: [] }),
      'resources/list': () => resultAnswer({ resources: [{ uri: 'note:1', name: 'n' }] }),
      'resources/templates/list': () => resultAnswer({ resourceTemplates: [] }),
      'resources/read': () => resultAnswer({ contents: [] }),
      'completion/complete': () => resultAnswer({ completion: { values: [] } }),
    };
    return server;
  };
  const root = createTestAggregator(clock, {
    leaves: [leafOf('a', leaf()), { ...leafOf('lab', leaf()), isAggregator: true }],
  });
  await settle();
  const client = connectClient(root, clock, holderOf(scope, isInForce));
  const experimental = { 'io.parley/aggregate': view };
  await client.ask('initialize', { protocolVersion: '2025-11-25', capabilities: { experimental } });
  return { ...client, root };
}

test('a scope names a prompt of the whole tree, also where a view calls another one so [AX-15]', async () => {
  const inMount = await start('parley:tool:a.x', { mount: 'lab' });
  assert.equal(await inMount.codeOf('prompts/get', { name: 'a.x' }), DENIED);
  const own = await start('parley:tool:lab.x', { mount: 'lab' });
  assert.equal(await own.codeOf('prompts/get', { name: 'x' }), undefined);
  const forHosts = await start('parley:tool:a.x', { names: 'host' });
  const { prompts } = (await forHosts.ask('prompts/list')) as { prompts: { name: string }[] };
  const codes = await Promise.all(prompts.map(({ name }) => forHosts.codeOf('prompts/get', { name })));
  assert.deepEqual(codes.filter((code) => code === undefined).length, 1);
});

test('completions are for what a scope names, and for nothing else [AX-15]', async () => {
  const client = await start('parley:tool:a.x parley:resource:note:1');
  const complete = (ref: JsonObject) =>
    client.codeOf('completion/complete', { ref, name: 'a.x', argument: { name: 'n', value: '' } });
  assert.equal(await complete({ type: 'ref/prompt', name: 'a.x' }), undefined);
  assert.equal(await complete({ type: 'ref/prompt', name: 'lab.x' }), DENIED);
  assert.equal(await complete({ type: 'ref/resource', uri: 'note:1' }), undefined);
  assert.equal(await complete({ type: 'ref/resource', uri: 'mcpax://lab/note:1' }), DENIED);
});

test('a route makes no resource of one server that of another [AX-15]', async () => {
  const client = await start('parley:resource:note:1');
  const read = (route?: string) =>
    client.codeOf('resources/read', {
      uri: 'note:1',
      ...(route === undefined ? {} : { _meta: { 'x-mcpax-route': [route] } }),
    });
  assert.deepEqual(await Promise.all([read(), read('a'), read('lab')]), [undefined, undefined, DENIED]);
});

test('the holder of a token does not register a server with it [AX-15]', async () => {
  const client = await start('parley:class:read');
  const params = { subserverId: uuid(), serverName: 's', namespace: 'mine', protocolVersion: '1.0', capabilities: {} };
  assert.equal(await client.codeOf('mcpax/register', params), -32_601);
});

test('who holds a token that has ended hears nothing more, and hears again when it is renewed [AX-15]', async () => {
  let isInForce = true;
  const { root, heard } = await start('parley:class:read', {}, () => isInForce);
  const say = async (data: string) => {
    for (const listener of root.core.listeners) listener.log({ level: 'info', data }, ['a']);
    await settle();
  };
  await say('one');
  isInForce = false;
  await say('two');
  isInForce = true;
  await say('three');
  assert.deepEqual(
    heard.filter(({ method }) => method === 'notifications/message').map(({ params }) => params['data']),
    ['one', 'three'],
  );
});
