// What acl_misconfig says of a rule, wherever it was found.

export type AclDetail = {
  readonly node: string;
  /** The rule's name, and its hook or the direction in which the probes met it. */
  readonly acl: string;
  readonly direction: string;
  /** The interface where probes along a path met it. */
  readonly interface?: string;
  readonly hook?: string;
  readonly droppedPackets?: number;
  readonly probesLost?: number;
  readonly selects?: string;
};
