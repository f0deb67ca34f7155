// A signed decision: what it says, to whom, about what, and for how long; anything else is refused with its reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { ConsentObject, Decision } from '#model/consent.ts';
import type { Party } from '#model/identity.ts';
import { consentIdOver, hasOwnId, isSameConsent, signDecision, verifyDecision } from '#sign/decision.ts';
import { createSigner, generateSigningKey } from '#sign/signer.ts';
import { createFakeClock } from '../fakes/clock.ts';

const key = generateSigningKey();
const signer = createSigner({ node: 'ann', privateKey: key.privateKey });
const ann: Party = {
  kind: 'operator',
  domain: 'lab.example',
  name: 'ann',
  signingKey: Buffer.from(key.publicKeyRaw).toString('hex'),
};
const clock = createFakeClock();
const CONSENT = { id: 'c1', node: 'pe1' };
const CHAIN = ['AAAA'];

const signed = (over: Partial<Parameters<typeof signDecision>[0]> = {}) =>
  signDecision({ signer, chain: CHAIN, decision: 'approve', consent: CONSENT, nowMs: clock.nowMs(), ...over });

/** A payload that Ann has really signed, with these members changed; undefined leaves a member out. */
function payloadWith(over: Record<string, unknown>) {
  const { envelope } = signed();
  const payload = JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as JsonObject;
  const changed = JSON.parse(JSON.stringify({ ...payload, ...over })) as JsonObject;
  return { envelope: signer.seal('parley/consent/v1', changed), chain: CHAIN };
}

const reason = (decision: Parameters<typeof verifyDecision>[0], party = ann) => {
  const verified = verifyDecision(decision, party, clock);
  return verified.ok ? verified.value : verified.reason;
};

test('a decision says who decided what about which consent, when and with which chain [TS-28]', () => {
  const { envelope, chain } = signed({ decision: 'deny' });
  assert.deepEqual(JSON.parse(Buffer.from(envelope.payload, 'base64').toString()), {
    type: 'parley/consent/v1',
    signer: 'ann',
    keyId: signer.keyId,
    decision: 'deny',
    consent: CONSENT,
    // printf '["AAAA"]' | sha256sum
    chainSha256: 'c892cb63f70cff0f33fc5582c0cf7bca51f1f8123f4b9b54f4aaae694b348369',
    time: '2026-01-01T00:00:00.000Z',
  });
  assert.deepEqual(chain, CHAIN);
  const signedMs = Date.parse('2026-01-01T00:00:00.000Z');
  assert.deepEqual(reason(signed({ decision: 'deny' })), { decision: 'deny', consent: CONSENT, signedMs });
  assert.deepEqual(reason(signed()), { decision: 'approve', consent: CONSENT, signedMs });
});

test('an id is that of one content only [TS-28]', () => {
  const content = { node: 'pe1', summary: '+ a' };
  const id = consentIdOver('00112233445566ff', content as never);
  // printf '{"node":"pe1","nonce":"00112233445566ff","summary":"+ a"}' | sha256sum
  assert.equal(id, '00112233445566ff3aae11a41f92a64f92d532fd64bbc2da68b3ef3a');
  assert.equal(hasOwnId({ id, ...content }), true);
  assert.equal(hasOwnId({ id, ...content, summary: '+ b' }), false);
  assert.equal(hasOwnId({ id, ...content, more: 1 }), false);
  assert.equal(hasOwnId({ id: `1${id.slice(1)}`, ...content }), false);
  for (const other of [undefined, 7, '', id.slice(0, -1), `${id}0`])
    assert.equal(hasOwnId({ ...content, ...(other === undefined ? {} : { id: other }) }), false);
});

test('a decision of another kind, signer or chain is refused [TS-28]', () => {
  assert.equal(reason(payloadWith({ type: 'parley/report/v1' })), 'expected a consent, got another payload');
  const another = 'expected the signer that the certificate names, got another';
  assert.equal(reason(payloadWith({ signer: 'bob' })), another);
  assert.equal(reason(signed(), { ...ann, name: 'bob' }), another);
  assert.equal(reason({ ...signed(), chain: ['BBBB'] }), 'expected the chain that was signed, got another');
  const { signingKey: _, ...keyless } = ann;
  assert.equal(reason(signed(), keyless), 'expected a certificate with a signing key, got one without');
  const other = Buffer.from(generateSigningKey().publicKeyRaw).toString('hex');
  assert.equal(reason(signed(), { ...ann, signingKey: other }), 'expected a valid signature, got an invalid one');
});

test('a decision that is none, or about nothing, is refused [TS-28]', () => {
  const refused = 'expected a decision about a consent, got something else';
  for (const over of [
    { decision: 'maybe' },
    { decision: undefined },
    { consent: undefined },
    { consent: 'c1' },
    { consent: [] },
  ])
    assert.equal(reason(payloadWith(over)), refused, JSON.stringify(over));
  assert.equal(reason(signed({ decision: 'Approve' as Decision })), refused);
});

test('a decision counts for 960 seconds either way, and needs a time [TS-28]', () => {
  const at = (awayMs: number) => typeof reason(signed({ nowMs: clock.nowMs() + awayMs }));
  assert.deepEqual([at(960_000), at(-960_000)], ['object', 'object']);
  assert.deepEqual([at(960_001), at(-960_001)], ['string', 'string']);
  for (const time of [undefined, 'today', 1])
    assert.equal(reason(payloadWith({ time })), 'expected a decision of these minutes, its time is another');
});

test('a consent is the same whatever the order of its members, and no other', () => {
  const made = { id: 'c1', node: 'pe1' } as unknown as ConsentObject;
  assert.equal(isSameConsent({ node: 'pe1', id: 'c1' }, made), true);
  assert.equal(isSameConsent({ node: 'pe2', id: 'c1' }, made), false);
});
