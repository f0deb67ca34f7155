// Adjacencies that are up and carry nothing: one end does not understand, or does not accept, what the other floods. IS-IS: metric styles
// (RFC 5305 §3, §4) and passwords of areas or domains; OSPF: a network that one end takes for point-to-point and the other does not
// (RFC 2328 §12.4.1, RFC 5340 §4.4.3.2). Only what dies of it is explained.
import type { Remark } from '#model/finding.ts';
import { interfaceResource, type LinkEnd, nodeResource } from '#model/names.ts';
import {
  type IsisState,
  OSPF_NAMES,
  OSPF_VERSIONS,
  type OspfVersion,
  ospfRows,
  ospfVersionFor,
  saysOspf,
} from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { majority } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { remarkOf } from '../../network/remark.ts';
import { circuitOf, type World, type WorldLink } from '../../network/world.ts';
import { isIsisAdjacent } from '../../symptoms/adjacency.ts';
import { type RouteDetail, routeSymptom } from '../../symptoms/routes.ts';
import { carrierOf } from '../../symptoms/routing-parts.ts';
import { ospfOn } from '../ospf/ospf-ends.ts';
import type { Difference, Mismatch, SessionEnd } from './mismatch.ts';

type Unusable = {
  readonly link: WorldLink;
  readonly protocol: 'IS-IS' | 'OSPF' | 'OSPFv3';
  readonly difference: Difference;
};

export function unusableAdjacencies(file: CaseFile): readonly Mismatch[] {
  const { world } = file;
  const unusable = world.links.flatMap((link) => unusableOn(world, link));
  if (unusable.length === 0) return [];
  const versions = new Map(OSPF_VERSIONS.map((version) => [version, cutIn(file, unusable, version)]));
  return unusable.flatMap((each) => {
    const mine = OSPF_VERSIONS.filter((version) => carries(each, version)).flatMap((version) => {
      const { cut, partOf } = versions.get(version)!;
      return cut.filter(({ detail }) => isBeside(each.link, detail, partOf));
    });
    return mine.length === 0 ? [] : [mismatchOf(each, mine)];
  });
}

/** Adjacencies of OSPF carry the family of their version, those of IS-IS both. */
function carries({ protocol }: Unusable, version: OspfVersion): boolean {
  return protocol === 'IS-IS' || protocol === OSPF_NAMES[version];
}

/** Routes of one family that are cut off where only adjacencies count that carry something of it, and the parts that are left. */
function cutIn(file: CaseFile, unusable: readonly Unusable[], version: OspfVersion) {
  const keys = new Set(unusable.filter((each) => carries(each, version)).map(({ link }) => link.key));
  const partOf = partsWithout(file.world, keys, version);
  const ofFamily = routeSymptom.of(file).filter(({ detail }) => ospfVersionFor(detail.destination) === version);
  return { partOf, cut: ofFamily.filter(({ detail }) => isCut(file.world, detail, partOf)) };
}

/** Told with every verdict, also where nothing dies of it. */
export function unusableRemarks(world: World): readonly Remark[] {
  return world.links
    .flatMap((link) => unusableOn(world, link))
    .map(({ link: { key: resource, from, to }, protocol, difference }) =>
      remarkOf(world, [from.node, to.node], {
        ...{ kind: 'session_mismatch', why: 'no-harm', resource },
        text: `${difference.words}: the ${protocol} adjacency is up, and its ends contradict each other`,
      }),
    );
}

/** The adjacency is up at both ends, and what they flood does not go together. */
export function isUnusable(world: World, link: WorldLink): boolean {
  return unusableOn(world, link).length > 0;
}

function unusableOn(world: World, link: WorldLink): readonly Unusable[] {
  const isis = isIsisAdjacent(world, link) ? floodingBetween(world, link) : undefined;
  const ospf = OSPF_VERSIONS.flatMap((version): readonly Unusable[] => {
    const difference = isFullOver(world, link, version) ? networksOf(world, link, version) : undefined;
    return difference === undefined ? [] : [{ link, protocol: OSPF_NAMES[version], difference }];
  });
  return [...(isis === undefined ? [] : [{ link, protocol: 'IS-IS' as const, difference: isis }]), ...ospf];
}

