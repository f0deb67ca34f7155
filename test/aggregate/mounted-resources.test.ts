// Resources of a mounted subtree: those alone, under the URIs that the subtree itself has for them, page by page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { mergeResources, qualified } from '#aggregate/tree/resources.ts';
import { createSlot } from '#aggregate/tree/slot.ts';
import { type IncomingRequest, resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import {
  connectClient,
  createFakeServer,
  createTestAggregator,
  type FakeServer,
  leafOf,
  linkPair,
  NODE,
  OPEN,
  type TestClient,
} from './harness.ts';

const PAGE = 100;

/** A server with these resources, in pages, and a template; it answers a reading with its own name and the URI. */
function resourceServer(clock: FakeClock, name: string, uris: readonly string[]): FakeServer {
  const server = createFakeServer(clock);
  const pageOf = ({ params }: IncomingRequest) => {
    const from = Number(params['cursor'] ?? 0);
    const resources = uris.slice(from, from + PAGE).map((uri) => ({ uri, name: uri }));
    return resultAnswer({ resources, ...(from + PAGE < uris.length ? { nextCursor: String(from + PAGE) } : {}) });
  };
  server.more = {
    initialize: () =>
      resultAnswer({
        protocolVersion: '2025-11-25',
        capabilities: { resources: { subscribe: true }, completions: {} },
        serverInfo: { name, version: '1' },
      }),
    'resources/list': pageOf,
    'resources/templates/list': () => resultAnswer({ resourceTemplates: [{ uriTemplate: 'page:{n}', name: 'page' }] }),
    'resources/read': ({ params }) => resultAnswer({ contents: [{ uri: params['uri']!, text: name }] }),
    'completion/complete': ({ params }) =>
      resultAnswer({ completion: { values: [name, String((params['ref'] as JsonObject)['uri'])] } }),
  };
  return server;
}

/** A root over the server `a` and the region `west`, which stands over the servers `x` and `y`. */
async function tree(uris: Readonly<Record<'a' | 'x' | 'y', readonly string[]>>) {
  const clock = createFakeClock();
  const server = (name: 'a' | 'x' | 'y') => resourceServer(clock, name, uris[name]);
  const servers = { a: server('a'), x: server('x'), y: server('y') };
  const root = createTestAggregator(clock, { leaves: [leafOf('a', servers.a)] });
  const dial = async () => {
    const [own, theirs] = linkPair();
    root.serve(theirs, { ...NODE, name: 'west' }, ['west']);
    return own;
  };
  createTestAggregator(clock, {
    node: 'west',
    leaves: [leafOf('x', servers.x), leafOf('y', servers.y)],
    parents: [{ node: 'root', segment: 'west', heartbeatMs: 1_000, dial }],
  });
  for (let turn = 0; turn < 8; turn++) await settle();
  const client = async (mount?: string) => {
    const made = connectClient(root, clock);
    const view = mount === undefined ? {} : { mount };
    const experimental = { 'io.parley/aggregate': view };
    await made.ask('initialize', { protocolVersion: '2025-11-25', capabilities: { experimental } });
    return made;
  };
  return { clock, servers, client };
}

async function urisOf(client: TestClient): Promise<readonly string[]> {
  const uris: string[] = [];
  let cursor: unknown;
  do {
    const page = await client.ask('resources/list', cursor === undefined ? {} : { cursor: String(cursor) });
    uris.push(...(page['resources'] as readonly { uri: string }[]).map(({ uri }) => uri));
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  return uris;
}

/** Which server answers, and what it was asked for. */
async function read(client: TestClient, uri: string, route?: readonly string[]): Promise<string> {
  const meta = route === undefined ? {} : { _meta: { 'x-mcpax-route': route } };
  const answer = await client.ask('resources/read', { uri, ...meta }).catch((error: Error) => error);
  if (answer instanceof Error) return String((JSON.parse(answer.message) as JsonObject)['message']);
  const [{ text, uri: own }] = answer['contents'] as unknown as [{ text: string; uri: string }];
  return `${text} ${own}`;
}

const SAME = { a: ['note:1', 'a:2'], x: ['note:1', 'x:2'], y: ['note:1'] } as const;

test('a mounted subtree lists its own resources alone, under the URIs that it has for them [AX-1] [AX-3]', async () => {
  const { client } = await tree(SAME);
  assert.deepEqual(await urisOf(await client()), [
    'a:2',
    'mcpax://west.y/note:1',
    'mcpax://west/note:1',
    'note:1',
    'x:2',
  ]);
  assert.deepEqual(await urisOf(await client('a')), ['a:2', 'note:1']);
  assert.deepEqual(await urisOf(await client('west')), ['mcpax://y/note:1', 'note:1', 'x:2']);
  assert.deepEqual(await urisOf(await client('west.y')), ['note:1']);
});

test('one URI in two mounts is the resource of each of them [AX-1]', async () => {
  const { client } = await tree(SAME);
  const [whole, a, west, y] = [await client(), await client('a'), await client('west'), await client('west.y')];
  assert.deepEqual(
    await Promise.all([read(whole, 'note:1'), read(a, 'note:1'), read(west, 'note:1'), read(y, 'note:1')]),
    ['a note:1', 'a note:1', 'x note:1', 'y note:1'],
  );
  assert.deepEqual(
    await Promise.all([
      read(whole, 'mcpax://west/note:1'),
      read(whole, 'mcpax://west.y/note:1'),
      read(west, 'mcpax://y/note:1'),
    ]),
    ['x note:1', 'y note:1', 'y note:1'],
  );
});

test('nothing outside of a mount is read, subscribed to or completed through it [AX-1]', async () => {
  const { client } = await tree(SAME);
  const y = await client('west.y');
  const gone = 'Resource not found';
  assert.deepEqual(
    await Promise.all([
      read(y, 'a:2'),
      read(y, 'x:2'),
      read(y, 'note:1', ['a']),
      read(y, 'note:1', ['west', 'x']),
      read(y, 'note:1', ['west', 'y']),
    ]),
    [gone, gone, gone, gone, 'y note:1'],
  );
  // A qualified URI is one below the mount.
  assert.notEqual(await read(y, 'mcpax://a/note:1'), 'a note:1');
  assert.equal(await y.codeOf('resources/subscribe', { uri: 'x:2' }), -32_002);
  const complete = async (by: TestClient) => {
    const { completion } = await by.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'page:{n}' },
      argument: { name: 'n', value: '' },
    });
    return (completion as { values: readonly string[] }).values;
  };
  assert.deepEqual(await complete(y), ['y', 'page:{n}']);
  assert.deepEqual(await complete(await client('a')), ['a', 'page:{n}']);
});

