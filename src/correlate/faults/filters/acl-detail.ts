// What acl_misconfig says of a rule, wherever it was found, and how the rule is called.

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
  /** Of a network of hosts that it cuts off: `of 198.19.3.0/24` where it drops what they send, `for` it where what is sent to them. */
  readonly hosts?: string;
};

/** `acl-2001` → `ACL 2001`; any other name keeps its spelling. */
export function aclLabel(acl: string): string {
  const rest = /^acl[-_ ]?(.+)$/i.exec(acl)?.[1];
  return `ACL ${rest ?? acl}`;
}