function floodingBetween(world: World, link: WorldLink): Difference | undefined {
  const { from, to } = link;
  const [one, other] = [from, to].map(({ node }) => world.views.get(node)?.state.isis);
  if (one === undefined || other === undefined) return undefined;
  const all = [...world.views.values()].flatMap(({ state }) => state.isis ?? []);
  const differing = (name: string, property: (isis: IsisState) => string | undefined): Difference => {
    const usual = majority(all.flatMap((each) => property(each) ?? []));
    const ends = [from, to].map(({ node }) => ({ node, value: property(world.views.get(node)!.state.isis!) }));
    return {
      words: ends.map(({ node, value }) => `${nodeRef(node)}: ${name} ${value}`).join(', '),
      odd: ends.filter(({ value }) => usual !== undefined && value !== usual).map(({ node }) => node),
    };
  };
  const styles = [one, other].map(({ metricStyle }) => metricStyle);
  if (styles.includes('narrow') && styles.includes('wide'))
    return differing('metric-style', (isis) => isis.metricStyle);
  const levels = levelsOf(world, link, [one, other]);
  const passwords: readonly (readonly [
    level: string,
    name: string,
    property: (isis: IsisState) => string | undefined,
  ])[] = [
    // A node that does not tell the two apart says nothing of either.
    ['1', 'area password', (isis) => (isis.domainPassword === undefined ? undefined : isis.areaPassword)],
    ['2', 'domain password', (isis) => isis.domainPassword],
  ];
  for (const [level, name, property] of passwords) {
    const [mine, its] = [property(one), property(other)];
    if (levels.includes(level) && mine !== undefined && its !== undefined && mine !== its)
      return differing(name, property);
  }
  return undefined;
}

/** Levels that the two routers speak over a link: an area password is of level 1, a domain password of level 2. */
function levelsOf(
  world: World,
  { from, to }: WorldLink,
  [one, other]: readonly [IsisState, IsisState],
): readonly string[] {
  const levels = [one.level, other.level, ...[from, to].map((end) => circuitOf(world, end)?.level ?? '1-2')];
  const shared = ['1', '2'].filter((level) => levels.every((each) => each.includes(level)));
  const isOneArea = one.areas.some((area) => other.areas.includes(area));
  return shared.filter((level) => level === '2' || isOneArea);
}

function isFullOver(world: World, { from, to }: WorldLink, version: OspfVersion): boolean {
  return [from, to].every(
    (end) => ospfOn(world, end, version)?.neighbours.some(({ state }) => state === 'Full') === true,
  );
}

/** One end describes the network as a link to a router, the other as a network: neither finds the other's half. */
function networksOf(world: World, { from, to }: WorldLink, version: OspfVersion): Difference | undefined {
  const ends = [from, to].map((end) => ({ end, network: ospfOn(world, end, version)?.network ?? '' }));
  const networks = ends.map(({ network }) => network);
  if (!networks.includes('POINTOPOINT') || !networks.includes('BROADCAST')) return undefined;
  const rows = (state: NodeState) => ospfRows(state, version).filter(({ passive }) => !passive);
  const usual = majority([...world.views.values()].flatMap(({ state }) => rows(state).map(({ network }) => network)));
  return {
    words: ends.map(({ end, network }) => `${nodeRef(end.node)} ${end.ifname}: network type ${network}`).join(', '),
    odd: ends.filter(({ network }) => usual !== undefined && network !== usual).map(({ end }) => end.node),
  };
}

/** Node → name of the part that it is in, over adjacencies that carry something. */
function partsWithout(world: World, unusable: ReadonlySet<string>, version: OspfVersion): (node: string) => string {
  const next = new Map<string, string>();
  const find = (node: string): string => {
    const known = next.get(node);
    return known === undefined ? node : find(known);
  };
  for (const link of world.links) {
    const isUsable = isIsisAdjacent(world, link) || isFullOver(world, link, versionAt(world, link, version));
    const [one, other] = [find(link.from.node), find(link.to.node)];
    if (isUsable && !unusable.has(link.key) && one !== other) next.set(one, other);
  }
  return find;
}

/** Where an end says nothing of OSPFv3, OSPFv2 stands for both families. */
function versionAt({ views }: World, { from, to }: WorldLink, version: OspfVersion): OspfVersion {
  return [from, to].every(({ node }) => saysOspf(views.get(node)?.state ?? {}, version)) ? version : 2;
}

/** A route that the IGP should have brought from another part. */
function isCut(world: World, detail: RouteDetail, partOf: (node: string) => string): boolean {
  const isIgp = carrierOf(world, detail.destination) === 'igp';
  return detail.how === 'none' && isIgp && partOf(detail.at) !== partOf(detail.owner);
}

/** The adjacency ends in the part of the address, or in that of the node without a route to it. */
function isBeside({ from, to }: WorldLink, { at, owner }: RouteDetail, partOf: (node: string) => string): boolean {
  const parts = [partOf(from.node), partOf(to.node)];
  return parts.includes(partOf(at)) || parts.includes(partOf(owner));
}

/** What a router floods is the same on all its links: the router is named. */
function mismatchOf({ link, protocol, difference }: Unusable, symptoms: readonly Symptom[]): Mismatch {
  const end = (at: LinkEnd): SessionEnd => ({
    node: at.node,
    resource: protocol === 'IS-IS' ? nodeResource(at.node) : interfaceResource(at),
  });
  const ends = [end(link.from), end(link.to)] as const;
  return { protocol, ends, differences: [difference], sideBySide: [], symptoms };
}
