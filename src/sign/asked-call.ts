// A call of this node as it goes out: signed, with the statement of who asked, which holds for this call alone (TS-16).
import type { Clock } from '#base/clock.ts';
import type { AskerClaim } from '#model/asker.ts';
import type { SignedEnvelope } from '#model/envelope.ts';
import type { NonceSource, Signer } from '#model/ports.ts';
import { sealAsker } from './asker.ts';
import { type CallToSeal, sealCall } from './call.ts';
import { requestSha256Of } from './digest.ts';

export function signCall(
  parts: { readonly signer: Signer; readonly nonces: NonceSource; readonly clock: Clock },
  { asker, ...call }: CallToSeal & { readonly asker: AskerClaim },
): { readonly call: SignedEnvelope; readonly asker: SignedEnvelope } {
  const { signer, nonces, clock } = parts;
  const { session, challenge, content } = call;
  const about = { session, challenge, requestSha256: requestSha256Of(content) };
  return {
    call: sealCall(signer, nonces, clock, { ...about, content }),
    asker: sealAsker(signer, clock, asker, about),
  };
}
