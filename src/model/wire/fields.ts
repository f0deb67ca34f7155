// Members that wire schemas are made of, each with its bounds and the words that an error uses for it. A schema is the one text from which the
// type, the check of requests (check.ts), the JSON Schema (json-schema.ts) and the decoder of answers (read.ts) are made.
import * as z from 'zod';
import { isIpAddress, isLinkLocal, parsePrefix } from '#base/ip.ts';

/** The type of what a schema describes, read-only all the way down. */
export type Wire<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>;
type ReadOnly<T> = T extends object ? { readonly [Name in keyof T]: ReadOnly<T[Name]> } : T;

/** Linux allows more; these are the names that routers have. No leading dash: a name is never an option. */
const IFNAME = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}$/;
/**
 * What libpcap takes for something else than an interface: a number is an index, `any` is all of them, `nfqueue` binds a
 * netfilter queue and lets through whatever a firewall put there.
 */
const PSEUDO_INTERFACE = /^(?:\d+|any|nflog|nfqueue|usbmon\d*|bluetooth\d*|dbus-.*)$/;
/** A unicast address: the group bit (IEEE 802) is not set. */
const HOST_MAC = /^[0-9a-f][02468ace](?::[0-9a-f]{2}){5}$/;
const COUNTER = /^\d{1,20}$/;
/** Linux' IFNAMSIZ without its zero. */
const IFNAME_CHARS = 15;
const SHORTEST_IP = 2;
const LONGEST_IP = 45;
const LONGEST_PREFIX = 49;
const SHORTEST_IPV4 = 7;
const LONGEST_IPV4 = 15;

export function isInterfaceName(text: string): boolean {
  return IFNAME.test(text) && !PSEUDO_INTERFACE.test(text);
}

export const interfaceName = texts('an interface name', 1, IFNAME_CHARS, isInterfaceName);
/** IPv4 or IPv6, without zone or prefix length. */
export const ipAddress = texts('an IP address', SHORTEST_IP, LONGEST_IP, isIpAddress);
export const ipv4Address = texts('an IPv4 address', SHORTEST_IPV4, LONGEST_IPV4, (text) => familyOf(text) === 4);
/** An address of one node somewhere: not multicast, unspecified, loopback, link-local, or IPv4 in IPv6. */
export const nodeAddress = texts('an address of a node', SHORTEST_IP, LONGEST_IP, isRoutableIpv6);
/** The same, or link-local on a port that is named beside it. */
export const onLinkAddress = texts('an address on a link', SHORTEST_IP, LONGEST_IP, (text) => {
  const prefix = parsePrefix(text);
  return isRoutableIpv6(text) || (prefix?.family === 6 && prefix.address === text && isLinkLocal(prefix));
});
/** The same of either family; of IPv4 not `0.0.0.0/8`, loopback, link-local, multicast or reserved. */
export const probeAddress = texts(
  'an address of a node',
  SHORTEST_IP,
  LONGEST_IP,
  (text) => isRoutableIpv6(text) || isRoutableIpv4(text),
);
/** Any of IPv4, or of IPv6 one of a node or host somewhere. */
export const hostAddress = texts(
  'an address of a host',
  SHORTEST_IP,
  LONGEST_IP,
  (text) => familyOf(text) === 4 || isRoutableIpv6(text),
);
/** `198.18.1.0/24`, `fd00::/64`: with its length. */
export const ipPrefix = texts('a prefix', SHORTEST_IP, LONGEST_PREFIX, isPrefix);
export const hostMac = z.string({ error: 'a MAC address of one host' }).regex(HOST_MAC, 'a MAC address of one host');

/** A neighbour of one interface, by its MAC address. */
export const linkNeighbour = z.strictObject(
  {
    ifname: interfaceName.meta({ description: 'Interface of this node' }),
    mac: hostMac.meta({ description: 'Of the neighbour' }),
  },
  { error: 'an interface and a MAC address' },
);

/** A 64-bit counter as a decimal string: JSON numbers end at 2^53. */
export const counter64 = z.string().regex(COUNTER);
/** A whole number from 0 that JSON keeps exactly. */
export const count = z.int().min(0);
/** Text of a device or peer: repeated for people, never trusted. */
export const text = z.string();
/** Present and true, or absent. */
export const mark = z.literal(true).exactOptional();
/** What is not said to be so is not so. */
export const flag = z.boolean().catch(false);

export function integer(least: number, most: number) {
  const error = `an integer from ${least} to ${most}`;
  return z.int({ error }).min(least, error).max(most, error);
}

export function number(least: number, most: number) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, error).max(most, error);
}

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `one of ${words.join(', ')}` });
}

/** Octets as lower-case hex digits without separators. */
export function hexOctets(least: number, most: number) {
  const error = `${least} to ${most} bytes of lower-case hex`;
  return z
    .string({ error })
    .min(2 * least, error)
    .max(2 * most, error)
    .regex(/^(?:[0-9a-f]{2})*$/, error);
}

/** A list in a request: more than `most` are refused. */
export function listOf<Row extends z.ZodType>(row: Row, most: number, what: string) {
  const error = `at most ${most} ${what}`;
  return z.array(row, { error }).max(most, error);
}

/** Lists whose malformed rows are left out one by one; any other list is taken whole or not at all. */
const rowLists = new WeakSet<object>();

export function isRowList(schema: object): boolean {
  return rowLists.has(schema);
}

/** A list in an answer: malformed rows are left out, those beyond `most` too, and a missing list is an empty one. */
export function rows<Row extends z.ZodType>(row: Row, most?: number) {
  return neededRows(row, most).catch(() => []);
}

/** The same where a missing list says something else than an empty one. */
export function someRows<Row extends z.ZodType>(row: Row, most?: number) {
  return neededRows(row, most).exactOptional();
}

/** The same where an empty list says nothing. */
export function filledRows<Row extends z.ZodType>(row: Row) {
  const list = z.array(row).min(1);
  rowLists.add(list);
  return list.exactOptional();
}

/** The same where without the list the rest is nothing. */
export function neededRows<Row extends z.ZodType>(row: Row, most?: number) {
  const list = most === undefined ? z.array(row) : z.array(row).max(most);
  rowLists.add(list);
  return list;
}

export function texts(error: string, least: number, most: number, isRight: (text: string) => boolean) {
  return z.string({ error }).min(least, error).max(most, error).refine(isRight, error);
}

function familyOf(text: string): 4 | 6 | undefined {
  const prefix = parsePrefix(text);
  return prefix?.address === text ? prefix.family : undefined;
}

/** False for addresses at which no single other node is: ::/80 (with it IPv4-mapped ones), multicast, link-local. */
function isRoutableIpv6(text: string): boolean {
  const prefix = parsePrefix(text);
  if (prefix === undefined || prefix.family !== 6 || prefix.address !== text) return false;
  return prefix.value >> 48n !== 0n && prefix.value >> 120n !== 0xffn && !isLinkLocal(prefix);
}

function isRoutableIpv4(text: string): boolean {
  const [first = 0, second = 0] = text.split('.').map(Number);
  return familyOf(text) === 4 && first > 0 && first < 224 && first !== 127 && !(first === 169 && second === 254);
}

function isPrefix(text: string): boolean {
  return text.includes('/') && parsePrefix(text) !== undefined;
}
