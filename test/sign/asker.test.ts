// The statement of who asked: bounded, of one form, and of one call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { AskerClaim } from '#model/asker.ts';
import { PAYLOAD_TYPES, type SignedCall } from '#model/envelope.ts';
import { sealAsker, sealAssertion, verifyAsker, verifyAssertion } from '#sign/asker.ts';
import { sealCall, verifyCall } from '#sign/call.ts';
import { fakeClock, fakeParty } from '../fakes/signed-exchange.ts';

const pe1 = fakeParty('pe1');
const alice = fakeParty('alice', 'operator');
const keyOf = ({ party }: typeof pe1) => Buffer.from(party.signingKey!, 'hex');
const content = { method: 'tools/call', params: { name: 'read', arguments: {} } };
const challenge = '00112233445566778899aabbccddeeff';

function call(): SignedCall {
  const envelope = sealCall(pe1.signer, pe1.nonces, fakeClock, { session: 's', content, challenge });
  const verified = verifyCall(envelope, content, keyOf(pe1), { expectedSigner: 'pe1' });
  assert.ok(verified.ok);
  return verified.value;
}

const signed = call();
const assertion = sealAssertion(alice.signer, fakeClock, { node: 'pe1', requestSha256: '00', challenge });
const faultOf = (held: { readonly ok: boolean; readonly reason?: string }) => (held.ok ? 'held' : held.reason);

test('what is sealed is read back as it was said', () => {
  const claims: readonly AskerClaim[] = [
    { kind: 'node', via: [] },
    { kind: 'node', via: ['pe8', 'pe9'] },
    { kind: 'local', via: ['pe9'], name: 'local' },
    { kind: 'certificate', via: [], chain: alice.chain },
    { kind: 'certificate', via: ['pe9'], chain: alice.chain, assertion },
  ];
  for (const claim of claims) {
    const held = verifyAsker(sealAsker(pe1.signer, fakeClock, claim, signed), keyOf(pe1), signed);
    assert.deepEqual(held, { ok: true, value: claim });
  }
});

test('a statement of another call, session, signer or type is refused', () => {
  const claim: AskerClaim = { kind: 'node', via: [] };
  const seal = (about: Partial<SignedCall>) => sealAsker(pe1.signer, fakeClock, claim, { ...signed, ...about });
  const check = (about: Partial<SignedCall>) => faultOf(verifyAsker(seal(about), keyOf(pe1), signed));
  const wrong = (field: string) => `expected the ${field} of this call in the statement of who asked, got another`;
  assert.equal(check({}), 'held');
  assert.equal(check({ session: 't' }), wrong('session'));
  assert.equal(check({ challenge: 'ff'.repeat(16) }), wrong('challenge'));
  assert.equal(check({ requestSha256: 'ff'.repeat(32) }), wrong('requestSha256'));
  const byAlice = sealAsker(alice.signer, fakeClock, claim, signed);
  assert.equal(faultOf(verifyAsker(byAlice, keyOf(pe1), signed)), 'expected a valid signature, got an invalid one');
  assert.equal(faultOf(verifyAsker(byAlice, keyOf(alice), signed)), wrong('signer'));
  const asAssertion = sealAssertion(pe1.signer, fakeClock, { node: 'pe1', requestSha256: '00', challenge });
  assert.match(
    faultOf(verifyAsker(asAssertion, keyOf(pe1), signed))!,
    /^expected parley\/asker\/v1, got parley\/assertion/,
  );
});

test('no form but the three is accepted, and none that is larger than its bound', () => {
  const head = {
    ...{ type: PAYLOAD_TYPES.asker, signer: 'pe1', keyId: pe1.signer.keyId, time: signed.time },
    ...{ session: signed.session, challenge: signed.challenge, requestSha256: signed.requestSha256 },
  };
  const check = (asker: JsonObject, more: JsonObject = {}) =>
    faultOf(verifyAsker(pe1.signer.seal(PAYLOAD_TYPES.asker, { ...head, ...more, asker }), keyOf(pe1), signed));
  const refused: readonly JsonObject[] = [
    {},
    { kind: 'node' },
    { kind: 'node', via: 'pe1' },
    { kind: 'node', via: ['PE 1'] },
    { kind: 'node', via: 'abcdefghijk'.split('') },
    { kind: 'node', via: [], name: 'local' },
    { kind: 'local', via: [] },
    { kind: 'local', via: [], name: 'local@pe2' },
    { kind: 'local', via: [], name: 'x'.repeat(64) },
    { kind: 'local', via: [], name: 'local', role: 'admin' },
    { kind: 'certificate', via: [] },
    { kind: 'certificate', via: [], chain: [] },
    { kind: 'certificate', via: [], chain: ['a', 1] },
    { kind: 'certificate', via: [], chain: Array.from({ length: 9 }, () => 'a') },
    { kind: 'certificate', via: [], chain: ['a'], assertion: 'signed' },
    { kind: 'certificate', via: [], chain: ['a'], role: 'admin' },
    { kind: 'admin', via: [] },
  ];
  for (const asker of refused) assert.notEqual(check(asker), 'held', JSON.stringify(asker));
  assert.equal(check({ kind: 'node', via: [] }), 'held');
  assert.match(check({ kind: 'node', via: [] }, { extra: 1 })!, /^expected the extra of this call/);
  const large = check({ kind: 'certificate', via: [], chain: ['a'.repeat(30_000)] });
  assert.equal(large, 'expected at most 32768 characters to say who asked, got more');
});

test('an assertion holds for its signer, node and request, and is fresh for five minutes', () => {
  const expected = { signer: 'alice', node: 'pe1', nowMs: fakeClock.nowMs() };
  const check = (over: Partial<typeof expected> & { readonly requestSha256?: string }) =>
    verifyAssertion(assertion, keyOf(alice), { ...expected, ...over });
  assert.deepEqual(check({ requestSha256: '00' }), { ok: true, value: { isFresh: true } });
  assert.deepEqual(check({ nowMs: expected.nowMs - 300_001 }), { ok: true, value: { isFresh: false } });
  assert.deepEqual(check({ nowMs: expected.nowMs + 300_001 }), { ok: true, value: { isFresh: false } });
  assert.match(faultOf(check({ node: 'p2' }))!, /^expected the node of this question/);
  assert.match(faultOf(check({ signer: 'bob' }))!, /^expected the signer of this question/);
  assert.match(faultOf(check({ requestSha256: '01' }))!, /^expected this request/);
  assert.match(faultOf(verifyAssertion(assertion, keyOf(pe1), expected))!, /^expected a valid signature/);
  const { type, payload } = { type: PAYLOAD_TYPES.assertion, payload: assertion.payload };
  const timeless = { ...JSON.parse(Buffer.from(payload, 'base64').toString()), time: 'soon' };
  const said = faultOf(verifyAssertion(alice.signer.seal(type, timeless), keyOf(alice), expected));
  assert.equal(said, "expected a time in the asker's assertion, got another text");
});

test('a signed call itself is as before: agents that know of no asker read it, and pass over the statement beside it', () => {
  assert.deepEqual(Object.keys(signed).toSorted(), [
    'boot',
    'challenge',
    'keyId',
    'method',
    'nonce',
    'requestSha256',
    'session',
    'signer',
    'time',
    'type',
  ]);
});
