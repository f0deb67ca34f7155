// Bounds of mtls. Listed in docs/limits.md.

export const MTLS_LIMITS = {
  /** Time from TCP accept to the end of the TLS handshake. */
  handshakeMs: 10_000,
  /** TLS handshakes that one listener runs at once; separate from `sessions`, so that unauthenticated clients cannot use up the peers' sessions. */
  handshakes: 128,
  /** Of these, handshakes of networks with which no session was open: the rest is for those that are known. */
  strangersHandshakes: 96,
  /** TLS handshakes that one remote network, an IPv4 address or an IPv6 prefix of 64 bits, may run at once. */
  handshakesPerNetwork: 32,
  /** Networks that are remembered as known, since a session with a party there was open; the one that was seen last the longest ago is forgotten first. */
  knownNetworks: 1_024,
  /** Sessions of one party at one listener. */
  sessionsPerParty: 64,
  /** Connections of one party at one listener that are to be passed on: as many as an agent passes on for it at once, and some that are being claimed. */
  relayedPerParty: 288,
  /** CA certificates that a node trusts at once: the domain's, and while it is replaced the next one. */
  anchors: 2,
  /** Size of a file of an identity folder up to which "parley ca issue" reads it. */
  identityFileBytes: 262_144,
  /** Interval at which a session checks whether the peer's certificate has expired. */
  certificateCheckMs: 60_000,
  /** Refused connections that one listener reports singly in a minute; the rest are counted. */
  refusalReportsPerMinute: 60,
  /** Addresses of one peer that a dial tries. */
  dialAddresses: 16,
  /** Of these, addresses that a dial tries from an address of its own as well. */
  dialFromOwn: 2,
  /** Age of a certificate up to which an announcement of the one before is no lie of a peer that was verified before: four times LLDP's interval. */
  hintLagMs: 120_000,
  /** Verified thumbprints kept for one node, to tell outdated hints from false ones. */
  rememberedThumbprints: 4,
  /** Silence of a syslog collector that takes nothing, or does not close a connection, after which it counts as away. */
  collectorStallMs: 15_000,
} as const;
