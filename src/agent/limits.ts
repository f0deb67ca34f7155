// Bounds of agent. Listed in docs/limits.md.

export const AGENT_LIMITS = {
  /** Time after which readings through an aggregator are recorded. */
  recordBatchMs: 1_000,
  /** Different readings through an aggregator that wait to be recorded; more are counted. */
  batchedRecords: 50_000,
  /** Between the two readings of interface counters that a question about traffic compares, milliseconds. */
  trafficReadingsMs: 2_000,
  /** Time for which a peer is remembered on disk after its last session: as long as the memory of days. */
  knownPeerMs: 604_800_000,
  /** Interval at which new peers are put on disk; when none is new, the times of all are once in sixty of these. */
  knownPeersFlushMs: 60_000,
  /** At visits, a peer is shown the head of the audit trail at most once in this time: every one to two minutes where there are twelve verified peers or fewer, every 65 s to five minutes where there are more. Heads that peers showed are put on disk at this interval. */
  auditHeadsMs: 60_000,
  /** Age up to which a signed head is shown again. */
  auditHeadAgeMs: 10_000,
  /** Time from the intent after which no call is started; the rest of `investigationMs` is for judging, wording and sealing. */
  collectMs: 13_500,
  /** Last part of `collectMs`, reserved for the final readings; measurements end before it. */
  finalReadMs: 3_200,
  /** Last part of `investigationMs`, reserved for sealing. */
  sealingMs: 500,
  /** Interval at which the time is saved on disk; after a start, a clock behind that time is not believed. */
  clockFloorMs: 3_600_000,
  /** Access tokens that a registrar node issues to one party in a minute. */
  tokensPerMinute: 60,
  /** Wait before the token for a server below is asked for again, where it could not be renewed. */
  leafTokenRetryMs: 5_000,
  /** Longest wait between two looks at whether the certificate is to be renewed. */
  renewalCheckMs: 60_000,
  /** Shortest wait between two looks. */
  renewalPauseMs: 50,
  /** Interval at which the identity folder is looked at for a certificate that was put there. */
  identityLookMs: 2_000,
  /** Looks at files that do not fit each other after which the log says so. */
  identityLooks: 5,
  /** Of the looks after that, one in so many reads the files again: a clock, or a right on the folder, shows in no file. */
  identitySlowLooks: 30,
  /** Interval at which the file of the trust list is looked at, and peers whose session is new are told its number. */
  trustListCheckMs: 1_000,
  /** Time in which a trust list that one party brought again and is refused is recorded once. */
  trustListSayMs: 60_000,
  /** Longest wait for a peer's answer about the trust list. */
  trustListCallMs: 5_000,
  /** Interval at which reports that are too old are removed. */
  reportSweepMs: 21_600_000,
  /** Refused requests of one party that the audit trail records singly in a minute; the rest are counted. */
  refusalRecords: 20,
  /** Remarks about peers in one report; the rest are counted. */
  reportPeerNotes: 1_000,
  /** Interval between two passes over the peer table. */
  peerVisitMs: 1_000,
  /** Peers that are visited at once to learn their peers and to carry orders. */
  peerVisits: 8,
  /** Of these, peers that did not answer the last visit or were not visited before; the other places are for peers that answered. */
  peerDoubtfulVisits: 6,
  /** Age at which a verified peer is asked for its peers again, where there are six or fewer. One that did not answer the last visit is always visited again after this time. */
  peerRefreshMs: 30_000,
  /** That age is 5 s for each verified peer that is visited, where that is more than 30 s: in a network of 20 each is asked again after 95 s. */
  peerRefreshEachMs: 5_000,
  /** Longest such age; sessions stay open for twice as long without use, unless `sessions.idleMs` is set lower. */
  peerRefreshLongestMs: 300_000,
  /** Time after which a peer is visited again that no session was open with so far. */
  peerRetryMs: 10_000,
  /** Interval at which the OSPF neighbours are looked at for agents that no other discovery named. */
  ospfLookMs: 60_000,
  /** The same in the first time after a start: `ospfEarlyMs`. */
  ospfEarlyLookMs: 10_000,
  /** Time after a start in which OSPF adjacencies still form: three times the usual dead interval. */
  ospfEarlyMs: 120_000,
  /** Age up to which the last state that the driver has kept says who the OSPF neighbours are: a driver reads its node every twenty seconds at least. */
  ospfStateAgeMs: 45_000,
  /** Longest wait for the node's state when its OSPF neighbours are looked at. */
  ospfReadMs: 10_000,
  /** OSPF neighbours without a name that one look asks: those that have waited longest. */
  ospfAsks: 64,
  /** First wait before an OSPF neighbour that did not answer as an agent is asked again; it doubles each time. */
  ospfRetryMs: 60_000,
  /** Longest such wait, and the wait after an answer. */
  ospfLongestRetryMs: 1_800_000,
  /** Time after a start in which discovery may still find a node; later a node that is not in the peer table is unknown. */
  discoveryPatienceMs: 5_000,
  /** Questions that one agent works on at once. */
  investigations: 4,
  /** Longest time for the calls of one phase, except probing and extended measurements. */
  phaseMs: 5_000,
  /** Longest wait for one peer's list of its peers. */
  peerExchangeMs: 3_000,
  /** Times that peers which did not answer are asked again for a node that is still unknown. */
  peerExchangeRetries: 1,
  /** Template files of one folder. */
  promptFiles: 256,
  /** Longest wait for the route to an address that a peer told of. */
  toldRouteMs: 1_000,
  /** Longest wait for a neighbour's answer in the health gate of a change. */
  neighbourCheckMs: 2_000,
  /** Nodes of one question without a path. */
  scopeNodes: 128,
  /** Nodes that a question about one node asks whether they steer traffic to it into SRv6. */
  srv6Heads: 32,
  /** Hops of the path that a question about reaching a host or node follows. */
  followHops: 24,
  /** Routers of the asked address from which the way back to a host that asks is followed. */
  farRouters: 2,
  /** Longest time in which peers may report further peers, before a question about the whole network or during one about a path. */
  peersOfPeersMs: 1_500,
  /** Delay within a phase up to which a call may start and still have its full time. */
  lateStartMs: 1_500,
  /** Longest wait for a session with a neighbour that relays a question. */
  relayDialMs: 1_000,
  /** Longest time for a relayed call; shorter than the caller's own time for it. */
  relayMs: 2_000,
  /** Age up to which one reading of a node's neighbours serves what is relayed to them. */
  neighbourStateMs: 3_000,
  /** Time in which the states of the nodes that a probe names must be read, before it is sent. */
  namedWayMs: 4_000,
  /** Longest wait for a connection over a link to a neighbour: a neighbour that is there answers within milliseconds. */
  relayConnectMs: 600,
  /** Connections that a node passes on at once, from all nodes that call it; one of them has at most as many as are free beside its own. */
  relayChannels: 512,
  /** Of these, connections of one asker of one calling node: all that its question reaches through others (`relayedNodes`). */
  relayChannelsPerAsker: 64,
  /** Connections of one calling node to one far node on which TLS does not stand yet. */
  relayOpenings: 8,
  /** The same from all calling nodes: fewer than the far node runs handshakes at once with one address (`handshakesPerAddress`). */
  relayOpeningsToNode: 24,
  /** Connections that one calling node may ask for in a minute. */
  relayOpeningsPerMinute: 1_024,
  /** Bytes, in both directions, that a node passes on for one calling node in a minute. */
  relayBytesPerMinute: 67_108_864,
  /** Time in which a connection that was asked for must be claimed; as long for the beginning of TLS on it. */
  relayClaimMs: 3_000,
  /** Silence after which a connection that is passed on is closed. */
  relayIdleMs: 20_000,
  /** Longest time that a connection is passed on; longer than any question. */
  relayLongestMs: 60_000,
  /** Nodes between the asker and a node that it reaches through others. */
  relayHops: 8,
  /** Nodes that one question reaches through others. */
  relayedNodes: 64,
  /** Of these, nodes that it opens a session with at once. */
  relayDials: 8,
  /** Nodes through which it tries to reach one node. */
  relayTries: 2,
  /** How often it opens the session with one node again after it has ended. */
  relayRenewals: 2,
  /** Wait before a node that has no place for a connection now is asked again. */
  relayBusyMs: 250,
  /** How often it is asked again for one session. */
  relayBusyTurns: 20,
  /** Beside these, nodes that were told of it and hear no such node themselves. */
  relayRefusals: 6,
  /** Time that a node which may still answer directly has before it is tried through others as well. */
  relayHeadStartMs: 1_000,
  /** Longest time to open a session through one other node. */
  relayOpenMs: 2_500,
  /** Silence of a peer after which a hedged request goes over a second connection. */
  hedgeMs: 1_500,
  /** The same while most peers that were called at the same time are silent too: they are probably busy. */
  busyHedgeMs: 2_200,
  /** Longest wait for a session with one node when the whole network is asked. */
  sweepDialMs: 2_000,
  /** Time from when the states of a path's nodes are asked for until the next step goes on without those that have not come. */
  asideMs: 1_500,
  /** Time that must be left before an extended measurement starts: its probes and the readings before and after them. */
  extendedMs: 6_000,
  /** Entries of one page of a baseline. */
  baselinePage: 1_000,
  /** Packets of probes that one asker may have a node send in a minute: eleven times what a question about a large fabric needs. */
  askerPacketsPerMinute: 150_000,
  /** Bytes of them, headers included. */
  askerBytesPerMinute: 150_000_000,
  /** TCP ports other than 53, 80, 443 and 8080 that one asker may have a node try at once, and then in a minute: thirty questions about a port; all ports of a host take a day and a half. */
  askerPortsPerMinute: 30,
  /** Such ports that a node tries in a minute, for all askers. */
  nodePortsPerMinute: 120,
  /** Packets a second that an asker's open probe runs send, a quarter of what the privileged helper sends: three other askers find their share. */
  askerPacketsPerSecond: 5_000,
  /** Bytes a second of them, as large a part. */
  askerBytesPerSecond: 2_500_000,
  /** Probe runs of one asker that a node has open at once, as large a part: three questions' worth. A ping counts as twelve. */
  askerProbeRuns: 48,
  /** Askers' shares that one calling node gets for all whom it asks for. */
  callerShares: 3,
  /** Longest wait of a call for others' probe runs to end, where its share is taken; less than the slack that a question gives to each. */
  probeShareMs: 2_500,
  /** Interval at which it looks again. */
  probeShareTurnMs: 50,
  /** Calls of one asker that wait so. */
  probeShareWaiting: 36,
  /** Nodes that one sentence names. */
  namedNodes: 8,
  /** Callers whose probes are counted; one is forgotten once all that it used is given back. */
  probeCallers: 1_024,
  /** Time that an aggregator has for a question: less than its client waits. */
  askBelowMs: 22_000,
  /** Agents and aggregators below that an aggregator asks one question. */
  askedBelow: 16,
  /** Time for an aggregator below to say which nodes it has. */
  nodesBelowMs: 2_000,
  /** Time for one piece of a report from below. */
  reportPieceMs: 10_000,
  /** Askers of one caller whose probes are counted, forgotten in the same way. */
  probeAskers: 256,
} as const;
