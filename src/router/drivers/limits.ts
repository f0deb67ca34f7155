// Bounds of the drivers. Listed in docs/limits.md.

export const DRIVER_LIMITS = {
  /** Size of one program's output about kernel state. */
  kernelReadBytes: 4_194_304,
  /** Reads of routing tables that stay open between two pages. */
  routeDumps: 4,
  /** Time after which an idle read of a routing table is closed. */
  routeDumpIdleMs: 60_000,
  /** Size of one netlink datagram; the kernel makes none larger. */
  netlinkBytes: 32_768,
  /** Change notifications read between two datagrams of a table; with more, the whole table counts as changed. */
  netlinkChanges: 4_096,
  /** Times that one page of a routing table is read again because the table changed meanwhile. */
  routeDumpRestarts: 32,
  /** Next hops that one read of a routing table caches. */
  routeHopCache: 4_096,
  /** Interval of the first CPU measurement after a start. */
  loadFirstMs: 250,
  /** Size of one NETCONF message. */
  netconfBytes: 8_388_608,
  /** Time in which a NETCONF device must send its hello. */
  netconfHelloMs: 10_000,
  /** Time after which a second request is sent because the first may lie unread behind the hello. */
  netconfPushMs: 500,
  /** Longest wait for one reply of a NETCONF device. */
  netconfReplyMs: 30_000,
  /** Notifications of a NETCONF device that are kept. */
  netconfEvents: 1_000,
  /** Characters of one notification, shown as a line. */
  netconfEventChars: 1_024,
  /** Silence of a NETCONF device after which a keepalive is sent. */
  netconfKeepaliveMs: 10_000,
  /** Unanswered keepalives after which the connection is closed. */
  netconfKeepalives: 3,
  /** First wait before an unreachable NETCONF device is dialled again; it doubles each time. */
  netconfRedialMs: 1_000,
  /** Longest such wait. */
  netconfRedialMostMs: 60_000,
  /** YANG modules that are read from one device. */
  yangModules: 512,
  /** Statements of all YANG modules that are read from one device; its nodes of further modules are unknown. */
  yangDeviceStatements: 400_000,
  /** Elements of one XML text from a device. */
  xmlElements: 200_000,
  /** Nesting of an XML text from a device. */
  xmlDepth: 64,
  /** Last lines of a log that are searched for known messages. */
  logSignLines: 500,
  /** DHCP clients that a node tracks until they choose a server, and chosen servers that it tracks. */
  dhcpClients: 64,
  /** DHCP queries that a node sends to check the servers of one port, one for each pair of network and server: with two networks and two servers, four, and each again for the server's own network. */
  dhcpChecks: 8,
  /** Shortest interval between two such checks of one port. */
  dhcpCheckMs: 60_000,
  /** Characters of an interface's description in a state. */
  descriptionChars: 80,
  /** Static routes in one state. */
  staticRoutes: 256,
  /** Next hops of one default route in a state. */
  defaultHops: 16,
  /** Interfaces whose forwarding settings one state reads. */
  forwardingInterfaces: 256,
  /** Rules for the choice of a routing table, of both families, in one state. */
  policyRules: 64,
  /** Neighbours whose packets' routes one call looks up, on a node with policy rules. */
  inputSources: 8,
  /** Lookups of such routes in one call, of each address family. */
  inputLookups: 256,
  /** Routing tables of SIDs that one reading checks for a route. */
  sidTables: 16,
  /** Chains entered and rules read on all ways through the packet filter, in one reading. */
  filterSteps: 20_000,
  /** Hooks of traffic control whose filters one reading lists. */
  tcHooks: 64,
  /** Mounts among which a node looks for its file systems. */
  mounts: 4_096,
  /** Rows of the neighbour table in one state. */
  neighbourRows: 512,
  /** Own prefixes whose BGP entries one state reads. */
  bgpOwnPrefixes: 16,
  /** BGP neighbours that one state reads one by one, those that are not up before the others; of the rest it has what the summary says. */
  bgpNeighbourDetails: 256,
  /** BGP neighbours of one answer in YANG. */
  bgpNeighboursTold: 1_024,
  /** Named routing policies of which a state tells the statements: of a node with more it tells none. */
  bgpPolicies: 128,
  /** Interval of the samples of a node's history. */
  historySampleMs: 2_000,
  /** Age at which a sample of a node's history is forgotten. */
  historyMs: 900_000,
  /** Age at which interface counters in the history are forgotten. */
  trafficMs: 300_000,
  /** Age at which a round of continuous link probes is forgotten. */
  monitorHistoryMs: 300_000,
  /** Interval at which a node's history records its whole state. */
  pastSampleMs: 2_000,
  /** Longest time from one such reading to the next: a reading takes long while a daemon hangs, which may be over by then. */
  longestRestMs: 20_000,
  /** Time that a node may spend on reading its whole state early, because static routes changed; the budget refills by a twentieth of the elapsed time. */
  earlyReadMs: 1_000,
  /** Age at which a state of the history is forgotten. */
  pastMs: 900_000,
  /** Time after a start until a state is recorded although it has not been read the same twice. */
  pastSettleMs: 30_000,
  /** Age at which the last drop of a filter rule is forgotten; a BGP speaker retries a closed session every 120 s. */
  filterDropMs: 180_000,
  /** Interval of a node's own host scans. */
  hostScanMs: 4_000,
  /** Looks of which one seeks hosts with fixed neighbour entries that have not answered yet. */
  fixedHostLooks: 15,
  /** Hosts and services, in pairs, of whose connections a node remembers whether they were answered. */
  rememberedConnections: 1_024,
  /** Of these, pairs of one host. */
  rememberedConnectionsOfHost: 64,
  /** Of the pairs that a node tells, those of one host. */
  toldConnectionsOfHost: 4,
  /** Hosts of one such scan; the next scan continues with the others. */
  scannedHosts: 64,
  /** Services and names of each family, IPv4 and IPv6, that are probed with one such scan. */
  probedServices: 16,
  /** Shortest time between two pages that a node asks a web server on its ports for; in between it only connects. */
  pageEveryMs: 60_000,
  /** Pages that a node asks a web server for without such a pause, one with each scan: that it answers steadily is soon known. */
  firstPages: 3,
  /** Scans after which an unchanged deviation, or an absent host, is probed only once in so many scans. */
  scanBackoffRounds: 8,
  /** Comings and goings of own prefixes in BGP that a node remembers. */
  prefixTurns: 256,
  /** Age at which they are forgotten. */
  prefixTurnMs: 600_000,
  /** Events of a node's history. */
  historyEvents: 256,
  /** Size of the memory of days on disk; the oldest segment is removed first. */
  dayMemoryBytes: 48_000_000,
  /** Size at which a segment is full. */
  segmentBytes: 2_000_000,
  /** Age at which a segment is full: one day. */
  segmentMs: 86_400_000,
  /** Segments that are looked at; what is beyond is not read. */
  segments: 1_024,
  /** Characters of one record on disk: the settings of a router with 4,096 interfaces. */
  dayRecordChars: 4_194_304,
  /** Interval at which what is new is written to disk: what a power cut may lose. */
  dayFlushMs: 60_000,
  /** Age of the last record of all settings up to which a restarted agent writes none. */
  settingsRecordMs: 3_600_000,
  /** Changes of settings that wait for a disk that cannot be written. */
  waitingChanges: 256,
  /** Interfaces whose counters one minute on disk has. */
  minutePorts: 64,
  /** Events that one minute on disk has. */
  minuteEvents: 64,
} as const;
