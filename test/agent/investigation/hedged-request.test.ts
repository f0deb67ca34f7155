// A peer that is silent on one connection is asked over a second one; the first answer counts, and nobody waits longer for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCrowd, withSecondTry } from '#agent/investigation/hedged-request.ts';
import type { ExchangedCall, OutgoingCall, PeerSession } from '#model/call.ts';
import { LOCAL_ASKER } from '../../fakes/asker.ts';
import { createFakeClock, settle } from '../../fakes/clock.ts';
import { createTestDomain, hear, sessionsOf } from '../in-process.ts';

const never = new AbortController().signal;
const CALL: OutgoingCall = {
  kind: 'tool',
  name: 't',
  arguments: {},
  sessionId: 's',
  asker: LOCAL_ASKER.asker,
  timeoutMs: 3_000,
};

function answering(name: string, calls: string[], answer?: () => Promise<ExchangedCall>): PeerSession {
  return {
    peer: { kind: 'node', name: 'p2' } as unknown as PeerSession['peer'],
    chain: [] as unknown as PeerSession['chain'],
    authorised: [],
    closed: false,
    close: async () => {},
    call: (call) => {
      calls.push(`${name} ${call.timeoutMs}`);
      return answer?.() ?? new Promise(() => {});
    },
  };
}

const exchanged = (text: string) => ({ challenge: text }) as unknown as ExchangedCall;

test('a silent connection is followed by a second, which has the rest of the time', async () => {
  const [clock, calls] = [createFakeClock(), [] as string[]];
  const fresh = answering('second', calls, async () => exchanged('from the second'));
  const session = withSecondTry(answering('first', calls), async () => fresh, clock);
  const answer = session.call(CALL);
  await clock.advance(1_499);
  assert.deepEqual(calls, ['first 3000']);
  await clock.advance(1);
  assert.equal((await answer).challenge, 'from the second');
  assert.deepEqual(calls, ['first 3000', 'second 1500']);
});

test('while most are silent a second connection comes later, and at once when most have answered', async () => {
  const [clock, calls, crowd] = [createFakeClock(), [] as string[], createCrowd(6)];
  const fresh = answering('second', calls, async () => exchanged('from the second'));
  const silent = () => withSecondTry(answering('first', calls), async () => fresh, clock, crowd);
  const early = withSecondTry(
    answering('quick', calls, async () => exchanged('quick')),
    async () => fresh,
    clock,
    crowd,
  );
  const late = silent().call(CALL);
  await Promise.all([early.call(CALL), early.call(CALL)]);
  await clock.advance(2_199);
  assert.deepEqual(calls, ['first 3000', 'quick 3000', 'quick 3000']);
  await clock.advance(1);
  assert.equal((await late).challenge, 'from the second');
  assert.deepEqual(calls.slice(3), ['second 800']);
  const alone = silent().call(CALL);
  await clock.advance(1_500);
  assert.equal((await alone).challenge, 'from the second');
  assert.deepEqual(calls.slice(4), ['first 3000', 'second 1500']);
});

test('a connection that answers is the only one', async () => {
  const [clock, calls] = [createFakeClock(), [] as string[]];
  const first = answering('first', calls, async () => exchanged('from the first'));
  let renewed = 0;
  const renew = async () => {
    renewed += 1;
    return first;
  };
  assert.equal((await withSecondTry(first, renew, clock).call(CALL)).challenge, 'from the first');
  await clock.advance(5_000);
  assert.equal(renewed, 0);
  assert.equal(clock.sleepers, 0);
});

test('where no second connection can be made, the first is waited for', async () => {
  const clock = createFakeClock();
  let say = (_: ExchangedCall) => {};
  const first = answering('first', [], () => new Promise((resolve) => (say = resolve)));
  const answer = withSecondTry(first, () => Promise.reject(new Error('no way')), clock).call(CALL);
  await clock.advance(2_000);
  say(exchanged('late'));
  assert.equal((await answer).challenge, 'late');
});

test('callers share the second connection, and the first is closed when nobody can be waiting for it', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  const silent = await sessions.open('p2', never);
  const [one, other] = await Promise.all([sessions.renew('p2', silent, never), sessions.renew('p2', silent, never)]);
  assert.equal(one, other);
  assert.notEqual(one, silent);
  assert.equal(await sessions.renew('p2', silent, never), one);
  assert.equal(sessions.current('p2'), one);
  assert.equal(dialled.length, 2);
  assert.equal(silent.closed, false);
  await domain.clock.advance(60_000);
  await sessions.closeIdle();
  await settle();
  assert.equal(silent.closed, true);
});
