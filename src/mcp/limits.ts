// Bounds of mcp: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const MCP_LIMITS = {
  /** Most JSON values of one message to a server: a validator visits each of them. */
  requestValues: 20_000,
  /** Requests in flight on one session, each way. */
  requestsInFlight: 64,
  /** Messages of one session that are handled before other sessions have their turn. */
  messagesPerTurn: 8,
  /** HTTP sessions that one party keeps at once; its oldest idle one gives way. */
  httpSessionsPerParty: 16,
  /** Time that an HTTP connection may be idle. */
  httpIdleMs: 120_000,
  /** Bytes of an HTTP request's headers. */
  headerBytes: 16_384,
  /** Streams of one HTTP/2 connection at once. */
  http2Streams: 64,
  /** Capability names that one party may announce. */
  capabilities: 256,
  /** Characters of one capability name. */
  capabilityChars: 128,
  /** Subscriptions of one session. */
  subscriptions: 32,
  /** Connections over which one file is fetched, each going on where the one before broke. */
  fetchAttempts: 5,
  /** Events of one HTTP session that are kept for a client that reconnects. */
  streamEvents: 256,
  /** Pause after which a client of a stream that was closed is asked to reconnect. */
  streamRetryMs: 500,
  /** Time in which a peer must read what was written for it, before its session or stream ends. */
  unreadMs: 60_000,
} as const;
