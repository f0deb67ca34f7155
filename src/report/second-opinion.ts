// The second opinion: once everything stands under node:crypto, every signature is verified again by the portable
// implementation. Two implementations that disagree about a signature mean that it must not be relied on.
import { bad } from '#base/result.ts';
import type { PayloadType, SignedEnvelope } from '#model/envelope.ts';
import { openEnvelopePortable } from '#sign/envelope.ts';
import { type Check, failedCheck, passed } from './check.ts';

/** A signature that the first implementation accepted. */
export type AcceptedSignature = {
  readonly part: string;
  readonly envelope: SignedEnvelope;
  readonly publicKey: Uint8Array;
  readonly type: PayloadType;
};

/** One check for each part that the portable implementation refuses, or one for all. About 10 ms a signature. */
export async function secondOpinion(signatures: readonly AcceptedSignature[]): Promise<readonly Check[]> {
  const refused: Check[] = [];
  for (const { part, envelope, publicKey, type } of signatures) {
    const opened = await openEnvelopePortable(envelope, publicKey, type);
    if (!opened.ok)
      refused.push(failedCheck(part, bad(`the second Ed25519 implementation disagrees: ${opened.reason}`)));
  }
  return refused.length > 0 ? refused : [passed('second opinion', `${signatures.length} signatures`)];
}
