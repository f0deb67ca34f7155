// Bounds of model: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const MODEL_LIMITS = {
  /** Longest wait for reflections after the last probe. */
  probeLingerMs: 2_000,
  /** Addresses of one interface that are looked at. */
  interfaceAddresses: 64,
  /** Interfaces of one node in one subnet, or with one MAC, that are looked at as ends of a link. */
  subnetInterfaces: 16,
  /** LLDP neighbours, and adjacencies, of one interface that are looked at when links are made out. */
  portNeighbours: 64,
  /** Shortest pause between two echo requests. */
  echoIntervalMs: 10,
  /** Characters of one line of a log that evidence carries. */
  logSignChars: 400,
  /** Older lines tell of another matter. */
  logSignMs: 120_000,
  /** A log has whole seconds, and its clock may have been set meanwhile. */
  logSignSlackMs: 2_000,
} as const;
