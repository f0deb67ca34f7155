// A client that subscribes and stops reading: what is kept for it is bounded, others are served, and it learns that it missed something.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createSubscriptions, type Update } from '#mcp/catalog/subscriptions.ts';
import { watchStreams } from '#mcp/http/open-streams.ts';
import { Backlog, createMarkedSender } from '#mcp/transports/backlog.ts';
import type { HandledCall } from '#model/ports.ts';
import { OPERATOR, openBench, PARLEY_INITIALIZE, rawPeer, resourceDefinition } from '../harness.ts';

const LOG = 'network:///log';
const LINE = 'x'.repeat(16_384);
const SUBSCRIBE: JsonObject = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: LOG } };
const DRAFT: JsonObject = { jsonrpc: '2.0', id: 1, method: 'mcp/initialize', params: { capabilities: ['x'] } };
const MCP_NET: JsonObject = { ...PARLEY_INITIALIZE, id: 1, params: { capabilities: {} } };

/** A node whose log changes when the test says so, and the node's ends of its sockets. */
async function bench(t: TestContext) {
  let changed: (news: { data: string }) => void = () => {};
  const log = resourceDefinition({
    uriTemplate: LOG,
    watch: (_uri, report) => {
      changed = report;
      return () => {};
    },
  });
  const opened = await openBench({
    catalog: createCatalog({ tools: [], resources: [log] }),
    handler: async () => ({ status: 'answered', body: { log: 'as a whole' } }),
  });
  t.after(() => opened.close());
  const served: Socket[] = [];
  const port = await opened.listen((socket) => {
    served.push(socket);
    opened.server.serveFrames(socket, OPERATOR);
  });
  const dial = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return { socket, raw: rawPeer(socket) };
  };
  return { opened, served, dial, write: (line: string) => changed({ data: line }) };
}

/** Lines of 64 MiB in all, in many turns. */
async function flood(write: (line: string) => void): Promise<void> {
  for (let count = 0; count < 4_096; count++) {
    write(LINE);
    if (count % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function contentOf(params: JsonObject): unknown {
  const contents = params['contents'] as JsonObject[] | undefined;
  return contents === undefined ? params['content'] : contents[0]!['data'];
}

for (const [name, initialize] of [
  ['the worked example', MCP_NET],
  ['mcp/initialize', DRAFT],
] as const) {
  test(`a subscriber that does not read is owed little, and is told that it missed updates: ${name} [NET-20]`, async (t) => {
    const { served, dial, write } = await bench(t);
    const { socket, raw } = await dial();
    raw.send(initialize);
    await raw.next();
    raw.send(SUBSCRIBE);
    await raw.next();
    socket.pause();
    await flood(write);
    assert.ok(served[0]!.writableLength < 1_000_000, `${served[0]!.writableLength} bytes wait for it`);

    const other = (await dial()).raw;
    other.send(initialize);
    await other.next();
    other.send({ jsonrpc: '2.0', id: 9, method: 'ping', params: {} });
    assert.deepEqual((await other.next())?.['result'], {});

    socket.resume();
    for (let quiet = 0; quiet < 50; quiet = served[0]!.writableLength > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
    write('the next line');
    let before: JsonObject = {};
    let params: JsonObject = {};
    while (contentOf(params) !== 'the next line') {
      before = params;
      params = (await raw.next())?.['params'] as JsonObject;
    }
    assert.deepEqual(contentOf(before), { log: 'as a whole' });
    assert.equal(before['missed'], true);
    assert.equal(params['missed'], undefined);
  });
}

test('a peer that never reads what was written for it loses its session after a minute [NET-14]', async (t) => {
  const { opened, served, dial, write } = await bench(t);
  const { socket, raw } = await dial();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  raw.send(MCP_NET);
  await raw.next();
  raw.send(SUBSCRIBE);
  await raw.next();
  socket.pause();
  await flood(write);
  t.mock.timers.tick(59_999);
  assert.equal(served[0]!.destroyed, false);
  t.mock.timers.tick(1);
  assert.equal(served[0]!.destroyed, true);
  assert.deepEqual(
    opened.refused.map(({ reason }) => reason),
    ['expected the peer to read within 60000 ms, it did not'],
  );
});

test('an MCP client that does not read gets no updates until it does, and then one [NET-5]', async (t) => {
  const { served, dial, write } = await bench(t);
  const { socket, raw } = await dial();
  raw.send(PARLEY_INITIALIZE);
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  raw.send(SUBSCRIBE);
  await raw.next();
  socket.pause();
  for (let count = 0; count < 200_000; count++) {
    write('a line');
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(served[0]!.writableLength < 1_000_000, `${served[0]!.writableLength} bytes wait for it`);
  socket.resume();
  assert.equal((await raw.next())?.['method'], 'notifications/resources/updated');
});

test('a resource is not read for a subscriber that does not read, and once when it does [NET-20]', async () => {
  let reads = 0;
  let changed: () => void = () => {};
  let room: () => void = () => {};
  const told: Update[] = [];
  let full = false;
  const definition = resourceDefinition({
    uriTemplate: LOG,
    watch: (_uri, report) => {
      changed = () => report();
      return () => {};
    },
  });
  const subscriptions = createSubscriptions({
    catalog: createCatalog({ tools: [], resources: [definition] }),
    read: async (): Promise<HandledCall> => ({ status: 'answered', body: { reads: ++reads } }),
    notify: async (update) => {
      if (full) throw new Backlog(new Promise((resolve) => (room = resolve)));
      told.push(update);
    },
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await subscriptions.add(LOG);
  full = true;
  for (let count = 0; count < 10; count++) {
    changed();
    await turn();
  }
  assert.equal(reads, 3, 'two as it began, one that found the peer not reading');
  full = false;
  room();
  await turn();
  assert.deepEqual(told, [
    { id: 'resource-1', uri: LOG, content: { status: 'answered', body: { reads: 4 } }, missed: true },
  ]);
});

test('progress that was left out is marked on the next one that is sent [TS-27]', async () => {
  const sent: JsonObject[] = [];
  let full = false;
  const tell = createMarkedSender(async (params) => {
    if (full) throw new Backlog(Promise.resolve());
    sent.push(params);
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (const [progress, isFull] of [
    [1, false],
    [2, true],
    [3, true],
    [4, false],
    [5, false],
  ] as const) {
    full = isFull;
    tell({ progress });
    await turn();
  }
  assert.deepEqual(sent, [{ progress: 1 }, { progress: 4, _meta: { 'io.parley/missed': true } }, { progress: 5 }]);
});

test("over HTTP an update is refused while one of the session's responses waits to be read [NET-20]", async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: string[] = [];
  const transport = { send: async (message: object) => void sent.push((message as { method: string }).method) };
  const streams = watchStreams(transport);
  const fake = Object.assign(new EventEmitter(), { writableNeedDrain: true, destroyed: 0, destroy: () => {} });
  fake.destroy = () => void fake.destroyed++;
  streams.add(fake as unknown as ServerResponse);
  const update = { jsonrpc: '2.0', method: 'notifications/resources/updated' } as const;
  const refused = await transport.send(update).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(refused instanceof Backlog);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/prompts/stream' });
  t.mock.timers.tick(60_000);
  assert.equal(fake.destroyed, 1);
  fake.emit('close');
  await refused.room;
  await transport.send(update);
  assert.deepEqual(sent, ['notifications/prompts/stream', 'notifications/resources/updated']);
});
