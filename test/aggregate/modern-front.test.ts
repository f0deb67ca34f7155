// What one party may take of the sessions that requests of MCP 2026-07-28 share inside: its own are bounded, and those of others stay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATE_LIMITS } from '#aggregate/limits.ts';
import { createModernFront } from '#aggregate/modern/front.ts';
import type { Link } from '#aggregate/wire/link.ts';
import type { Answer } from '#aggregate/wire/message.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import { createFakeClock, settle } from '../fakes/clock.ts';
import { envelope, request } from '../mcp/modern/modern-bench.ts';
import { ALICE, startedWith } from './harness.ts';

async function started() {
  const clock = createFakeClock();
  const { aggregator } = await startedWith([], clock);
  const front = createModernFront({ clock, random: systemRandom });
  const begun: string[] = [];
  let nextId = 1;
  const ask = (party: Party, method: string, params: JsonObject, capabilities: JsonObject = {}) => {
    const heard: string[] = [];
    const answers: Answer[] = [];
    const out = { tell: (text: string) => void heard.push(text), answer: (given: Answer) => void answers.push(given) };
    const raw = request(nextId++, method, params, envelope(capabilities)) as JsonObject;
    const message = {
      kind: 'request' as const,
      id: Number(raw['id']),
      method,
      params: raw['params'] as JsonObject,
      raw,
      text: JSON.stringify(raw),
    };
    const { serve } = aggregator.modernClient(party, {});
    const begin = (link: Link) => {
      begun.push(party.name);
      serve(link);
    };
    const client = { party, key: 'view', serve: begin };
    front.request(client, message, out);
    return { heard, answers };
  };
  const listen = (party: Party, capabilities: JsonObject = {}) =>
    ask(party, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, capabilities);
  return { front, ask, listen, begun };
}

const BOB: Party = { ...ALICE, name: 'bob', thumbprint: 'd'.repeat(64) };

test('a party that says other capabilities each time ends its own idle sessions, and no listen of others or of its own [AX-1]', async () => {
  const { front, ask, listen, begun } = await started();
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
  const { front, listen } = await started();
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
