// Bounds of measure. Listed in docs/limits.md.

export const MEASURE_LIMITS = {
  /** Nodes whose log is read for a routing symptom. */
  logReads: 4,
  /** Longest wait for one node's state when the whole network is asked. */
  sweepCallMs: 3_000,
  /** Longest wait for a node's measurements, beyond their own duration, when the whole network is asked: a busy node starts late. */
  measureCallMs: 4_500,
  /** Links with unexplained loss that get an extended measurement. */
  extendedLinks: 4,
  /** Links with suspected corruption that get an extended measurement with IPv4 probes. */
  extendedDamagedLinks: 16,
  /** Prefixes that nodes no longer bring into BGP, to which others' routes are looked up. */
  withdrawnPrefixes: 32,
  /** Addresses that rules of nodes write as the source of packets, to which others' routes are looked up. */
  translatedSources: 16,
  /** Nodes through which probes are sent from neighbour to neighbour where some were lost from end to end. */
  bisectedNodes: 4,
  /** Probes of one end in an extended measurement of a link. */
  extendedProbes: 3_000,
  /** Age up to which nodes keep the rounds of their probes: of what was before, their memory of days is asked. */
  minutesMemoryMs: 300_000,
  /** Name servers, web servers and rewritten destinations, of each so many, that one router tries on behalf of the hosts on one port. */
  usedServers: 2,
  /** Ports of one router from which it tries them. */
  usedPorts: 4,
  /** Links of a path, each with small and with large echoes, that are looked at again where full-size probes along it were lost. */
  pathClasses: 16,
  /** Links that lost probes of some lengths and are looked at again. */
  lengthLinks: 6,
  /** Routers that ask web servers of other networks for a page. */
  pageAskers: 4,
} as const;
