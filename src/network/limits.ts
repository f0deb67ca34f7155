// Bounds of network. Listed in docs/limits.md.

export const NETWORK_LIMITS = {
  /** Hops of one traceroute. */
  traceHops: 32,
  /** Routes of one page of a routing table, unless the caller asks for more. */
  routePage: 1_000,
  /** Routes of one page that a caller may ask for: as many as always fit into a frame. */
  routePageMost: 2_000,
  /** Callers whose cleared counters are remembered. */
  counterOffsets: 256,
  /** Time after which cleared counters show their real values again. */
  counterOffsetMs: 3_600_000,
  /** Interfaces of one page of the interface list. */
  interfacePage: 100,
  /** Interval at which counters with subscribers are read. */
  counterPollMs: 10_000,
  /** Prompt contexts that a node remembers; the least recently used is removed first. */
  promptContexts: 256,
  /** Time after which a prompt's context is forgotten. */
  promptContextMs: 600_000,
  /** Characters of one tool result that a prompt's template reads. */
  promptResultChars: 262_144,
  /** Size of one template file. */
  promptFileBytes: 65_536,
  /** Characters of the output of one show command, and of one section of tech-support. */
  cliTextChars: 262_144,
  /** Connection requests, or echoes, that another node has sent to one address that is on no link of this node: as many as a service is tried with. */
  farProbes: 3,
  /** Longest wait of a call for an admin, where its client was asked: clients of MCP give a call up after a minute. */
  consentWaitMs: 50_000,
  /** Longest time for the health gate after a change; then the change is undone. */
  healthGateMs: 120_000,
  /** Longest wait for the caller's answer to a ping over its session, before a change confirms itself. */
  callerProbeMs: 5_000,
} as const;
