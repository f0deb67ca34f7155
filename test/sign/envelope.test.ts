// Sealing and opening: the published encoding, refusals, both verifiers, mutation of every byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base/json.ts';
import { encodeBase64 } from '#codec/base64.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import { openEnvelope, openEnvelopePortable, parseEnvelope, sealEnvelope } from '#sign/envelope.ts';
import { signNative } from '#sign/native.ts';
import { preAuthEncoding } from '#sign/portable/pae.ts';
import { createSigner, exportSigningKey, generateSigningKey, importSigningKey, keyIdOf } from '#sign/signer.ts';

const key = generateSigningKey();
const seal = (value: JsonObject) => sealEnvelope(key.privateKey, 'parley/report/v1', value);
const open = (envelope: unknown, type: 'parley/report/v1' | 'parley/result/v1' = 'parley/report/v1') =>
  openEnvelope(envelope, key.publicKeyRaw, type);

/** An envelope over any bytes, with a signature that stands. */
function sealBytes(payload: Uint8Array): SignedEnvelope {
  const signature = signNative(key.privateKey, preAuthEncoding('parley/report/v1', payload));
  return { payloadType: 'parley/report/v1', payload: encodeBase64(payload), signature: encodeBase64(signature) };
}

test('encodes as the DSSE protocol document shows', () => {
  const encoded = preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world'));
  assert.equal(Buffer.from(encoded).toString(), 'DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  assert.equal(Buffer.from(preAuthEncoding('é', new Uint8Array(0))).toString(), 'DSSEv1 2 é 0 ');
});

test('carries the canonical bytes and gives the value back [TS-16]', async () => {
  const envelope = seal({ b: [1, 'é'], a: '10' });
  assert.equal(Buffer.from(envelope.payload, 'base64').toString(), '{"a":"10","b":[1,"é"]}');
  assert.deepEqual(open(envelope), { ok: true, value: { a: '10', b: [1, 'é'] } });
  assert.deepEqual(await openEnvelopePortable(envelope, key.publicKeyRaw, 'parley/report/v1'), open(envelope));
});

test('a result never passes for a report [TS-16]', () => {
  const envelope = seal({ a: 1 });
  assert.equal(open(envelope, 'parley/result/v1').ok, false);
  assert.equal(open({ ...envelope, payloadType: 'parley/result/v1' }, 'parley/result/v1').ok, false);
});

test('refuses another key, in both implementations', async () => {
  const other = generateSigningKey().publicKeyRaw;
  assert.equal(openEnvelope(seal({}), other, 'parley/report/v1').ok, false);
  assert.equal((await openEnvelopePortable(seal({}), other, 'parley/report/v1')).ok, false);
});

test('refuses payloads that are signed but not canonical JSON objects', () => {
  assert.equal(open(sealBytes(Buffer.from('{"a":1}'))).ok, true);
  for (const text of [
    '{"a":1 }',
    '{"b":1,"a":2}',
    '{"a":1.0}',
    '{"a":"\\u0061"}',
    '{"a":1,"a":1}',
    '[]',
    '"a"',
    '',
    '{',
    '\ufeff{}',
  ]) {
    assert.equal(open(sealBytes(Buffer.from(text))).ok, false, text);
  }
});

test('refuses other shapes: base64 variants, missing and additional members', () => {
  const envelope = seal({ a: 1 });
  const shapes: readonly unknown[] = [
    undefined,
    null,
    'envelope',
    [],
    {},
    { ...envelope, extra: 1 },
    { ...envelope, payload: undefined },
    { ...envelope, signature: 5 },
    { ...envelope, payloadType: 'parley/other/v1' },
    { ...envelope, payload: `${envelope.payload}\n` },
    { ...envelope, signature: envelope.signature.replace(/==$/, '') },
    { ...envelope, signature: '' },
  ];
  for (const shape of shapes) assert.equal(open(shape).ok, false);
  assert.deepEqual(parseEnvelope(envelope), { ok: true, value: envelope });
});

test('any change of a character makes opening fail, in both implementations the same', async () => {
  const envelope = seal({ node: 'pe1', txPackets: '123456789012' });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';
  const field = fc.constantFrom('payload' as const, 'signature' as const);
  await fc.assert(
    fc.asyncProperty(field, fc.nat(200), fc.constantFrom(...alphabet), async (name, place, character) => {
      const text = envelope[name];
      const at = place % text.length;
      fc.pre(text[at] !== character);
      const changed = { ...envelope, [name]: text.slice(0, at) + character + text.slice(at + 1) };
      assert.equal(open(changed).ok, false);
      assert.equal((await openEnvelopePortable(changed, key.publicKeyRaw, 'parley/report/v1')).ok, false);
    }),
    { numRuns: 60 },
  );
});

test('never throws on any value', () => {
  const shape = fc.record({
    payloadType: fc.constantFrom('parley/report/v1', 'x'),
    payload: fc.base64String(),
    signature: fc.base64String(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), shape), (value) => assert.equal(open(value).ok, false)),
    { numRuns: 300 },
  );
});

test('a signer seals under its key id', () => {
  const signer = createSigner({ node: 'pe1', privateKey: key.privateKey });
  assert.equal(signer.node, 'pe1');
  assert.equal(signer.keyId, keyIdOf(key.publicKeyRaw));
  assert.equal(open(signer.seal('parley/report/v1', { a: 1 })).ok, true);
  assert.throws(() => signer.seal('parley/report/v1', { a: Number.NaN }), { code: 'us/not-canonical' });
  // First 16 bytes of SHA-256 over 32 zero bytes.
  assert.equal(keyIdOf(new Uint8Array(32)), '66687aadf862bd776c8fc18b8e9f8e20');
});

test('a signing key survives its PEM; other keys are refused', () => {
  const again = importSigningKey(exportSigningKey(key));
  assert.deepEqual(again.publicKeyRaw, key.publicKeyRaw);
  assert.equal(again.publicKeyRaw.length, 32);
  assert.throws(() => importSigningKey('no key'), { code: 'us/signing-key' });
  const x25519 = `${'-----BEGIN PRIVATE'} KEY-----\n${Buffer.from(`302e020100300506032b656e04220420${'07'.repeat(32)}`, 'hex').toString('base64')}\n-----END PRIVATE KEY-----\n`;
  assert.throws(() => importSigningKey(x25519), { code: 'us/signing-key' });
});
