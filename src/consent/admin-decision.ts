// The signed decision of an admin, verified in a process that does not trust the agent that brings it: the chain under the CA of this
// process, the role in the certificate (what the agent's settings make of a name is the agent's word), the signature, and its time.

import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Result } from '#base/result.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import type { UsedConsents } from '#model/router/change-authority.ts';
import { verifyDecision } from '#sign/decision.ts';

export type AdminDecisionParts = {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly verifyChain: (chain: CertificateChain, atMs: number) => Result<Party>;
};

/** Of the process that holds what a consent lets out. */
export type ReleaseParts = AdminDecisionParts & {
  readonly node: string;
  readonly used: UsedConsents;
  /** A record beside the agent's trail, in a process that the agent cannot write to. */
  readonly log: Log;
};

/** Used from here on, so that two calls at once never share it; and not used where nothing has left. */
export async function usingConsent<T>(
  { used }: Pick<ReleaseParts, 'used'>,
  { id, signedMs }: { readonly id: string; readonly signedMs: number },
  act: () => Promise<T>,
): Promise<T> {
  await used.take(id, signedMs);
  return act().catch(async (error) => {
    await used.giveBack(id);
    throw error;
  });
}

export type AdminDecision = {
  readonly id: string;
  /** Name of the admin, from the certificate. */
  readonly by: string;
  /** Ed25519 public key of the certificate, lower-case hex. */
  readonly key: string;
  readonly consent: JsonObject;
  readonly signedMs: number;
};

const ID_CHARS = 64;

/** Throws `caller/not-approver` for a signer that is no admin of this domain, `caller/bad-consent` for anything but an approval. */
export function approvalOf(parts: AdminDecisionParts, signed: JsonObject): Omit<AdminDecision, 'id'> {
  const chain = chainOf(signed['chain']);
  const party = parts.verifyChain(chain, parts.clock.nowMs());
  if (!party.ok) throw notApprover(`expected a certificate of this domain: ${party.reason}`);
  if (party.value.kind !== 'operator' || party.value.role !== 'admin')
    throw notApprover(`expected an admin's certificate, got ${party.value.kind}/${party.value.name}`);
  const verified = verifyDecision({ envelope: signed['envelope'], chain }, party.value, parts.clock);
  if (!verified.ok) throw badConsent(verified.reason);
  const { decision, consent, signedMs } = verified.value;
  if (decision !== 'approve') throw badConsent('expected an approval, got a denial');
  return { by: party.value.name, key: party.value.signingKey ?? '', consent, signedMs };
}

export function consentIdOf(consent: JsonObject): string {
  const id = consent['id'];
  if (typeof id === 'string' && id !== '' && id.length <= ID_CHARS) return id;
  throw badConsent('expected a consent with an id, it has none');
}

function chainOf(value: JsonValue | undefined): CertificateChain {
  const texts: readonly JsonValue[] = Array.isArray(value) ? value : [];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string'))
    throw badConsent('expected the chain of certificates of the signer, got something else');
  return texts as readonly string[];
}

export function badConsent(message: string): ParleyError {
  return new ParleyError('caller/bad-consent', message);
}

function notApprover(message: string): ParleyError {
  return new ParleyError('caller/not-approver', message);
}
