// The one matcher of packet filter rules: whether a rule can take a packet, as far as the rule says. Excludes only what the
// rule's own words exclude: what it does not say, or says in words that are not understood, may match. Pure.
import { parsePrefix } from '#base/ip.ts';
import type { FilterMatch, FilterRule } from './router-port.ts';

/** A packet as far as it is known; what is not said of it may be anything. */
export type Packet = {
  /** `ip`, `ip6`, `arp`; `isis` travels in LLC frames and has no network header. */
  readonly network: 'ip' | 'ip6' | 'arp' | 'isis';
  /** The last header of the chain; none for ARP and IS-IS. */
  readonly protocol?: string;
  /** What follows the IPv6 header itself. */
  readonly nextHeader?: string;
  readonly extensions?: readonly string[];
  /** Of several addresses any may be the one. */
  readonly sources?: readonly string[];
  readonly destinations?: readonly string[];
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly icmpType?: string;
};

type Words = Pick<FilterRule, 'family' | 'matches'>;

/** Hooks that see what a node forwards. */
export const FORWARDING_HOOKS: ReadonlySet<string> = new Set([
  'ingress',
  'prerouting',
  'forward',
  'postrouting',
  'egress',
]);

/** Packets that a table's chains see. */
const FAMILIES: Readonly<Record<string, readonly Packet['network'][]>> = {
  ip: ['ip'],
  ip6: ['ip6'],
  inet: ['ip', 'ip6'],
  arp: ['arp'],
  bridge: [],
};
/** 802.2 service access points of ISO 10589, both as they stand in the frame. */
const ISIS_LLC = 0xfefe;

/** True when the rule can take the packet. Interfaces are not looked at. */
export function mayTake({ family, matches }: Partial<Words>, packet: Packet): boolean {
  const seen = family === undefined ? undefined : FAMILIES[family];
  if (seen !== undefined && !seen.includes(packet.network)) return false;
  return (matches ?? []).every((demand) => allows(demand, packet));
}

/** True when the rule demands something of that kind, so that it is not for everything. */
export function demands({ matches }: Pick<FilterRule, 'matches'>, ...fields: readonly FilterMatch['field'][]): boolean {
  return (matches ?? []).some((demand) => fields.includes(demand.field));
}

/** For people: `protocol tcp, destination-port 80`. */
export function wordsOf({ matches, matchesRest }: Pick<FilterRule, 'matches' | 'matchesRest'>): string {
  const words = (matches ?? []).map(
    ({ field, values, negated }) => `${field} ${negated === true ? 'not ' : ''}${values.join(' or ')}`,
  );
  return [...words, ...(matchesRest === true ? ['more'] : [])].join(', ') || 'everything';
}

function allows({ field, values, ...demand }: FilterMatch, packet: Packet): boolean {
  const negated = demand.negated === true;
  switch (field) {
    case 'network':
      return values.includes(packet.network) !== negated;
    case 'protocol':
      return hasWord(packet.protocol, values, negated);
    case 'next-header':
      return hasWord(packet.nextHeader ?? packet.protocol, values, negated);
    case 'extension':
      return values.some((value) => packet.extensions?.includes(value) === true) !== negated;
    case 'source':
      return anyAddress(packet.sources ?? [], values, negated);
    case 'destination':
      return anyAddress(packet.destinations ?? [], values, negated);
    case 'source-port':
      return hasPort(packet, packet.sourcePort, values, negated);
    case 'destination-port':
      return hasPort(packet, packet.destinationPort, values, negated);
    case 'icmp-type':
      return packet.icmpType === undefined
        ? packet.protocol?.includes('icmp') === true
        : hasWord(packet.icmpType, values, negated);
    case 'llc':
      return (packet.network === 'isis' && values.some((value) => Number(value) === ISIS_LLC)) !== negated;
    default:
      return true;
  }
}

/** What a packet does not have is none of the values. */
function hasWord(word: string | undefined, values: readonly string[], negated: boolean): boolean {
  return (word !== undefined && values.includes(word)) !== negated;
}

/** An address that is not known, and a value that is no prefix, may match. */
function anyAddress(addresses: readonly string[], values: readonly string[], negated: boolean): boolean {
  if (addresses.length === 0) return true;
  return addresses.some((address) => {
    const inside = values.map((value) => contains(value, address));
    return inside.includes(undefined) || inside.includes(true) !== negated;
  });
}

function contains(prefix: string, address: string): boolean | undefined {
  const [wide, one] = [parsePrefix(prefix), parsePrefix(address)];
  if (wide === undefined || one === undefined) return undefined;
  if (wide.family !== one.family) return false;
  const hostBits = BigInt((wide.family === 4 ? 32 : 128) - wide.prefixBits);
  return wide.value >> hostBits === one.value >> hostBits;
}

/** The other end's port is the kernel's choice and may be any; a packet without ports has none. */
function hasPort({ protocol }: Packet, port: number | undefined, values: readonly string[], negated: boolean): boolean {
  if (protocol !== 'udp' && protocol !== 'tcp') return negated;
  if (port === undefined) return true;
  const inside = values.some((value) => {
    const [low = '', high = low] = value.split('-');
    return Number(low) <= port && port <= Number(high);
  });
  return inside !== negated;
}
