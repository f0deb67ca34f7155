// Where hosts are: which networks and ports have room for them, and where one that no longer has its address may be found. Pure
// arithmetic on IPv4 networks; sends nothing.
import { covers, type IpPrefix, parsePrefix } from '#base/ip.ts';
import type { InterfaceState, Inventory } from '../router/router-port.ts';

const LOOPBACK_NETWORK = 127n;

/** An IPv4 network with room for more than two (RFC 3021 links and /30 have none), not 127/8; undefined for any other text. */
export function hostNetwork(text: string): IpPrefix | undefined {
  const prefix = parsePrefix(text);
  const hasRoom = prefix?.family === 4 && prefix.prefixBits < 30 && prefix.value >> 24n !== LOOPBACK_NETWORK;
  return hasRoom ? prefix : undefined;
}

/** A router's address `own`, written with its length, is in such a network and `address` as well. */
export function coversHost(own: string, address: string): boolean {
  return hostNetwork(own) !== undefined && covers(own, address);
}

export function hostNetworksOf({ addresses }: Pick<InterfaceState, 'addresses'>): readonly IpPrefix[] {
  return addresses.flatMap((own) => hostNetwork(own) ?? []);
}

/** Interfaces that are up and behind which hosts may be. */
export function hostPorts({ interfaces }: Inventory): readonly InterfaceState[] {
  return interfaces.filter((entry) => entry.kind !== 'loopback' && entry.operUp && hostNetworksOf(entry).length > 0);
}

export function isInside(network: IpPrefix, address: string): boolean {
  const one = parsePrefix(address);
  const shift = BigInt(32 - network.prefixBits);
  return one !== undefined && one.family === 4 && one.value >> shift === network.value >> shift;
}

/** Anywhere in a small network, and under its own host number in the networks of the same size around (a slip in one octet). */
export function likelyPlaces(networks: readonly IpPrefix[], gone: readonly string[]): readonly string[] {
  return networks.flatMap((network) => {
    const size = 1n << BigInt(32 - network.prefixBits);
    const base = (network.value / size) * size;
    const near = size > 256n ? [] : Array.from({ length: Number(size) - 2 }, (_, index) => base + BigInt(index + 1));
    const wide = size << 8n;
    const around = gone.flatMap((address) => {
      const number = (parsePrefix(address)?.value ?? base) - base;
      const start = (network.value / wide) * wide;
      return number < 0n || number >= size
        ? []
        : Array.from({ length: 256 }, (_, index) => start + BigInt(index) * size + number);
    });
    const own = parsePrefix(network.address)?.value;
    return [...around, ...near].filter((value) => value !== own).map(dotted);
  });
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}
