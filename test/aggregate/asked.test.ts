// Who asked: stated to agents and aggregators of ours below, and to no other server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVouching, type Vouching } from '#aggregate/asked/asked.ts';
import { registerParams } from '#aggregate/registry/messages.ts';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import { sealAssertion } from '#sign/asker.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import { type FakeParty, fakeClock, fakeParty, fakeVerifyChain } from '../fakes/signed-exchange.ts';
import { ALICE, answerAs, connectClient, createFakeServer, createTestAggregator, NODE, uuid } from './harness.ts';

const root = fakeParty('root');
const edge = fakeParty('edge');
const alice = fakeParty('alice', 'operator');
let drawn = 0;
const random = { bytes: (byteCount: number) => new Uint8Array(byteCount).map(() => (drawn++ * 37) & 0xff) };
const vouchingOf = ({ signer }: FakeParty): Vouching =>
  createVouching({ signer, clock: fakeClock, random, verifyChain: fakeVerifyChain });
const CONTENT = {
  method: 'tools/call',
  params: { name: 'parley-ask', arguments: { intent: 'What is wrong?' } },
} as const;
const parent = { party: root.party, isParent: true };

function signedByAlice(): JsonObject {
  const requestSha256 = requestSha256Of(CONTENT);
  return { ...sealAssertion(alice.signer, fakeClock, { node: 'root', requestSha256, challenge: '0'.repeat(32) }) };
}

function atRoot(meta: JsonObject = {}) {
  const session = { party: alice.party, chain: alice.chain, isParent: false };
  return vouchingOf(root).askedBy(session, { method: CONTENT.method, params: { ...CONTENT.params, _meta: meta } });
}

test('what an operator signed for the root is known as signed at the region [AX-15]', () => {
  const asked = atRoot({ 'io.parley/asker': signedByAlice() });
  assert.ok(asked.ok, JSON.stringify(asked));
  assert.equal(asked.value.label, 'operator/alice (signed)');
  const _meta = vouchingOf(root).metaFor(asked.value, CONTENT);
  const below = vouchingOf(edge).askedBy(parent, { method: CONTENT.method, params: { ...CONTENT.params, _meta } });
  assert.ok(below.ok, JSON.stringify(below));
  const { label, claim, sessionId, traceparent } = below.value;
  assert.deepEqual(
    [label, claim.via, sessionId, traceparent],
    ['operator/alice (signed)', ['root'], asked.value.sessionId, asked.value.traceparent],
  );
});

test('without a signature of the operator the parent vouches, and the label says so [AX-15]', () => {
  const asked = atRoot();
  assert.ok(asked.ok);
  const _meta = vouchingOf(root).metaFor(asked.value, CONTENT);
  const below = vouchingOf(edge).askedBy(parent, { method: CONTENT.method, params: { ...CONTENT.params, _meta } });
  assert.ok(below.ok);
  assert.equal(below.value.label, 'operator/alice (vouched for by root)');
});

test('a statement for another call, of another parent, or in another session does not hold [AX-15]', () => {
  const asked = atRoot();
  assert.ok(asked.ok);
  const _meta = vouchingOf(root).metaFor(asked.value, CONTENT);
  const heard = (meta: JsonObject, name = 'parley-ask', party: Party = root.party) =>
    vouchingOf(edge).askedBy(
      { party, isParent: true },
      { method: CONTENT.method, params: { ...CONTENT.params, name, _meta: meta } },
    ).ok;
  assert.equal(heard(_meta), true);
  assert.equal(heard(_meta, 'parley-peers'), false);
  assert.equal(heard(_meta, 'parley-ask', edge.party), false);
  assert.equal(heard({ ..._meta, 'io.parley/session-id': 'f'.repeat(32) }), false);
});

test('an assertion for another node or request is refused at the root', () => {
  const requestSha256 = requestSha256Of({ method: 'tools/call', params: { name: 'other' } });
  const about = { node: 'root', requestSha256, challenge: '0'.repeat(32) };
  assert.equal(atRoot({ 'io.parley/asker': { ...sealAssertion(alice.signer, fakeClock, about) } }).ok, false);
});

async function metaAt(capabilities: JsonObject): Promise<JsonObject> {
  const clock = createFakeClock();
  const aggregator = createTestAggregator(clock, { signer: root.signer, verifyChain: fakeVerifyChain });
  const server = createFakeServer(clock);
  const leaf = connectClient(aggregator, clock, NODE, ['pe1']);
  answerAs(server, leaf.peer);
  const answer = leaf.peer.onRequest;
  leaf.peer.onRequest = async (request, signal) => {
    const given = await answer(request, signal);
    if (request.method !== 'initialize') return given;
    return { kind: 'result', text: JSON.stringify({ ...JSON.parse(given.text), capabilities }) };
  };
  const registration = {
    segment: 'pe1',
    subserverId: uuid(),
    transportClass: 'native',
    heartbeatMs: 5_000,
    subtreeIds: [],
  };
  await leaf.ask('mcpax/register', registerParams({ ...registration, authority: undefined, aggregatorId: undefined }));
  await settle();
  await settle();
  const client = connectClient(aggregator, clock, ALICE);
  await client.ask('tools/call', { name: 'pe1.look', arguments: {}, _meta: { 'io.parley/secret': 'x' } });
  await aggregator.stop();
  return (server.calls[0]?.['_meta'] ?? {}) as JsonObject;
}

test('an agent of ours is told who asked; another server that registers is told nothing [AX-15]', async () => {
  const ours = await metaAt({ tools: {}, experimental: { parley: { node: 'pe1', capabilities: [] } } });
  assert.deepEqual(Object.keys(ours).toSorted(), ['io.parley/asker', 'io.parley/session-id', 'traceparent']);
  assert.deepEqual(await metaAt({ tools: {} }), {});
});
