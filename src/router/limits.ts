// Bounds of router: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const ROUTER_LIMITS = {
  /** Packets a second that the probe reflector answers, all senders together. */
  reflectorPacketsPerSecond: 20_000,
  /** Probe sessions that the reflector counts at once. */
  reflectorSessions: 256,
  /** Bytes of one packet capture. */
  captureBytes: 262_144,
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
  /** Longest further wait for a reflector that has answered and is busy. */
  probePatienceMs: 2_000,
  /** Longest reading of reflections that had arrived by then. */
  probeDrainMs: 500,
  /** Time without probes after which the reflector may forget a session. */
  reflectorIdleMs: 10_000,
  /** Bytes of one program's answer about the kernel's state. */
  kernelReadBytes: 4_194_304,
  /** Time after which a watch of the LLDP daemon is believed to have begun. */
  lldpSettleMs: 2_000,
  /** Longest time that LLDP neighbours are told from memory. */
  lldpMemoryMs: 10_000,
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
  /** Bytes of the node's log that one read looks at, newest last. */
  logBytes: 786_432,
  /** Pause between two looks at whether the node's log has grown. */
  logPollMs: 500,
  /** Characters of ping's own text that are kept. */
  echoTextChars: 65_536,
  /** Pings of the read helper at once. */
  helperEchoes: 16,
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
  /** Window of the first CPU use, when nothing was measured before. */
  loadFirstMs: 250,
  /** Crash files that are listed. */
  crashFiles: 100,
  /** Crash logs of which the text is shown, the newest. */
  crashTexts: 8,
  /** Bytes of one of them, from its beginning. */
  crashTextBytes: 32_768,
  /** Bytes of one request to the configuration helper. */
  configRequestBytes: 1_048_576,
  /** Longest run of one of FRR's own programs that reads or checks a configuration. */
  configProgramMs: 30_000,
  /** Longest wait for another change of the configuration to end. */
  configLockMs: 60_000,
  /** Time in which the program that undoes changes must say that it watches. */
  watchArmMs: 10_000,
  /** Time in which the session that made a change must hold it; then it is undone. */
  commitHoldMs: 3_000,
  /** Pause between two looks at an unconfirmed change. */
  watchMs: 200,
  /** Attempts of one undoing; then it starts again after a pause. */
  rollbackAttempts: 3,
  /** Commits that are kept with their images. */
  commitHistory: 50,
  /** Time that a candidate stays with a holder who does nothing. */
  candidateIdleMs: 900_000,
  /** Bytes of one NETCONF message. */
  netconfBytes: 8_388_608,
  /** Time that a NETCONF device has for its hello. */
  netconfHelloMs: 10_000,
  /** After which a first request that may lie unread behind the hello is pushed by a second. */
  netconfPushMs: 500,
  /** Longest wait for one reply of a NETCONF device. */
  netconfReplyMs: 30_000,
  /** Settled changes of a device with a candidate of its own that can be brought back. */
  deviceCommitHistory: 16,
  /** Time between two looks whether such a device has undone a change. */
  undoneCheckMs: 1_000,
  /** After this time past its deadline such a device would have undone a change that nobody confirmed. */
  undoneLateMs: 5_000,
  /** Notifications of a NETCONF device that are kept. */
  netconfEvents: 1_000,
  /** Characters of one of them as a line. */
  netconfEventChars: 1_024,
  /** Silence on a connection to a NETCONF device before it is asked whether it is still there. */
  netconfKeepaliveMs: 10_000,
  /** Unanswered questions after which the device counts as gone. */
  netconfKeepalives: 3,
  /** First pause after a NETCONF device could not be reached; it doubles. */
  netconfRedialMs: 1_000,
  /** Longest such pause. */
  netconfRedialMostMs: 60_000,
  /** YANG modules that are asked of one device. */
  yangModules: 512,
  /** Elements of one XML text from a device. */
  xmlElements: 200_000,
  /** Deepest nesting of an XML text from a device. */
  xmlDepth: 64,
  /** Last lines of a log that are matched against the known shapes. */
  logSignLines: 500,
  /** Wait for an answer to one serviceProbe. */
  serviceProbeMs: 600,
  /** Wait for an answer of a name server that is timed. */
  timedAnswerMs: 2_500,
  /** Times that one server is asked for one network. */
  dhcpTurns: 6,
  /** Ports that the questions of one network come from: a link may lose all packets of one flow. */
  dhcpFlows: 3,
  /** Wait for an offer at the first look. */
  dhcpMs: 900,
  /** Wait for an offer at the second, from a server that first makes sure that the address is free. */
  dhcpPatientMs: 4_200,
  /** Packets about DHCP that one port hands over at once. */
  dhcpSigns: 64,
  /** Clients that have asked and not chosen yet, and servers that were chosen, that one node follows. */
  dhcpClients: 64,
  /** What a node asks DHCP servers of one port at such a time: two networks, two servers, and for each of them once more for the server's own. */
  dhcpDoubtAsks: 8,
  /** Pause between two times that a node asks DHCP servers by itself because a host of one port got no answer. */
  dhcpDoubtMs: 60_000,
  /** Characters of an interface's description that a state repeats. */
  descriptionChars: 80,
  /** Time in which a daemon's socket must accept. */
  daemonAnswerMs: 500,
  /** Routes set by hand that one state names. */
  staticRoutes: 256,
  /** Rows of the neighbour table that one state names. */
  neighbourRows: 512,
  /** Own prefixes that one state asks BGP about. */
  bgpOwnPrefixes: 16,
  /** Pause between two samples of a node's own history. */
  historySampleMs: 2_000,
  /** Age at which a sample of a node's own history is forgotten. */
  historyMs: 900_000,
  /** Age at which packets that an interface had counted are forgotten. */
  trafficMs: 300_000,
  /** Length of one round of the standing probes over links. */
  watchRoundMs: 2_000,
  /** Probes of one round over one link. */
  watchRoundProbes: 40,
  /** Age at which a round of standing probes is forgotten. */
  watchKeepMs: 300_000,
  /** Pause between two whole states of a node's own past. */
  pastSampleMs: 2_000,
  /** Time that a node may spend on whole states that it reads before their time, because routes set by hand changed; it fills by a twentieth of the time that passes. */
  earlyLookMs: 1_000,
  /** Age at which a state of a node's own past is forgotten. */
  pastMs: 900_000,
  /** Time after a start before a state that has not been read the same twice is remembered. */
  pastSettleMs: 30_000,
  /** Age at which the last packet that a filter rule dropped is forgotten: a BGP speaker tries a closed session every 120 s. */
  filterDropMs: 180_000,
  /** Pause between two looks that a node takes by itself at the hosts on its ports. */
  hostLookMs: 4_000,
  /** Hosts of one such look; the next one goes on with the others. */
  lookedHosts: 64,
  /** Services and names that are tried at one such look. */
  lookedServices: 16,
  /** Rounds after which a doubt that stays the same, or a host that stays away, is measured only every few rounds. */
  hostPatience: 8,
  /** Askers of one such name whom its server gave an address. */
  heardAskers: 16,
  /** Events of a node's own history. */
  historyEvents: 256,
} as const;
