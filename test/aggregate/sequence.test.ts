// Numbers of notifications over two hops (AX-18): what is lost on the way, by a flood or by a link, shows as a gap and is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { AGGREGATE_EXPERIMENT } from '#aggregate/names/capability.ts';
import { createSequence, createSequenceCheck } from '#aggregate/notify/sequence.ts';
import type { Link } from '#aggregate/wire/link.ts';
import { resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import {
  ALICE,
  connectClient,
  createFakeServer,
  createTestAggregator,
  type FakeServer,
  leafOf,
  linkPair,
  NODE,
  startedWith,
  type TestClient,
} from './harness.ts';
import { modernClients } from './modern-bed.ts';

type Heard = {
  readonly data: unknown;
  readonly route: readonly string[];
  readonly number: number;
  readonly call?: number;
};

/** A root over the region `edge` over the server `files`; `loses` decides what the link between the two loses. */
async function tree(loses: (text: string) => boolean = () => false) {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const root = createTestAggregator(clock);
  const dial = async (): Promise<Link> => {
    const [own, theirs] = linkPair();
    root.serve(theirs, NODE, ['edge']);
    const send = own.send;
    own.send = (text, about) => void (loses(text) || send(text, about));
    return own;
  };
  const parents = [{ node: 'root', segment: 'edge', heartbeatMs: 1_000, dial }];
  const edge = createTestAggregator(clock, { node: 'edge', leaves: [leafOf('files', server)], parents });
  const client = connectClient(root, clock);
  for (let turn = 0; turn < 6; turn++) await settle();
  assert.ok((await client.toolNames()).includes('edge.files.look'));
  const heard = (method = 'notifications/message') => client.heard.flatMap((each) => read(each, method));
  return { clock, server, root, edge, client, heard };
}

function read({ method, params }: { method: string; params: JsonObject }, wanted: string): Heard[] {
  const { 'x-mcpax-sequence': sequence } = (params['_meta'] ?? {}) as Record<string, Omit<Heard, 'data'>>;
  return method === wanted && sequence !== undefined
    ? [{ data: params['data'] ?? params['progress'], ...sequence }]
    : [];
}

function say(server: FakeServer, data: number, more: JsonObject = {}): void {
  for (const peer of server.peers)
    peer.notify('notifications/message', JSON.stringify({ level: 'error', data, ...more }));
}

async function missingAt(aggregator: Aggregator, segment: string): Promise<unknown> {
  const { structuredContent } = await connectClient(aggregator, createFakeClock()).ask('tools/call', {
    name: 'notifications_dropped',
  });
  const { dropped } = structuredContent as { dropped: { segment: string }[] };
  return dropped.find((each) => each.segment === segment);
}

test('notifications of one server are numbered in its order over two hops, with the whole route [AX-18]', async () => {
  const { server, heard } = await tree();
  for (const data of [7, 8, 9]) say(server, data);
  await settle();
  const route = ['edge', 'files'];
  assert.deepEqual(heard(), [
    { data: 7, route, number: 1 },
    { data: 8, route, number: 2 },
    { data: 9, route, number: 3 },
  ]);
});

test('what the link between two aggregators loses is a gap above, counted and said [AX-18]', async () => {
  const { root, server, heard } = await tree(
    (text) => /"data":(8|9)\b/.test(text) && text.includes('notifications/message'),
  );
  for (const data of [7, 8, 9, 10]) say(server, data);
  for (let turn = 0; turn < 3; turn++) await settle();
  const route = ['edge', 'files'];
  assert.deepEqual(
    heard().filter(({ data }) => typeof data === 'number'),
    [
      { data: 7, route, number: 1 },
      { data: 10, route, number: 4 },
    ],
  );
  const said = heard().filter(({ data }) => typeof data === 'object');
  assert.deepEqual(
    said.map(({ data }) => data),
    [{ event: 'notification_overflow', route, dropped: 2 }],
  );
  assert.deepEqual(await missingAt(root, 'edge'), { segment: 'edge', dropped: 0, missing: 2 });
});

test('what a flood makes the lower hop drop is a gap at the client, and the overflow is said once [AX-18]', async () => {
  const { clock, root, server, heard } = await tree();
  const { notificationsPerSecond: least, notificationsWaiting: waiting } = AGGREGATE_LIMITS;
  for (let data = 1; data <= 1_500; data++) say(server, data);
  await clock.advance(20_000);
  const numbers = heard().filter(({ data }) => typeof data === 'number');
  assert.deepEqual(
    numbers.map(({ data }) => data),
    [...Array.from({ length: least }, (_, at) => at + 1), ...Array.from({ length: waiting }, (_, at) => at + 501)],
  );
  const overflow = heard().find(({ data }) => typeof data === 'object');
  assert.deepEqual(overflow?.data, { event: 'notification_overflow', route: ['edge', 'files'], dropped: 400 });
  assert.equal(heard().filter(({ data }) => typeof data === 'object').length, 1);
  // The loss shows in the number of the next one.
  say(server, 2_000);
  await settle();
  assert.equal(heard().at(-1)!.number, 1_501);
  assert.deepEqual(await missingAt(root, 'edge'), { segment: 'edge', dropped: 0, missing: 0 });
});

test('a call has numbers of its own, and what it loses shows in them alone [AX-18]', async () => {
  const { server, client, heard } = await tree((text) => text.includes('"progress":2'));
  const id = callWith(server, client, 'edge.files.look', [1, 2, 3]);
  for (let turn = 0; turn < 3; turn++) await settle();
  say(server, 5);
  await settle();
  const route = ['edge', 'files'];
  assert.deepEqual(heard('notifications/progress'), [
    { data: 1, route, number: 1, call: id },
    { data: 3, route, number: 3, call: id },
  ]);
  assert.deepEqual(
    heard().filter(({ data }) => data === 5),
    [{ data: 5, route, number: 1 }],
  );
});

/** A root over the region `mid` over the region `edge` over the server `files`; `loses` decides what the link from `edge` to `mid` loses. */
async function tallTree(loses: (text: string) => boolean) {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const [root, mid] = [createTestAggregator(clock), { current: undefined as Aggregator | undefined }];
  const dialTo = (to: () => Aggregator, segment: string, drops: (text: string) => boolean) => async () => {
    const [own, theirs] = linkPair();
    to().serve(theirs, { ...NODE, name: segment }, [segment]);
    const send = own.send;
    own.send = (text, about) => void (drops(text) || send(text, about));
    return own;
  };
  const parent = (node: string, to: () => Aggregator, segment: string, drops: (text: string) => boolean) => [
    { node, segment, heartbeatMs: 1_000, dial: dialTo(to, segment, drops) },
  ];
  mid.current = createTestAggregator(clock, {
    node: 'mid',
    parents: parent(
      'root',
      () => root,
      'mid',
      () => false,
    ),
  });
  createTestAggregator(clock, {
    node: 'edge',
    leaves: [leafOf('files', server)],
    parents: parent('mid', () => mid.current!, 'edge', loses),
  });
  const client = connectClient(root, clock);
  for (let turn = 0; turn < 12; turn++) await settle();
  assert.ok((await client.toolNames()).includes('mid.edge.files.look'));
  const heard = (method = 'notifications/message') => client.heard.flatMap((each) => read(each, method));
  return { clock, server, root, client, heard };
}

/** Calls the tool, which says this much progress, and never answers. */
function callWith(server: FakeServer, client: TestClient, name: string, progress: readonly number[]): number {
  server.onCall = (params, _, peer) => {
    const { progressToken } = params['_meta'] as { progressToken: number };
    for (const each of progress)
      peer.notify('notifications/progress', JSON.stringify({ progressToken, progress: each }));
    return new Promise(() => {});
  };
  const paramsText = JSON.stringify({ name, _meta: { progressToken: 'mine' } });
  return client.peer.call({ method: 'tools/call', paramsText, timeoutMs: undefined }).id;
}

test('what a call loses below is said once, however many hops are above it [AX-18]', async () => {
  const { root, server, client, heard } = await tallTree((text) => text.includes('"progress":2'));
  const id = callWith(server, client, 'mid.edge.files.look', [1, 2, 3]);
  for (let turn = 0; turn < 6; turn++) await settle();
  const route = ['mid', 'edge', 'files'];
  assert.deepEqual(heard('notifications/progress'), [
    { data: 1, route, number: 1, call: id },
    { data: 3, route, number: 3, call: id },
  ]);
  assert.deepEqual(
    heard().map(({ data }) => data),
    [{ event: 'notification_overflow', route, dropped: 1 }],
  );
  assert.deepEqual(await missingAt(root, 'mid'), { segment: 'mid', dropped: 0, missing: 0 });
});

test('a client of 2026-07-28 sees the gap in its own stream, and none where it did not listen [AX-18]', async () => {
  const { root, server } = await tree((text) => text.includes('"data":2'));
  server.onCall = (params, request, peer) => {
    const { progressToken } = params['_meta'] as { progressToken: number };
    const _meta = { 'x-mcpax-related': request.id };
    for (const [data, level] of [
      [1, 'error'],
      [2, 'error'],
      [3, 'debug'],
      [4, 'error'],
    ])
      peer.notify('notifications/message', JSON.stringify({ level, data, _meta }));
    peer.notify('notifications/progress', JSON.stringify({ progressToken, progress: 9 }));
    return { kind: 'result', text: '{"content":[]}' };
  };
  const _meta = { progressToken: 'mine', 'io.modelcontextprotocol/logLevel': 'info' };
  const { heard, answers } = modernClients(root).ask(ALICE, 'tools/call', { name: 'edge.files.look', _meta });
  for (let turn = 0; turn < 6; turn++) await settle();
  assert.equal(answers.length, 1);
  const told = heard.flatMap((text) => {
    const { method, params } = JSON.parse(text);
    return read({ method, params }, method);
  });
  const route = ['edge', 'files'];
  assert.deepEqual(told, [
    { data: 1, route, number: 1 },
    { data: 4, route, number: 3 },
    { data: 9, route, number: 4 },
  ]);
});

test('numbers that a server which is no aggregator makes up are not believed [AX-18]', async () => {
  const { root, server, heard } = await tree();
  const _meta = { 'x-mcpax-sequence': { route: ['other'], number: 900 }, own: 1 };
  say(server, 1, { _meta });
  await settle();
  assert.deepEqual(heard(), [{ data: 1, route: ['edge', 'files'], number: 1 }]);
  assert.deepEqual(await missingAt(root, 'edge'), { segment: 'edge', dropped: 0, missing: 0 });
});

test('what aggregators tell each other is dropped and counted where another server says it [AX-18]', async () => {
  const passed: string[] = [];
  const { edge, server, heard } = await tree((text) => {
    if (text.includes('notifications/mcpax/')) passed.push(text);
    return false;
  });
  for (const peer of server.peers) {
    const lost = { route: ['other'], dropped: 5, reason: 'x' };
    for (const event of ['notification_overflow', 'subserver_lost', 'tool_changed'])
      peer.notify(`notifications/mcpax/${event}`, JSON.stringify(lost));
  }
  say(server, 1);
  for (let turn = 0; turn < 3; turn++) await settle();
  assert.deepEqual(passed, []);
  assert.deepEqual(heard(), [{ data: 1, route: ['edge', 'files'], number: 1 }]);
  assert.deepEqual(await missingAt(edge, 'files'), { segment: 'files', dropped: 3, missing: 0 });
});

test('an aggregator below cannot use up the numbers of its clients [AX-18]', async () => {
  const clock = createFakeClock();
  const below = createFakeServer(clock);
  below.more['initialize'] = () =>
    resultAnswer({
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { [AGGREGATE_EXPERIMENT]: {} } },
      serverInfo: { name: 'fake', version: '1' },
    });
  const { client } = await startedWith([leafOf('edge', below)], clock);
  // The session has begun.
  await client.toolNames();
  const numbered = (number: number) => ({ _meta: { 'x-mcpax-sequence': { route: ['s'], number } } });
  const overflow = { route: ['s'], dropped: Number.MAX_SAFE_INTEGER };
  say(below, 1, numbered(Number.MAX_SAFE_INTEGER));
  for (const peer of below.peers) peer.notify('notifications/mcpax/notification_overflow', JSON.stringify(overflow));
  say(below, 2, numbered(1));
  await settle();
  const numbers = client.heard.flatMap((each) => read(each, 'notifications/message'));
  assert.deepEqual(
    numbers.filter(({ data }) => typeof data === 'number').map(({ number }) => number),
    [10_000_001, 20_000_002],
  );
});

test('servers beyond the bound go without numbers, and those that have some keep them [AX-18]', () => {
  const sequence = createSequence();
  const check = createSequenceCheck();
  for (let at = 0; at < AGGREGATE_LIMITS.numberedServers; at++) {
    sequence.next([`s${at}`]);
    check({ route: [`s${at}`], number: 1 });
  }
  assert.equal(sequence.next(['more']), undefined);
  assert.deepEqual(check({ route: ['more'], number: 9 }), { missing: 0, said: 0 });
  assert.deepEqual(sequence.next(['s0']), { route: ['s0'], number: 2 });
  assert.deepEqual(check({ route: ['s0'], number: 4 }), { missing: 2, said: 0 });
  assert.deepEqual(check({ route: ['s0'], number: 3 }), { missing: 0, said: 0 });
});

test('of a gap, only what no hop below has said is to be said [AX-18]', () => {
  const check = createSequenceCheck();
  const heard = (number: number, lost?: number) => check({ route: ['s'], number, lost });
  assert.deepEqual(heard(4, 2), { missing: 3, said: 2 });
  assert.deepEqual(heard(6, 2), { missing: 1, said: 0 });
  assert.deepEqual(heard(8, 900), { missing: 1, said: 1 });
});
