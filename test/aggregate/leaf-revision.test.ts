// How a server below is greeted: in the older revisions first, or in 2026-07-28 alone where it is configured so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLeafLink, type LeafLinkInit } from '#aggregate/modern/leaf-link.ts';
import type { Link } from '#aggregate/wire/link.ts';
import { type Incoming, requestText } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import { linkPair } from './harness.ts';

const UNSUPPORTED = { code: -32_022, message: 'no', data: { supported: ['2026-07-28'], requested: '2026-07-28' } };
const DISCOVERED = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
const NOT_FOUND = { code: -32_601, message: 'Method not found' };

type Reply = { readonly result: JsonObject } | { readonly error: JsonObject };

/** Sends `initialize` to a server that answers so, in order; what it heard, and what came back. */
async function greet(replies: readonly Reply[], revision?: LeafLinkInit['revision']) {
  const [below, far] = linkPair();
  const heard: string[] = [];
  far.receive = (message: Incoming) => {
    if (message.kind !== 'request') return;
    const reply = replies[heard.push(message.method) - 1] ?? { error: NOT_FOUND };
    far.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }), { kind: 'response', id: message.id });
  };
  far.start();
  const link: Link = createLeafLink({ clock: createFakeClock(), below, revision });
  const back: JsonObject[] = [];
  link.receive = (message) => void back.push(JSON.parse(message.text) as JsonObject);
  const failed: string[] = [];
  link.failed = (_id, reason) => void failed.push(reason);
  link.start();
  link.send(requestText(1, 'initialize', '{"capabilities":{}}'), { kind: 'request', id: 1 });
  await settle();
  return { heard, result: back[0]?.['result'] as JsonObject | undefined, error: back[0]?.['error'], failed };
}

test('a server is offered the older revisions first, and 2026-07-28 where it refuses them [AX-1]', async () => {
  const { heard, result } = await greet([{ error: NOT_FOUND }, { result: DISCOVERED }]);
  assert.deepEqual([heard, result?.['capabilities']], [['initialize', 'server/discover'], { tools: {} }]);
});

test('a server that answers initialize with 2026-07-28 is asked in that revision [AX-1]', async () => {
  const initialized = { protocolVersion: '2026-07-28', capabilities: {}, serverInfo: {} };
  const { heard, result } = await greet([{ result: initialized }, { result: DISCOVERED }]);
  assert.deepEqual([heard, result?.['protocolVersion']], [['initialize', 'server/discover'], '2025-11-25']);
});

test('a server that is configured for 2026-07-28 hears no initialize [AX-1]', async () => {
  const { heard, result } = await greet([{ result: DISCOVERED }], '2026-07-28');
  assert.deepEqual([heard, result?.['capabilities']], [['server/discover'], { tools: {} }]);
});

test('a server that refuses the revision and names it is asked once more, and no third time [AX-1]', async () => {
  const again = await greet([{ error: UNSUPPORTED }, { result: DISCOVERED }], '2026-07-28');
  assert.deepEqual([again.heard.length, again.result?.['capabilities']], [2, { tools: {} }]);
  const never = await greet([{ error: UNSUPPORTED }, { error: UNSUPPORTED }], '2026-07-28');
  assert.deepEqual(
    [never.heard.length, never.failed],
    [2, ['expected a server of MCP 2026-07-28, got one that refuses it']],
  );
});

test('a server that speaks neither is refused with what it said to initialize [AX-1]', async () => {
  const { heard, error } = await greet([{ error: { code: -32_000, message: 'go away' } }, { error: NOT_FOUND }]);
  assert.deepEqual([heard.length, error], [2, { code: -32_000, message: 'go away' }]);
});
