// An answer keeps to its time: what is not there by then is left out and said, and nobody is blamed for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import type { PeerSession } from '#model/call.ts';
import { settle } from '../fakes/clock.ts';
import { createTestDomain, hear, partsOf, sessionsOf, type TestDomain } from './in-process.ts';

const TEXT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

function ask(dial: (domain: TestDomain, node: string) => Promise<PeerSession>) {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const { sessions } = sessionsOf(domain, 'pe1', (target) => dial(domain, target.node));
  const question = { text: TEXT, signal: new AbortController().signal, onProgress: () => {} };
  return { domain, asked: investigate(question, partsOf(domain, 'pe1', { sessions })) };
}

test('the budget of a question ends its waiting, and what there is gets sealed in time [TS-18]', async () => {
  const { domain, asked } = ask(() => new Promise(() => {}));
  await settle();
  await domain.clock.advance(13_500);
  const { diagnosis, totalMs } = await asked;
  assert.deepEqual([diagnosis.verdict.kind, totalMs], ['inconclusive', 13_500]);
});

test('when it is we who ask for nothing more, no node is untrusted for it [TS-21]', async () => {
  const { domain, asked } = ask(async (of, node) => {
    const session = of.session('pe1', node);
    await of.clock.sleep(9_000);
    return {
      ...session,
      call: (call) => (call.name === 'ietf-srv6-ping' ? new Promise(() => {}) : session.call(call)),
    };
  });
  await domain.clock.advance(13_500);
  const { gathered } = await asked;
  assert.deepEqual(
    gathered.outcomes.flatMap(({ untrusted }) => untrusted ?? []),
    [],
  );
  const late = gathered.outcomes.filter(({ name, node }) => name === 'ietf-srv6-ping' && node === 'p2');
  assert.deepEqual(
    [...new Set(late.map(({ status, reason }) => `${status}: ${reason}`))],
    ['timed-out: expected all answers within 13500 ms, came none'],
  );
});
