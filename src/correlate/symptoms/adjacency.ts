// Links over which IS-IS or OSPF is to run at both ends and is not adjacent by the report of both. What an end does not say is no symptom.
import { type LinkEnd, nodeKey } from '#model/names.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import type { Adjacency } from '#model/router/router-port.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { routedEnds } from '../network/routed-ends.ts';
import { circuitOf, interfaceOf, type View, type World, type WorldLink } from '../network/world.ts';
import { linkLabel, linkSymptom } from './links/on-link.ts';

/** What each end says of its neighbour: a state of the protocol, or `none`. `to` is absent where one end alone was expected to have it. */
export type AdjacencyDetail = { readonly from: string; readonly to?: string };

export const isisSymptom = defineSymptom<AdjacencyDetail>('isis');
export const ospfSymptom = defineSymptom<AdjacencyDetail>('ospf');

export function adjacencySymptoms(world: World): readonly Symptom[] {
  return world.links
    .filter((link) => interfaceOf(world, link.from) && interfaceOf(world, link.to))
    .flatMap((link) => [...isisSymptoms(world, link), ...ospfSymptoms(world, link)]);
}

type IsisEnd = { readonly end: LinkEnd; readonly neighbour: Adjacency['state'] | 'none'; readonly isUp: boolean };

/** Both ends of a link over which IS-IS is to run; undefined where it is not, or where an end does not say. */
function isisEnds(world: World, link: WorldLink): readonly IsisEnd[] | undefined {
  const both = routedEnds(world, link);
  const ends = both.map((end, index) => ({
    end,
    far: both[1 - index]!,
    circuit: circuitOf(world, end),
    state: world.views.get(end.node)!.state,
  }));
  const active = ends.filter(({ circuit }) => circuit !== undefined && !circuit.passive);
  const runs = (state: View['state']) =>
    state.isis !== undefined || state.daemons?.some(({ name }) => name === 'isisd');
  if (active.length === 0 || !ends.every(({ state }) => runs(state))) return undefined;
  return ends.map(({ end, far }) => {
    const rows = adjacenciesAt(world, end, far.node);
    return { end, neighbour: rows[0]?.state ?? 'none', isUp: rows.some(({ state }) => state === 'up') };
  });
}

/** Of several neighbours on a segment those that are the other node, by its system id or name; all where none of them is known. */
function adjacenciesAt({ views }: World, { node, ifname }: LinkEnd, far: string): readonly Adjacency[] {
  const rows = views.get(node)!.state.adjacencies.filter((entry) => entry.ifname === ifname);
  const isOf = (row: Adjacency, each: string) =>
    row.systemId === views.get(each)?.state.isis?.systemId || nodeKey(row.hostname ?? '') === nodeKey(each);
  const isKnown = rows.some((row) => [...views.keys()].some((each) => isOf(row, each)));
  return rows.length > 1 && isKnown ? rows.filter((row) => isOf(row, far)) : rows;
}

/** IS-IS is adjacent over the link by the report of both ends. */
export function isIsisAdjacent(world: World, link: WorldLink): boolean {
  if (!interfaceOf(world, link.from) || !interfaceOf(world, link.to)) return false;
  return isisEnds(world, link)?.every(({ isUp }) => isUp) === true;
}

function isisSymptoms(world: World, link: WorldLink): readonly Symptom[] {
  const ends = isisEnds(world, link);
  if (ends === undefined || ends.every(({ isUp }) => isUp)) return [];
  const [from, to] = ends.map(({ neighbour }) => neighbour);
  const text = `${linkLabel(link)}: IS-IS says ${from} at one end, ${to} at the other`;
  return [linkSymptom(isisSymptom, world, link, { text, detail: { from: from!, to: to! } })];
}

function ospfSymptoms(world: World, link: WorldLink): readonly Symptom[] {
  const [one, other] = routedEnds(world, link);
  const ends = [
    [one, other],
    [other, one],
  ].map(([end, far]) => {
    const state = world.views.get(end!.node)!.state;
    const row = state.ospf?.find((entry) => entry.ifname === end!.ifname);
    return {
      runs: state.ospf !== undefined || state.daemons?.some(({ name }) => name === 'ospfd'),
      row,
      neighbours: row === undefined ? [] : neighboursAt(world, row, far!.node),
    };
  });
  if (!ends.some(({ row }) => row !== undefined && !row.passive) || !ends.every(({ runs }) => runs)) return [];
  const states = ends.map(({ neighbours }) => neighbours[0]?.state ?? 'none');
  if (states.every((state) => state === 'Full')) return [];
  // On a network of many two that are neither its designated router nor the backup stay at 2-Way (RFC 2328 §10.4).
  if (
    !link.link.pointToPoint &&
    ends.every(
      ({ neighbours }) => neighbours.length > 0 && neighbours.every(({ state }) => /^(?:Full|2-Way)$/.test(state)),
    )
  )
    return [];
  const text = `${linkLabel(link)}: OSPF says ${states[0]} at one end, ${states[1]} at the other`;
  return [linkSymptom(ospfSymptom, world, link, { text, detail: { from: states[0]!, to: states[1]! } })];
}

/** Those of the other node, by their addresses; all where no node is known to have one of them. */
function neighboursAt({ owners }: World, { neighbours }: OspfInterface, node: string): OspfInterface['neighbours'] {
  const isKnown = neighbours.some(({ address }) => owners.has(address));
  return isKnown
    ? neighbours.filter(({ address }) => owners.get(address)?.some((owner) => owner.node === node) === true)
    : neighbours;
}
