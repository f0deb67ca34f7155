// Bounds that several folders of router share. Listed in docs/limits.md.

export const ROUTER_LIMITS = {
  /** Destinations of one call whose route zebra is asked for. */
  ribRoutes: 256,
  /** Of these, destinations of which bgpd is asked where their prefix comes from. */
  bgpOrigins: 32,
  /** BGP neighbours of one call of which bgpd is asked by itself. */
  bgpNeighbours: 64,
  /** Connections to the privileged helper at once; each carries one operation. */
  helperConnections: 192,
  /** Size of one request to the privileged helper. */
  helperRequestBytes: 16_384,
  /** Time in which a request to the privileged helper must arrive; an agent on a busy router may be seconds late. */
  helperRequestMs: 10_000,
  /** Longest read of the privileged helper: the answer of one daemon or program. */
  helperReadMs: 5_000,
  /** Longest further wait for a reflector that has answered before and is slow. */
  reflectorBusyMs: 2_000,
  /** Longest run of an FRR program that reads or checks a configuration. */
  configProgramMs: 30_000,
  /** Longest wait for another change of the configuration to end. */
  configLockMs: 60_000,
  /** Time after which an idle holder loses the candidate. */
  candidateIdleMs: 900_000,
  /** Peers whose socket address is kept: more than one node hears at a time; beyond it all are forgotten, and made anew as they come. */
  keptDestinations: 1_024,
  /** Length of one round of continuous link probes. */
  monitorRoundMs: 2_000,
  /** Time after which a process gives freed memory back to the kernel again. */
  unusedMemoryMs: 20_000,
  /** Size from which a block of memory is taken from the kernel by itself, and given back whole when it is freed; what may lie free at the end of others. */
  ownBlockBytes: 131_072,
} as const;
