// Probes from each node to the loopbacks and networks of some others, over the nodes' own routing; again to those that lost some. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { callFor } from '../call.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import type { Reach } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { namedSources, reachCall } from '../links/end-to-end.ts';
import { defineMeasurement } from '../measurement.ts';
import { canSendTo, plannedSources } from '../probe-sources.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';
import { addressesOf, ownAddresses, type Target } from './own-addresses.ts';

export const reach = defineMeasurement({
  kinds: ['reach'],
  rounds: {
    first: ({ states }) => planReach(states),
    confirmation: ({ states }, { reaches, unseen }) => planReachAgain(reaches, unseen, states),
  },
  read: decodeReach,
});

const REACH_PROBES = 5;
/** Others that one node of a large network probes: every node is still probed by several. */
const REACH_OTHERS = 8;
/** Where everything loses probes, a few are enough. */
const AGAIN_NODES = 16;
const AGAIN_EACH = 16;
/** Ways from and to nodes whose links are not known: both of each node of a large network. */
const UNSEEN_WAYS = 256;
/** Of one node. */
const AGAIN_SENDERS = 3;

export function planReach(states: States): readonly PlannedCall[] {
  const targets = ownAddresses(states, scopeLinks(states));
  return [...states.keys()].flatMap((node, index) => reachOf(node, index, targets, states));
}

/**
 * With many more probes, and from the addresses that they are to be tried from: what lost some, and the ways over links that are not known.
 */
export function planReachAgain(
  lossy: readonly Reach[],
  unseen: readonly Reach[] = [],
  states: States = new Map(),
): readonly PlannedCall[] {
  const losing = [...Map.groupBy(lossy, ({ from }) => from).keys()].slice(0, AGAIN_NODES);
  const wanted = [...lossy.filter(({ from }) => losing.includes(from)), ...unseen.slice(0, UNSEEN_WAYS)];
  return [...Map.groupBy(wanted, ({ from }) => from)].flatMap(([node, mine]) =>
    [...Map.groupBy(mine, ({ sender }) => sender)].slice(0, AGAIN_SENDERS).map(([sender, rows]) => {
      const destinations = [...new Set(rows.map(({ destination }) => destination))].slice(0, AGAIN_EACH);
      const purpose = { kind: 'reach', round: 'confirmation', ...(sender === undefined ? {} : { sender }) } as const;
      return reachCall(node, purpose, destinations, sender === undefined ? plannedSources(states, node) : [sender]);
    }),
  );
}

function reachOf(node: string, index: number, targets: readonly Target[], states: States): readonly PlannedCall[] {
  const nodes = [...states.keys()];
  const step = Math.max(1, Math.floor((nodes.length - 1) / REACH_OTHERS));
  const chosen = new Set(
    Array.from({ length: REACH_OTHERS }, (_, turn) => nodes[(index + 1 + turn * step) % nodes.length]!),
  );
  chosen.delete(node);
  const state = states.get(node)!;
  const destinations = addressesOf(targets.filter((target) => chosen.has(target.node)))
    .filter((destination) => canSendTo(state, destination))
    .slice(0, LIMITS.reachDestinations);
  if (destinations.length === 0) return [];
  const timeoutMs = destinations.length * REACH_PROBES + MEASURE_LIMITS.measureCallMs;
  const args = { destinations, count: REACH_PROBES, ...namedSources(plannedSources(states, node)) };
  return [callFor(node, { kind: 'reach', round: 'first' }, args, timeoutMs)];
}
