// How a node's trust list comes to its peers over sessions that stay open [TS-24].
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrustLists } from '#agent/identity/trust-lists.ts';
import { AGENT_LIMITS } from '#agent/limits.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import type { OutgoingCall, PeerSession, RawAnswer } from '#model/call.ts';
import type { KeptList } from '#mtls/revocation/kept-list.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';

const answered = (body: JsonObject): RawAnswer => ({ status: 'answered', body });
const BUSY: RawAnswer = { status: 'refused', code: -32_087, reason: 'too many calls', body: {} };

/** A session whose peer gives these answers, one after the other, and then says that it has the list. */
function sessionWith(answers: RawAnswer[], asked: JsonObject[]): PeerSession {
  const call = async ({ arguments: args }: OutgoingCall) => {
    asked.push(args);
    return { answer: answers.shift() ?? answered({ number: 3 }) };
  };
  return {
    peer: { kind: 'node', domain: 'lab.example', name: 'pe1' },
    authorised: ['parley-trust-list'],
    call,
  } as unknown as PeerSession;
}

async function askedWith(answers: RawAnswer[]): Promise<readonly JsonObject[]> {
  const clock = createFakeClock();
  const asked: JsonObject[] = [];
  const session = sessionWith(answers, asked);
  const lists = createTrustLists({
    kept: { current: { number: 3, text: 'signed' } } as unknown as KeptList,
    ...{ file: '/nonexistent', clock, log: silentLog, record: () => {}, newSessionId: () => 'dom-1' },
    sessions: { opened: () => [session] },
  });
  await lists.start?.();
  for (let waitedMs = 0; waitedMs <= 2 * AGENT_LIMITS.trustListCallMs; waitedMs += AGENT_LIMITS.trustListCheckMs) {
    // It looks at a real file first.
    await until(() => clock.sleepers > 0, 'it waits for its next look');
    await clock.advance(AGENT_LIMITS.trustListCheckMs);
  }
  await lists.stop?.();
  return asked;
}

test('a peer that was too busy for the list gets it soon, over the same session [TS-24]', async () => {
  const number = { number: 3 };
  const list = { list: 'signed' };
  assert.deepEqual(await askedWith([answered({ number: 0 })]), [number, list]);
  assert.deepEqual(await askedWith([BUSY, answered({ number: 0 })]), [number, number, list]);
  assert.deepEqual(await askedWith([answered({ number: 0 }), BUSY, answered({ number: 0 })]), [
    number,
    list,
    number,
    list,
  ]);
});

test('a peer that has the same list is asked once [TS-24]', async () => {
  assert.deepEqual(await askedWith([answered({ number: 3 })]), [{ number: 3 }]);
});
