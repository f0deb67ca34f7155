// The state of a node as it goes over the wire: inventory, counters, neighbours, adjacencies, packet filters, and the parts of control-plane.ts.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { count, counter64, flag, mark, neededRows, rows, someRows, text, type Wire } from '../wire/fields.ts';
import { filterMatch } from '../wire/filter-rule.ts';
import { controlPlaneParts } from './control-plane.ts';
import { expectationLines } from './expectations.ts';
import { logSign } from './log-events.ts';

/** Frames and bytes as the interface counts them (RFC 8343 statistics). */
const interfaceCounters = z.object({
  rxPackets: counter64,
  txPackets: counter64,
  rxBytes: counter64,
  txBytes: counter64,
  rxErrors: counter64,
  txErrors: counter64,
  rxDropped: counter64,
  txDropped: counter64,
});

/** The interface that a port belongs to. Where it is a bridge or a bond, addresses and protocols are there; a VRF leaves them on the port. */
const portMaster = z.object({ name: text, kind: z.enum(['bridge', 'bond', 'vrf', 'other']).catch('other') });

export const interfaceState = z.object({
  name: text,
  kind: z.enum(['loopback', 'physical', 'bridge', 'other']).catch('other'),
  adminUp: flag,
  operUp: flag,
  mtu: count.catch(0),
  mac: text.exactOptional(),
  master: portMaster.exactOptional(),
  /** `198.18.0.1/31`, `fd00::1/64`. */
  addresses: rows(text),
  /** Carrier losses and gains since start. */
  carrierChanges: count.catch(0),
  /** Segmentation or receive offload that makes both ends count different units. */
  offloads: rows(text),
  counters: interfaceCounters,
});

/** A local SRv6 SID (RFC 8986 behaviours). */
export const sid = z.object({
  sid: text,
  behavior: text,
  /** Routing table in which End.T and End.DT6 look up: `main`, `local`, `101`. */
  table: text.exactOptional(),
  /** That table has no route: every packet that is looked up in it is dropped. */
  emptyTable: mark,
  ifname: text.exactOptional(),
  packets: counter64.exactOptional(),
  bytes: counter64.exactOptional(),
  errors: counter64.exactOptional(),
});

export const inventory = z.object({
  node: text,
  driver: z.enum(['linux-frr', 'netconf', 'embedded']).catch('netconf'),
  system: z
    .object({ kernel: text.catch(''), routing: text.catch(''), hostname: text.catch('') })
    .catch({ kernel: '', routing: '', hostname: '' }),
  interfaces: neededRows(interfaceState, LIMITS.nodeInterfaces),
  /** Every interface says which master it has: one without has none. */
  mastersTold: mark,
  sids: rows(sid),
  /** Address that probes and sessions of this node use as their own (its loopback). */
  loopbacks: rows(text),
});

/** What LLDP reports of the other end of a local interface; device text, never trusted. */
export const neighbour = z.object({
  ifname: text,
  chassisId: text,
  portId: text,
  systemName: text.exactOptional(),
  /** Organizationally specific TLVs: `oui` and `hex` are lower-case hex digits without separators. */
  unknownTlvs: rows(z.object({ oui: text, subtype: count, hex: text })),
});

export const adjacency = z.object({
  protocol: z.literal('isis').catch('isis'),
  ifname: text,
  systemId: text,
  hostname: text.exactOptional(),
  level: z.literal([1, 2]).catch(2),
  state: z.enum(['up', 'initializing', 'down']),
  holdSeconds: count.exactOptional(),
});

