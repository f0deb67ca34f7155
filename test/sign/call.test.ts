// Signed calls and results: a whole exchange, then every field changed, replayed or taken from another exchange.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base/json.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import { claimedCall, type ResultToVerify, sealCall, sealResult, verifyCall, verifyResult } from '#sign/call.ts';
import { requestSha256Of, sha256Hex } from '#sign/digest.ts';
import { createNonceWindow } from '#sign/nonce-window.ts';
import { createSigner, generateSigningKey } from '#sign/signer.ts';
import { createFakeClock } from '../fakes/clock.ts';

const clock = createFakeClock();
const callerKey = generateSigningKey();
const calleeKey = generateSigningKey();
const caller = createSigner({ node: 'pe1', privateKey: callerKey.privateKey });
const callee = createSigner({ node: 'p2', privateKey: calleeKey.privateKey });

function nonces(start: number) {
  let last = start;
  return { boot: '3-0011223344556677', next: () => String(++last) };
}

const content = { method: 'tools/call', params: { name: 'ietf-srv6-ping', arguments: { count: 100 } } };
const session = 'b6e5c1f2';
const challenge = '000102030405060708090a0b0c0d0e0f';
const body = { lost: 3, txPackets: '18446744073709551615' };

const callEnvelope = sealCall(caller, nonces(0), clock, { session, content, challenge });

function answer(): { readonly envelope: SignedEnvelope; readonly toVerify: ResultToVerify } {
  const call = verifyCall(callEnvelope, content, callerKey.publicKeyRaw, { expectedSigner: 'pe1', session });
  assert.ok(call.ok);
  const envelope = sealResult(callee, nonces(40), clock, { call: call.value, caller: 'pe1', status: 'answered', body });
  const toVerify = {
    envelope,
    status: 'answered',
    body,
    content,
    challenge,
    session,
    signerKey: calleeKey.publicKeyRaw,
    expectedSigner: 'p2',
    caller: 'pe1',
  } as const;
  return { envelope, toVerify };
}

const payloadOf = (envelope: SignedEnvelope) =>
  JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as JsonObject;

test('a call says all that it is about, as canonical JSON [TS-16] [CARD-4]', () => {
  assert.equal(
    Buffer.from(callEnvelope.payload, 'base64').toString(),
    `{"boot":"3-0011223344556677","challenge":"${challenge}","keyId":"${caller.keyId}","method":"tools/call","nonce":"1",` +
      `"requestSha256":"6bb01ddcec887e4e1c9bda03b15986c63dfee74fb8db757a5c65c93a657a2dc2","session":"b6e5c1f2","signer":"pe1",` +
      `"time":"2026-01-01T00:00:00.000Z","type":"parley/call/v1"}`,
  );
});

test('an exchange verifies on both sides [TS-16]', () => {
  const result = verifyResult(answer().toVerify);
  assert.ok(result.ok);
  assert.equal(result.value.nonce, '41');
  assert.equal(result.value.caller, 'pe1');
  assert.equal(result.value.status, 'answered');
  assert.equal(result.value.resultSha256, sha256Hex(Buffer.from('{"lost":3,"txPackets":"18446744073709551615"}')));
});

