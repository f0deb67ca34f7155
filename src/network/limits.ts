// Bounds of network: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const NETWORK_LIMITS = {
  /** Hops that a traceroute looks at. */
  traceHops: 32,
  /** Routes of one page of a routing table. */
  routePage: 1_000,
  /** The same for a caller who asks for more: as many as fit into a frame in every case. */
  routePageMost: 2_000,
  /** Callers whose cleared counters are remembered. */
  counterOffsets: 256,
  /** Time after which cleared counters are shown as they are again. */
  counterOffsetMs: 3_600_000,
  /** Interfaces of one page of the interface list. */
  interfacePage: 100,
  /** Pause between two looks at counters that somebody subscribed to. */
  counterWatchMs: 10_000,
  /** Prompt contexts that one node remembers; the longest unused goes first. */
  promptContexts: 256,
  /** Time after which a prompt's context is forgotten. */
  promptContextMs: 600_000,
  /** Characters of one tool result that a prompt's template looks at. */
  promptResultChars: 262_144,
  /** Bytes of one template file. */
  promptFileBytes: 65_536,
  /** Characters of the output of one show command, and of one section of tech-support. */
  cliTextChars: 262_144,
  /** Longest wait until a change is known to have cut nothing off. */
  healthGateMs: 120_000,
  /** Longest wait for the caller's own word, before its change confirms itself. */
  callerProbeMs: 5_000,
} as const;
