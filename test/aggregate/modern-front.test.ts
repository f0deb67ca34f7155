// What one party may take of the sessions that requests of MCP 2026-07-28 share inside: its own are bounded, and those of others stay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { type Answer, resultAnswer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import { createFakeClock, settle, until } from '../fakes/clock.ts';
import { ALICE, createFakeServer, createTestAggregator, leafOf, startedWith } from './harness.ts';
import { modernClients } from './modern-bed.ts';

const BOB: Party = { ...ALICE, name: 'bob', thumbprint: 'd'.repeat(64) };

test('a party that says other capabilities each time ends its own idle sessions, and no listen of others or of its own [AX-1]', async () => {
  const { front, ask, listen, begun } = modernClients((await startedWith([])).aggregator);
  const [ofBob, own] = [listen(BOB), listen(ALICE)];
  const bobAsks = () => ask(BOB, 'server/discover', {}, { experimental: { idle: {} } });
  bobAsks();
  await settle();
  for (let turn = 0; turn < AGGREGATE_LIMITS.httpSessions + 1; turn++)
    ask(ALICE, 'server/discover', {}, { experimental: { turn: { turn } } });
  await settle();
  bobAsks();
  assert.equal(begun.filter((name) => name === 'bob').length, 2);
  assert.equal(ofBob.heard.length, 1);
  assert.deepEqual([ofBob.answers, own.answers], [[], []]);
  front.close();
  assert.deepEqual([ofBob.answers.length, own.answers.length], [1, 1]);
});

test('the listens of one party are bounded in all its sessions together [AX-1]', async () => {
  const { front, listen } = modernClients((await startedWith([])).aggregator);
  const half = AGGREGATE_LIMITS.aggregatedListensPerParty / 2;
  for (let turn = 0; turn < half; turn++) {
    listen(ALICE);
    listen(ALICE, { experimental: { other: {} } });
  }
  const [late, ofBob] = [listen(ALICE), listen(BOB)];
  await settle();
  assert.match(late.answers[0]!.text, /Too many subscriptions/);
  assert.deepEqual(ofBob.answers, []);
  front.close();
});

test('a question of a call that is refused, given up or over is answered: its server waits for nothing [AX-1]', async () => {
  const clock = createFakeClock();
  const server = createFakeServer(clock);
  const answers: Answer[] = [];
  let release = () => {};
  server.onCall = (_, request, peer) => {
    const question = { method: 'elicitation/create', paramsText: '{"message":"sure?"}', timeoutMs: undefined };
    void peer.call({ ...question, related: request.id }).answer.then((answer) => answers.push(answer));
    return new Promise((resolve) => {
      release = () => resolve(resultAnswer({ content: [] }));
    });
  };
  const aggregator = createTestAggregator(clock, { leaves: [leafOf('s', server)] });
  await settle();
  const { front, ask } = modernClients(aggregator);
  const call = async (capabilities: JsonObject) => {
    const asked = ask(ALICE, 'tools/call', { name: 's.look', arguments: {} }, capabilities);
    await until(() => asked.answers.length === 1, 'an answer');
    return asked;
  };
  const refused = await call({});
  assert.match(refused.answers[0]!.text, /expected a client that declares elicitation/);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['error'],
  );
  const waiting = await call({ elicitation: {} });
  assert.match(waiting.answers[0]!.text, /input_required/);
  release();
  await settle();
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['error', 'error'],
  );
  front.close();
});
