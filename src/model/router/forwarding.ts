// How the kernel of a node forwards, beside its routes: the settings that switch forwarding on and off, the rules that choose a routing
// table, and how full its table of connections is. An optional part of its state.
import * as z from 'zod';
import { count, counter64, flag, mark, rows, someRows, text, type Wire } from '../wire/fields.ts';

/** One interface by which packets come in. */
export type ForwardingInterface = Wire<typeof forwardingInterface>;
const forwardingInterface = z.object({
  ifname: text,
  /** It forwards IPv4 packets that come in here. */
  ipv4: flag,
  /** Of an IPv4 packet's source (RFC 3704): `strict` takes it only where the route back leaves by this interface, `loose` where any does. */
  reversePath: z.enum(['off', 'strict', 'loose']).catch('off'),
  /** It answers no ARP request at all (ip-sysctl: `arp_ignore` 8). */
  arpOff: mark,
  /** It answers ARP requests for addresses that it has a route to elsewhere (ip-sysctl: `proxy_arp`). */
  proxyArp: mark,
  /** IPv6 is off on this interface. */
  ipv6Off: mark,
  /** It drops SRv6 packets that carry no HMAC (RFC 8754 §2.1.2). */
  srv6Hmac: mark,
});

/** A rule that chooses the routing table of some packets (ip-rule(8)), other than the three that every kernel has. */
export type PolicyRule = Wire<typeof policyRule>;
const policyRule = z.object({
  family: z.enum(['ipv4', 'ipv6']),
  priority: count,
  action: z.enum(['table', 'blackhole', 'unreachable', 'prohibit', 'other']).catch('other'),
  /** Number of the routing table; 254 is the main one. */
  table: count.exactOptional(),
  /** Prefixes of the packet's source and destination, and the interface by which it came in. */
  from: text.exactOptional(),
  to: text.exactOptional(),
  iif: text.exactOptional(),
  /** It takes all packets that do not match. */
  negated: mark,
  /** It demands more of a packet than is listed here. */
  rest: mark,
});

/**
 * What of a packet chooses among equal next hops (ip-sysctl: `fib_multipath_hash_policy`): addresses, or with ports, or of the inner header; 3 is what
 * `fields` says, one bit a field (`fib_multipath_hash_fields`).
 */
export type EcmpHash = Wire<typeof ecmpHash>;
const ecmpHash = z.object({ policy: count, fields: count.exactOptional() });

export type ForwardingState = Wire<typeof forwardingState>;
export const forwardingState = z.object({
  /** The node as a whole: `net.ipv4.ip_forward`, `net.ipv6.conf.all.forwarding`. */
  ipv4: flag,
  ipv6: flag,
  interfaces: rows(forwardingInterface),
  /** Absent where they cannot be read. */
  policyRules: someRows(policyRule),
  /** Absent where the kernel has no such setting. */
  ecmpHash: z.object({ ipv4: ecmpHash, ipv6: ecmpHash }).exactOptional(),
  /**
   * Connections that the packet filter tracks, the most that it may, and since start packets that it dropped for want of room, and connections that it
   * could not enter because another one has the same addresses and ports.
   */
  conntrack: z
    .object({ tracked: count, most: count, dropped: counter64, failed: counter64.exactOptional() })
    .exactOptional(),
  /** After how long without a packet a tracked TCP connection is forgotten, and whether its next packet is then taken up (`nf_conntrack_tcp_loose`). */
  tcpTracking: z.object({ idleSeconds: count, picksUp: flag }).exactOptional(),
});
