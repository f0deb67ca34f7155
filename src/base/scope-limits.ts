// The bounds of questions that name no path, and of what a node tells for them; part of LIMITS (limits.ts).

export const SCOPE_LIMITS = {
  /** Nodes whose log is asked about a routing symptom. */
  logReads: 4,
  /** Last lines of a log that are matched against the known shapes. */
  logSignLines: 500,
  /** Characters of one of them. */
  logSignChars: 400,
  /** Older lines tell of another matter. */
  logSignMs: 120_000,
  /** A log has whole seconds, and its clock may have been set meanwhile. */
  logSignSlackMs: 2_000,
  /** Kinds of messages, each with what it is about, that a node tells of its log. */
  logSigns: 32,
  /** Links that an answer and its report list with what says that they are there. */
  linkRows: 2_000,
  /** Remarks about links that one end alone claims, or that are contradicted. */
  oddLinks: 20,
  /** Nodes that one question without a path looks at. */
  scopeNodes: 128,
  /** Links that one question without a path probes. */
  scopeLinks: 512,
  /** Nodes that a question about one node asks whether they steer traffic to it. */
  srv6Heads: 32,
  /** Hops that a question about reaching somebody is followed. */
  followHops: 24,
  /** Longest time for peers to tell of peers, before a question to everybody starts or on the way of one. */
  peersOfPeersMs: 1_500,
  /** Longest wait for one node's state when a whole network is asked. */
  sweepCallMs: 3_000,
  /** The same for what a node measures, beside its own time: a busy one begins late. One that gave no state is not asked to measure. */
  measureCallMs: 4_500,
  /** Concurrent calls of one question to one node: fewer than `requestsInFlight`. */
  fanoutPerNode: 48,
  /** How long after the first the last of many calls may leave a busy asker, and have its whole time all the same. */
  lateStartMs: 1_500,
  /** Longest wait for a session with a neighbour that is asked for somebody else. */
  relayDialMs: 1_000,
  /** Longest time in which one node asks another on somebody's behalf: shorter than that somebody waits for it. */
  relayMs: 2_000,
  /** Silence of a peer after which a second connection to it is tried beside the first. */
  secondTryMs: 1_500,
  /** The same while most of those who were asked at the same time are silent. */
  crowdedTryMs: 2_200,
  /** Longest wait for a session with one node when a whole network is asked. */
  sweepDialMs: 2_000,
  /** Source ports that one `ietf-srv6-ping` uses in turn. */
  probeFlows: 64,
  /** Links that lost probes nobody knows where, and that are looked at for longer. */
  longLooks: 4,
  /** Links over which packets may have come damaged, and that a longer look sends IPv4 probes over. */
  longDamageLooks: 16,
  /** Probes of one end in a longer look at a link. */
  longLookProbes: 3_000,
  /** Time that must be left for a longer look, with the readings before and after its probes, or it does not begin. */
  longLookMs: 6_000,
  /** Destinations of one call for route lookups. */
  lookups: 256,
  /** Destinations of one call for reachability probes. */
  reachDestinations: 256,
  /** Reachability probes to one destination. */
  reachProbes: 100,
  /** Ports of one call for hosts. */
  hostPorts: 64,
  /** Addresses on one port of one call for hosts. */
  hostAddresses: 512,
  /** Hosts that one node remembers, and that one answer names on a port. */
  hosts: 256,
  /** Services that one call serviceProbes at. */
  serviceProbes: 64,
  /** Wait for an answer to one serviceProbe. */
  serviceProbeMs: 600,
  /** Questions, and echoes beside them, by which a name server is timed. */
  timedQuestions: 3,
  /** Wait for an answer of a name server that is timed. */
  timedAnswerMs: 2_500,
  /** Networks of one call for which DHCP servers are asked. */
  dhcpAsks: 64,
  /** Servers of one network that are asked. */
  dhcpServers: 2,
  /** Offers for one network that are kept. */
  dhcpOffers: 4,
  /** Times that one server is asked for one network. */
  dhcpTurns: 6,
  /** Ports that the questions of one network come from: a link may lose all packets of one flow. */
  dhcpFlows: 3,
  /** Wait for an offer at the first look. */
  dhcpMs: 900,
  /** Wait for an offer at the second, from a server that first makes sure that the address is free. */
  dhcpPatientMs: 4_200,
  /** Longest wait for one node's answer about it. */
  dhcpCallMs: 6_000,
  /** Questions and answers of hosts that one node remembers. */
  heard: 256,
  /** Packets about DHCP that one port hands over at once. */
  dhcpSigns: 64,
  /** What servers on its ports offered, network by network, that one node remembers. */
  passedOffers: 32,
  /** Times in which a server refused, and times at which servers were asked in doubt, that one node remembers. */
  dhcpDoubts: 8,
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
  /** Addresses, of what a node puts into SRv6 and of the SIDs that it sends to, that it looks for a way to. */
  steeredWays: 64,
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
  /** Samples of them. */
  trafficSamples: 150,
  /** Length of one round of the standing probes over links. */
  watchRoundMs: 2_000,
  /** Probes of one round over one link. */
  watchRoundProbes: 40,
  /** Links that one node probes all the time. */
  watchLinks: 64,
  /** Age at which a round of standing probes is forgotten. */
  watchKeepMs: 300_000,
  /** Rounds of one link that are remembered. */
  watchRounds: 150,
  /** Pause between two whole states of a node's own past. */
  pastSampleMs: 2_000,
  /** Time that a node may spend on whole states that it reads before their time, because routes set by hand changed; it fills by a twentieth of the time that passes. */
  earlyLookMs: 1_000,
  /** Age at which a state of a node's own past is forgotten. */
  pastMs: 900_000,
  /** States of a node's own past. */
  pastStates: 8,
  /** Time after a start in which a state that has not been the same twice is no past. */
  pastSettleMs: 30_000,
  /** Moments of the past that one question looks at. */
  pastMoments: 16,
  /** Bytes of a file that says what is expected of a network. */
  baselineBytes: 8_388_608,
  /** Entries of one page of what is expected of a network. */
  baselinePage: 1_000,
  /** Entries of what is expected of a network. */
  baselineEntries: 20_000,
  /** Age at which the last packet that a filter rule dropped is forgotten: a BGP speaker tries a closed session every 120 s. */
  filterDropMs: 180_000,
  /** Addresses and prefixes whose parsed form is kept. */
  parsedPrefixes: 8_192,
  /** Dropping rules whose counters a node remembers. */
  filterMemories: 512,
  /** Shells of one process that wait to start programs. */
  waitingShells: 4,
  /** Characters of the arguments, and of the input, of a program that a shell starts: it reads them byte by byte. */
  shellInputChars: 4_096,
  /** Pause between two looks that a node takes by itself at the hosts on its ports. */
  hostLookMs: 4_000,
  /** Hosts of one such look; the next one goes on with the others. */
  lookedHosts: 64,
  /** Services and names that are tried at one such look. */
  lookedServices: 16,
  /** Looks at hosts that were not as usual. */
  hostLooks: 8,
  /** Looks after which a doubt that stays the same, or a host that stays away, is looked at only every so many looks. */
  hostPatience: 8,
  /** Asks for somebody off the link that a node remembers, and that one port hands over at once. */
  heardAsks: 64,
  /** Names that a node remembers of servers on its ports, and that one port hands over at once. */
  heardNames: 32,
  /** Askers of one such name whom its server gave an address. */
  heardAskers: 16,
  /** Events of a node's own history. */
  historyEvents: 256,
} as const;
