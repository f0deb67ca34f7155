// duplicate_router_id: two routers of one domain have the same IS-IS system id (ISO/IEC 10589 §7.1.4) or OSPF router id (RFC 2328 §1.2, RFC 5340 §2.11), and
// overwrite each other's announcements; or the same BGP identifier in one AS (RFC 6286 §2.1), and each takes the other's reflected routes for its
// own and refuses them (RFC 4456 §8). Without harm it is not told: what is not reached from one another needs no other name.
import { nodeResource } from '#model/names.ts';
import { OSPF_NAMES, OSPF_VERSIONS, type OspfVersion, ospfRows } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { circuitOf, ownerOf, sourcesOf, type World, type WorldLink } from '../../network/world.ts';
import { isisSymptom, ospfSymptom, versionOf } from '../../symptoms/adjacency.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { isUp, sessionsOf } from '../../symptoms/sessions.ts';
import { ospfOn } from '../ospf/ospf-ends.ts';

type Detail = {
  readonly node: string;
  readonly protocol: 'IS-IS' | 'OSPF' | 'OSPFv3' | 'BGP';
  readonly id: string;
  readonly nodes: readonly string[];
};

type Duplicate = Omit<Detail, 'node'>;

export const duplicateRouterId = defineCause<Detail>({
  id: 'duplicate_router_id',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary:
    'two routers of one domain have the same IS-IS system id, OSPF router id or BGP identifier, and routes or adjacencies are lost; the one that does not have the id as an address is named, else both',
  explain: (file) =>
    (['IS-IS', 'OSPF', 'OSPFv3', 'BGP'] as const).flatMap((protocol) =>
      duplicatesOf(file, protocol).flatMap((found) => explanationsOf(file, found)),
    ),
  describe: sentence,
  remedy: (detail) => ({
    node: detail.node,
    summary: sentence(detail),
    decide: 'the id that the router should have: it must be one that no other router of the domain has',
  }),
});

function sentence({ protocol, id, nodes }: Detail): string {
  return `${nodes.map(nodeRef).join(' and ')} have the same ${ID_NAMES[protocol]} ${id}`;
}

const ID_NAMES = {
  'IS-IS': 'system id',
  OSPF: 'OSPF router id',
  OSPFv3: 'OSPFv3 router id',
  BGP: 'BGP identifier',
} as const;

/** Undefined for what is not OSPF. */
function ospfVersionOf(protocol: Detail['protocol']): OspfVersion | undefined {
  return OSPF_VERSIONS.find((version) => OSPF_NAMES[version] === protocol);
}

function idOf(state: NodeState, protocol: Detail['protocol']): string | undefined {
  if (protocol === 'BGP') return state.bgp?.routerId;
  const version = ospfVersionOf(protocol);
  return version === undefined ? state.isis?.systemId : ospfRows(state, version)[0]?.routerId;
}

/** Nodes with one id that the protocol's links join, whether or not adjacencies are up. */
function duplicatesOf({ world }: CaseFile, protocol: Detail['protocol']): readonly Duplicate[] {
  const isJoined = joinedOver(world, protocol);
  const ids = [...world.views.values()].flatMap(({ node, state }) => {
    const id = idOf(state, protocol);
    return id === undefined || id === '' ? [] : [{ node, id }];
  });
  return [...Map.groupBy(ids, ({ id }) => id)].flatMap(([id, rows]) => {
    const nodes = rows.map(({ node }) => node).sort();
    const [first, ...rest] = nodes;
    const mine = [first!, ...rest.filter((node) => isJoined(first!, node))];
    return mine.length < 2 ? [] : [{ protocol, id, nodes: mine }];
  });
}

function joinedOver(world: World, protocol: Detail['protocol']): (one: string, other: string) => boolean {
  const links =
    protocol === 'BGP' ? innerSessions(world) : world.links.filter((link) => isRunOver(world, link, protocol));
  return (one, other) => {
    const seen = new Set([one]);
    for (const node of seen)
      for (const { from, to } of links) {
        if (from.node === node) seen.add(to.node);
        if (to.node === node) seen.add(from.node);
      }
    return seen.has(other);
  };
}

/** Between routers of one AS, which hand on what they have of each other. */
function innerSessions(world: World): readonly Pair[] {
  return sessionsOf(world).flatMap(({ near, far }) =>
    far !== undefined && isUp(near.row) && near.row.remoteAs === near.row.localAs
      ? [{ from: { node: near.node }, to: { node: far.node } }]
      : [],
  );
}

type Pair = { readonly from: { readonly node: string }; readonly to: { readonly node: string } };

function isRunOver(world: World, { from, to }: WorldLink, protocol: Detail['protocol']): boolean {
  const version = ospfVersionOf(protocol);
  return [from, to].every(
    (end) => (version === undefined ? circuitOf(world, end) : ospfOn(world, end, version))?.passive === false,
  );
}

function explanationsOf(file: CaseFile, duplicate: Duplicate): readonly Explanation<Detail>[] {
  const { protocol, id, nodes } = duplicate;
  const symptoms = harmOf(file, duplicate);
  if (symptoms.length === 0) return [];
  const owner = protocol === 'IS-IS' ? undefined : ownerOf(file.world, id)?.node;
  const others = nodes.filter((node) => node !== owner);
  const isDecided = others.length === 1;
  return others.map((node) => ({
    resource: nodeResource(node),
    ...(isDecided ? {} : { confidence: 'likely' as const, together: `${protocol} ${id}` }),
    explains: symptoms.map(shareOf),
    evidence: sourcesOf(file.world, ...nodes),
    detail: { node, ...duplicate },
  }));
}

/** Adjacencies among them, and routes that end at one of them or are lacking to one; of BGP routes that one of them lacks to another. */
function harmOf(file: CaseFile, { protocol, nodes }: Duplicate): readonly Symptom[] {
  const routes = routeSymptom.of(file).filter(({ detail: { how } }) => how === 'none');
  if (protocol === 'BGP')
    return routes.filter(({ detail: { owner, at } }) => owner !== at && nodes.includes(owner) && nodes.includes(at));
  const version = ospfVersionOf(protocol);
  const adjacencies =
    version === undefined
      ? isisSymptom.of(file)
      : ospfSymptom.of(file).filter((symptom) => versionOf(symptom) === version);
  return [
    ...adjacencies.filter((symptom) => symptom.nodes.every((node) => nodes.includes(node))),
    ...routes.filter(({ detail: { owner, at } }) => nodes.includes(owner) || nodes.includes(at)),
  ];
}