/** A packet filter rule of nftables that can drop, with its own counter where it has one. */
export const filterRule = z.object({
  family: text.catch(''),
  table: text.catch(''),
  chain: text,
  /** Chains from the hook to this rule's chain; the first is the base chain. */
  path: rows(text),
  /** `ingress`, `prerouting`, `input`, `forward`, `output`, `postrouting`, `egress`. */
  hook: text,
  handle: count.catch(0),
  /** Digest of a rule that drops or rejects, counters aside; a handle names another rule after a reload. */
  ruleSha256: text.exactOptional(),
  verdict: z.enum(['drop', 'reject', 'accept', 'other']),
  /**
   * `return`: packets go on in the chain that called this one; `drop`: no rule, but the policy of a base chain, for what none decides; `unknown`:
   * a program of the node decides, or what is not read, as of a queue.
   */
  ends: z.enum(['return', 'drop', 'unknown']).exactOptional(),
  /** Several rules jump to its chain, from different ports or with rules between them: it may act at another place than where it stands. */
  ways: mark,
  /** One of its sets is filled by other rules, or its elements end by themselves. */
  changing: mark,
  /** Interfaces that the rule or its callers match on: `oifname`, `iifname`, or the device of a netdev hook. */
  outInterfaces: rows(text),
  inInterfaces: rows(text),
  packets: counter64.exactOptional(),
  bytes: counter64.exactOptional(),
  comment: text.exactOptional(),
  /** Name of the ACL as an operator would call it: the user chain or named counter. */
  acl: text.exactOptional(),
  /** What the rule and its callers demand of a packet beside the interfaces; all of it holds. Absent when the driver cannot tell. */
  matches: someRows(filterMatch, LIMITS.filterMatches),
  /** The rule demands more than `matches` lists. */
  matchesRest: z.boolean().exactOptional(),
  /** That more, in the words of the node's packet filter: `ct state established,related`. It cannot be told of a packet alone. */
  unread: someRows(text.max(MODEL_LIMITS.unreadChars), LIMITS.filterMatches),
  /** What it writes into packets: `tcp checksum = 57005`, `ip dscp ef = cs0` where it demands the old value. */
  rewrites: someRows(text),
});

/** `full`: no room for a file of any use; `read-only`: mounted so, or made so by the kernel after an error of the disk. */
export const DISK_CONDITIONS = ['writable', 'full', 'read-only'] as const;
export type DiskCondition = (typeof DISK_CONDITIONS)[number];

/** One file system in which the node's programs write. */
export type FileSystem = Wire<typeof fileSystem>;
const fileSystem = z.object({
  mount: text,
  /** Which folders of the node it holds: `/var/log`. */
  holds: rows(text),
  condition: z.enum(DISK_CONDITIONS),
  totalBytes: count,
  /** For programs without privilege. */
  availableBytes: count,
});

export type Resources = Wire<typeof resources>;
const resources = z.object({
  fileSystems: neededRows(fileSystem),
  /** Processes that the kernel has killed for want of memory since it started, in containers too. */
  killed: counter64.exactOptional(),
});

/** Everything correlation wants of a node at one moment, read as close together as the node can; without the states before it. */
export const nodeState = z.object({
  inventory,
  neighbours: rows(neighbour),
  adjacencies: rows(adjacency),
  filters: rows(filterRule),
  /** `filters` has all rules that decide where a packet goes, those that leave a chain and policies too, in their order. Earlier programs left some out. */
  filtersInOrder: mark,
  /** Counters of the IP layer that report drops inside the node (`/proc/net/snmp6`, RFC 4293 names). */
  nodeCounters: z.record(z.string(), counter64).catch({}),
  /**
   * The node's own monotonic clock when the interface counters were read, milliseconds with a fraction. Only the difference
   * of two readings of one node means anything: it is how long that node's counters ran, never a moment shared with others.
   */
  countersReadMs: z.number().exactOptional(),
  ...controlPlaneParts,
  /** What the node has left of what its programs share. */
  resources: resources.exactOptional(),
  /** Interface → what the operator wrote beside it; device text. */
  descriptions: z.record(z.string(), text).exactOptional(),
  /** On request: what the log reports of neighbours; absent where it cannot be read. */
  logSigns: someRows(logSign, LIMITS.logSigns),
  /** What operators said of the network in this node's own file, and why that file is not used if it is not. */
  expectations: expectationLines,
  expectationsRefused: text.exactOptional(),
  /** Parts that could not be read, with the reason: absence is not emptiness. */
  missing: rows(z.object({ part: text, reason: text.catch('') })),
  /**
   * Lists of which the state has no room for all: what it has of them is true, and of the rest nothing is said. They do not stand in `missing`,
   * as agents of the version before take all that does for a reason to doubt the node.
   */
  cut: someRows(z.object({ part: text, read: count, of: count })),
});

/**
 * When a state that a node was in was read, and each time the same: what the node was between two readings that differ is not known. All but the first
 * two are absent from agents of earlier versions.
 */
export const readingAges = z.object({
  fromAgoMs: count,
  untilAgoMs: count,
  /** How long the last of these readings took: a state is of no single moment. */
  tookMs: count.exactOptional(),
  /** When the reading before these began, which found another state; absent where there was none. */
  beforeAgoMs: count.exactOptional(),
  /** When the reading after these ended, which found another state. */
  afterAgoMs: count.exactOptional(),
});
