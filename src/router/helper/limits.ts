// Bounds of the privileged helper. Listed in docs/limits.md.

export const HELPER_LIMITS = {
  /** Packets per second that the probe reflector answers, over all senders that prove a question's key. */
  reflectorPacketsPerSecond: 20_000,
  /** Packets per second that it answers of monitored neighbours, and as many of all other senders. */
  reflectorOtherPacketsPerSecond: 5_000,
  /** Probes per second of neighbours, and as many of others, that it refuses with an answer, having no place for their session. */
  reflectorRefusalsPerSecond: 500,
  /** Probe sessions of questions that the reflector counts at once. */
  reflectorSessions: 512,
  /** Of these, sessions of one question. */
  reflectorSessionsOfQuestion: 256,
  /** Probe sessions that it counts at once of the neighbours on monitored links. */
  reflectorNeighbourSessions: 256,
  /** Of these, sessions of one address. */
  reflectorSessionsOfNeighbour: 4,
  /** Probe sessions that it counts at once of all others. */
  reflectorOtherSessions: 256,
  /** Of these, sessions of one IPv4 address or one IPv6 network of 64 bits. */
  reflectorSessionsOfSource: 64,
  /** Keys of questions that the privileged helper knows at once. */
  probeKeys: 64,
  /** Time after which it forgets the key of a question. */
  probeKeyMs: 120_000,
  /** Addresses of the node that the reflector answers from, each with a socket of its own. */
  reflectorAddresses: 256,
  /** Size of one packet capture. */
  captureBytes: 262_144,
  /** Size of one daemon's or program's answer to the privileged helper. */
  helperReadBytes: 1_000_000,
  /** BGP neighbours of which bgpd is asked over one connection, in one such answer. */
  bgpNeighboursOfRead: 16,
  /** Packets per second of all probe runs of a node together. */
  probePacketsPerSecondOfNode: 20_000,
  /** Bytes per second of all probe runs of a node together, headers included. */
  probeBytesPerSecondOfNode: 10_000_000,
  /** Probe runs of all kinds that are open at once; one asker may have a quarter of them. */
  helperProbeRuns: 192,
  /** Packet captures that the privileged helper has open at once. */
  helperCaptures: 4,
  /** LLDP announcements that the privileged helper holds at once: an agent's, and that of its successor during a restart. */
  helperAnnouncements: 4,
  /** Clients that the privileged helper notifies of LLDP changes at once. */
  lldpMonitors: 4,
  /** Longest time for reading reflections that arrived before the end of a run. */
  probeDrainMs: 500,
  /** Time without probes after which the reflector may forget a session. */
  reflectorIdleMs: 10_000,
  /** Time after which a subscription to the LLDP daemon counts as established. */
  lldpSettleMs: 2_000,
  /** Age up to which cached LLDP neighbours are reported. */
  lldpMemoryMs: 10_000,
  /** IS-IS speakers of the privileged helper at once. */
  helperSpeakers: 1,
  /** LSP fragments that the IS-IS speaker keeps. */
  isisLsps: 4_096,
  /** Remaining lifetime of our LSP when it is sent (ISO 10589 MaxAge). */
  isisLifetimeSeconds: 1_200,
  /** Age at which our LSP is sent again, changed or not. */
  isisRefreshMs: 600_000,
  /** Shortest interval between two versions of our LSP. */
  isisOriginateMs: 5_000,
  /** Time after which an unacknowledged LSP is sent again. */
  isisRetransmitMs: 5_000,
  /** Interval of the IS-IS speaker's hellos. */
  isisHelloMs: 10_000,
  /** Holding time in our hellos: three hellos. */
  isisHoldSeconds: 30,
  /** Times that a higher sequence number of our LSP may arrive within one refresh interval; more means that another system uses our system id. */
  isisSequenceConflicts: 8,
  /** Longest wait for the neighbour's CSNP before our LSP is sent. */
  isisSyncMs: 1_000,
  /** Longest wait for the acknowledgement of our purge. */
  isisPurgeMs: 500,
  /** Interval at which the speaker's socket is read. */
  isisPollMs: 50,
  /** Shortest interval between two traversals of the link-state graph. */
  isisWalkMs: 200,
  /** Frames taken from the speaker's socket in one read. */
  isisFramesPerPoll: 256,
  /** Announcements, and faults, that are reported of one system. */
  isisAnnouncements: 4,
  /** Bytes of the node's log that one read searches; the newest are kept. */
  logBytes: 786_432,
  /** Interval at which the node's log is checked for new lines. */
  logPollMs: 500,
  /** Characters of ping's output that are kept. */
  echoTextChars: 65_536,
  /** Pings that the privileged helper has open at once. */
  helperEchoes: 16,
  /** Crash files that are listed. */
  crashFiles: 100,
  /** Crash logs, the newest, whose text is shown. */
  crashTexts: 8,
  /** Bytes of each of them, from its beginning. */
  crashTextBytes: 32_768,
  /** Wait for the answer to one service probe. */
  serviceProbeMs: 600,
  /** Octets of a page that are read before the connection is closed. */
  pageBytes: 512,
  /** Wait for the answer of a name server whose delay is measured. */
  timedAnswerMs: 2_500,
  /** Source ports of the messages to one DHCP server: a link may lose all packets of one flow. */
  dhcpFlows: 3,
  /** Wait for an offer in the first round. */
  dhcpFirstMs: 900,
  /** Wait for an offer in the second round; some servers first check that the address is free. */
  dhcpRepeatMs: 4_200,
  /** DHCP packets that one port reports at a time. */
  dhcpPackets: 64,
  /** Time in which a daemon's socket must accept a connection. */
  daemonAnswerMs: 500,
  /** Time in which a daemon that accepted a connection must answer a command that asks for nothing, or it counts as silent. */
  daemonSilentMs: 1_000,
  /** Time in which a daemon that accepted a connection must begin to answer a read: with one that hangs, a state is still read within a phase. */
  daemonReadMs: 3_000,
  /** Probes of one round over one link, in both IP families. */
  monitorRoundProbes: 40,
  /** Frames that one fetch reads through one passive listener of a port. */
  tappedFramesOfPort: 512,
  /** Of these, frames that each port may always read. */
  leastTappedFrames: 16,
  /** Frames beyond these that one fetch reads through the listeners of one kind, of all ports together. */
  tappedFrames: 1_024,
  /** Of all these, frames that one fetch reads before it lets the helper's other work run. */
  tappedFramesAtOnce: 128,
  /** Clients remembered for one DNS record. */
  dnsClients: 16,
  /** TCP connection requests of hosts that are followed at once, and rows about them in one answer. */
  connectionRequests: 1_024,
  /** Of these, requests of one host. */
  connectionRequestsOfClient: 128,
  /** Time after which a connection request that is not sent again is forgotten; a connection that is open for longer is not seen to be used. */
  repeatedRequestMs: 70_000,
} as const;
