// Whether what is for hosts behind the two ends of a path gets there: probes from each end to the addresses that the other has on its networks of
// hosts, over the nodes' own routing. A router that is reached may have a network that is not. Pure.
import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import type { PlannedCall } from '#model/call.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { namedSources } from '../links/end-to-end.ts';
import { defineMeasurement } from '../measurement.ts';
import { addressesOf, ownAddresses } from '../nodes/own-addresses.ts';
import { planReachAgain } from '../nodes/reach.ts';
import { busiestFirst, canSendTo, isOfHosts, plannedSources } from '../probe-sources.ts';
import type { Scope } from '../scope.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';

export const REACH_PROBES = 5;
/** Addresses of one end that the other probes. */
export const HOST_NETWORKS = 4;

export const pathReach = defineMeasurement({
  kinds: ['reach'],
  about: 'path',
  rounds: {
    first: planPathReach,
    confirmation: ({ states }, { reaches }) => planReachAgain(reaches, [], states),
  },
  read: decodeReach,
});

export function planPathReach({ nodes, states }: Scope): readonly PlannedCall[] {
  const [head, tail] = [nodes[0], nodes.at(-1)];
  if (head === undefined || tail === undefined || head === tail) return [];
  return [...reachOf(head, tail, states), ...reachOf(tail, head, states)];
}

/** Own addresses of a node on networks that have room for hosts, those in use first. */
export function hostAddresses(states: States, node: string): readonly string[] {
  const state = states.get(node);
  if (state === undefined) return [];
  const interfaces = busiestFirst(state.inventory.interfaces);
  const networks = interfaces
    .filter(({ kind, operUp }) => kind !== 'loopback' && operUp)
    .flatMap(({ addresses }) => addresses.filter(isOfHosts).flatMap((text) => parsePrefix(text) ?? []))
    .filter((own) => !isLinkLocal(own))
    .map(({ address }) => address);
  // Of a node with many addresses it takes the first.
  const sorted: States = new Map(states).set(node, { ...state, inventory: { ...state.inventory, interfaces } });
  const owned = ownAddresses(sorted, scopeLinks(states)).filter((each) => each.node === node);
  return addressesOf(owned).filter((address) => networks.includes(address));
}

function reachOf(from: string, to: string, states: States): readonly PlannedCall[] {
  const mine = states.get(from);
  if (mine === undefined) return [];
  const destinations = hostAddresses(states, to)
    .filter((address) => canSendTo(mine, address))
    .slice(0, HOST_NETWORKS);
  if (destinations.length === 0) return [];
  const timeoutMs = destinations.length * REACH_PROBES + MEASURE_LIMITS.measureCallMs;
  const args = { destinations, count: REACH_PROBES, ...namedSources(plannedSources(states, from)) };
  return [callFor(from, { kind: 'reach', round: 'first' }, args, timeoutMs)];
}
