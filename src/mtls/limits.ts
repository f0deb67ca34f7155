// Bounds of mtls: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const MTLS_LIMITS = {
  /** Time from TCP accept to the end of the TLS handshake. */
  handshakeMs: 10_000,
  /** TLS handshakes that one listener runs at once; apart from `sessions`, so that strangers cannot use up peers' places. */
  handshakes: 128,
  /** TLS handshakes that one remote address may run at once. */
  handshakesPerAddress: 32,
  /** Sessions that one party may keep at one listener. */
  sessionsPerParty: 64,
  /** Longest time between two looks at whether a peer's certificate has ended. */
  certificateCheckMs: 60_000,
  /** Refused connections a minute that one listener reports one by one; the rest are counted. */
  refusalReportsPerMinute: 60,
  /** Addresses of one peer that a dial tries. */
  dialAddresses: 16,
  /** Verified thumbprints of one node that are remembered to tell outdated hints from false ones. */
  rememberedThumbprints: 4,
} as const;
