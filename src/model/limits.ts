// Bounds of model. Listed in docs/limits.md.

export const MODEL_LIMITS = {
  /** Longest wait for reflections after the last probe. */
  probeLingerMs: 2_000,
  /** Lengths that the probes of one run have in turn. */
  probeLengths: 64,
  /** Packets per second that a run to many addresses, or a host scan, is counted with: it sends four a millisecond. */
  burstPacketsPerSecond: 4_000,
  /** DHCPDISCOVER messages, and echo requests beside them, sent to one DHCP server for one network. */
  dhcpAttempts: 6,
  /** Addresses of one interface that are evaluated. */
  interfaceAddresses: 64,
  /** Interfaces of one node in one subnet, or with one MAC address, that are considered as link ends. */
  subnetInterfaces: 16,
  /** LLDP neighbours, and adjacencies, of one interface that are considered as link ends. */
  portNeighbours: 64,
  /** Interfaces that a port can be below: a bond, a bridge over it. */
  masterLevels: 3,
  /** Shortest interval between two echo requests. */
  echoIntervalMs: 10,
  /** Characters of one log line that evidence carries; longer lines are skipped. */
  logSignChars: 400,
  /** Age up to which a log line counts as evidence for the present question. */
  logSignMs: 120_000,
  /** Age up to which a log line counts that says that an operator reset a session or an adjacency. */
  resetSignMs: 600_000,
  /** How far a log line's time may be in the future: log times have whole seconds, and the clock may have been set. */
  logSignSlackMs: 2_000,
  /** Characters of one value of a setting. */
  settingChars: 256,
  /** Characters of one demand of a rule in the words of its node's packet filter; a longer one counts as one that is not told. */
  unreadChars: 256,
  /** Characters of all named routing policies of one state that are read. */
  policyChars: 65_536,
  /** Rules of a packet filter that one setting has as data, in the order of their chain; of more, what they did is not known later. */
  rememberedRules: 32,
  /** Values that all demands of these rules have. */
  rememberedRuleValues: 128,
  /** Such rules of all settings of a node, and of all changes that it tells. */
  nodeRules: 1_024,
  /** Values that all demands of these have. */
  nodeRuleValues: 4_096,
  /** Chains from a hook to a rule that is remembered: the kernel's own limit of jumps. */
  rememberedPath: 17,
  /** Changes of settings that a node remembers for answers. */
  settingChanges: 256,
  /** Changes of settings of one kind among them: filters that change all the time displace nothing else. */
  settingChangesOfKind: 64,
  /** Age of the oldest thing that a node is asked what it remembers of: 400 days. */
  rememberedMs: 34_560_000_000,
  /** Rows of each kind that a node tells of what it remembers. */
  rememberedRows: 400,
  /** Commits of its configuration that a node gives with its history. */
  toldCommits: 32,
  /** Parts of its history that a node may say are not whole. */
  historyParts: 8,
  /** Pauses between readings of its whole state that a node tells: each longer than all after it, in whole seconds, of a quarter of an hour. */
  readingPauses: 64,
  /** Settings that cannot be read at present and are kept as they were read last. */
  heldSettings: 1_024,
} as const;
