// Consents of one node for tests: a request, a clock that is moved by hand, a trail, and decisions signed with real keys.
import assert from 'node:assert/strict';
import type { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { systemRandom } from '#base/random.ts';
import { type ConsentParts, createConsents } from '#consent/consents.ts';
import { createAccess } from '#model/access.ts';
import type { ConsentAnswer, ConsentRequest, Decision } from '#model/consent.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import type { Identity } from '#mtls/identity.ts';
import { verifyChain } from '#mtls/verify-chain.ts';
import { signDecision } from '#sign/decision.ts';
import { createSigner } from '#sign/signer.ts';
import { createFakeClock } from '../fakes/clock.ts';
import type { Domain } from '../mtls/domain.ts';

export const BOT: Party = { kind: 'operator', domain: 'lab.example', name: 'loopback' };
export const REQUEST: ConsentRequest = {
  caller: BOT,
  tool: 'network.commit',
  arguments: { confirmed: 120, persist: 'token' },
  summary: '+ interface eth1: isis metric 5',
  tag: 'aa',
  rollbackMs: 120_000,
};
export const signal = new AbortController().signal;

/** Consents of one node with a clock, a trail and an admin's key of their own. */
export function consentBed(domain: Domain, admin: Identity, init: Partial<ConsentParts> = {}) {
  const clock = createFakeClock({ nowMs: Date.now() });
  const trail: AuditRecord[] = [];
  const access = createAccess();
  const consents = createConsents({
    node: 'pe1',
    mode: 'required',
    policies: [],
    twoAdmins: [],
    clock,
    random: systemRandom,
    audit: { append: async (record) => void trail.push(record) },
    roleOf: (party) => access.roleOf(party),
    verifyChain: (chain, atMs) => verifyChain(chain, domain.caPem, atMs),
    ...init,
  });
  const ask = (over: Partial<ConsentRequest> = {}) => consents.ask({ ...REQUEST, ...over }, signal);
  const sign = (decision: Decision, consent: unknown, who = admin, nowMs = clock.nowMs()) =>
    signDecision({
      signer: createSigner({ node: who.party.name, privateKey: who.signingKey }),
      chain: who.chain,
      decision,
      consent: consent as JsonObject,
      nowMs,
    });
  return { clock, trail, consents, ask, sign };
}

export const code = (expected: string) => (error: ParleyError) => {
  assert.equal(error.code, expected, error.message);
  assert.equal(error.data['wireCode'], -32083);
  return true;
};
export const idOf = (answer: ConsentAnswer) => (answer.granted ? 'granted' : (answer.id ?? answer.reason));
