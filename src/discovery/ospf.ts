// Neighbours in the node's own OSPF domain that no other discovery named: switches between routers may pass OSPF and no LLDP. OSPF tells an address
// and no name, so that this is no hint yet: who is there, a certificate says (agent/sessions/ospf-discovery.ts). Pure.
import { covers } from '#base/ip.ts';
import type { PeerRecord } from '#model/peer.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';
import { isDialable } from './address.ts';

export type OspfCandidate = { readonly address: string; readonly ifname: string };

/** Two routers that have heard each other (RFC 2328 §10.1): a forged hello alone is no neighbour. */
const HEARD_BOTH_WAYS = /^(?:Full|2-Way)/;

/**
 * On networks that the node is directly connected to, and over interfaces on which no agent was heard by other means. None in a VRF: the agent
 * dials from the main table.
 */
export function ospfCandidates(
  { inventory, ospf = [] }: Pick<NodeState, 'inventory' | 'ospf'>,
  known: readonly PeerRecord[],
): readonly OspfCandidate[] {
  const hints = known.flatMap((record) => record.hints);
  const heardOn = new Set(hints.flatMap(({ source, heardOn: ifname }) => (source === 'ospf' ? [] : (ifname ?? []))));
  const taken = new Set([
    ...known.flatMap(({ verified, remembered }) => [verified, remembered].flatMap((proven) => proven?.address ?? [])),
    ...hints.flatMap(({ addresses }) => addresses),
    ...inventory.interfaces.flatMap(({ addresses }) => addresses.map((each) => each.split('/')[0]!)),
  ]);
  const up = new Map(inventory.interfaces.filter(isUsable).map((entry) => [entry.name, entry]));
  const found = ospf.flatMap(({ ifname, passive, neighbours }) => {
    const networks = passive || heardOn.has(ifname) ? [] : (up.get(ifname)?.addresses ?? []);
    return neighbours
      .filter(({ state }) => HEARD_BOTH_WAYS.test(state))
      .filter(({ address }) => isDialable(address) && !taken.has(address))
      .filter(({ address }) => networks.some((network) => covers(network, address)))
      .map(({ address }) => ({ address, ifname }));
  });
  return [...new Map(found.map((candidate) => [candidate.address, candidate])).values()];
}

function isUsable({ operUp, kind, master }: InterfaceState): boolean {
  return operUp && kind !== 'loopback' && master?.kind !== 'vrf';
}
