// Links between two routers that carry nothing, as a spare one. Refuses to say so where anything was otherwise that an end remembers, for however
// short a time: what such a link carried before may be lost.

import type { LinkEnd } from '#model/names.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { LEAST_PROBES } from '../engine/loss-symptom.ts';
import { STOOD_MS, settingChanges } from '../network/remembered.ts';
import { statesSeen, type World, type WorldLink } from '../network/world.ts';

/**
 * LLDP alone shows the link. Neither end has an address there besides that of the link itself, is a port of a bridge or a bond, or has a protocol or a route
 * there, and neither had as far as it remembers; and few packets crossed it, so that no interface on top of it is in use.
 */
export function carriesNothing(world: World, { from, to, link }: WorldLink): boolean {
  return (
    [...link.signs, ...link.claims.map(({ sign }) => sign)].every((sign) => sign === 'lldp') &&
    [from, to].every((end) => isBareNow(world, end) && wasBare(world, end) && isQuiet(world, end))
  );
}

/** How much each counter of the port rose while the question was measured; undefined where it was not read twice. */
export function countedAt(world: World, { node, ifname }: LinkEnd) {
  const { before, state } = world.views.get(node) ?? {};
  const [first, last] = [before, state].map(
    (each) => each?.inventory.interfaces.find(({ name }) => name === ifname)?.counters,
  );
  if (first === undefined || last === undefined) return undefined;
  return (name: keyof typeof first): number | undefined =>
    first[name] === undefined || last[name] === undefined
      ? undefined
      : Number(BigInt(last[name]) - BigInt(first[name]));
}

function isBareNow(world: World, { node, ifname }: LinkEnd): boolean {
  const state = world.views.get(node)?.state;
  const answers = [...(world.lookups.get(node)?.values() ?? [])];
  return (
    state?.inventory.mastersTold === true &&
    // What was not read may be there.
    state.missing.length === 0 &&
    isBare(state, ifname) &&
    !answers.some((answer) => answer.ifname === ifname || answer.ifnames?.includes(ifname) === true)
  );
}

function isBare(state: NodeState, ifname: string): boolean {
  const { inventory, adjacencies = [], bgp, isis, staticRoutes = [], defaultRoutes = [] } = state;
  const { addresses = [], master } = inventory?.interfaces.find(({ name }) => name === ifname) ?? {};
  const hops = defaultRoutes.flatMap((route) => route.hops);
  const rows = [...(isis?.circuits ?? []), ...adjacencies, ...ospfRows(state), ...staticRoutes, ...hops];
  return (
    master === undefined &&
    !(inventory?.interfaces ?? []).some(({ name }) => name.startsWith(`${ifname}.`)) &&
    // Those that every IPv6 interface gives itself say nothing.
    addresses.every((each) => /^fe[89ab]/i.test(each)) &&
    !rows.some((row) => row.ifname === ifname) &&
    !(bgp?.sessions ?? []).some(({ peer }) => peer === ifname)
  );
}

/** Settings of an interface that tell that it carried something. */
const CARRYING = ['address', 'master', 'metric', 'session'] as const;

function wasBare(world: World, { node, ifname }: LinkEnd): boolean {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  return (
    (history?.settingsSpanMs ?? 0) >= STOOD_MS &&
    [...past.map(({ state }) => state), ...statesSeen(world, node)].every((state) => isBare(state, ifname)) &&
    !CARRYING.some((kind) => settingChanges(world, node, kind).some(({ subject }) => subject === ifname)) &&
    !settingChanges(world, node, 'static-route').some(({ setting }) => setting === ifname)
  );
}

function isQuiet(world: World, end: LinkEnd): boolean {
  const counted = countedAt(world, end);
  return (['rxPackets', 'txPackets'] as const).every((name) => (counted?.(name) ?? LEAST_PROBES) < LEAST_PROBES);
}
