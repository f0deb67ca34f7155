// A browser's decision is octet for octet that of `parley approve`, and is not made where it would sign something else than was shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import type { ConsentObject } from '#model/consent.ts';
import { consentIdOver, hasOwnId, signDecision } from '#sign/decision.ts';
import { hasOwnIdPortable, signDecisionPortable } from '#sign/portable/decision.ts';
import { createSigner, exportSigningKey, generateSigningKey } from '#sign/signer.ts';

const key = generateSigningKey();
const other = generateSigningKey();
const CHAIN = ['AAAA', 'AAAB'];
const TIME = '2026-01-01T00:00:00.000Z';
const content = { node: 'pe1', tool: 'network.commit', summary: '+ interface eth1: description ÄÖ \u{1f6e0}' };
const CONSENT: JsonObject = {
  id: consentIdOver('0123456789abcdef', content as unknown as Omit<ConsentObject, 'id'>),
  ...content,
};

/** The key as the page has it: WebCrypto, not extractable. */
async function signerWith({ publicKeyRaw, ...rest }: typeof key) {
  const pem = exportSigningKey({ publicKeyRaw, ...rest });
  const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');
  const held = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
  const sign = async (message: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign('Ed25519', held, message as Uint8Array<ArrayBuffer>));
  return { name: 'ann', chain: CHAIN, publicKeyRaw: key.publicKeyRaw, sign };
}

for (const decision of ['approve', 'deny'] as const)
  test(`WebCrypto signs "${decision}" with the same octets as the command line [TS-28]`, async () => {
    const native = signDecision({
      signer: createSigner({ node: 'ann', privateKey: key.privateKey }),
      chain: CHAIN,
      decision,
      consent: CONSENT,
      nowMs: Date.parse(TIME),
    });
    const portable = await signDecisionPortable(await signerWith(key), { decision, consent: CONSENT, time: TIME });
    assert.deepEqual(portable, { ok: true, value: native });
  });

test('a consent that was changed under its id, and a key of another certificate, sign nothing [TS-28]', async () => {
  const decide = async (consent: JsonObject, held = key) => {
    const signed = await signDecisionPortable(await signerWith(held), { decision: 'approve', consent, time: TIME });
    return signed.ok ? 'signed' : signed.reason;
  };
  const wrongId = 'expected a consent whose id is that of its content, got another';
  assert.equal(await decide({ ...CONSENT, summary: '+ interface eth1: shutdown' }), wrongId);
  assert.equal(await decide({ ...CONSENT, approvers: 1 }), wrongId);
  assert.equal(await decide({ ...CONSENT, id: 'short' }), wrongId);
  assert.equal(await decide(CONSENT, other), 'expected the signing key of this certificate, got another key');
  assert.equal(await decide(CONSENT), 'signed');
});

test('both forms of the check agree on ids', async () => {
  for (const consent of [CONSENT, { ...CONSENT, node: 'p2' }, { ...CONSENT, id: 7 }, {}])
    assert.equal(await hasOwnIdPortable(consent), hasOwnId(consent));
});
