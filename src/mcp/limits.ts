// Bounds of mcp. Listed in docs/limits.md.

export const MCP_LIMITS = {
  /** JSON values of one message to a server; schema validation visits each of them. */
  requestValues: 20_000,
  /** Sessions over the local Unix socket at once, beside those of the network. */
  localSessions: 64,
  /** Requests in flight on one session, in each direction. */
  requestsInFlight: 64,
  /** Messages of one session that are handled before other sessions have their turn. */
  messagesPerTurn: 8,
  /** HTTP sessions of one party at once; the oldest idle one is closed first. */
  httpSessionsPerParty: 16,
  /** Time after which an idle HTTP connection is closed. */
  httpIdleMs: 120_000,
  /** Size of an HTTP request's headers. */
  headerBytes: 16_384,
  /** Streams of one HTTP/2 connection at once. */
  http2Streams: 64,
  /** Capability names that one party may announce. */
  capabilities: 256,
  /** Characters of one capability name. */
  capabilityChars: 128,
  /** Subscriptions of one session. */
  subscriptions: 32,
  /** Connections over which one file is fetched; each resumes where the previous one broke. */
  fetchAttempts: 5,
  /** Calls of one party that wait for an answer of its user, without a connection; the oldest is given up first. */
  openCallsPerParty: 8,
  /** Such calls of all parties. */
  openCalls: 128,
  /** Time for which such a call waits. */
  openCallMs: 900_000,
  /** Streams of one party on which it hears of updates, without a session; and of one session of MCP 2026-07-28 over frames. */
  listensPerParty: 16,
  /** Time for which clients may keep lists of tools, prompts and templates. */
  listTtlMs: 60_000,
  /** Events of one HTTP session that are kept for a client that reconnects. */
  streamEvents: 256,
  /** Wait that a client is asked for before it reconnects to a closed stream. */
  streamRetryMs: 500,
  /** Time in which a peer must read what was sent to it; then its session or stream is closed. */
  unreadMs: 60_000,
} as const;
