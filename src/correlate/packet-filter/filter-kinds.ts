// What a packet filter is against, told by which well-known packets it can take: a rule that takes BGP and nothing else blocks
// BGP; one that takes anything is no rule about a service.
import { mayTake, type Packet } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';

const both = (packet: Omit<Packet, 'network'>): readonly Packet[] => [
  { ...packet, network: 'ip' },
  { ...packet, network: 'ip6' },
];
const tcp = (port: number) => both({ protocol: 'tcp', destinationPort: port, sourcePort: 0 });
const udp = (port: number) => both({ protocol: 'udp', destinationPort: port, sourcePort: 0 });
const answersOf = (packets: readonly Packet[]) =>
  packets.map((packet) => ({ ...packet, destinationPort: 0, sourcePort: packet.destinationPort ?? 0 }));

const ECHO: readonly Packet[] = [
  { network: 'ip', protocol: 'icmp', icmpType: 'echo-request' },
  { network: 'ip', protocol: 'icmp', icmpType: 'echo-reply' },
  { network: 'ip6', protocol: 'ipv6-icmp', icmpType: 'echo-request' },
  { network: 'ip6', protocol: 'ipv6-icmp', icmpType: 'echo-reply' },
];

/** Messages by which a router says that a packet is too large for its next link. */
const TOO_LARGE: readonly Packet[] = [
  { network: 'ip', protocol: 'icmp', icmpType: 'destination-unreachable' },
  { network: 'ip6', protocol: 'ipv6-icmp', icmpType: 'packet-too-big' },
];

const WELL_KNOWN = {
  bgp: [...tcp(179), ...answersOf(tcp(179))],
  ospf: both({ protocol: 'ospf' }),
  isis: [{ network: 'isis' }],
  bfd: [...udp(3_784), ...udp(3_785), ...udp(4_784)],
  arp: [{ network: 'arp' }],
  echo: ECHO,
  'too-large': TOO_LARGE,
  http: [80, 443, 8_080].flatMap((port) => [...tcp(port), ...answersOf(tcp(port))]),
  dns: [...udp(53), ...tcp(53), ...answersOf([...udp(53), ...tcp(53)])],
  /** Ports of no service: a rule that matches these is not about one service. */
  other: [...tcp(40_001), ...udp(40_001)],
} as const satisfies Readonly<Record<string, readonly Packet[]>>;

export type FilterKind = keyof typeof WELL_KNOWN;

type Words = Pick<FilterRule, 'family' | 'matches'>;

/** Every kind of packet of which the rule takes some. */
export function kindsTaken(rule: Partial<Words>): readonly FilterKind[] {
  return (Object.keys(WELL_KNOWN) as FilterKind[]).filter((kind) =>
    WELL_KNOWN[kind].some((packet: Packet) => mayTake(rule, packet)),
  );
}

/**
 * The one kind that the rule is against; undefined when it takes several, or none. Who takes every ICMP message is against
 * echoes, whatever else that is.
 */
export function kindOf(rule: Partial<Words>): FilterKind | undefined {
  const taken = kindsTaken(rule).filter((kind) => kind !== 'too-large' || !takesEcho(rule));
  return taken.length === 1 ? taken[0] : undefined;
}

function takesEcho(rule: Partial<Words>): boolean {
  return ECHO.some((packet) => mayTake(rule, packet));
}
