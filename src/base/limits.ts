// Bounds that several folders of src share, and those of base itself. A bound that one folder uses is in its own limits.ts.

export const LIMITS = {
  /** Largest frame on ALPN `mcp`, without its length prefix. Larger evidence is fetched in pages. */
  frameBytes: 1_048_576,
  /** Largest JSON body over HTTP; equal to `frameBytes`, so that both transports carry the same messages. */
  bodyBytes: 1_048_576,
  /** Time from the end of the TLS handshake to the peer's `initialize`; then the connection is closed. */
  initializeMs: 10_000,
  /** Sessions that one listener keeps open at once. */
  sessions: 512,
  /** Time in which the headers of an HTTP request must arrive, and then its body. */
  httpRequestMs: 10_000,
  /** Time for a session to close in order before its socket is destroyed. */
  closeMs: 1_000,
  /** Calls that one fan-out has open at once. */
  fanoutConcurrency: 112,
  /** Longest time for one remote call, unless its tool has a bound of its own. */
  callMs: 10_000,
  /** Time from the intent to the sealed report. */
  investigationMs: 15_000,
  /** Entries of the peer table. */
  peers: 1_024,
  /** Octets of the information string of our LLDP TLV. */
  lldpInfoBytes: 200,
  /** Probes of one `ietf-srv6-ping`. */
  probeCount: 10_000,
  /** Rate of one `ietf-srv6-ping`, in probes per second. */
  probesPerSecond: 5_000,
  /** Segments of one probe's SID list. */
  probeSegments: 16,
  /** Packets of one packet capture. */
  capturePackets: 200,
  /** Longest packet capture. */
  captureMs: 10_000,
  /** Calls of one question, of all kinds that send packets, that one node has open at once. */
  helperProbes: 16,
  /** Longest probe run that a request may ask for: sending its probes and waiting for their reflections. */
  probeRunMs: 60_000,
  /** Payload of one probe. */
  probePayloadBytes: 8_192,
  /** Payloads of all probes of one packet train: as much as a host usually sends in one burst. */
  probeTrainBytes: 65_536,
  /** Characters of one intent. */
  intentChars: 2_000,
  /** Nodes of the path that one intent may name. */
  intentPathNodes: 17,
  /** Longest wait for a client's language model, including the time in which its user approves the request. */
  samplingMs: 20_000,
  /** Characters of the reason that a client gives for declining. */
  declineChars: 200,
  /** Reports that a node keeps; the oldest is removed first. */
  reportCount: 10_000,
  /** Largest certificate, in DER. */
  certificateBytes: 16_384,
  /** Time after which the next address of a peer is tried as well (RFC 8305 §5 recommends 250 ms). */
  dialStaggerMs: 250,
  /** Certificates of one chain: the leaf and its intermediates. */
  chainCertificates: 4,
  /** Addresses of one discovery hint. */
  hintAddresses: 8,
  /** Interval at which our LLDP TLV is written and the neighbours are read again, changed or not: LLDP's own transmission interval. */
  lldpRefreshMs: 30_000,
  /** Reports in one answer of the list tool. */
  reportPage: 200,
  /** Size of one report file. */
  reportBytes: 67_108_864,
  /** Longest time to open a session with a peer. */
  dialMs: 5_000,
  /** Interfaces of one node that are evaluated. */
  nodeInterfaces: 4_096,
  /** Match conditions of one packet filter rule in an answer, and values of one condition. */
  filterMatches: 64,
  /** Size of one routing configuration. */
  configBytes: 524_288,
  /** Characters of one line of a routing configuration. */
  configLineChars: 512,
  /** Lines of one edit of the candidate. */
  configEditLines: 256,
  /** Lines of the node's log in one answer. */
  logLines: 10_000,
  /** Echo requests of one ping. */
  echoCount: 100,
  /** Payload of one echo request: a jumbo frame's. */
  echoPayloadBytes: 9_000,
  /** Interval over which CPU use is averaged. */
  loadWindowMs: 30_000,
  /** Files that wait at once for a client to fetch them. */
  spoolFiles: 4,
  /** Size of one file that waits to be fetched. */
  spoolFileBytes: 16_777_216,
  /** Size of one piece in which such a file is fetched. */
  spoolPieceBytes: 65_536,
  /** Time after which a file that was not fetched is removed. */
  spoolMs: 600_000,
  /** Time in which a consent must be given and used. */
  consentMs: 900_000,
  /** Largest difference between the clock of the admin who decides and that of the node. */
  consentSkewMs: 60_000,
  /** Longest run of FRR's reload program. */
  configApplyMs: 120_000,
  /** Shortest time that a commit may ask for before it is undone unless confirmed. */
  confirmLeastMs: 2_000,
  /** Longest time that a commit may ask for before it is undone unless confirmed: one day. */
  confirmMostMs: 86_400_000,
  /** Time until an unconfirmed commit is undone when the request names none (RFC 6241 §8.4: 600 s). */
  confirmMs: 600_000,
  /** Live settings, outside FRR's configuration, in one change. */
  liveSettings: 16,
  /** Different log messages, by kind and subject, that a node reports. */
  logSigns: 32,
  /** Links that one question without a path probes. */
  scopeLinks: 512,
  /** Source ports that one `ietf-srv6-ping` uses in turn, so that its probes take all paths of an ECMP group. */
  probeFlows: 64,
  /** Destinations of one call for route lookups. */
  lookups: 256,
  /** Destinations of one call for reachability probes. */
  reachDestinations: 256,
  /** Reachability probes to one destination. */
  reachProbes: 100,
  /** Ports of one host scan. */
  hostPorts: 64,
  /** Addresses on one port of one host scan. */
  hostAddresses: 512,
  /** Hosts that a node remembers, and hosts on one port that an answer names. */
  hosts: 256,
  /** Service probes of one call. */
  serviceProbes: 64,
  /** Wait for the first octets of a page, from when the connection was opened. */
  pageMs: 2_500,
  /** DNS queries that measure the delay of a name server; as many echo requests run beside them. */
  timedQueries: 3,
  /** Pairs of network and DHCP server that one call queries. */
  dhcpAsks: 64,
  /** DHCP servers that are probed for one network. */
  dhcpServers: 2,
  /** DHCP offers kept for one network. */
  dhcpOffers: 4,
  /** Longest wait for one node's answer to a call that probes DHCP servers. */
  dhcpCallMs: 6_000,
  /** DNS queries, DHCP requests and DHCP replies, by sender and receiver, that a node remembers. */
  observedRequests: 256,
  /** DHCP offers, by network and server, that a node observed on its ports and remembers. */
  observedOffers: 32,
  /** DHCP refusals that a node remembers, and its own DHCP checks that followed unanswered requests. */
  dhcpFailures: 8,
  /** Destinations, steered into SRv6 or SIDs in use, whose route a node tracks. */
  srv6Destinations: 64,
  /** Samples of one traffic measurement. */
  trafficSamples: 150,
  /** Links that a node probes continuously. */
  monitoredLinks: 64,
  /** Rounds of continuous probes that a node remembers for one link: five minutes of two seconds each. */
  monitorRounds: 150,
  /** Earlier states that a node keeps in its history. */
  pastStates: 8,
  /** Size of a baseline file. */
  baselineBytes: 8_388_608,
  /** Entries of one baseline. */
  baselineEntries: 20_000,
  /** Size of a node's expectations file, as its operators wrote it. */
  expectationsChars: 65_536,
  /** Lines of one expectations file. */
  expectationLines: 256,
  /** Characters of one value in an expectations file. */
  expectationChars: 200,
  /** Nodes, and links, of one maintenance window. */
  expectationPlaces: 64,
  /** Memory that small Buffers share, in a process that runs for weeks: one of a few octets keeps all of it from being freed. */
  bufferPoolBytes: 8_192,
  /** Addresses and prefixes whose parsed form is cached. */
  parsedPrefixes: 8_192,
  /** Packet filter rules with drops whose counters a node remembers. */
  filterRules: 512,
  /** Shells that one process keeps ready: starting a program through one is faster than a fork of the process. */
  waitingShells: 4,
  /** How long a program waits for one of them, in milliseconds, before it costs a fork: what shells run mostly ends in less. */
  shellWaitMs: 200,
  /** Characters of the arguments, and of the input, of a program that a shell starts; a shell reads them one by one. */
  shellInputChars: 4_096,
  /** Host scans with deviations that a node remembers. */
  hostScans: 8,
  /** ARP requests for addresses outside the link's networks that a node remembers, and that one port reports at a time. */
  arpRequests: 64,
  /** DNS records of servers on its ports that a node remembers, and that one port reports at a time. */
  dnsRecords: 32,
  /** IPv4 addresses that are read of one DNS answer. */
  dnsAddresses: 8,
  /** Services on its ports of which a node remembers, and tells, what it was answered itself. */
  answeredServices: 16,
  /** Hosts and services, in pairs, of which a node tells that the host asks in vain for what it was given before. */
  unansweredRequests: 16,
  /** Different answers to the question for one name that a node remembers. */
  givenAnswers: 4,
  /** A reserve on disk is made only where so many times its size is free. */
  reserveHeadroom: 4,
  /** Largest difference between the time in a receipt and the clock of the node that gets it. */
  receiptSkewMs: 300_000,
  /** Least time between two lines of the log about one thing that stays broken, where it now fails for another reason. */
  outageLineMs: 600_000,
} as const;
