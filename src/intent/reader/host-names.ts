// Hosts, which have no agent. "Host h1 (198.51.100.7)" is asked about by its address, and the name is said not to be used. And which addresses are of
// hosts that may ask each other.
import { isOfNoHost, parsePrefix } from '#base/ip.ts';
import type { Item } from './item.ts';
import { type KnownNames, knownNode } from './names.ts';

/** A name that no known node has, between a word such as "host" and an address, is that of the host with this address. */
export function withoutHostNames(items: readonly Item[], known: KnownNames): readonly Item[] {
  return items.flatMap((item, index): readonly Item[] => {
    // "Between Frankfurt (fra-cr1) and Amsterdam (ams-cr1)": named behind the node.
    if (isSite(items[index], items[index + 1], known)) return [];
    const before = items[index - 1];
    if (isSite(before, item, known)) return [item, { kind: 'left', text: before.name, why: 'aside' }];
    const isHost = item.kind === 'node' && isHostNoun(before) && items[index + 1]?.kind === 'address';
    if (!isHost || knownNode(item.name, known) !== undefined) return [item];
    return [{ kind: 'left', text: item.name, why: 'aside' }];
  });
}

type NodeItem = Extract<Item, { readonly kind: 'node' }>;

/** The name of a place, right before the known node that is there. */
function isSite(item: Item | undefined, next: Item | undefined, known: KnownNames): item is NodeItem {
  return (
    item?.kind === 'node' &&
    /^[A-Z][a-z]+$/.test(item.name) &&
    knownNode(item.name, known) === undefined &&
    next?.kind === 'node' &&
    knownNode(next.name, known) !== undefined
  );
}

const HOST = /^(?:host|server|machine|device|box|system)$/;

function isHostNoun(item: Item | undefined): boolean {
  return item?.kind === 'meaning' && item.meaning.kind === 'noun' && HOST.test(item.text);
}

/** Why packets from one address to the other are none that a host sends to another. */
export function unusableHost(from: string, to: string): string | undefined {
  const [sender, target] = [parsePrefix(from), parsePrefix(to)];
  if (sender === undefined || target === undefined) return undefined;
  if (from.includes('/')) return `${from}, a prefix, from which packets are to come: name one host of it`;
  const strange = [sender, target].find(({ address }) => isOfNoHost(address));
  if (strange !== undefined) return `${strange.address}, which is the address of no single host`;
  if (sender.family !== target.family) return `${from} and ${to}, one of IPv4 and one of IPv6`;
  return sender.value === target.value && !to.includes('/') ? `${from} twice: name the other end` : undefined;
}

/** Why no service is tried at one of these addresses. */
export function unusableServer(addresses: readonly string[]): string | undefined {
  const strange = addresses.map((address) => address.split('/')[0]!).find(isOfNoHost);
  return strange === undefined ? undefined : `a service at ${strange}, which is the address of no single host`;
}
