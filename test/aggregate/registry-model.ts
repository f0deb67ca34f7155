// Commands and the pure model for the test of registration, heartbeats, failure and gates: what must be reachable after each step.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Aggregator } from '#aggregate/aggregator.ts';
import { createPeer, type Peer } from '#aggregate/wire/peer.ts';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { signDecision } from '#sign/decision.ts';
import { createSigner } from '#sign/signer.ts';
import { createFakeClock, type FakeClock, settle } from '../fakes/clock.ts';
import {
  answerAs,
  CUT_TOOL,
  connectClient,
  createFakeServer,
  createTestAggregator,
  type FakeServer,
  linkPair,
  READ_TOOL,
  type TestClient,
} from './harness.ts';

const [HEARTBEAT_MS, GRACE_MS, STICKY_MS] = [1_000, 10_000, 30_000];
/** MCP-AX §11.3 */
const GATE_MS = 300_000;

const SEGMENTS = ['a', 'b'] as const;
const SUBS = [0, 1, 2] as const;
type Segment = (typeof SEGMENTS)[number];
type Sub = (typeof SUBS)[number];

type Member = { readonly sub: Sub; state: 'up' | 'degraded'; atMs: number };

type Model = {
  nowMs: number;
  readonly members: Map<Segment, Member>;
  readonly owners: Map<Segment, { readonly sub: Sub; readonly untilMs: number }>;
  /** Calls that cannot be undone and wait, by segment, until `dueMs`. */
  readonly waiting: Map<Segment, { readonly isApproved: boolean; readonly dueMs: number }>;
  readonly calls: Map<Sub, number>;
};

type Real = {
  readonly clock: FakeClock;
  readonly root: Aggregator;
  readonly client: TestClient;
  readonly approve: (consent: JsonObject) => JsonObject;
  readonly servers: readonly FakeServer[];
  readonly peers: Map<Sub, Peer>;
};

function createModel(): Model {
  return { nowMs: 0, members: new Map(), owners: new Map(), waiting: new Map(), calls: new Map() };
}

function createReal(clock: FakeClock, root: Aggregator, approve: Real['approve']): Real {
  const servers = SUBS.map(() => createFakeServer(clock, [READ_TOOL, CUT_TOOL]));
  return { clock, root, client: connectClient(root, clock), approve, servers, peers: new Map() };
}

export type ModelCommand = fc.AsyncCommand<Model, Real>;

/** One run against a new aggregator, whose gates an admin `boss` of the CA opens. */
export async function runCommands(caPem: string, boss: Identity, commands: Iterable<ModelCommand>): Promise<void> {
  const clock = createFakeClock();
  const root = createTestAggregator(clock, {
    graceMs: GRACE_MS,
    stickyMs: STICKY_MS,
    verifyChain: (chain, atMs) => verifyChain(chain, caPem, atMs),
  });
  const signer = createSigner({ node: 'boss', privateKey: boss.signingKey });
  const approve = (consent: JsonObject) =>
    signDecision({
      signer,
      chain: boss.chain,
      decision: 'approve',
      consent,
      nowMs: clock.nowMs(),
    }) as unknown as JsonObject;
  await fc.asyncModelRun(() => ({ model: createModel(), real: createReal(clock, root, approve) }), commands);
  await root.stop();
}

const segment = fc.constantFrom(...SEGMENTS);
const sub = fc.constantFrom(...SUBS);

export const COMMANDS: readonly fc.Arbitrary<ModelCommand>[] = [
  fc.tuple(sub, segment).map(([who, where]) => register(who, where)),
  fc.tuple(sub, segment).map(([who, where]) => register(who, where)),
  sub.map((who) => beat(who)),
  sub.map((who) => end(who, 'disconnect')),
  sub.map((who) => end(who, 'deregister')),
  fc.constantFrom(500, 1_500, 3_000, 10_000, 30_000, 150_000).map((ms) => pass(ms)),
  segment.map((where) => call(where)),
  segment.map((where) => cut(where)),
  segment.map((where) => approve(where)),
];

const uuidOf = (who: Sub) => `10000000-0000-4000-8000-00000000000${who}`;
const partyOf = (who: Sub): Party => ({
  kind: 'node',
  domain: 'lab.example',
  name: `node${who}`,
  thumbprint: String(who).repeat(64),
});

function placeOf(model: Model, who: Sub): [Segment, Member] | undefined {
  return [...model.members].find(([, member]) => member.sub === who);
}

function remove(model: Model, where: Segment, member: Member, atMs: number): void {
  model.members.delete(where);
  model.owners.set(where, { sub: member.sub, untilMs: atMs + STICKY_MS });
}

function command(text: string, run: (model: Model, real: Real) => Promise<void>): ModelCommand {
  return {
    check: () => true,
    toString: () => text,
    async run(model, real) {
      await run(model, real);
      await settle();
      await settle();
      const expected = [...model.members.keys()].sort().flatMap((where) => [`${where}.cut`, `${where}.look`]);
      assert.deepEqual(await real.client.toolNames(), expected);
      // No call is executed twice, and none that was not made.
      for (const who of SUBS)
        assert.equal(real.servers[who]!.calls.length, model.calls.get(who) ?? 0, `calls of ${who}`);
    },
  };
}

