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

/** The node's first IPv6 loopback address, without a prefix length. */
export function loopback(state: NodeState): string | undefined {
  const prefixes = state.inventory.loopbacks.map(parsePrefix);
  return prefixes.find((prefix) => prefix?.family === 6)?.address;
}
