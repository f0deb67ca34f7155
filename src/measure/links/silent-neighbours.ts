// Whether a router whose agent gives no state still answers over its links: its neighbours send a few echoes to the far ends of the ports on which
// they heard it last, where these have a carrier. Behind a switch, or with the router's own port shut, the carrier says nothing. Pure.
import { pairOf } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import type { PlannedCall } from '#model/call.ts';
import { nodeKey } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { type Mute, NO_NODE, type States } from '../states.ts';

const ECHOES = 3;
/** Far ends that one node tries: two families of eight links. */
const MOST_ADDRESSES = 16;

export const silentNeighbours = defineMeasurement({
  kinds: ['silent-echoes'],
  rounds: { first: ({ nodes, states, relays }) => planSilentNeighbours(nodes, states, relays) },
  read: decodeReach,
});

/** `nodes` are all of the scope: those without a state are silent. */
export function planSilentNeighbours(
  nodes: readonly string[],
  states: States,
  mute: Mute = NO_NODE,
): readonly PlannedCall[] {
  const silent = new Set(nodes.filter((node) => !states.has(node)).map(nodeKey));
  if (silent.size === 0) return [];
  return [...states].flatMap(([node, state]) => {
    if (mute.has(node)) return [];
    const ports = (state.history?.lastHeard ?? []).filter(({ name }) => silent.has(nodeKey(name)));
    const destinations = ports.flatMap(({ ifname }) => farAddresses(state, ifname)).slice(0, MOST_ADDRESSES);
    if (destinations.length === 0) return [];
    const args = { destinations, count: ECHOES, traffic: 'icmp' };
    return [callFor(node, { kind: 'silent-echoes' }, args, MEASURE_LIMITS.measureCallMs)];
  });
}

/** The other addresses of a port's subnets of two; none where it is down. */
export function farAddresses({ inventory }: NodeState, ifname: string): readonly string[] {
  const port = inventory.interfaces.find(({ name }) => name === ifname);
  if (port?.operUp !== true) return [];
  return port.addresses.flatMap((text) => {
    const pair = pairOf(text);
    return pair === undefined ? [] : [formatAddress(pair.own.family, pair.farValue)];
  });
}
