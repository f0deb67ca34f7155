// Where hosts are: which networks and ports have room for them, and where one that no longer has its address may be found. `hostNetwork` and what is
// made of it are of IPv4, where hosts are asked for by ARP and DHCP; `userNetwork` is of either family, as what hosts serve and use is. Pure
// arithmetic; sends nothing.
import { covers, type IpPrefix, isLinkLocal, isNarrow, parsePrefix } from '#base/ip.ts';
import type { InterfaceState, Inventory } from '../router/router-port.ts';

const LOOPBACK_NETWORK = 127n;

/** An IPv4 network with room for more than two (RFC 3021 links and /30 have none), not 127/8; undefined for any other text. */
export function hostNetwork(text: string): IpPrefix | undefined {
  const prefix = parsePrefix(text);
  const hasRoom = prefix?.family === 4 && prefix.prefixBits < 30 && prefix.value >> 24n !== LOOPBACK_NETWORK;
  return hasRoom ? prefix : undefined;
}

/** Such a network, or one of IPv6 with room for more than two that is not the same on every link. */
export function userNetwork(text: string): IpPrefix | undefined {
  const prefix = parsePrefix(text);
  if (prefix?.family !== 6) return hostNetwork(text);
  return isNarrow(prefix) || isLinkLocal(prefix) || prefix.prefixBits === 0 ? undefined : prefix;
}

/** A router's address `own`, written with its length, is in a network of hosts of either family and `address` as well. */
export function coversHost(own: string, address: string): boolean {
  return userNetwork(own) !== undefined && covers(own, address);
}

export function hostNetworksOf({ addresses }: Pick<InterfaceState, 'addresses'>): readonly IpPrefix[] {
  return addresses.flatMap((own) => hostNetwork(own) ?? []);
}

/** Interfaces that are up and behind which hosts may be. */
export function hostPorts({ interfaces }: Inventory): readonly InterfaceState[] {
  return interfaces.filter((entry) => entry.kind !== 'loopback' && entry.operUp && hostNetworksOf(entry).length > 0);
}

export function userNetworksOf({ addresses }: Pick<InterfaceState, 'addresses'>): readonly IpPrefix[] {
  return addresses.flatMap((own) => userNetwork(own) ?? []);
}

/** Interfaces that are up and behind which hosts of either family may be; first `hostPorts`, as a link of routers may have a wide network of IPv6. */
export function userPorts(inventory: Inventory): readonly InterfaceState[] {
  const first = hostPorts(inventory);
  const more = inventory.interfaces.filter(
    (entry) => entry.kind !== 'loopback' && entry.operUp && userNetworksOf(entry).length > 0 && !first.includes(entry),
  );
  return [...first, ...more];
}

export function isInside(network: IpPrefix, address: string): boolean {
  const one = parsePrefix(address);
  if (one?.family !== network.family) return false;
  const shift = BigInt((network.family === 4 ? 32 : 128) - network.prefixBits);
  return one.value >> shift === network.value >> shift;
}

/** Of networks of IPv4: anywhere in a small network, and under its own host number in the networks of the same size around (a slip in one octet). */
export function likelyPlaces(networks: readonly IpPrefix[], gone: readonly string[]): readonly string[] {
  return networks.flatMap((network) => {
    if (network.family !== 4) return [];
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
