// Bounds of sign: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const SIGN_LIMITS = {
  /** Nonces reserved on disk at once. */
  nonceBlock: 1_024,
  /** Window of nonces that a verifier remembers for each (signer, boot). */
  nonceWindow: 4_096,
  /** Public keys that stay imported and checked between verifications. */
  publicKeyCache: 1_024,
  /** Signers whose nonces a verifier remembers; the one heard longest ago goes first. */
  nonceSigners: 2_048,
  /** Boots that a verifier remembers of one signer, and as many beside them that lead its clock. */
  nonceBoots: 4,
  /** How far a boot counter, the second of a start, may lead the verifier's clock and still be one of its time. */
  bootLeadSeconds: 86_400,
  /** Characters of a name or id inside a signed head: signer, caller, session, method. */
  signedNameChars: 256,
} as const;