test('a template leads to the server below the mount, also where the whole tree gives its URI to another [AX-1]', async () => {
  const { client } = await tree(SAME);
  const templates = async (mount?: string) => {
    const { resourceTemplates } = await (await client(mount)).ask('resources/templates/list');
    return (resourceTemplates as readonly { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate);
  };
  assert.deepEqual(await templates(), ['mcpax://west.y/page:{n}', 'mcpax://west/page:{n}', 'page:{n}']);
  assert.deepEqual(await templates('west.y'), ['page:{n}']);
  assert.equal(await read(await client(), 'page:7'), 'a page:7');
  assert.equal(await read(await client(), 'mcpax://west.y/page:7'), 'y page:7');
  assert.equal(await read(await client('west.y'), 'page:7'), 'y page:7');
});

test('what a client has subscribed to in a mount is announced under the URI that it has there [AX-1]', async () => {
  const { client, servers } = await tree(SAME);
  const y = await client('west.y');
  await y.ask('resources/subscribe', { uri: 'note:1' });
  const toldAfter = async (...changed: readonly FakeServer[]) => {
    for (const server of changed)
      for (const peer of server.peers) peer.notify('notifications/resources/updated', '{"uri":"note:1"}');
    for (let turn = 0; turn < 4; turn++) await settle();
    return y.heard.flatMap(({ method, params }) =>
      method === 'notifications/resources/updated' ? [String(params['uri'])] : [],
    );
  };
  assert.deepEqual(await toldAfter(servers.a, servers.x), []);
  assert.deepEqual(await toldAfter(servers.y), ['note:1']);
});

test('resources come in pages, through a mount and over two hops, each once [AX-1]', async () => {
  const count = 2 * AGGREGATE_LIMITS.pageEntries + 1;
  const many = Array.from({ length: count }, (_, at) => `x:${String(at).padStart(5, '0')}/${'long'.repeat(200)}`);
  const { client } = await tree({ a: many, x: many, y: [] });
  const west = await client('west');
  const first = await west.ask('resources/list');
  assert.ok((first['resources'] as readonly unknown[]).length <= AGGREGATE_LIMITS.pageEntries);
  assert.deepEqual(await urisOf(west), many);
  assert.equal(await read(west, many[1_500]!), `x ${many[1_500]}`);
  assert.equal((await urisOf(await client())).length, 2 * count);
  assert.equal(await west.codeOf('resources/list', { cursor: '!' }), -32_602);
});

test('no server makes a URI that names the resource of another [AX-1]', () => {
  const clock = createFakeClock();
  const slotOf = (segment: string, uris: readonly string[]) => {
    const slot = createSlot({ segment, how: 'http', isAggregator: false, rules: OPEN }, clock, () => {});
    return { ...slot, offers: { ...slot.offers, resources: uris.map((uri) => ({ uri, name: uri })) } };
  };
  const slots = [slotOf('a', ['note:1', 'mcpax://b/note:1']), slotOf('b', ['note:1'])];
  const { resourcePage, find } = mergeResources(slots);
  const { resources } = JSON.parse(resourcePage(undefined)!.text) as { resources: readonly { uri: string }[] };
  assert.deepEqual(
    resources.map(({ uri }) => [uri, find(uri)?.slot.segment, find(uri)?.uri]),
    [
      ['mcpax://a.b/note:1', 'a', 'mcpax://b/note:1'],
      ['mcpax://b/note:1', 'b', 'note:1'],
      ['note:1', 'a', 'note:1'],
    ],
  );
  assert.equal(qualified('a', 'mcpax://B c/x'), 'mcpax://a/mcpax://B c/x');
});
