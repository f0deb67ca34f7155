// Nodes with signing keys, made in memory, and exchanges that they sign: what evidence and report tests are made of.
// Certificate chains are stand-ins (`["chain of pe1"]`) that `verifyChain` looks up.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { CallContent, ExchangedCall, Outcome, PlannedCall } from '#model/call.ts';
import type { CertificateChain, Party, PartyKind } from '#model/identity.ts';
import type { NonceSource, Signer } from '#model/ports.ts';
import { sealCall, sealResult } from '#sign/call.ts';
import { requestSha256Of } from '#sign/digest.ts';
import { createSigner, generateSigningKey } from '#sign/signer.ts';
import { createFakeClock } from './clock.ts';

export type FakeParty = {
  readonly party: Party;
  readonly chain: CertificateChain;
  readonly signer: Signer;
  readonly nonces: NonceSource;
};

export const fakeClock = createFakeClock();
const parties = new Map<string, Party>();

export function fakeParty(name: string, kind: PartyKind = 'node', domain = 'lab'): FakeParty {
  const key = generateSigningKey();
  const signingKey = Buffer.from(key.publicKeyRaw).toString('hex');
  const party: Party = { kind, domain, name, thumbprint: 'ab'.repeat(32), signingKey };
  const chain = [Buffer.from(`${kind} ${name} ${signingKey}`).toString('base64')];
  parties.set(chain[0] ?? '', party);
  let nonce = 0;
  const nonces: NonceSource = { boot: '1-0011223344556677', next: () => String(++nonce) };
  return { party, chain, signer: createSigner({ node: name, privateKey: key.privateKey }), nonces };
}

/** Verifies the stand-in chains, which are valid until the year 2100. */
export function fakeVerifyChain(chain: CertificateChain, atMs: number): Result<Party> {
  const party = chain.length === 1 ? parties.get(chain[0] ?? '') : undefined;
  if (party === undefined) return bad('expected a chain of this domain');
  return atMs < 4_102_444_800_000 ? ok(party) : bad('the certificate has ended');
}

export const SESSION = 'dom-0123456789abcdef';

export type FakeExchange = {
  readonly call: PlannedCall;
  readonly outcome: Outcome;
  readonly exchanged: ExchangedCall;
};

/** One call from `caller` to `callee`, signed by both. */
export function fakeExchange(
  caller: FakeParty,
  callee: FakeParty,
  body: JsonValue,
  over: { readonly evidence?: PlannedCall['evidence']; readonly id?: string; readonly arguments?: JsonObject } = {},
): FakeExchange {
  const node = callee.party.name;
  const args = over.arguments ?? {};
  const evidence = over.evidence ?? 'state';
  const call: PlannedCall = {
    id: over.id ?? `before/${node}/${evidence}`,
    purpose: evidence === 'capture' ? { kind: 'probe-capture' } : { kind: 'state', when: 'before' },
    node,
    kind: 'tool',
    name: 'parley-node-state',
    arguments: args,
    capability: 'parley-node-state',
    evidence,
    phase: 'before',
    timeoutMs: 1_000,
  };
  const content: CallContent = { method: 'tools/call', params: { name: call.name, arguments: args } };
  const challenge = '00112233445566778899aabbccddeeff';
  const requestEnvelope = sealCall(caller.signer, caller.nonces, fakeClock, { session: SESSION, content, challenge });
  const envelope = sealResult(callee.signer, callee.nonces, fakeClock, {
    call: { session: SESSION, method: content.method, requestSha256: requestSha256Of(content), challenge },
    caller: caller.party.name,
    status: 'answered',
    body,
  });
  return {
    call,
    outcome: {
      ...{ callId: call.id, purpose: call.purpose, node, phase: 'before', name: call.name },
      ...{ status: 'answered', elapsedMs: 1 },
    },
    exchanged: { request: content, requestEnvelope, challenge, answer: { status: 'answered', body, envelope } },
  };
}
