// Which of a node's SIDs and addresses a probe uses. A decapsulating probe is delivered to the loopback by End.DT6 alone:
// End.DX6 hands the packet to a next hop and never to the node itself.
import { parsePrefix } from '#base/ip.ts';
import type { NodeState } from '#model/router/router-port.ts';

/** The node's plain End SID (RFC 8986 §4.1): the packet continues along its SID list. */
export function endSid(state: NodeState): string | undefined {
  return state.inventory.sids.find((entry) => entry.behavior === 'End')?.sid;
}

/** The node's End.DT6 SID (RFC 8986 §4.6): the probe is decapsulated and looked up at the node. */
export function decapSid(state: NodeState): string | undefined {
  return state.inventory.sids.find((entry) => entry.behavior.split(' ')[0] === 'End.DT6')?.sid;
}

/**
 * Addresses of two nodes of one family, to probe from and to: loopbacks, which are on no link, IPv6 before IPv4 unless the caller says otherwise; else, of nodes that have
 * none of one family, whatever address of an interface that is up comes first.
 */
export function ownAddresses(
  from: NodeState,
  to: NodeState,
  families: readonly (4 | 6)[] = [6, 4],
): readonly [string?, string?] {
  for (const pick of [loopbacks, interfaceAddresses]) {
    for (const family of families) {
      const [source, destination] = [from, to].map(
        (state) => pick(state).find((own) => own.family === family)?.address,
      );
      if (source !== undefined && destination !== undefined) return [source, destination];
    }
  }
  return [];
}

function loopbacks({ inventory }: NodeState) {
  return inventory.loopbacks.flatMap((text) => parsePrefix(text) ?? []).filter(isProbed);
}

function interfaceAddresses({ inventory }: NodeState) {
  const up = inventory.interfaces.filter(({ operUp }) => operUp);
  return up.flatMap(({ addresses }) => addresses.flatMap((text) => parsePrefix(text) ?? [])).filter(isProbed);
}

function isProbed({ address }: { readonly address: string }): boolean {
  return !/^(?:fe[89ab]|127\.|169\.254\.|::1$)/i.test(address);
}

/** The node's first IPv6 loopback address, without a prefix length. */
export function loopback(state: NodeState): string | undefined {
  const prefixes = state.inventory.loopbacks.map(parsePrefix);
  return prefixes.find((prefix) => prefix?.family === 6)?.address;
}
