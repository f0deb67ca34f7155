// What one party may take of the sessions that requests of MCP 2026-07-28 share inside: its own are bounded, and those of others stay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import type { Party } from '#model/identity.ts';
import { settle } from '../fakes/clock.ts';
import { ALICE, startedWith } from './harness.ts';
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
