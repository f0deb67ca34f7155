// Bounds of the drivers. Listed in docs/limits.md.

export const DRIVER_LIMITS = {
  /** Bytes of one program's answer about the kernel's state. */
  kernelReadBytes: 4_194_304,
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
  /** Bytes of one NETCONF message. */
  netconfBytes: 8_388_608,
  /** Time that a NETCONF device has for its hello. */
  netconfHelloMs: 10_000,
  /** After which a first request that may lie unread behind the hello is pushed by a second. */
  netconfPushMs: 500,
  /** Longest wait for one reply of a NETCONF device. */
  netconfReplyMs: 30_000,
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
  /** Clients that have asked and not chosen yet, and servers that were chosen, that one node follows. */
  dhcpClients: 64,
  /** What a node asks DHCP servers of one port at such a time: two networks, two servers, and for each of them once more for the server's own. */
  dhcpDoubtAsks: 8,
  /** Pause between two times that a node asks DHCP servers by itself because a host of one port got no answer. */
  dhcpDoubtMs: 60_000,
  /** Characters of an interface's description that a state repeats. */
  descriptionChars: 80,
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
  /** Events of a node's own history. */
  historyEvents: 256,
} as const;
