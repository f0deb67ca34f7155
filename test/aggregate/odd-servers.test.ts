// Servers that do wrong: each is cut off or told, and its neighbours notice nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { createLimiter } from '#aggregate/notify/limiter.ts';
import { createLineLink } from '#aggregate/wire/line-link.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import { createFakeServer, leafOf, READ_TOOL, startedWith } from './harness.ts';

test('a server that names its tools oddly is reported, and its good tools are listed [AX-3]', async () => {
  const clock = createFakeClock();
  const names = ['look', '', 'l\u043eok', 'x'.repeat(10_000), 'look'];
  const server = createFakeServer(
    clock,
    names.map((name) => ({ ...READ_TOOL, name })),
  );
  const { client } = await startedWith([leafOf('s', server), leafOf('t', createFakeServer(clock))], clock);
  assert.deepEqual(await client.toolNames(), ['s.look', 't.look']);
  const { structuredContent } = await client.ask('tools/call', { name: 'aggregate_tree' });
  const unmapped = (structuredContent as JsonObject)['unmapped'] as readonly JsonObject[];
  assert.deepEqual(
    unmapped.map(({ segment }) => segment),
    ['s', 's', 's'],
  );
});

test('an answer that comes twice, late, or to nothing is dropped and counted', async () => {
  const clock = createFakeClock();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const peer = createPeer(createLineLink({ input, output }), clock);
  const call = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: 500 });
  input.write('{"jsonrpc":"2.0","id":1,"result":{"n":1}}\n{"jsonrpc":"2.0","id":1,"result":{"n":2}}\n');
  input.write('{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":"1","result":{}}\n');
  assert.equal((await call.answer).text, '{"n":1}');
  const late = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: 500 });
  await clock.advance(600);
  assert.equal((await late.answer).kind, 'error');
  input.write('{"jsonrpc":"2.0","id":2,"result":{}}\n');
  await settle();
  assert.equal(peer.strayAnswers, 4);
  assert.equal(peer.closed, false);
  peer.close();
});

test('a process that is late itself reads what waits before it calls an answer late', async () => {
  const late = { ms: 0, wake: () => {} };
  const sleep = () => new Promise<void>((resolve) => Object.assign(late, { wake: resolve }));
  const [input, output] = [new PassThrough(), new PassThrough()];
  const peer = createPeer(createLineLink({ input, output }), {
    ...createFakeClock(),
    monotonicMs: () => late.ms,
    sleep,
  });
  const call = peer.call({ method: 'ping', paramsText: '{}', timeoutMs: 500 });
  await settle();
  late.ms = 60_000;
  setImmediate(() => input.write('{"jsonrpc":"2.0","id":1,"result":{"n":1}}\n'));
  late.wake();
  assert.equal((await call.answer).text, '{"n":1}');
  peer.close();
});

test('a server that sends a message without end is cut off at the bound', async () => {
  const clock = createFakeClock();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const link = createLineLink({ input, output });
  const peer = createPeer(link, clock);
  const ended = new Promise<string | undefined>((resolve) => {
    peer.onEnd = resolve;
  });
  const call = peer.call({ method: 'tools/call', paramsText: '{}', timeoutMs: undefined });
  input.write('{"jsonrpc":"2.0","id":1,"result":"');
  const piece = Buffer.alloc(1_048_576, 0x61);
  for (let written = 0; written <= AGGREGATE_LIMITS.leafMessageBytes && !link.closed; written += piece.length) {
    if (!input.write(piece)) await Promise.race([once(input, 'drain'), ended]);
  }
  assert.equal(await ended, `expected messages of at most ${AGGREGATE_LIMITS.leafMessageBytes} bytes, got more`);
  assert.equal((await call.answer).kind, 'error');
});

test('lines that are no message are passed over, and the next one counts', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const odd: string[] = [];
  const link = createLineLink({ input, output, onOdd: (reason) => odd.push(reason) });
  const got: string[] = [];
  link.receive = ({ text }) => got.push(text);
  link.start();
  input.write('Starting server\n\r\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":1,"id":2,"result":{}}\n{"jsonrpc":"2.0",');
  input.write('"method":"x"}\n');
  await settle();
  assert.deepEqual(got, ['{"jsonrpc":"2.0","method":"x"}']);
  assert.equal(odd.length, 3);
});

test('a flood of notifications is passed on at 100 a second, in order, the oldest dropped [AX-18]', async () => {
  const clock = createFakeClock();
  const passed: number[] = [];
  const overflows: number[] = [];
  const limiter = createLimiter({ clock, onOverflow: (dropped) => overflows.push(dropped) });
  for (let number = 0; number < 3_000; number++) limiter.offer(() => passed.push(number));
  assert.equal(passed.length, 100);
  assert.equal(limiter.dropped, 1_900);
  await clock.advance(1_000);
  assert.ok(passed.length >= 195 && passed.length <= 205, `${passed.length}`);
  await clock.advance(20_000);
  assert.deepEqual(passed, [...Array(100).keys(), ...Array.from({ length: 1_000 }, (_, index) => 2_000 + index)]);
  assert.deepEqual(overflows, [1_900]);
});

