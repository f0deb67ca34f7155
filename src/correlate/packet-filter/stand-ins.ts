// An address that stands for the hosts of a network: none of a router, which rules against spoofing and for routers' own traffic name, and none that a
// rule names alone. Pure.
import { type IpPrefix, parsePrefix } from '#base/ip.ts';
import { rowDemands } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { World } from '../network/world.ts';

/** Addresses of a network that are tried; where rules name more, one of them stands for the hosts all the same. */
const TRIED = 256n;
/** The first is behind the ends of a network, where routers often are. */
const FIRST = 7n;

/** Several parts of one answer ask for it. */
const NAMED = new WeakMap<World, ReadonlySet<string>>();

/** `network` as its node has it, `198.19.1.1/24`; of one address that address. */
export function standInOf(world: World, network: string): string {
  const own = parsePrefix(network);
  const hostBits = own === undefined ? 0 : (own.family === 4 ? 32 : 128) - own.prefixBits;
  if (own === undefined || hostBits === 0) return network.split('/')[0]!;
  const named = NAMED.get(world) ?? namedIn(world);
  NAMED.set(world, named);
  const others = candidates(own, BigInt(hostBits)).filter((value) => value !== own.value);
  const isFree = (value: bigint) => !named.has(`${own.family} ${value}`);
  return addressText(own.family, others.find(isFree) ?? others[0] ?? own.value);
}

function candidates({ value, family }: IpPrefix, hostBits: bigint): readonly bigint[] {
  const base = (value >> hostBits) << hostBits;
  // A network's own address, and its broadcast address, are no host's.
  const edge = family === 4 && hostBits > 1n ? 1n : 0n;
  const size = (1n << hostBits) - 2n * edge;
  const count = size < TRIED ? size : TRIED;
  const start = size / 4n + FIRST;
  return Array.from({ length: Number(count) }, (_, at) => base + edge + ((start + BigInt(at)) % size));
}

/** Addresses of routers, and those that rules name alone, by family and number. */
function namedIn({ views }: World): ReadonlySet<string> {
  const named = new Set<string>();
  const add = (text: string) => {
    const one = parsePrefix(text);
    if (one !== undefined && one.prefixBits === (one.family === 4 ? 32 : 128)) named.add(`${one.family} ${one.value}`);
  };
  for (const { state } of views.values()) {
    for (const { addresses } of state.inventory.interfaces) for (const each of addresses) add(each.split('/')[0]!);
    for (const rule of state.filters) for (const each of addressesOf(rule)) add(each);
  }
  return named;
}

function addressesOf({ matches = [] }: FilterRule): readonly string[] {
  return matches
    .flatMap((each) => (each.field === 'row' ? each.values.flatMap(rowDemands) : [each]))
    .flatMap(({ field, values }) => (field === 'source' || field === 'destination' ? values : []));
}

function addressText(family: 4 | 6, value: bigint): string {
  const [count, bits] = family === 4 ? ([4, 8n] as const) : ([8, 16n] as const);
  const parts = Array.from(
    { length: count },
    (_, at) => (value >> (BigInt(count - 1 - at) * bits)) & ((1n << bits) - 1n),
  );
  return family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}
