// Bounds that several folders of src share, and those of base itself. A bound that one folder uses is in its own limits.ts.

export const LIMITS = {
  /** Largest frame on ALPN `mcp`, without its length prefix. */
  frameBytes: 1_048_576,
  /** Largest JSON body over HTTP. */
  bodyBytes: 1_048_576,
  /** Time a peer has from TLS to `initialize`. */
  initializeMs: 10_000,
  /** Sessions that one listener keeps at once. */
  sessions: 512,
  /** Time in which an HTTP request's headers, and then its body, must arrive. */
  httpRequestMs: 10_000,
  /** Time from our end of a session to the destruction of its socket. */
  closeMs: 1_000,
  /** Concurrent calls of one fan-out. */
  fanoutConcurrency: 112,
  /** Longest time for one remote call. */
  callMs: 10_000,
  /** Time from intent to sealed report, given a processor to judge with. */
  investigationMs: 15_000,
  /** Entries of the peer table. */
  peers: 1_024,
  /** Information octets of our LLDP TLV. */
  lldpInfoBytes: 200,
  /** Probes of one `ietf-srv6-ping`. */
  probeCount: 10_000,
  /** Probes a second of one `ietf-srv6-ping`. */
  probesPerSecond: 5_000,
  /** Segments of one probe's SID list. */
  probeSegments: 16,
  /** Packets of one packet capture. */
  capturePackets: 200,
  /** Longest packet capture. */
  captureMs: 10_000,
  /** Probe runs of the read helper at once. */
  helperProbes: 8,
  /** Longest probe run that a request may ask for: its probes and the wait for their reflections. */
  probeRunMs: 60_000,
  /** Bytes of one probe's payload. */
  probePayloadBytes: 8_192,
  /** Bytes of the payloads of one train, whose probes go back to back: as much as a host sends at once without being asked. */
  probeTrainBytes: 65_536,
  /** Text of one intent. */
  intentChars: 2_000,
  /** Nodes that one intent's path may name. */
  intentPathNodes: 17,
  /** Longest wait for a client's model, and for the person who must agree to each question to it. */
  samplingMs: 20_000,
  /** Characters of the reason with which a client declines. */
  declineChars: 200,
  /** Reports kept on a node. */
  reportCount: 10_000,
  /** Largest certificate, DER. */
  certificateBytes: 16_384,
  /** Head start of one address before the next is tried as well (RFC 8305 §5). */
  dialStaggerMs: 250,
  /** Certificates of one chain, leaf and intermediates. */
  chainCertificates: 4,
  /** Addresses of one hint. */
  hintAddresses: 8,
  /** Time after which our LLDP TLV is written and the neighbours are read again, changed or not. */
  lldpRefreshMs: 30_000,
  /** Reports in one answer of the list tool. */
  reportPage: 200,
  /** Bytes of one report file. */
  reportBytes: 67_108_864,
  /** Longest time for a session with a peer to be dialled. */
  dialMs: 5_000,
  /** Interfaces of one node that are looked at. */
  nodeInterfaces: 4_096,
  /** Match conditions of one packet filter rule, and values of one condition, that an answer passes on. */
  filterMatches: 64,
  /** Bytes of one routing configuration. */
  configBytes: 524_288,
  /** Characters of one line of a routing configuration. */
  configLineChars: 512,
  /** Lines of one edit of the candidate. */
  configEditLines: 256,
  /** Lines of the node's log in one answer. */
  logLines: 10_000,
  /** Echo requests of one ping. */
  echoCount: 100,
  /** Bytes of one echo request's payload. */
  echoPayloadBytes: 9_000,
  /** Window of the CPU use that is shown. */
  loadWindowMs: 30_000,
  /** Files that wait to be fetched at once. */
  spoolFiles: 4,
  /** Bytes of one file that waits to be fetched. */
  spoolFileBytes: 16_777_216,
  /** Bytes of one piece of such a file. */
  spoolPieceBytes: 65_536,
  /** Time after which a file that nobody fetched is removed. */
  spoolMs: 600_000,
  /** Time in which a consent must be given and used. */
  consentMs: 900_000,
  /** How far the clock of whoever decides may be from the node's. */
  consentSkewMs: 60_000,
  /** Longest run of FRR's reload program. */
  configApplyMs: 120_000,
  /** Shortest time until an unconfirmed change is undone. */
  confirmLeastMs: 2_000,
  /** Longest time until an unconfirmed change is undone. */
  confirmMostMs: 86_400_000,
  /** Time until an unconfirmed change is undone where nothing is said (RFC 6241 §8.4). */
  confirmMs: 600_000,
  /** Settings outside FRR's configuration in one change. */
  liveSettings: 16,
  /** Kinds of messages, each with what it is about, that a node tells of its log. */
  logSigns: 32,
  /** Links that one question without a path probes. */
  scopeLinks: 512,
  /** Source ports that one `ietf-srv6-ping` uses in turn. */
  probeFlows: 64,
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
  /** DNS queries that time a name server; as many echo requests run beside them. */
  timedQuestions: 3,
  /** Networks of one call for which DHCP servers are asked. */
  dhcpAsks: 64,
  /** Servers of one network that are asked. */
  dhcpServers: 2,
  /** Offers for one network that are kept. */
  dhcpOffers: 4,
  /** Longest wait for one node's answer about it. */
  dhcpCallMs: 6_000,
  /** Questions and answers of hosts that one node remembers. */
  heard: 256,
  /** What servers on its ports offered, network by network, that one node remembers. */
  passedOffers: 32,
  /** Times in which a server refused, and times at which servers were asked in doubt, that one node remembers. */
  dhcpDoubts: 8,
  /** Addresses, of what a node puts into SRv6 and of the SIDs that it sends to, that it looks for a way to. */
  steeredWays: 64,
  /** Samples of one traffic measurement. */
  trafficSamples: 150,
  /** Links that one node probes all the time. */
  watchLinks: 64,
  /** Rounds of one link that are remembered. */
  watchRounds: 150,
  /** States of a node's own past. */
  pastStates: 8,
  /** Bytes of a file that says what is expected of a network. */
  baselineBytes: 8_388_608,
  /** Entries of what is expected of a network. */
  baselineEntries: 20_000,
  /** Addresses and prefixes whose parsed form is kept. */
  parsedPrefixes: 8_192,
  /** Dropping rules whose counters a node remembers. */
  filterMemories: 512,
  /** Shells of one process that wait to start programs. */
  waitingShells: 4,
  /** Characters of the arguments, and of the input, of a program that a shell starts: it reads them byte by byte. */
  shellInputChars: 4_096,
  /** Looks at hosts that were not as usual. */
  hostLooks: 8,
  /** Asks for somebody off the link that a node remembers, and that one port hands over at once. */
  heardAsks: 64,
  /** Names that a node remembers of servers on its ports, and that one port hands over at once. */
  heardNames: 32,
} as const;
