// Bounds of agent: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const AGENT_LIMITS = {
  /** Time from intent after which nobody is asked anything more; the rest is for judging, wording and sealing. */
  askingMs: 13_500,
  /** The end of it, kept for the last readings, which all that was measured is held against: further looks end before. */
  closingMs: 3_200,
  /** The end of an investigation, kept for sealing: its wording is there by then. */
  sealingMs: 500,
  /** Age of the time on disk, below which this node's clock is not believed after a start. */
  clockFloorMs: 3_600_000,
  /** Refused requests a minute that one party has recorded one by one; the rest are counted. */
  refusalRecords: 20,
  /** Remarks about peers in one report; the rest are counted. */
  reportPeerNotes: 1_000,
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
  /** Longest time that the calls of one phase may take, probing and further looks apart. */
  phaseMs: 5_000,
  /** Longest wait for one peer's answer to who else there is. */
  peerExchangeMs: 3_000,
  /** Template files of one folder. */
  promptFiles: 256,
  /** Longest wait for a neighbour's word about a change. */
  healthAskMs: 2_000,
  /** Nodes that one question without a path looks at. */
  scopeNodes: 128,
  /** Nodes that a question about one node asks whether they steer traffic to it. */
  srv6Heads: 32,
  /** Hops that a question about reaching somebody is followed. */
  followHops: 24,
  /** Longest time for peers to tell of peers, before a question to everybody starts or on the way of one. */
  peersOfPeersMs: 1_500,
  /** Delay after the first call of a phase within which a call may start and still have its whole time. */
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
  /** Time that must be left for a longer look, with the readings before and after its probes, or it does not begin. */
  longLookMs: 6_000,
  /** Entries of one page of what is expected of a network. */
  baselinePage: 1_000,
} as const;
