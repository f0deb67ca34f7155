// For which network an offer was that passed a router: that of the relay it went to, or of the port it came in by. Pure.
import { covers } from '#base/ip.ts';
import type { PassedOffer } from '../router/dhcp-history.ts';
import type { Inventory } from '../router/router-port.ts';

type States = ReadonlyMap<string, { readonly inventory: Pick<Inventory, 'interfaces'> }>;

/** The router port whose network an offer is for that passed on `node`; undefined where no node in scope has it. */
export function networkOffered(
  states: States,
  node: string,
  { ifname, from, gateway }: PassedOffer,
): { readonly node: string; readonly ifname: string; readonly gateway: string } | undefined {
  const ports = [...states].flatMap(([each, { inventory }]) =>
    inventory.interfaces
      .filter(({ kind }) => kind !== 'loopback')
      .flatMap(({ name, addresses }) => addresses.map((address) => ({ node: each, ifname: name, address }))),
  );
  const port = ports.find(({ address, ...own }) =>
    gateway === undefined
      ? own.node === node && own.ifname === ifname && covers(address, from)
      : address.startsWith(`${gateway}/`),
  );
  return port && { node: port.node, ifname: port.ifname, gateway: port.address.split('/')[0]! };
}
