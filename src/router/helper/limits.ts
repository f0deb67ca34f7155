// Bounds of the read helper. Listed in docs/limits.md.

export const HELPER_LIMITS = {
  /** Packets a second that the probe reflector answers, all senders together. */
  reflectorPacketsPerSecond: 20_000,
  /** Probe sessions that the reflector counts at once. */
  reflectorSessions: 256,
  /** Addresses of the node that the reflector answers from, each with a socket of its own. */
  reflectorAddresses: 256,
  /** Bytes of one packet capture. */
  captureBytes: 262_144,
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
  /** Longest reading of reflections that had arrived by then. */
  probeDrainMs: 500,
  /** Time without probes after which the reflector may forget a session. */
  reflectorIdleMs: 10_000,
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
  /** Crash files that are listed. */
  crashFiles: 100,
  /** Crash logs of which the text is shown, the newest. */
  crashTexts: 8,
  /** Bytes of one of them, from its beginning. */
  crashTextBytes: 32_768,
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
  /** Time in which a daemon's socket must accept. */
  daemonAnswerMs: 500,
  /** Probes of one round over one link. */
  watchRoundProbes: 40,
  /** Askers of one such name whom its server gave an address. */
  heardAskers: 16,
} as const;
