// IPv6 addresses as bytes, and the checks that every argument of the helper passes before it reaches a socket or a program.
// Refuses zones, brackets and prefixes: an address is an address.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { covers, parsePrefix } from '#base/ip.ts';
import { macBytes } from '#codec/arp.ts';
import { isVirtualRouterMac } from '#model/names.ts';

/** The 16 octets of an IPv6 address, undefined when `text` is not one. */
export function ipv6Bytes(text: string): Uint8Array | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = splitDottedQuad(text).split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const groups = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (const [index, group] of groups.entries()) view.setUint16(index * 2, group);
  return bytes;
}

/** The 4 octets of an IPv4 address, undefined when `text` is not one. */
export function ipv4Bytes(text: string): Uint8Array | undefined {
  return isIPv4(text) ? Uint8Array.from(text.split('.').map(Number)) : undefined;
}

/** The octets of an address of either family, undefined when `text` is none. */
export function addressBytes(text: string): Uint8Array | undefined {
  return ipv4Bytes(text) ?? ipv6Bytes(text);
}

/** True when both texts are the same IPv6 address, however they are written. */
export function sameIpv6(one: string, other: string): boolean {
  const [left, right] = [ipv6Value(one), ipv6Value(other)];
  return left !== undefined && left === right;
}

/** As a number, which base/ip.ts remembers; undefined for what is no address, and for one with a length. */
function ipv6Value(text: string): bigint | undefined {
  const prefix = parsePrefix(text);
  return prefix?.family === 6 && prefix.address === text ? prefix.value : undefined;
}

/**
 * Addresses of the loopback interface that others can reach: what a node calls its own. They are on no link, so that answers to what
 * is sent from one find back wherever they start. Without deprecated ones (RFC 4862 §5.5.4): nothing new is sent from those, and an
 * anycast address is made so to keep it from being chosen.
 */
export function loopbackAddresses(family: 'IPv4' | 'IPv6'): readonly string[] {
  const deprecated = family === 'IPv6' ? flaggedIpv6(DEPRECATED) : new Set<string>();
  return ownAddresses(family, ({ internal, address }) => internal && !deprecated.has(hexOf(address)));
}

/** Every address of this node that others can reach, those of its links among them, IPv6 first; no link-local ones. */
export function ownAddresses(
  family: 'IPv4' | 'IPv6' | 'both',
  keep: (entry: NetworkInterfaceInfo) => boolean = () => true,
): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const families = family === 'both' ? ['IPv6', 'IPv4'] : [family];
  return families.flatMap((each) =>
    all
      .filter((entry) => entry.family === each && !/^(?:127\.|169\.254\.|::1$|fe80)/.test(entry.address) && keep(entry))
      .map((entry) => entry.address),
  );
}

/** Tells of an address whether it is on a network of one of this node's links, as they are at the call. */
export function onLinkTest(): (address: string) => boolean {
  const networks = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .flatMap(({ internal, cidr }) => (internal || cidr === null ? [] : [cidr]));
  return (address) => networks.some((network) => covers(network, address));
}

/**
 * The address from which an answer finds back: to a neighbour on a link the link's own, as the neighbour may have no route to any other;
 * else the one of `far` for its family, or the node's own. Undefined where the node has none of that family.
 */
export function answerableSource(
  destination: string,
  far: { readonly IPv4?: string; readonly IPv6?: string } = {},
): string | undefined {
  const family = destination.includes(':') ? 'IPv6' : 'IPv4';
  const near = ownAddresses(family, ({ internal, cidr }) => !internal && cidr !== null && covers(cidr, destination));
  return near.find(isOwnSource) ?? near[0] ?? far[family] ?? loopbackAddresses(family)[0];
}

/**
 * From which a host is tried: the node's loopback, so that an answer shows that the host has a way back beyond its link; else its address on the
 * host's link. Undefined where the kernel is to choose.
 */
export function probeSource(destination: string): string | undefined {
  const [loopback] = loopbackAddresses(destination.includes(':') ? 'IPv6' : 'IPv4');
  if (loopback !== undefined) return loopback;
  const near = answerableSource(destination);
  return near !== undefined && isOwnSource(near) ? near : undefined;
}

/**
 * Whether packets may be sent from this address in this node's own name: it has it, on an interface that is up; not one that is deprecated or
 * tentative (RFC 4862 §2), and not that of a VRRP group, which another router may have at the same time.
 */
export function isOwnSource(address: string): boolean {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  const unusable = family === 'IPv6' ? flaggedIpv6(DEPRECATED | TENTATIVE | DUPLICATE) : new Set<string>();
  const own = ownAddresses(family, ({ mac }) => !isVirtualRouterMac(mac));
  return family === 'IPv4'
    ? own.includes(address)
    : own.some((each) => sameIpv6(each, address)) && !unusable.has(hexOf(address));
}

/** IFA_F_DEPRECATED of linux/if_addr.h */
const DEPRECATED = 0x20;
/** IFA_F_TENTATIVE and IFA_F_DADFAILED: another node has it, or may have it. */
const TENTATIVE = 0x40;
const DUPLICATE = 0x08;

/** IPv6 addresses with one of these flags as 32 hex digits; none where the kernel does not list addresses. */
function flaggedIpv6(wanted: number): ReadonlySet<string> {
  const rows = readOr('/proc/net/if_inet6').split('\n');
  const fields = rows.map((row) => row.trim().split(/\s+/));
  return new Set(fields.filter(([, , , , flags]) => Number.parseInt(flags ?? '0', 16) & wanted).map(([hex]) => hex!));
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function hexOf(address: string): string {
  return Buffer.from(ipv6Bytes(address) ?? []).toString('hex');
}

/** The kernel's number of an interface, 0 where there is none of that name, and its MAC address. */
export async function readPort(ifname: string): Promise<{ readonly index: number; readonly mac: Uint8Array }> {
  const read = (name: string) => readFile(`/sys/class/net/${ifname}/${name}`, 'utf8').catch(() => '');
  const [index, address] = await Promise.all([read('ifindex'), read('address')]);
  return { index: Number(index), mac: macBytes(address.trim()) };
}

/** True when this network namespace has an interface of that name, up or down, with addresses or without. */
export async function isInterface(name: string): Promise<boolean> {
  const lines = (await readFile('/proc/net/dev', 'utf8')).split('\n').slice(2);
  return lines.some((line) => line.trimStart().startsWith(`${name}:`));
}

/** `::ffff:192.0.2.1` with its last part as two groups. */
function splitDottedQuad(text: string): string {
  const quad = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (quad === null) return text;
  const [, head, a, b, c, d] = quad;
  const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
  return `${head}${group(a!, b!)}:${group(c!, d!)}`;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
