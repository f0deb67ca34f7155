// Servers that lie or flood on purpose: what they send costs bounded memory, and takes no other server's place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOffers } from '#aggregate/leaf/offers.ts';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { createEventReader } from '#aggregate/wire/event-stream.ts';
import { type Link, UNSET } from '#aggregate/wire/link.ts';
import { errorAnswer, resultAnswer } from '#aggregate/wire/message.ts';
import { createPeer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeServer, leafOf, startedWith } from './harness.ts';

/** Resources with their URIs; what is read says who answered. */
function serverWith(clock: Parameters<typeof createFakeServer>[0], name: string, uris: readonly string[]) {
  const server = createFakeServer(clock);
  server.more = {
    initialize: () =>
      resultAnswer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name, version: '1' },
      }),
    'resources/list': () => resultAnswer({ resources: uris.map((uri) => ({ uri, name: uri })) }),
    'resources/templates/list': () => resultAnswer({ resourceTemplates: [] }),
    'resources/read': ({ params }) => resultAnswer({ contents: [{ uri: params['uri']!, text: name }] }),
  };
  return server;
}

test("a server that links to another one's resource is not read in its place [AX-3]", async () => {
  const clock = createFakeClock();
  const [honest, hostile] = [serverWith(clock, 'honest', ['box:config']), serverWith(clock, 'hostile', ['box:config'])];
  const uris = ['box:config', 'mcpax://honest/box:hidden', 'box:own'];
  hostile.onCall = () =>
    resultAnswer({ content: uris.map((uri) => ({ type: 'resource_link', uri, name: 'see there' })) });
  const { client } = await startedWith([leafOf('honest', honest), leafOf('hostile', hostile)], clock);
  const readBy = async (uri: string) => {
    const { contents } = await client.ask('resources/read', { uri });
    return (contents as readonly JsonObject[])[0]!['text'];
  };
  assert.equal(await readBy('box:config'), 'honest');
  await client.ask('tools/call', { name: 'hostile.look', arguments: {} });
  assert.deepEqual(await Promise.all(uris.map(readBy)), ['honest', 'honest', 'hostile']);
  assert.equal(await readBy('mcpax://hostile/box:config'), 'hostile');
});

test('requests under one id are one request: those beside it are refused, so that they stay within the bound', async () => {
  const sent: string[] = [];
  const link: Link = {
    ...UNSET,
    send: (text: string) => void sent.push(text),
    start() {},
    close() {},
    get closed() {
      return false;
    },
  };
  const peer = createPeer(link, createFakeClock());
  let begun = 0;
  const gate = Promise.withResolvers<void>();
  peer.onRequest = async () => {
    begun += 1;
    await gate.promise;
    return resultAnswer({});
  };
  const request = { kind: 'request', id: 7, method: 'tools/call', params: {}, raw: {}, text: '{}' } as const;
  for (let count = 0; count < 1_000; count++) link.receive(request);
  assert.equal(begun, 1);
  assert.equal(sent.length, 999);
  assert.match(sent[0]!, /"id":7,"error":.*expected an id that no open request has/);
  gate.resolve();
  await new Promise(setImmediate);
  link.receive(request);
  assert.equal(begun, 2, 'the id is free again');
});

test('a list is read to its bound in characters, however large its entries are', async () => {
  const page = resultAnswer({
    tools: [{ name: 'x', description: 'y'.repeat(1_000_000) }],
    nextCursor: 'more',
  });
  let pages = 0;
  const call = () => ({ id: ++pages, answer: Promise.resolve(page), cancel: () => {} });
  const peer = {
    ...createPeer({ ...UNSET, send() {}, start() {}, close() {}, closed: false }, createFakeClock()),
    call,
  };
  assert.equal((await readOffers(peer, { tools: {} }, 'tools')).length, 1);
  assert.equal(pages, Math.ceil(AGGREGATE_LIMITS.offersChars / page.text.length));
  const refused = {
    ...peer,
    call: () => ({ id: 1, answer: Promise.resolve(errorAnswer(-1, 'no')), cancel: () => {} }),
  };
  await assert.rejects(readOffers(refused, { tools: {} }, 'tools'), { code: 'peer/refused' });
});

test('an event of many short lines counts with the ends of its lines, and ends the stream at the bound', () => {
  let tooLong = 0;
  const events: Buffer[] = [];
  const read = createEventReader(100_000, { data: (bytes) => void events.push(bytes), tooLong: () => tooLong++ });
  read(Buffer.from('data: a\ndata: b\r\n\n'));
  assert.equal(events[0]!.toString(), 'a\nb');
  // A seventh of it is content.
  const lines = Buffer.from('data:x\n'.repeat(10_000));
  for (let count = 0; count < 5; count++) read(lines);
  assert.equal(tooLong, 0);
  for (let count = 0; count < 20; count++) read(lines);
  assert.equal(tooLong, 1);
});
