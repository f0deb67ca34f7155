// The head of an audit trail, signed by its node: the number and hash of a record that is on disk. Kept elsewhere, it shows that a trail was cut
// off at its end, which no chain shows by itself (TS-31). Says nothing of certificates: the reader verifies the chain.
import { type Clock, isoTime } from '#base/clock.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { PAYLOAD_TYPES, type SignedEnvelope } from '#model/envelope.ts';
import type { Signer } from '#model/ports.ts';
import { openEnvelope } from './envelope.ts';
import { keyIdOf } from './signer.ts';

export type SignedHead = {
  readonly node: string;
  readonly sequence: number;
  /** Of the record, 64 hex digits. */
  readonly hash: string;
  readonly time: string;
};

const HASH = /^[0-9a-f]{64}$/;

export function sealHead(
  signer: Signer,
  clock: Clock,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): SignedEnvelope {
  return signer.seal(PAYLOAD_TYPES.auditHead, {
    type: PAYLOAD_TYPES.auditHead,
    signer: signer.node,
    keyId: signer.keyId,
    time: isoTime(clock.nowMs()),
    sequence,
    hash,
  });
}

/** The head that `node` signed with this key. */
export function openHead(envelope: unknown, publicKeyRaw: Uint8Array, node: string): Result<SignedHead> {
  const opened = openEnvelope(envelope, publicKeyRaw, PAYLOAD_TYPES.auditHead);
  if (!opened.ok) return opened;
  const { type, signer, keyId, time, sequence, hash, ...rest } = opened.value;
  if (Object.keys(rest).length > 0) return bad('expected no other members in the head of an audit trail');
  if (type !== PAYLOAD_TYPES.auditHead || signer !== node || keyId !== keyIdOf(publicKeyRaw))
    return bad(`expected the head of the audit trail of ${node}, got another`);
  if (typeof time !== 'string' || typeof hash !== 'string' || !HASH.test(hash))
    return bad('expected a time and a hash in the head of an audit trail');
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0)
    return bad('expected the number of a record in the head of an audit trail');
  return ok({ node, sequence, hash, time });
}
