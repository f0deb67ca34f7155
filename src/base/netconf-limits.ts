// Bounds of NETCONF devices, their XML and their YANG modules: part of LIMITS, and listed with it in docs/limits.md.

export const NETCONF_LIMITS = {
  /** Bytes of one NETCONF message. */
  netconfBytes: 8_388_608,
  /** Time that a NETCONF device has for its hello. */
  netconfHelloMs: 10_000,
  /** After which a first request that may lie unread behind the hello is pushed by a second. */
  netconfPushMs: 500,
  /** Longest wait for one reply of a NETCONF device. */
  netconfReplyMs: 30_000,
  /** Settled changes of a device with a candidate of its own that can be brought back. */
  deviceCommitHistory: 16,
  /** Time between two looks whether such a device has undone a change. */
  undoneCheckMs: 1_000,
  /** After this time past its deadline such a device would have undone a change that nobody confirmed. */
  undoneLateMs: 5_000,
  /** Notifications of a NETCONF device that are kept. */
  netconfEvents: 1_000,
  /** Characters of one of them as a line. */
  netconfEventChars: 1_024,
  /** Silence on a connection to a NETCONF device before it is asked whether it is still there. */
  netconfKeepaliveMs: 10_000,
  /** Unanswered questions after which the device counts as gone. */
  netconfKeepalives: 3,
  /** First pause after a NETCONF device could not be reached; it doubles. */
  netconfRedialMs: 1_000,
  /** Longest such pause. */
  netconfRedialMostMs: 60_000,
  /** YANG modules that are asked of one device. */
  yangModules: 512,
  /** Characters of one YANG module. */
  yangModuleChars: 4_194_304,
  /** Statements of one YANG module. */
  yangStatements: 200_000,
  /** Nesting of statements in a YANG module, and of groupings in groupings. */
  yangDepth: 64,
  /** Nodes of the schema of one device, groupings written out. */
  yangNodes: 500_000,
  /** Elements of one XML text from a device. */
  xmlElements: 200_000,
  /** Deepest nesting of an XML text from a device. */
  xmlDepth: 64,
} as const;
