// The published client of both eras against one server, over HTTP and frames: with each revision, and left to itself.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import type { CallHandler } from '#model/ports.ts';
import { OPERATOR, openBench, resourceDefinition, toolDefinition } from '../harness.ts';
import { type Mode, overFrames, overHttp, REVISION } from './modern-bench.ts';

const MODES: readonly Mode[] = ['legacy', 'auto', { pin: REVISION }];
const OVER = ['HTTP/1.1', 'frames'] as const;

const TOOLS = [
  toolDefinition({ name: 'network.yang.get' }),
  toolDefinition({ name: 'ask' }),
  toolDefinition({ name: 'wait' }),
  toolDefinition({ name: 'refused' }),
];

function watchedResource() {
  const watchers = new Set<() => void>();
  const resource = resourceDefinition({
    uriTemplate: 'urn:watched',
    name: 'watched',
    watch: (_uri, changed) => {
      const tell = () => changed();
      watchers.add(tell);
      return () => watchers.delete(tell);
    },
  });
  return { resource, watchers };
}

const handler: CallHandler = async ({ content, client, progress, signal }) => {
  const { name, uri } = content.params;
  if (name === 'ask') {
    const asked = { message: 'sure?', requestedSchema: { type: 'object', properties: {} } };
    return { status: 'answered', body: { said: (await client!.request('elicitation/create', asked))['action']! } };
  }
  if (name === 'refused' || uri === 'urn:watched/denied')
    return { status: 'refused', code: -32083, message: 'Network.AccessDenied', data: { detail: 'not you' } };
  if (name === 'wait') {
    progress(1, 2, 'half');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  return {
    status: 'answered',
    body: { done: true },
    page: { mimeType: 'application/json', contentId: crypto.randomUUID() },
  };
};

async function connected(t: TestContext, over: (typeof OVER)[number], mode: Mode) {
  const { resource, watchers } = watchedResource();
  const bench = await openBench({ catalog: createCatalog({ tools: TOOLS, resources: [resource] }), handler });
  t.after(() => bench.close());
  if (over === 'frames') return { client: await overFrames(t, await bench.frames(OPERATOR), mode), bench, watchers };
  const port = await bench.listen((socket) => bench.server.serveHttp1(socket, OPERATOR));
  return { client: await overHttp(t, `http://127.0.0.1:${port}/mcp`, mode), bench, watchers };
}

async function updated(client: Client, watchers: ReadonlySet<() => void>): Promise<unknown> {
  const heard = new Promise<unknown>((resolve) =>
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri)),
  );
  if (client.getNegotiatedProtocolVersion() === REVISION) {
    const { honoredFilter } = await client.listen({
      resourceSubscriptions: ['urn:watched', 'urn:watched/denied', 'urn:none'],
    });
    assert.deepEqual(honoredFilter, { resourceSubscriptions: ['urn:watched'] });
  } else await client.subscribeResource({ uri: 'urn:watched' });
  for (const tell of watchers) tell();
  return heard;
}

for (const over of OVER) {
  for (const mode of MODES) {
    const label = typeof mode === 'string' ? mode : `pinned to ${mode.pin}`;
    test(`@modelcontextprotocol/client, ${label}, over ${over}: lists, calls, reads, is asked, hears of updates [NET-19] [CARD-1]`, async (t) => {
      const { client, watchers } = await connected(t, over, mode);
      const expected = mode === 'legacy' ? '2025-11-25' : REVISION;
      assert.equal(client.getNegotiatedProtocolVersion(), expected);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['network_yang_get', 'ask', 'wait', 'refused'],
      );
      const called = await client.callTool({ name: 'network_yang_get', arguments: {} });
      assert.deepEqual(called.structuredContent, { done: true });
      const refused = await client.callTool({ name: 'refused', arguments: {} });
      assert.deepEqual(
        [refused.isError, (refused.content as { text: string }[])[0]!.text],
        [true, 'Network.AccessDenied: not you'],
      );
      assert.equal((await client.readResource({ uri: 'urn:watched' })).contents.length, 1);
      const denied = await client.readResource({ uri: 'urn:watched/denied' }).catch((error) => error);
      assert.match(String(denied.message), /Network.AccessDenied: not you/);
      assert.equal(denied.code, expected === REVISION ? -32602 : -32083);
      client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }));
      const asked = await client.callTool({ name: 'ask', arguments: {} });
      assert.deepEqual(asked.structuredContent, { said: 'decline' });
      assert.equal(await updated(client, watchers), 'urn:watched');
    });

    test(`@modelcontextprotocol/client, ${label}, over ${over}: progress reaches it, and its cancellation the handler [TS-27]`, async (t) => {
      const { client, bench } = await connected(t, over, mode);
      const gone = new AbortController();
      const heard: unknown[] = [];
      const call = client.callTool(
        { name: 'wait', arguments: {} },
        {
          signal: gone.signal,
          onprogress: ({ message }) => {
            heard.push(message);
            gone.abort(new Error('enough'));
          },
        },
      );
      await assert.rejects(call);
      assert.deepEqual(heard, ['half']);
      const { signal } = bench.calls.find(({ content }) => content.params['name'] === 'wait')!;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
  }
}
