// An answer keeps to its time: what is not there by then is left out and said, and nobody is blamed for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '#agent/investigate.ts';
import { consult, deadlineOf, emptyGathered, type Gathered } from '#agent/investigation/collect.ts';
import { openJournal } from '#agent/parts/progress.ts';
import { ParleyError } from '#base/error.ts';
import { planScopeStates } from '#measure/nodes/node-state.ts';
import type { PeerSession, PlannedCall } from '#model/call.ts';
import { LOCAL_ASKER } from '../fakes/asker.ts';
import { settle } from '../fakes/clock.ts';
import { createTestDomain, hear, partsOf, sessionsOf, type TestDomain } from './in-process.ts';

const TEXT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';

function ask(dial: (domain: TestDomain, node: string) => Promise<PeerSession>) {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  const { sessions } = sessionsOf(domain, 'pe1', (target) => dial(domain, target.node));
  const question = { ...LOCAL_ASKER, text: TEXT, signal: new AbortController().signal, onProgress: () => {} };
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
    ['timed-out: expected all answers within 13500 ms, got none'],
  );
});

/** A path question during which pe3 does not tell its whole state. */
function withSlow(prepare: (domain: TestDomain) => void = () => {}) {
  const { domain, asked } = ask(async (of, node) => {
    const session = of.session('pe1', node);
    const isWhole = ({ arguments: args }: { readonly arguments: object }) => 'parts' in args && args.parts === 'all';
    return {
      ...session,
      call: (call) => (node === 'pe3' && isWhole(call) ? new Promise(() => {}) : session.call(call)),
    };
  });
  prepare(domain);
  return { domain, asked };
}
const outcomesOf = (gathered: Gathered, node: string) =>
  gathered.outcomes
    .filter((each) => each.node === node && ['state', 'path-state'].includes(each.purpose.kind))
    .map(({ callId, status }) => `${callId.split('/')[0]} ${status}`)
    .sort();

test('a node that is slow to tell how it forwards has its share of time, and loses no other answer of it', async () => {
  const { domain, asked } = withSlow();
  await domain.clock.advance(13_000);
  const { diagnosis, gathered } = await asked;
  assert.deepEqual(outcomesOf(gathered, 'pe3'), ['after answered', 'before answered', 'probe timed-out']);
  assert.deepEqual(
    [diagnosis.verdict.kind, diagnosis.verdict.reasons],
    ['inconclusive', ['PE-3: no answer to parley-node-state (no answer within 10000 ms)']],
  );
});

test('where a fault is found nothing depends on a slow node: the answer does not wait for it', async () => {
  const { domain, asked } = withSlow((of) =>
    of.network.apply({ kind: 'loss', node: 'p2', ifname: 'eth2', percent: 10 }),
  );
  await domain.clock.advance(9_000);
  const { diagnosis, gathered, totalMs } = await asked;
  assert.deepEqual(
    diagnosis.findings.map(({ fault }) => fault),
    ['packet_loss'],
  );
  assert.deepEqual(outcomesOf(gathered, 'pe3'), ['after answered', 'before answered', 'probe timed-out']);
  assert.deepEqual(
    gathered.outcomes.flatMap(({ untrusted }) => untrusted ?? []),
    [],
  );
  assert.equal(totalMs < 9_000, true);
});

test('a call that is to begin later, or waits for its turn, has its whole time all the same [TS-21]', () => {
  const call = { node: 'p2', evidence: 'probe', timeoutMs: 4_400 } as PlannedCall;
  const many = (count: number, node?: string) =>
    Array.from({ length: count }, (_, index) => ({ ...call, node: node ?? `n${index}` }));
  assert.equal(deadlineOf('deepen', [call, { ...call, afterMs: 2_400 }], 20_000), 8_300);
  assert.equal(deadlineOf('probe', [{ ...call, timeoutMs: 9_000 }], 3_000), 9_000);
  assert.equal(deadlineOf('after', [{ ...call, timeoutMs: 9_000 }], 20_000), 5_000);
  // Sixteen probe runs of one node at once, 112 calls in all; no longer than time is left for it.
  assert.equal(deadlineOf('probe', many(16, 'p2'), 20_000), 5_900);
  assert.equal(deadlineOf('probe', many(17, 'p2'), 20_000), 10_300);
  assert.equal(deadlineOf('probe', many(112), 20_000), 5_900);
  assert.equal(deadlineOf('probe', many(256), 20_000), 14_700);
  assert.equal(deadlineOf('probe', many(256), 7_000), 7_000);
});

test('a dial that our own time cut short makes no node untrusted afterwards [TS-21]', async () => {
  const domain = createTestDomain();
  hear(domain.node('pe1'), 'p2');
  const { sessions } = sessionsOf(domain, 'pe1', () => new Promise(() => {}));
  const parts = partsOf(domain, 'pe1', { sessions });
  const journal = openJournal({ ...parts, ...LOCAL_ASKER, sessionId: '00'.repeat(16), onProgress: () => {} });
  const gathered = emptyGathered();
  const over = new AbortController();
  const looked = consult(parts, planScopeStates('before', ['p2']), gathered, journal, over.signal);
  await settle();
  over.abort(new ParleyError('peer/timeout', 'expected a further look within 9 ms, got none'));
  await looked;
  await consult(parts, planScopeStates('after', ['p2']), gathered, journal, new AbortController().signal);
  assert.deepEqual(
    gathered.outcomes.map(({ status, untrusted }) => [status, untrusted]),
    [
      ['timed-out', undefined],
      ['unreachable', undefined],
    ],
  );
});
