// Addresses that nodes of the scope call their own, for other nodes to look up and to probe. Pure.
import { isNarrow, parsePrefix } from '#base/ip.ts';
import type { Link } from '#model/links/links.ts';
import type { States } from '../states.ts';

const ADDRESSES_PER_NODE = 6;

export type Target = { readonly node: string; readonly address: string };

/** What each node calls its own: loopbacks, and one address of each network that is no link of the scope. */
export function ownAddresses(states: States, links: readonly Link[]): readonly Target[] {
  const narrow = links.filter(({ addresses }) => addresses === undefined || isOfLink(states, addresses.from));
  const inner = new Set(narrow.flatMap(({ from, to }) => [from, to]).map((end) => `${end.node} ${end.ifname}`));
  return [...states].flatMap(([node, { inventory }]) => {
    const attached = inventory.interfaces
      .filter((entry) => entry.kind !== 'loopback' && entry.adminUp && !inner.has(`${node} ${entry.name}`))
      .flatMap((entry) => entry.addresses);
    // Networks of hosts come before links that lead out of the scope.
    const sorted = [...attached.filter((own) => !isNarrowPrefix(own)), ...attached.filter(isNarrowPrefix)];
    const all = [...inventory.loopbacks, ...sorted].map((address) => address.split('/')[0]!);
    const usable = [...new Set(all)].filter(
      (address) => parsePrefix(address) !== undefined && !/^fe[89ab]/i.test(address),
    );
    return usable.slice(0, ADDRESSES_PER_NODE).map((address) => ({ node, address }));
  });
}

/** A link of two addresses only; a wider one is a network that hosts are attached to. */
function isOfLink(states: States, address: string): boolean {
  const found = [...states.values()]
    .flatMap(({ inventory }) => inventory.interfaces.flatMap((entry) => entry.addresses))
    .find((each) => each.startsWith(`${address}/`));
  return found !== undefined && isNarrowPrefix(found);
}

function isNarrowPrefix(text: string): boolean {
  const prefix = parsePrefix(text);
  return prefix !== undefined && isNarrow(prefix);
}

export function addressesOf(targets: readonly Target[]): string[] {
  return [...new Set(targets.map((target) => target.address))];
}