function register(who: Sub, where: Segment): ModelCommand {
  return command(`register(${who}, ${where})`, async (model, real) => {
    const own = placeOf(model, who);
    // A subserver has one connection; with a second one it registers again.
    const [link, theirs] = linkPair();
    real.root.serve(theirs, partyOf(who));
    const peer = createPeer(link, real.clock);
    answerAs(real.servers[who]!, peer);
    const params = {
      subserver_id: uuidOf(who),
      segment: where,
      heartbeat_interval_ms: HEARTBEAT_MS,
      version: '2026-05-01',
    };
    const answer = await peer.call({
      method: 'mcpax/register',
      paramsText: JSON.stringify(params),
      timeoutMs: undefined,
    }).answer;
    const code = answer.kind === 'error' ? (JSON.parse(answer.text) as JsonObject)['code'] : undefined;
    const expected = refusalOf(model, who, where, own?.[0]);
    assert.equal(code, expected);
    if (code !== undefined) return peer.close();
    model.members.set(where, { sub: who, state: 'up', atMs: model.nowMs });
    model.owners.set(where, { sub: who, untilMs: model.nowMs + STICKY_MS });
    real.peers.set(who, peer);
  });
}

function refusalOf(model: Model, who: Sub, where: Segment, own: Segment | undefined): number | undefined {
  const holder = model.members.get(where) ?? model.owners.get(where);
  const isKept = holder !== undefined && (!('untilMs' in holder) || holder.untilMs > model.nowMs);
  if (isKept && holder.sub !== who) return -32010;
  return own !== undefined && own !== where ? -32011 : undefined;
}

function beat(who: Sub): ModelCommand {
  return command(`beat(${who})`, async (model, real) => {
    const peer = real.peers.get(who);
    const own = placeOf(model, who);
    if (peer === undefined) return;
    const answer = await peer.call({ method: 'mcpax/heartbeat', paramsText: '{}', timeoutMs: undefined }).answer;
    if (own?.[1].state !== 'up') return assert.equal(answer.kind, 'error');
    assert.equal(answer.kind, 'result', answer.text);
    own[1].atMs = model.nowMs;
    model.owners.set(own[0], { sub: who, untilMs: model.nowMs + STICKY_MS });
  });
}

function end(who: Sub, how: 'disconnect' | 'deregister'): ModelCommand {
  return command(`${how}(${who})`, async (model, real) => {
    const peer = real.peers.get(who);
    const own = placeOf(model, who);
    if (peer === undefined || own === undefined || own[1].state !== 'up') return;
    if (how === 'disconnect') {
      peer.close();
      Object.assign(own[1], { state: 'degraded', atMs: model.nowMs });
    } else {
      await peer.call({ method: 'mcpax/deregister', paramsText: '{}', timeoutMs: undefined }).answer;
      remove(model, own[0], own[1], model.nowMs);
    }
    real.peers.delete(who);
  });
}

function pass(ms: number): ModelCommand {
  return command(`pass(${ms})`, async (model, real) => {
    await real.clock.advance(ms);
    model.nowMs += ms;
    for (const [where, member] of [...model.members]) {
      if (member.state === 'up' && model.nowMs - member.atMs >= 3 * HEARTBEAT_MS) {
        Object.assign(member, { state: 'degraded', atMs: member.atMs + 3 * HEARTBEAT_MS });
        real.peers.delete(member.sub);
      }
      if (member.state === 'degraded' && model.nowMs - member.atMs >= GRACE_MS)
        remove(model, where, member, member.atMs + GRACE_MS);
    }
    for (const [where, { dueMs }] of [...model.waiting]) if (dueMs <= model.nowMs) model.waiting.delete(where);
  });
}

function call(where: Segment): ModelCommand {
  return command(`call(${where})`, async (model, real) => {
    const member = model.members.get(where);
    const expected = member === undefined ? -32601 : member.state === 'degraded' ? -32002 : undefined;
    assert.equal(await real.client.codeOf('tools/call', { name: `${where}.look` }), expected);
    if (expected === undefined) model.calls.set(member!.sub, (model.calls.get(member!.sub) ?? 0) + 1);
  });
}

function cut(where: Segment): ModelCommand {
  return command(`cut(${where})`, async (model, real) => {
    const member = model.members.get(where);
    const expected = member === undefined ? -32601 : member.state === 'degraded' ? -32002 : undefined;
    const text = await real.client.text('tools/call', { name: `${where}.cut` });
    if (expected !== undefined) return assert.ok(text.startsWith(`{"code":${expected}`), text);
    const isOpen = model.waiting.get(where)?.isApproved === true;
    assert.equal(text.includes('confirmation_required'), !isOpen, text);
    if (isOpen) {
      model.waiting.delete(where);
      model.calls.set(member!.sub, (model.calls.get(member!.sub) ?? 0) + 1);
    } else if (!model.waiting.has(where)) model.waiting.set(where, { isApproved: false, dueMs: model.nowMs + GATE_MS });
  });
}

function approve(where: Segment): ModelCommand {
  return command(`approve(${where})`, async (model, real) => {
    const { structuredContent } = await real.client.ask('tools/call', { name: 'parley-approvals' });
    const pending = (structuredContent as JsonObject)['pending'] as readonly JsonObject[];
    const consent = pending.find((each) => each['tool'] === `${where}.cut`);
    assert.equal(consent !== undefined, model.waiting.get(where)?.isApproved === false);
    if (consent === undefined) return;
    await real.client.ask('tools/call', { name: 'parley-decide', arguments: real.approve(consent) });
    model.waiting.set(where, { ...model.waiting.get(where)!, isApproved: true });
  });
}
