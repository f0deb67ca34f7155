// When a visited peer is shown the head of the audit trail: once in a minute, and again where it did not answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuditHeads } from '#agent/parts/audit-heads.ts';
import { silentLog } from '#base/log.ts';
import { createFakeClock } from '../../fakes/clock.ts';
import { fakeParty } from '../../fakes/signed-exchange.ts';

function bed() {
  const [clock, own, peer] = [createFakeClock(), fakeParty('p2'), fakeParty('pe1')];
  const heads = createAuditHeads({
    ...{ config: { state: '/nowhere' }, identity: () => own, signer: own.signer, clock, log: silentLog },
    audit: { head: { sequence: 7, hash: 'a'.repeat(64) }, settled: async () => {} },
    record: () => {},
    callerChains: { get: () => peer.chain },
  });
  const isShown = () => heads.offer('pe1')['head'] !== undefined;
  return { clock, isShown, answer: () => heads.answered({ peer: peer.party, chain: peer.chain }, {}) };
}

test('a peer that answers is shown the head once in a minute [TS-31]', async () => {
  const { clock, isShown, answer } = bed();
  assert.equal(isShown(), true);
  answer();
  await clock.advance(59_999);
  assert.equal(isShown(), false);
  answer();
  await clock.advance(1);
  assert.equal(isShown(), true);
});

test('a head that was shown to a peer without an answer is shown at the next visit again [TS-31]', async () => {
  const { clock, isShown, answer } = bed();
  assert.equal(isShown(), true);
  await clock.advance(30_000);
  assert.equal(isShown(), true);
  answer();
  await clock.advance(30_000);
  assert.equal(isShown(), false);
});
