// IP addresses and prefixes as numbers: enough to say whether two addresses share a subnet. Knows nothing of routing.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { LIMITS } from './limits.ts';

/** IPv6 with an embedded IPv4 address in full, a slash and three digits. */
const LONGEST_PREFIX = 49;

export type IpFamily = 4 | 6;

/** An address with its prefix length, as interfaces carry it. */
export type IpPrefix = {
  readonly family: IpFamily;
  /** The address without its length, as it was written. */
  readonly address: string;
  readonly value: bigint;
  readonly prefixBits: number;
};

/** A network's few addresses are compared with each other again and again. */
const parsed = new Map<string, IpPrefix | undefined>();

/** `198.18.0.1/31`, `fd00::1/64`, or a bare address (then all bits); undefined for anything else. */
export function parsePrefix(text: string): IpPrefix | undefined {
  if (text.length > LONGEST_PREFIX) return undefined;
  if (parsed.has(text)) return parsed.get(text);
  const prefix = readPrefix(text);
  if (parsed.size >= LIMITS.parsedPrefixes) parsed.clear();
  parsed.set(text, prefix);
  return prefix;
}

function readPrefix(text: string): IpPrefix | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const family: IpFamily | undefined = isIPv4(address) ? 4 : isIPv6(address) && !address.includes('%') ? 6 : undefined;
  if (family === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined;
  const width = family === 4 ? 32 : 128;
  const prefixBits = length === undefined ? width : Number(length);
  if (prefixBits > width) return undefined;
  return { family, address, value: family === 4 ? valueOf4(address) : valueOf6(address), prefixBits };
}

/** True when both lie in one subnet of equal length and are not the same address. */
export function sharesSubnet(one: IpPrefix, other: IpPrefix): boolean {
  if (one.family !== other.family || one.prefixBits !== other.prefixBits || one.value === other.value) return false;
  const hostBits = BigInt((one.family === 4 ? 32 : 128) - one.prefixBits);
  return one.value >> hostBits === other.value >> hostBits;
}

/** True when the prefix contains the address or prefix; false where either cannot be read. */
export function covers(prefix: string, address: string): boolean {
  const [outer, inner] = [parsePrefix(prefix), parsePrefix(address)];
  if (outer === undefined || inner === undefined) return false;
  if (outer.family !== inner.family || outer.prefixBits > inner.prefixBits) return false;
  const hostBits = BigInt((outer.family === 4 ? 32 : 128) - outer.prefixBits);
  return outer.value >> hostBits === inner.value >> hostBits;
}

/** An interface's address and the other one of its subnet, where it has two. */
export type AddressPair = { readonly own: IpPrefix; readonly farValue: bigint };

/** The other address of a /31, /127 (RFC 3021, RFC 6164), /30 or /126; in the last two, the first and the last address belong to no interface. */
export function pairOf(text: string): AddressPair | undefined {
  const own = parsePrefix(text);
  if (own === undefined || isLinkLocal(own)) return undefined;
  const hostBits = (own.family === 4 ? 32 : 128) - own.prefixBits;
  if (hostBits === 1) return { own, farValue: own.value ^ 1n };
  const place = own.value & 3n;
  return hostBits === 2 && (place === 1n || place === 2n) ? { own, farValue: own.value ^ 3n } : undefined;
}

/** Of two addresses, or one: hosts have wider networks. */
export function isNarrow({ family, prefixBits }: IpPrefix): boolean {
  return prefixBits >= (family === 4 ? 30 : 126);
}

/** fe80::/10: the same on every link, so it says nothing about which link. */
/** A network with room for others than its own address: not that of a link-local address, which every port has, nor a borrowed one, which stands alone. */
export function isNetwork(prefix: IpPrefix): boolean {
  return !isLinkLocal(prefix) && prefix.prefixBits < (prefix.family === 4 ? 32 : 128);
}

export function isLinkLocal(prefix: IpPrefix): boolean {
  return prefix.family === 6 && prefix.value >> 118n === 0xfe80n >> 6n;
}

function valueOf4(address: string): bigint {
  return address.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function valueOf6(address: string): bigint {
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${pair(a, b)}:${pair(c, d)}`);
  const [left = '', right] = text.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function pair(high: string, low: string): string {
  return ((Number(high) << 8) | Number(low)).toString(16);
}

/** IPv4 or IPv6, without zone or prefix length. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Unspecified and loopback (RFC 6890), link-local, which is the same on every link, multicast, broadcast and reserved (RFC 1112 §4). */
const NO_HOSTS = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '::/127', 'fe80::/10', 'ff00::/8'];
/** Addresses that stand for one of IPv4, anywhere: NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380). */
const NAT64 = ['64:ff9b::/96', '64:ff9b:1::/48'];
const SIX_TO_FOUR = 0x2002n;
const TEREDO = 0x2001_0000n;
/** All addresses of IPv6 that are in use are in few networks this wide (RFC 4291 §2.4): a route to one is a default route. */
const WHOLE_BITS = 3;

/** No single host of a network has this address, or each network has it anew. */
export function isOfNoHost(address: string): boolean {
  return NO_HOSTS.some((prefix) => covers(prefix, address));
}

/** A gateway leads to it in the world of IPv4, whatever route there is. */
export function isTranslated(address: string): boolean {
  const { family, value = 0n } = parsePrefix(address) ?? {};
  if (family !== 6) return false;
  return NAT64.some((prefix) => covers(prefix, address)) || value >> 112n === SIX_TO_FOUR || value >> 96n === TEREDO;
}

/** A default route, or one for as much of IPv6 as makes no difference: `2000::/3`. */
export function isAsWideAsDefault(prefix: string): boolean {
  const parsed = parsePrefix(prefix);
  return isDefaultRoute(prefix) || (parsed?.family === 6 && parsed.prefixBits <= WHOLE_BITS);
}

/** As iproute2 prints a default route, or as a prefix. */
export function isDefaultRoute(prefix: string): boolean {
  return prefix === 'default' || prefix === '0.0.0.0/0' || prefix === '::/0';
}

/** Special-purpose addresses that are not reachable over the Internet (RFC 6890): private, shared, for benchmarks, for documentation. */
const OFF_THE_INTERNET: readonly string[] = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ...['fc00::/7', '2001:db8::/32'],
];

/** No route of the Internet leads to it. Networks of others that a default route leads to, as a provider's own, may have such addresses as well. */
export function isOffTheInternet(address: string): boolean {
  return OFF_THE_INTERNET.some((prefix) => covers(prefix, address));
}
