// Bounds of sign. Listed in docs/limits.md.

export const SIGN_LIMITS = {
  /** Nonces reserved on disk at a time: one write serves so many signatures, and a restart skips the rest. */
  nonceBlock: 1_024,
  /** Nonces that a verifier remembers for each boot of a signer (RFC 6479): answers may arrive out of order by so many. */
  nonceWindow: 4_096,
  /** Public keys that stay imported and checked between verifications. */
  publicKeyCache: 1_024,
  /** Signers whose nonces a verifier remembers; the least recently used is removed first. */
  nonceSigners: 2_048,
  /** Boots of one signer that a verifier remembers, and as many more whose counter is ahead of its clock. */
  nonceBoots: 4,
  /** How far a boot counter (the start time in seconds) may be ahead of the verifier's clock: one day. */
  bootLeadSeconds: 86_400,
  /** Consents that are remembered as used; nothing signed before the oldest of them is accepted. */
  usedConsents: 1_024,
  /** Characters of a statement of who asked, as it is signed: a certificate chain is most of it. */
  askerChars: 32_768,
  /** Nodes through which a question may have come, besides the one that calls: eight levels of aggregators, and two relays. */
  askerVia: 10,
  /** How far the time of an asker's own signature may be from the clock of the node that checks it: five minutes. */
  assertionMs: 300_000,
  /** Characters of a name or id in a signed header: signer, caller, session, method. */
  signedNameChars: 256,
  /** Characters of an order to stop or to go on, as it travels. */
  orderChars: 4_096,
  /** Characters of its reason. */
  orderReasonChars: 256,
} as const;
