// Every bound of Parley has a name here (those of whole networks and of NETCONF beside it) and a line in
// docs/limits.md (a test checks both ways).

import { ACCESS_LIMITS } from './access-limits.ts';
import { COMMIT_LIMITS } from './commit-limits.ts';
import { NETCONF_LIMITS } from './netconf-limits.ts';
import { SCOPE_LIMITS } from './scope-limits.ts';

export const LIMITS = {
  ...ACCESS_LIMITS,
  ...COMMIT_LIMITS,
  ...NETCONF_LIMITS,
  ...SCOPE_LIMITS,
  /** Largest frame on ALPN `mcp`, without its length prefix. */
  frameBytes: 1_048_576,
  /** Rows of one evidence's values that `parley ask --explain` shows of a finding. */
  explainedRows: 6,
  /** Characters of one of them. */
  explainedRowChars: 240,
  /** Reasons of a verdict that an answer shows without `--explain`. */
  toldReasons: 12,
  /** Measured segments that it shows without it; of more, those that lost probes. */
  toldSegments: 12,
  /** Largest JSON body over HTTP. */
  bodyBytes: 1_048_576,
  /** Deepest nesting of a JSON text from a peer. */
  jsonDepth: 64,
  /** Most items of one array in a JSON text from a peer. */
  jsonArrayItems: 10_000,
  /** Time a peer has from TLS to `initialize`. */
  initializeMs: 10_000,
  /** Requests in flight on one session, each way. */
  requestsInFlight: 64,
  /** Sessions that one listener keeps at once. */
  sessions: 512,
  /** HTTP sessions that one party keeps at once; its oldest idle one gives way. */
  httpSessionsPerParty: 16,
  /** Time in which an HTTP request's headers, and then its body, must arrive. */
  httpRequestMs: 10_000,
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
  /** Time from our end of a session to the destruction of its socket. */
  closeMs: 1_000,
  /** Concurrent calls of one fan-out. */
  fanoutConcurrency: 112,
  /** Longest time for one remote call. */
  callMs: 10_000,
  /** Time from intent to sealed report, given a processor to judge with. */
  investigationMs: 15_000,
  /** Time from intent after which nobody is asked anything more; the rest is for judging, wording and sealing. */
  askingMs: 13_500,
  /** The end of it, kept for the last readings, which all that was measured is held against: further looks end before. */
  closingMs: 3_200,
  /** The end of an investigation, kept for sealing: its wording is there by then. */
  sealingMs: 500,
  /** Entries of the peer table. */
  peers: 1_024,
  /** Peers that one peer-exchange answer may name. */
  peerExchangeEntries: 256,
  /** Hops over which a peer table is passed on. */
  peerExchangeHops: 8,
  /** Information octets of our LLDP TLV. */
  lldpInfoBytes: 200,
  /** Probes of one `ietf-srv6-ping`. */
  probeCount: 10_000,
  /** Probes a second of one `ietf-srv6-ping`. */
  probesPerSecond: 5_000,
  /** Packets a second that the probe reflector answers, all senders together. */
  reflectorPacketsPerSecond: 20_000,
  /** Probe sessions that the reflector counts at once. */
  reflectorSessions: 256,
  /** Segments of one probe's SID list. */
  probeSegments: 16,
  /** Bytes of one packet capture. */
  captureBytes: 262_144,
  /** Packets of one packet capture. */
  capturePackets: 200,
  /** Longest packet capture. */
  captureMs: 10_000,
  /** Connections to the read helper at once; each carries one operation. */
  helperConnections: 64,
  /** Bytes of one request to the read helper. */
  helperRequestBytes: 16_384,
  /** Time in which the read helper's request must arrive; an agent on a busy router is late with it by seconds. */
  helperRequestMs: 10_000,
  /** Longest read of the read helper: one daemon's or program's answer. */
  helperReadMs: 5_000,
  /** Bytes of one daemon's or program's answer to the read helper. */
  helperReadBytes: 1_000_000,
  /** Probe runs of the read helper at once. */
  helperProbes: 8,
  /** Packets a second of all probe runs of one node together. */
  probePacketsPerSecondOfNode: 10_000,
  /** Bytes a second of all probe runs of one node together, headers included. */
  probeBytesPerSecondOfNode: 10_000_000,
  /** Captures of the read helper at once. */
  helperCaptures: 4,
  /** LLDP announcements that the read helper holds at once: an agent's, and its successor's beside it. */
  helperAnnouncements: 4,
  /** LLDP watchers of the read helper at once. */
  helperWatches: 4,
  /** Longest wait for reflections after the last probe. */
  probeLingerMs: 2_000,
  /** Longest further wait for a reflector that has answered and is busy. */
  probePatienceMs: 2_000,
  /** Longest reading of reflections that had arrived by then. */
  probeDrainMs: 500,
  /** Longest probe run as it is asked for: its probes and the wait for reflections after them. */
  probeRunMs: 60_000,
  /** Bytes of one probe's payload. */
  probePayloadBytes: 8_192,
  /** Bytes of the payloads of one train, whose probes go back to back: as much as a host sends at once without being asked. */
  probeTrainBytes: 65_536,
  /** Time without probes after which the reflector may forget a session. */
  reflectorIdleMs: 10_000,
  /** Bytes of one program's answer about the kernel's state. */
  kernelReadBytes: 4_194_304,
  /** Text of one intent. */
  intentChars: 2_000,
  /** Nodes that one intent's path may name. */
  intentPathNodes: 17,
  /** Proposals that are weighed against each other in one diagnosis. */
  rankedProposals: 12,
  /** Bytes of one answer of the language model. */
  modelAnswerBytes: 65_536,
  /** Longest wait for the language model. */
  modelMs: 4_000,
  /** Longest wait for a client's model, and for the person who must agree to each question to it. */
  samplingMs: 20_000,
  /** Characters of the reason with which a client declines. */
  declineChars: 200,
  /** Tokens that a client's model is asked for. */
  samplingTokens: 200,
  /** Characters of the sentence that a language model may write. */
  modelSentenceChars: 400,
  /** Segments and clues of one diagnosis that a language model is told of, each. */
  modelClues: 64,
  /** Answers of the language model that are remembered. */
  modelCacheEntries: 64,
  /** Bytes of evidence that one answer may bring. */
  evidenceBytes: 1_048_576,
  /** Nonces reserved on disk at once. */
  nonceBlock: 1_024,
  /** Window of nonces that a verifier remembers for each (signer, boot). */
  nonceWindow: 4_096,
  /** Reports kept on a node. */
  reportCount: 10_000,
  /** Bytes of reports kept on a node. */
  reportStoreBytes: 268_435_456,
  /** Age after which a report may be removed, acknowledged or not. */
  reportAgeMs: 90 * 86_400_000,
  /** Deepest nesting of a DER structure: certificates need about ten levels. */
  derDepth: 24,
  /** Elements of one DER structure. */
  derNodes: 4_096,
  /** Largest certificate, DER. */
  certificateBytes: 16_384,
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
  /** Age of the time on disk, below which this node's clock is not believed after a start. */
  clockFloorMs: 3_600_000,
  /** Refused connections a minute that one listener reports one by one; the rest are counted. */
  refusalReportsPerMinute: 60,
  /** Addresses of one peer that a dial tries. */
  dialAddresses: 16,
  /** Head start of one address before the next is tried as well (RFC 8305 §5). */
  dialStaggerMs: 250,
  /** Certificates of one chain, leaf and intermediates. */
  chainCertificates: 4,
  /** Verified thumbprints of one node that are remembered to tell outdated hints from false ones. */
  rememberedThumbprints: 4,
  /** Hints kept for one peer; the oldest goes first. */
  peerHints: 16,
  /** Hints about one peer kept of one origin, such as one port's LLDP. */
  peerHintsPerOrigin: 4,
  /** Remarks kept for one peer; the oldest goes first. */
  peerRemarks: 16,
  /** Addresses of one hint. */
  hintAddresses: 8,
  /** Hints this much older than a session may speak of the certificate before. */
  staleHintMs: 300_000,
  /** LLDP neighbours looked at on one port. */
  lldpNeighboursPerPort: 16,
  /** Shortest time between two looks at the LLDP neighbours. */
  lldpScanMs: 100,
  /** Time after which a watch of the LLDP daemon is believed to have begun. */
  lldpSettleMs: 2_000,
  /** Longest time that LLDP neighbours are told from memory. */
  lldpMemoryMs: 10_000,
  /** Time after which our LLDP TLV is written and the neighbours are read again, changed or not. */
  lldpRefreshMs: 30_000,
  /** The same while the LLDP daemon does not answer. */
  lldpRetryMs: 1_000,
  /** Audit records that wait for the disk at once. */
  auditQueue: 10_000,
  /** Audit records that are written and synchronised together. */
  auditBatch: 256,
  /** Bytes of one audit record's `detail`. */
  auditDetailBytes: 16_384,
  /** Characters of any other text of an audit record. */
  auditTextChars: 2_000,
  /** Size after which the audit trail goes on in a new file. */
  auditFileBytes: 16_777_216,
  /** Bytes of the audit trail on disk; beyond them its oldest file is removed. */
  auditTrailBytes: 268_435_456,
  /** Age at which a file of the audit trail is removed: the time of its last record. */
  auditAgeMs: 365 * 86_400_000,
  /** Refused requests a minute that one party has recorded one by one; the rest are counted. */
  refusalRecords: 20,
  /** Longest wait for the disk that holds the audit trail. */
  auditWaitMs: 2_000,
  /** Countersignatures of one report file. */
  countersignatures: 256,
  /** How far a receipt's time may be from the time of the node that gets it. */
  receiptSkewMs: 300_000,
  /** Characters of one piece of a report file. */
  reportPieceChars: 262_144,
  /** Remarks about peers in one report; the rest are counted. */
  reportPeerNotes: 1_000,
  /** Reports in one answer of the list tool. */
  reportPage: 200,
  /** Bytes of one report file. */
  reportBytes: 67_108_864,
  /** Pause between two looks at the peer table. */
  peerVisitMs: 1_000,
  /** Peers that are visited at once. */
  peerVisits: 8,
  /** Age at which a verified peer is asked for its peers again. */
  peerRefreshMs: 30_000,
  /** Pause before a peer that did not answer is tried again. */
  peerRetryMs: 10_000,
  /** Time that discovery may take after a start before an unknown node is called unknown. */
  discoveryPatienceMs: 5_000,
  /** Questions that one agent works on at once. */
  investigations: 4,
  /** Longest time for a session with a peer to be dialled. */
  dialMs: 5_000,
  /** Longest time that the calls of one phase may take, probing and further looks apart. */
  phaseMs: 5_000,
  /** Longest wait for one peer's answer to who else there is. */
  peerExchangeMs: 3_000,
  /** IS-IS speakers of the read helper at once. */
  helperSpeakers: 1,
  /** LSP fragments that the IS-IS speaker keeps at once. */
  isisLsps: 4_096,
  /** Lifetime of our LSP when it is sent. */
  isisLifetimeSeconds: 1_200,
  /** Age at which our LSP is sent anew, changed or not. */
  isisRefreshMs: 600_000,
  /** Shortest time between two versions of our LSP. */
  isisOriginateMs: 5_000,
  /** Time after which an LSP that nobody acknowledged is sent again. */
  isisRetransmitMs: 5_000,
  /** Time between two hellos of the IS-IS speaker. */
  isisHelloMs: 10_000,
  /** Holding time that our hellos ask for. */
  isisHoldSeconds: 30,
  /** Times that our sequence number may be overtaken before one refresh; more means that somebody else has our system id. */
  isisOvertakings: 8,
  /** Longest wait for the neighbour's list of LSPs before ours is sent. */
  isisSyncMs: 1_000,
  /** Longest wait for the acknowledgement of our purge. */
  isisPurgeMs: 500,
  /** Pause between two looks at the speaker's socket. */
  isisPollMs: 50,
  /** Shortest time between two walks through the link-state graph. */
  isisWalkMs: 200,
  /** Frames taken from the speaker's socket at one look. */
  isisFramesPerPoll: 256,
  /** Announcements, and faults, that are told of one system. */
  isisAnnouncements: 4,
  /** First wait before a speaker that ended is begun again; it doubles. */
  isisRetryMs: 1_000,
  /** Longest wait before a speaker that ended is begun again. */
  isisLongestRetryMs: 60_000,
  /** The same when the router's configuration was the reason: a password, a system id, a level. */
  isisRefusedMs: 600_000,
  /** Interfaces of one node that are looked at. */
  nodeInterfaces: 4_096,
  /** Addresses of one interface that are looked at. */
  interfaceAddresses: 64,
  /** Interfaces of one node in one subnet, or with one MAC, that are looked at as ends of a link. */
  subnetInterfaces: 16,
  /** LLDP neighbours, and adjacencies, of one interface that are looked at when links are made out. */
  portNeighbours: 64,
  /** Demands of one packet filter rule, and values of one of them, that are passed on. */
  filterMatches: 64,
  /** Brackets of a structured intent that is not JSON. */
  intentBrackets: 8,
  /** Lines of a structured intent that is not JSON. */
  intentLines: 40,
  /** Bytes of one routing configuration. */
  configBytes: 524_288,
  /** Characters of one line of a routing configuration. */
  configLineChars: 512,
  /** Lines of one edit of the candidate. */
  configEditLines: 256,
  /** Bytes of the node's log that one read looks at, newest last. */
  logBytes: 786_432,
  /** Lines of the node's log in one answer. */
  logLines: 10_000,
  /** Pause between two looks at whether the node's log has grown. */
  logPollMs: 500,
  /** Echo requests of one ping. */
  echoCount: 100,
  /** Shortest pause between two echo requests. */
  echoIntervalMs: 10,
  /** Bytes of one echo request's payload. */
  echoPayloadBytes: 9_000,
  /** Characters of ping's own text that are kept. */
  echoTextChars: 65_536,
  /** Pings of the read helper at once. */
  helperEchoes: 16,
  /** Hops that a traceroute looks at. */
  traceHops: 32,
  /** Routing table reads that stay open between two pages. */
  routeDumps: 4,
  /** Time after which an open table read that nobody goes on with is ended. */
  routeDumpIdleMs: 60_000,
  /** Bytes of one datagram of the kernel's tables; the kernel makes none larger. */
  netlinkBytes: 32_768,
  /** Datagrams of changes that are looked at between two of a table; more count as a change of everything. */
  netlinkChanges: 4_096,
  /** Times that one page of a routing table is begun anew because the table changed where it was being read. */
  routeDumpRestarts: 32,
  /** Next hops that a read of a routing table remembers. */
  routeHopCache: 4_096,
  /** Routes of one page of a routing table. */
  routePage: 1_000,
  /** The same for a caller who asks for more: as many as fit into a frame in every case. */
  routePageMost: 2_000,
  /** Window of the CPU use that is shown. */
  loadWindowMs: 30_000,
  /** Window of the first CPU use, when nothing was measured before. */
  loadFirstMs: 250,
  /** Callers whose cleared counters are remembered. */
  counterOffsets: 256,
  /** Time after which cleared counters are shown as they are again. */
  counterOffsetMs: 3_600_000,
  /** Interfaces of one page of the interface list. */
  interfacePage: 100,
  /** Crash files that are listed. */
  crashFiles: 100,
  /** Pause between two looks at counters that somebody subscribed to. */
  counterWatchMs: 10_000,
  /** Subscriptions of one session. */
  subscriptions: 32,
  /** Prompt contexts that one node remembers; the longest unused goes first. */
  promptContexts: 256,
  /** Time after which a prompt's context is forgotten. */
  promptContextMs: 600_000,
  /** Characters of one tool result that a prompt's template looks at. */
  promptResultChars: 262_144,
  /** Bytes of one template file. */
  promptFileBytes: 65_536,
  /** Template files of one folder. */
  promptFiles: 256,
  /** Characters of one show command's output, and of one section of tech-support. */
  cliTextChars: 262_144,
  /** Files that wait to be fetched at once. */
  spoolFiles: 4,
  /** Bytes of one file that waits to be fetched. */
  spoolFileBytes: 16_777_216,
  /** Bytes of one piece of such a file. */
  spoolPieceBytes: 65_536,
  /** Time after which a file that nobody fetched is removed. */
  spoolMs: 600_000,
  /** Connections over which one file is fetched, each going on where the one before broke. */
  fetchAttempts: 5,
  /** Events of one HTTP session that are kept for a client that reconnects. */
  streamEvents: 256,
  /** Pause after which a client of a stream that was closed is asked to reconnect. */
  streamRetryMs: 500,
} as const;
