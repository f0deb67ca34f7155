// Bounds of aggregate. Listed in docs/limits.md.

export const AGGREGATE_LIMITS = {
  /** One message of a leaf on a pipe or over HTTP; a leaf that sends more is cut off. */
  leafMessageBytes: 8_388_608,
  /** Bytes that wait for one client or server that does not read; beyond, notifications for it are dropped. */
  unreadBytes: 2_097_152,
  /** Bytes that wait for one client or server at which its connection is ended. */
  unreadMostBytes: 67_108_864,
  /** Characters of a name that a leaf gives a tool or prompt; a longer one is reported and left out. */
  leafNameChars: 1_024,
  /** Characters of a whole name, segments and dots together (MCP-AX §4.1). */
  nameChars: 255,
  /** Characters of a name as MCP hosts take it. */
  hostNameChars: 64,
  /** Tools, prompts or resources of one subserver, each. */
  offersPerSubserver: 10_000,
  /** Characters of one list of a subserver, all pages together; what is listed beyond is left out. */
  offersChars: 8_388_608,
  /** Pages of one list that are asked of a subserver. */
  listPages: 256,
  /** Subservers of one aggregator. */
  subservers: 1_024,
  /** Ids of aggregators below one subserver. */
  subtreeIds: 4_096,
  /** Entries of one page of a list. */
  pageEntries: 1_000,
  /** Characters of one page of a list. */
  pageChars: 500_000,
  /** Characters of the cursor of a list, which is a name or a URI in base64. */
  cursorChars: 65_536,
  /** Requests that one client, or one subserver in the other direction, has open at once. */
  aggregatedRequests: 256,
  /** Time for a subserver to answer initialize, ping or a list. */
  upkeepMs: 10_000,
  /** Age at which a subserver's lists are asked for again (MCP-AX §5.1 recommends 60 s). */
  listAgeMs: 60_000,
  /** Interval between pings of a leaf that does not register itself. */
  pingMs: 5_000,
  /** First wait before a leaf that ended is started again; it doubles up to `restartMostMs`. */
  restartMs: 250,
  /** Longest wait before a leaf that ended is started again. */
  restartMostMs: 5_000,
  /** Time in which tools of a lost subserver stay listed as degraded (MCP-AX §13.2). */
  graceMs: 300_000,
  /** Heartbeats that may be missed (MCP-AX §6.3). */
  missedHeartbeats: 3,
  /** Shortest heartbeat interval that a subserver may ask for. */
  heartbeatLeastMs: 100,
  /** Longest heartbeat interval that a subserver may ask for. */
  heartbeatMostMs: 600_000,
  /** Time for which an approval may be given and used (MCP-AX §11.3). */
  gateMs: 300_000,
  /** Characters of each member of a tool that has changed, as an approval shows it. */
  changedToolChars: 1_000,
  /** Calls of one account that wait for approval at once. */
  pendingGates: 64,
  /** Approvals that were used and are remembered; none is older than `gateMs`. */
  usedProofs: 10_000,
  /** Entries of a signed registry of tools. */
  registryEntries: 10_000,
  /** Notifications of one subserver a second (MCP-AX §12). */
  notificationsPerSecond: 100,
  /** Notifications of one subserver that wait for their turn; the oldest is dropped (MCP-AX §12). */
  notificationsWaiting: 1_000,
  /** Servers whose notifications are numbered in one stream; those of others go without numbers. */
  numberedServers: 4_096,
  /** Notifications of one server that count as missing at once, whatever its numbers say. */
  missingAtOnce: 10_000_000,
  /** Resources that one client has subscribed to. */
  aggregatedSubscriptions: 1_024,
  /** Links in results that are remembered for one client, so that it can read them. */
  links: 1_024,
  /** HTTP sessions at once. */
  httpSessions: 1_024,
  /** Sessions of MCP 2026-07-28 of one party at once, one for each view and set of capabilities; the oldest idle one is ended first. */
  modernSessionsPerParty: 32,
  /** `subscriptions/listen` of one party at once; one more is refused. */
  aggregatedListensPerParty: 64,
  /** Messages that wait for a client of HTTP that has no stream open. */
  httpWaiting: 256,
  /** Tools that one search answers with. */
  searchResults: 50,
  /** Tools whose accepted definition is remembered, beside the shares of segments. */
  acceptedTools: 100_000,
  /** Tools of each segment whose accepted definition is remembered, however many others have. */
  acceptedShare: 64,
  /** Characters of a JWT that proves an authority. */
  authorityProofChars: 8_192,
  /** Bytes of one answer of the registration store. */
  storeAnswerBytes: 4_194_304,
  /** Streams in a row, by which the rest of one answer is asked for, that bring no event. */
  resumptions: 5,
  /** Shortest wait before a stream is resumed, whatever a server asks for. */
  resumeWaitLeastMs: 100,
  /** Longest wait before a stream is resumed, whatever a server asks for. */
  resumeWaitMostMs: 30_000,
  /** Rounds in which a server of MCP 2026-07-28 may ask for one call. */
  inputRounds: 16,
  /** Steps in which deadlines of calls are checked. */
  deadlineStepMs: 50,
} as const;
