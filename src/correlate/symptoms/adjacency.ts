// Links over which IS-IS or OSPF is to run at both ends and is not adjacent by the report of both. What an end does not say is no symptom.
import { type LinkEnd, nodeKey } from '#model/names.ts';
import {
  isOspfDead,
  OSPF_DAEMONS,
  OSPF_NAMES,
  OSPF_VERSIONS,
  type OspfInterface,
  type OspfVersion,
  ospfRows,
  saysOspf,
} from '#model/router/control-plane.ts';
import type { Adjacency } from '#model/router/router-port.ts';
import { defineSymptom, type Symptom } from '../engine/symptom.ts';
import { stoodBefore } from '../network/remembered.ts';
import { routedEnds } from '../network/routed-ends.ts';
import { circuitOf, interfaceOf, type View, type World, type WorldLink } from '../network/world.ts';
import { linkLabel, linkSymptom } from './links/on-link.ts';

/** What each end says of its neighbour: a state of the protocol, or `none`. `to` is absent where one end alone was expected to have it. `version`: of OSPFv3. */
export type AdjacencyDetail = { readonly from: string; readonly to?: string; readonly version?: 3 };

export const isisSymptom = defineSymptom<AdjacencyDetail>('isis');
export const ospfSymptom = defineSymptom<AdjacencyDetail>('ospf');

export function adjacencySymptoms(world: World): readonly Symptom[] {
  return world.links
    .filter((link) => interfaceOf(world, link.from) && interfaceOf(world, link.to))
    .flatMap((link) => [
      ...isisSymptoms(world, link),
      ...OSPF_VERSIONS.flatMap((version) => ospfSymptoms(world, link, version)),
    ]);
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
  const text = `${linkLabel(link)}: ${saidWords('IS-IS', from!, to!)}`;
  return [linkSymptom(isisSymptom, world, link, { text, detail: { from: from!, to: to! } })];
}

function saidWords(protocol: string, from: string, to: string): string {
  return from === 'none' && to === 'none'
    ? `no ${protocol} adjacency at either end`
    : `${protocol} says ${from} at one end, ${to} at the other`;
}

/** Of which version an OSPF symptom is; one that says nothing of a version is of OSPFv2. */
export function versionOf({ detail }: { readonly detail: Pick<AdjacencyDetail, 'version'> }): OspfVersion {
  return detail.version ?? 2;
}

/** What tells a symptom of OSPFv3 from one of OSPFv2 on the same link. */
export function versionMark(version: OspfVersion): { readonly version?: 3 } {
  return version === 3 ? { version } : {};
}

function ospfSymptoms(world: World, link: WorldLink, version: OspfVersion): readonly Symptom[] {
  const [one, other] = routedEnds(world, link);
  const ends = [
    [one, other],
    [other, one],
  ].map(([end, far]) => {
    const state = world.views.get(end!.node)!.state;
    const row = ospfRows(state, version).find((entry) => entry.ifname === end!.ifname);
    return {
      ...{ runs: runsOspf(state, version) && !isIdle(world, end!.node, version), row },
      isUntold: row === undefined && (isInVrf(world, end!) || isFullFor(world, end!, far!, version)),
      neighbours: row === undefined ? [] : neighboursAt(world, row, far!.node, version),
    };
  });
  if (!ends.some(({ row }) => row !== undefined && !row.passive) || !ends.every(({ runs }) => runs)) return [];
  if (ends.some(({ isUntold }) => isUntold)) return [];
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
  const text = `${linkLabel(link)}: ${saidWords(OSPF_NAMES[version], states[0]!, states[1]!)}`;
  const detail = { from: states[0]!, to: states[1]!, ...versionMark(version) };
  return [linkSymptom(ospfSymptom, world, link, { text, detail, ...(version === 3 ? { part: 'v3' } : {}) })];
}

/** Instances of OSPF in a VRF are not read: that such a port has no row says nothing. */
export function isInVrf(world: World, end: LinkEnd): boolean {
  return interfaceOf(world, end)?.master?.kind === 'vrf';
}

/**
 * `end` has no row, and `far` says in both readings that they are adjacent, which takes two: what `end` says is then not all that it runs, unless it
 * says so now and remembers the row that it lost. `far` has its neighbour until the dead interval is over.
 */
function isFullFor(world: World, end: LinkEnd, far: LinkEnd, version: OspfVersion): boolean {
  const { state, before } = world.views.get(far.node)!;
  const isFull = (each: View['state']) =>
    ospfRows(each, version).some(
      (row) =>
        row.ifname === far.ifname &&
        neighboursAt(world, row, end.node, version).some(({ state: said }) => said === 'Full'),
    );
  return before !== undefined && isFull(before) && isFull(state) && !hasRunOspf(world, end, version);
}

/** OSPF of this version ran on the interface at some time that its node remembers. */
function hasRunOspf(world: World, { node, ifname }: LinkEnd, version: OspfVersion): boolean {
  const ran = (state: View['state']) => ospfRows(state, version).some((row) => row.ifname === ifname) || undefined;
  return stoodBefore(world, node, ran).length > 0;
}

/**
 * The node says of this version, or its daemon should have answered. An agent of an earlier version does not read OSPFv3, whose daemon runs and
 * answers all the same.
 */
export function runsOspf(state: View['state'], version: OspfVersion): boolean {
  const { daemons = [], missing } = state;
  const daemon = daemons.find(({ name }) => name === OSPF_DAEMONS[version]);
  if (saysOspf(state, version)) return true;
  if (version === 2) return daemon !== undefined;
  return daemon !== undefined && (isOspfDead(state, version) || missing.some(({ part }) => part === 'ospf6'));
}

/** `ospf6d` is often started with all daemons and configured nowhere: OSPFv3 is then not to run there, unless the node remembers that it did. */
function isIdle(world: World, node: string, version: OspfVersion): boolean {
  const ran = (state: View['state']) => ospfRows(state, version).length > 0 || undefined;
  const { state } = world.views.get(node)!;
  return version === 3 && state.ospf6?.length === 0 && stoodBefore(world, node, ran).length === 0;
}

/**
 * Those of the other node, by their addresses; all where no node is known to have one of them. Link-local addresses are no node's own: of OSPFv3
 * the router id counts; where the other node does not tell its own, that no other node has it.
 */
function neighboursAt(
  { owners, views }: World,
  { neighbours }: OspfInterface,
  node: string,
  version: OspfVersion,
): OspfInterface['neighbours'] {
  if (version === 3) {
    const idsOf = (state: View['state']) => ospfRows(state, version).flatMap(({ routerId }) => routerId ?? []);
    const known = [...views.values()].flatMap(({ state }) => idsOf(state));
    const theirs = idsOf(views.get(node)!.state);
    if (theirs.length === 0) return neighbours.filter(({ routerId }) => !known.includes(routerId));
    return neighbours.some(({ routerId }) => known.includes(routerId))
      ? neighbours.filter(({ routerId }) => theirs.includes(routerId))
      : neighbours;
  }
  const isKnown = neighbours.some(({ address }) => owners.has(address));
  return isKnown
    ? neighbours.filter(({ address }) => owners.get(address)?.some((owner) => owner.node === node) === true)
    : neighbours;
}
