// Admission of answers: what passes is evidence, what does not makes its node untrusted and is read no further.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerToAdmit, admitAnswer } from '#evidence/admit.ts';
import type { ExchangedCall, RawAnswer } from '#model/call.ts';
import { sealResult } from '#sign/call.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { type FakeExchange, fakeClock, fakeExchange, fakeParty, SESSION } from '../fakes/signed-exchange.ts';

const pe1 = fakeParty('pe1');
const p2 = fakeParty('p2');
const mallory = fakeParty('mallory');

const toAdmit = (exchange: FakeExchange, over: Partial<AnswerToAdmit> = {}): AnswerToAdmit => ({
  ...exchange,
  callee: p2.party,
  chain: p2.chain,
  sessionId: SESSION,
  caller: 'pe1',
  window: createNonceWindow(),
  ...over,
});
const withAnswer = (exchange: FakeExchange, answer: Partial<RawAnswer>): FakeExchange => ({
  ...exchange,
  exchanged: { ...exchange.exchanged, answer: { ...exchange.exchanged.answer, ...answer } as RawAnswer },
});
const withoutEnvelope = (exchange: FakeExchange): FakeExchange => {
  const { envelope: _, ...answer } = exchange.exchanged.answer;
  return { ...exchange, exchanged: { ...exchange.exchanged, answer } };
};

test('a signed answer to this call becomes evidence, with what a report needs of it [TS-16]', () => {
  const exchange = fakeExchange(pe1, p2, { loss: 3 });
  const { outcome, evidence } = admitAnswer(toAdmit(exchange));
  assert.deepEqual(outcome, exchange.outcome);
  assert.deepEqual(evidence, {
    id: 'before/p2/state',
    purpose: { kind: 'state', when: 'before' },
    node: 'p2',
    kind: 'state',
    phase: 'before',
    request: { method: 'tools/call', params: { name: 'parley-node-state', arguments: {} } },
    requestEnvelope: exchange.exchanged.requestEnvelope,
    body: { loss: 3 },
    envelope: exchange.exchanged.answer.envelope,
    chain: p2.chain,
  });
});

test('whatever does not pass makes the node untrusted with the reason and is no evidence [TS-16] [TS-21]', () => {
  const good = fakeExchange(pe1, p2, { loss: 3 });
  const p2Unbound = { kind: 'node', domain: 'lab', name: 'p2' } as const;
  const cases: readonly (readonly [AnswerToAdmit, string])[] = [
    [toAdmit(withAnswer(good, { body: { loss: 0 } })), 'expected the resultSha256 of this exchange, got another'],
    [toAdmit(withoutEnvelope(good)), 'the answer is not signed'],
    [toAdmit(good, { callee: mallory.party }), 'the answer comes from mallory'],
    [toAdmit(good, { callee: { ...p2.party, kind: 'operator' } }), 'the answer comes from p2'],
    [toAdmit(good, { callee: p2Unbound }), 'the certificate binds no signing key'],
    [
      toAdmit(good, { callee: { ...p2.party, signingKey: mallory.party.signingKey ?? '' } }),
      'expected a valid signature, got an invalid one',
    ],
    [toAdmit(good, { sessionId: 'another' }), 'expected the session of this exchange, got another'],
    [toAdmit(good, { caller: 'pe3' }), 'expected the caller of this exchange, got another'],
    [
      toAdmit({ ...good, exchanged: { ...good.exchanged, challenge: 'ff'.repeat(16) } }),
      'expected the challenge of this exchange, got another',
    ],
    [
      toAdmit({ ...good, exchanged: { ...good.exchanged, request: { method: 'tools/call', params: { name: 'x' } } } }),
      'expected the requestSha256 of this exchange, got another',
    ],
  ];
  for (const [answer, reason] of cases) {
    const admission = admitAnswer(answer);
    assert.equal(admission.outcome.untrusted, reason);
    assert.equal(admission.evidence, undefined, reason);
  }
});

test('accepts an answer once [TS-16]', () => {
  const window = createNonceWindow();
  const exchange = fakeExchange(pe1, p2, { loss: 3 });
  assert.equal(admitAnswer(toAdmit(exchange, { window })).outcome.untrusted, undefined);
  assert.equal(
    admitAnswer(toAdmit(exchange, { window })).outcome.untrusted,
    'expected a nonce that was not seen, got a replay',
  );
});

test('refuses an answer beyond the size of evidence [TS-16]', () => {
  const exchange = fakeExchange(pe1, p2, { text: 'x'.repeat(1_048_576) });
  assert.equal(admitAnswer(toAdmit(exchange)).outcome.untrusted, 'expected at most 1048576 bytes, got 1048587');
});

test('a signed refusal keeps its outcome and is no evidence; an unsigned one is not trusted [TS-16]', () => {
  const exchange = fakeExchange(pe1, p2, {});
  const body = { code: -32083, message: 'Network.AccessDenied' };
  const content = exchange.exchanged.request;
  const head = {
    session: SESSION,
    method: content.method,
    requestSha256: requestSha256Of(content),
    challenge: exchange.exchanged.challenge,
  };
  const envelope = sealResult(p2.signer, p2.nonces, fakeClock, { call: head, caller: 'pe1', status: 'refused', body });
  const refusal: ExchangedCall['answer'] = { status: 'refused', code: -32083, body, envelope };
  const outcome = { ...exchange.outcome, status: 'refused' as const, reason: '-32083' };
  const signed = admitAnswer(toAdmit({ ...exchange, outcome, exchanged: { ...exchange.exchanged, answer: refusal } }));
  assert.deepEqual(signed, { outcome });
  // The same signature does not make an answer of it.
  const turned = withAnswer(exchange, { body, envelope });
  assert.equal(admitAnswer(toAdmit(turned)).outcome.untrusted, 'expected the status of this exchange, got another');
  const unsigned = withoutEnvelope({ ...exchange, outcome });
  assert.equal(admitAnswer(toAdmit(unsigned)).outcome.untrusted, 'the answer is not signed');
});

test('leaves the outcome of a call without an answer as it is [TS-21]', () => {
  const exchange = fakeExchange(pe1, p2, {});
  const outcome = { ...exchange.outcome, status: 'timed-out' as const, untrusted: 'no answer within 1000 ms' };
  assert.deepEqual(admitAnswer({ ...toAdmit(exchange), outcome, exchanged: undefined }), { outcome });
});

test('an answer of exactly the size of evidence is admitted, and a key that is no key is not [TS-16]', () => {
  const exchange = fakeExchange(pe1, p2, { text: 'x'.repeat(1_048_576 - 11) });
  assert.equal(admitAnswer(toAdmit(exchange)).outcome.untrusted, undefined);
  const good = fakeExchange(pe1, p2, { loss: 3 });
  const unreadable = toAdmit(good, { callee: { ...p2.party, signingKey: 'zz'.repeat(32) } });
  assert.notEqual(admitAnswer(unreadable).outcome.untrusted, undefined);
  assert.notEqual(admitAnswer(unreadable).outcome.untrusted, 'expected a valid signature, got an invalid one');
});