test('a flooding server does not keep those of another from arriving [AX-18]', async () => {
  const clock = createFakeClock();
  const [loud, quiet] = [createFakeServer(clock), createFakeServer(clock)];
  const { client } = await startedWith([leafOf('loud', loud), leafOf('quiet', quiet)], clock);
  for (let number = 0; number < 5_000; number++)
    for (const peer of loud.peers)
      peer.notify('notifications/message', JSON.stringify({ level: 'error', data: number }));
  for (const peer of quiet.peers)
    peer.notify('notifications/message', JSON.stringify({ level: 'error', data: 'here', logger: 'l' }));
  await settle();
  const messages = client.heard.filter(({ method }) => method === 'notifications/message');
  assert.ok(messages.length <= 102);
  const _meta = { 'x-mcpax-sequence': { route: ['quiet'], number: 1 } };
  assert.deepEqual(messages.at(-1)!.params, { level: 'error', data: 'here', logger: 'quiet.l', _meta });
  const { structuredContent } = await client.ask('tools/call', { name: 'notifications_dropped' });
  assert.deepEqual(structuredContent, {
    dropped: [
      { segment: 'loud', dropped: 3_900, missing: 0 },
      { segment: 'quiet', dropped: 0, missing: 0 },
    ],
  });
});

test('a server that disappears in a call ends that call, and is back when it is', async () => {
  const clock = createFakeClock();
  const [gone, other] = [createFakeServer(clock), createFakeServer(clock)];
  gone.onCall = () => new Promise(() => {});
  const { client } = await startedWith([leafOf('gone', gone), leafOf('other', other)], clock);
  const call = client.codeOf('tools/call', { name: 'gone.look' });
  await settle();
  gone.isDown = true;
  for (const peer of gone.peers) peer.close();
  assert.equal(await call, -32082);
  assert.equal(await client.codeOf('tools/call', { name: 'gone.look' }), -32002);
  assert.equal(await client.codeOf('tools/call', { name: 'other.look' }), undefined);
  await clock.advance(20_000);
  gone.isDown = false;
  gone.onCall = () => ({ kind: 'result', text: '{"content":[]}' });
  // One heartbeat.
  await clock.advance(AGGREGATE_LIMITS.pingMs);
  assert.equal(await client.codeOf('tools/call', { name: 'gone.look' }), undefined);
});

test('a server that answers no ping is opened anew', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const { client } = await startedWith([leafOf('s', server)], clock);
  let isDeaf = true;
  server.more['ping'] = () =>
    isDeaf ? { kind: 'error', text: '{"code":-32603,"message":"stuck"}' } : { kind: 'result', text: '{}' };
  const [before] = [...server.peers];
  await clock.advance(5_000);
  isDeaf = false;
  await clock.advance(5_000);
  assert.equal(before!.closed, true);
  assert.equal(await client.codeOf('tools/call', { name: 's.look' }), undefined);
});

test('a list that never ends is read up to the bound', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  let page = 0;
  server.more['tools/list'] = () => ({
    kind: 'result',
    text: JSON.stringify({ tools: [{ ...READ_TOOL, name: `t${page++}` }], nextCursor: `${page}` }),
  });
  const { client } = await startedWith([leafOf('s', server)], clock);
  for (let turn = 0; turn < 600 && (await client.toolNames()).length === 0; turn++) await settle();
  assert.equal((await client.toolNames()).length, AGGREGATE_LIMITS.listPages);
});

test('notifications for a party that does not read are dropped at a bound, and answers end its session', () => {
  const output = new PassThrough({ highWaterMark: 1 });
  const link = createLineLink({ input: new PassThrough(), output });
  const reasons: (string | undefined)[] = [];
  link.ended = (reason) => reasons.push(reason);
  const text = 'x'.repeat(1_000_000);
  for (let sent = 0; sent < 20; sent++) link.send(text, { kind: 'notification' });
  assert.ok(
    output.writableLength + output.readableLength <= AGGREGATE_LIMITS.unreadBytes + 2 * text.length,
    `${output.writableLength}`,
  );
  assert.deepEqual(reasons, []);
  for (let sent = 0; sent < 100 && !link.closed; sent++) link.send(text, { kind: 'response', id: sent });
  assert.deepEqual(reasons, ['expected the other side to read, it does not']);
});

test('event ids and causal parents of notifications pass untouched [AX-18]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const { client } = await startedWith([leafOf('s', server)], clock);
  const ids = { 'x-mcpax-event-id': '6f9619ff-8b86-4011-b42d-00c04fc964ff', 'x-mcpax-causal-parent': null };
  for (const peer of server.peers)
    peer.notify('notifications/message', JSON.stringify({ level: 'info', data: 1, ...ids }));
  await settle();
  const heard = client.heard.find(({ method }) => method === 'notifications/message');
  const _meta = { 'x-mcpax-sequence': { route: ['s'], number: 1 } };
  assert.deepEqual(heard?.params, { level: 'info', data: 1, ...ids, logger: 's', _meta });
});