test('the request digest leaves `_meta` out and covers everything else', () => {
  assert.equal(sha256Hex(Buffer.from('abc')), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const withMeta = { method: content.method, params: { ...content.params, _meta: { progressToken: 1 } } };
  assert.equal(requestSha256Of(withMeta), requestSha256Of(content));
  assert.notEqual(
    requestSha256Of({ ...content, params: { ...content.params, name: 'other' } }),
    requestSha256Of(content),
  );
  assert.notEqual(requestSha256Of({ ...content, method: 'resources/read' }), requestSha256Of(content));
});

test('a call is refused when anything beside it differs [TS-16]', () => {
  const key = callerKey.publicKeyRaw;
  const expected = { expectedSigner: 'pe1', session };
  assert.equal(verifyCall(callEnvelope, content, key, { expectedSigner: 'pe1' }).ok, true);
  assert.equal(verifyCall(callEnvelope, content, key, { ...expected, expectedSigner: 'pe3' }).ok, false);
  assert.equal(verifyCall(callEnvelope, content, key, { ...expected, session: 'other' }).ok, false);
  assert.equal(verifyCall(callEnvelope, { ...content, method: 'resources/read' }, key, expected).ok, false);
  assert.equal(verifyCall(callEnvelope, { ...content, params: { name: 'other' } }, key, expected).ok, false);
  assert.equal(verifyCall(callEnvelope, content, calleeKey.publicKeyRaw, expected).ok, false);
  assert.equal(verifyCall(answer().envelope, content, calleeKey.publicKeyRaw, { expectedSigner: 'p2' }).ok, false);
  assert.equal(verifyCall(undefined, content, key, expected).ok, false);
});

test('a call and a result are admitted once when a window is given [TS-16]', () => {
  const window = createNonceWindow();
  const expected = { expectedSigner: 'pe1', session, window };
  assert.equal(verifyCall(callEnvelope, { ...content, method: 'x' }, callerKey.publicKeyRaw, expected).ok, false);
  assert.equal(verifyCall(callEnvelope, content, callerKey.publicKeyRaw, expected).ok, true);
  assert.deepEqual(verifyCall(callEnvelope, content, callerKey.publicKeyRaw, expected), {
    ok: false,
    reason: 'expected a nonce that was not seen, got a replay',
  });
  const { toVerify } = answer();
  assert.equal(verifyResult({ ...toVerify, window }).ok, true);
  assert.equal(verifyResult({ ...toVerify, window }).ok, false);
});

const another = (field: string) => ({ ok: false, reason: `expected the ${field} of this exchange, got another` });
const INVALID = { ok: false, reason: 'expected a valid signature, got an invalid one' };

const DIFFERENCES: readonly (readonly [fact: string, change: Partial<ResultToVerify>, refusal: object])[] = [
  ['the body', { body: { ...body, lost: 0 } }, another('resultSha256')],
  ['a member of the body', { body: { ...body, more: 1 } }, another('resultSha256')],
  ['the status', { status: 'refused' }, another('status')],
  ['the request', { content: { ...content, params: { name: 'ietf-srv6-ping' } } }, another('requestSha256')],
  ['the method', { content: { ...content, method: 'resources/read' } }, another('method')],
  ['the challenge', { challenge: 'f'.repeat(32) }, another('challenge')],
  ['the session', { session: 'other' }, another('session')],
  ['the caller', { caller: 'pe3' }, another('caller')],
  ['the signer', { expectedSigner: 'pe3' }, another('signer')],
  ['the key', { signerKey: callerKey.publicKeyRaw }, INVALID],
  ['the envelope', { envelope: callEnvelope }, { ok: false, reason: 'expected parley/result/v1, got parley/call/v1' }],
];
for (const [fact, change, refusal] of DIFFERENCES) {
  test(`a result is refused when ${fact} differs [TS-16]`, () => {
    assert.deepEqual(verifyResult({ ...answer().toVerify, ...change }), refusal);
  });
}

test('a refused call says which of its facts is another [TS-16]', () => {
  const key = callerKey.publicKeyRaw;
  const expected = { expectedSigner: 'pe1', session };
  assert.deepEqual(verifyCall(callEnvelope, content, key, { ...expected, expectedSigner: 'pe3' }), another('signer'));
  assert.deepEqual(verifyCall(callEnvelope, content, key, { ...expected, session: 'other' }), another('session'));
  const read = { ...content, method: 'resources/read' };
  assert.deepEqual(verifyCall(callEnvelope, read, key, expected), another('method'));
  const other = { ...content, params: { name: 'other' } };
  assert.deepEqual(verifyCall(callEnvelope, other, key, expected), another('requestSha256'));
  assert.deepEqual(verifyCall(callEnvelope, content, calleeKey.publicKeyRaw, expected), INVALID);
  const foreignKey = caller.seal('parley/call/v1', { ...payloadOf(callEnvelope), keyId: callee.keyId });
  assert.deepEqual(verifyCall(foreignKey, content, key, expected), another('keyId'));
  const { toVerify, envelope } = answer();
  const foreign = callee.seal('parley/result/v1', { ...payloadOf(envelope), keyId: caller.keyId });
  assert.deepEqual(verifyResult({ ...toVerify, envelope: foreign }), another('keyId'));
});

test('a result may be sealed over a digest that is known already, and the body is not looked at then', () => {
  const call = { session, method: 'tools/call', requestSha256: 'ab'.repeat(32), challenge };
  const sealed = (more: object) =>
    payloadOf(sealResult(callee, nonces(0), clock, { call, caller: 'pe1', status: 'refused', body, ...more }));
  assert.equal(sealed({ bodySha256: 'cd'.repeat(32), body: Number.NaN })['resultSha256'], 'cd'.repeat(32));
  assert.equal(sealed({})['resultSha256'], sha256Hex('{"lost":3,"txPackets":"18446744073709551615"}'));
  assert.equal(sealed({})['status'], 'refused');
});

test('what a call says of itself is read without a signature, and nothing else is [TS-16]', () => {
  const signature = 'AAAA';
  assert.deepEqual(claimedCall({ ...callEnvelope, signature }), payloadOf(callEnvelope));
  const withPayload = (text: string) => ({ ...callEnvelope, payload: Buffer.from(text).toString('base64') });
  for (const other of [
    undefined,
    'x',
    { ...callEnvelope, more: 1 },
    { ...callEnvelope, payload: '!' },
    withPayload('{'),
    withPayload('[]'),
    withPayload('{}'),
    answer().envelope,
  ])
    assert.equal(claimedCall(other), undefined);
});

test('a payload with a misshapen, missing or additional member is refused, whoever signed it', () => {
  const { envelope, toVerify } = answer();
  const good = payloadOf(envelope);
  const sealed = (payload: JsonObject) =>
    verifyResult({ ...toVerify, envelope: callee.seal('parley/result/v1', payload) });
  assert.equal(sealed(good).ok, true);
  for (const name of Object.keys(good)) {
    const { [name]: _, ...without } = good;
    assert.equal(sealed(without).ok, false, name);
    for (const value of ['', 1, null, 'ü'.repeat(300)])
      assert.equal(sealed({ ...good, [name]: value }).ok, false, name);
  }
  assert.equal(sealed({ ...good, more: 'x' }).ok, false);
  assert.equal(sealed({ ...good, type: 'parley/call/v1' }).ok, false);
  assert.equal(sealed({ ...good, time: '2026-13-01T00:00:00.000Z' }).ok, false);
  assert.equal(sealed({ ...good, keyId: caller.keyId }).ok, false);
  assert.equal(sealed({ ...good, method: 'resources/read' }).ok, false);
  const call = payloadOf(callEnvelope);
  const resealed = (payload: JsonObject) =>
    verifyCall(caller.seal('parley/call/v1', payload), content, callerKey.publicKeyRaw, { expectedSigner: 'pe1' });
  assert.equal(resealed(call).ok, true);
  assert.equal(resealed({ ...call, keyId: callee.keyId }).ok, false);
  assert.equal(resealed({ ...call, method: 'resources/read' }).ok, false);
});

test('content without a canonical form is refused, not thrown', () => {
  const odd = { lost: Number.NaN };
  assert.equal(verifyResult({ ...answer().toVerify, body: odd }).ok, false);
  assert.equal(verifyResult({ ...answer().toVerify, content: { ...content, params: odd } }).ok, false);
  const expected = { expectedSigner: 'pe1' };
  assert.equal(verifyCall(callEnvelope, { ...content, params: odd }, callerKey.publicKeyRaw, expected).ok, false);
});

test('no change of the envelope verifies, and none throws', () => {
  const { envelope, toVerify } = answer();
  const place = fc.record({
    name: fc.constantFrom('payload' as const, 'signature' as const, 'payloadType' as const),
    at: fc.nat(900),
    character: fc.string({ maxLength: 2 }),
  });
  fc.assert(
    fc.property(place, ({ name, at, character }) => {
      const text = envelope[name];
      const index = at % text.length;
      const changed = text.slice(0, index) + character + text.slice(index + 1);
      fc.pre(changed !== text);
      assert.equal(verifyResult({ ...toVerify, envelope: { ...envelope, [name]: changed } }).ok, false);
    }),
    { numRuns: 300 },
  );
});
