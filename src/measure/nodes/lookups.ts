// Where nodes forward packets to: for the addresses of all others, for what they steer into SRv6 and for services of their hosts; once more
// where a path failed, as what is over by then was no fault. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { addressIn } from '#model/expectations.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import { newSourceOf } from '#model/router/filter-rewrites.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { decodeLookups } from '../decode/decode-measurements.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';
import { addressesOf, ownAddresses, type Target } from './own-addresses.ts';

export const lookups = defineMeasurement({
  kinds: ['lookups'],
  about: 'every',
  rounds: {
    first: ({ states, mustHold }) => planLookups(states, 'first', mustHold),
    confirmation: ({ states, mustHold }, { routes }) => (routes ? planLookups(states, 'confirmation', mustHold) : []),
  },
  read: decodeLookups,
});

/** Hop by hop towards what a question asks about, while the scope is found. */
export const pathLookups = defineMeasurement({ kinds: ['path-lookup'], rounds: {}, read: decodeLookups });

export function planPathLookup(node: string, destination: string): PlannedCall {
  return callFor(
    node,
    { kind: 'path-lookup', destination },
    { destinations: [destination] },
    MEASURE_LIMITS.sweepCallMs,
  );
}

export function planLookups(
  states: States,
  round: 'first' | 'confirmation',
  mustHold: readonly ExpectLine[] = [],
): readonly PlannedCall[] {
  const targets = ownAddresses(states, scopeLinks(states));
  const withdrawn = [...states.values()]
    .flatMap(withdrawnPrefixes)
    .map(addressIn)
    .slice(0, MEASURE_LIMITS.withdrawnPrefixes);
  const translated = translatedTo(states).slice(0, MEASURE_LIMITS.translatedSources);
  return [...states.keys()].flatMap((node) => {
    const expected = mustHold.flatMap(({ what, subject, at }) =>
      what === 'route' && at === node ? [addressIn(subject)] : [],
    );
    return lookupsOf(node, targets, states, round, [...expected, ...withdrawn, ...translated]);
  });
}

/** Addresses that rules of nodes write as the source of what they send on: answers to these must find back. */
function translatedTo(states: States): readonly string[] {
  return [
    ...new Set([...states.values()].flatMap(({ filters }) => filters.flatMap((rule) => newSourceOf(rule) ?? []))),
  ];
}

/** Prefixes that a `network` statement brought into BGP within the memory of the node, and none does now; latest first. */
export function withdrawnPrefixes({ bgp, history }: NodeState): readonly string[] {
  if (bgp === undefined) return [];
  const changed = (history?.settings ?? []).flatMap(({ kind, subject, was }) =>
    kind === 'network' && was !== undefined ? [subject] : [],
  );
  return [...new Set(changed)].filter((prefix) => !bgp.networks.includes(prefix));
}

function lookupsOf(
  node: string,
  targets: readonly Target[],
  states: States,
  round: 'first' | 'confirmation',
  expected: readonly string[],
): readonly PlannedCall[] {
  // Where its own lists begin, and whether it knows a way to what others put into SRv6.
  const steeredTo = [...states].flatMap(([head, state]) =>
    (state.staticRoutes ?? [])
      .filter((route) => route.segments !== undefined)
      .flatMap((route) => (head === node ? route.segments! : [route.prefix.split('/')[0]!])),
  );
  const others = addressesOf(targets.filter((target) => target.node !== node));
  // What a host of its own serves may be led elsewhere by a route for less than its network.
  const served = (states.get(node)?.history?.services ?? []).map(({ address }) => address);
  const destinations = [...new Set([...expected, ...steeredTo, ...served, ...others])];
  const parts = Array.from({ length: Math.ceil(destinations.length / LIMITS.lookups) }, (_, part) =>
    destinations.slice(part * LIMITS.lookups, (part + 1) * LIMITS.lookups),
  );
  return parts.map((destinations, index) =>
    callFor(node, { kind: 'lookups', part: index + 1, round }, { destinations }, MEASURE_LIMITS.measureCallMs),
  );
}
