// Symptoms of reachability: addresses of one node that others cannot forward to, or that do not answer although the way is
// there. One symptom a failing place and owner; where routing itself is cut in two, that cut is the symptom, not its results.
import { nodeResource } from '#model/names.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { type Ending, walk } from '../../network/forwarding.ts';
import { mark } from '../../network/node-ref.ts';
import { isSpare, kindOf } from '../../network/spare-addresses.ts';
import { ownerOf, sourcesOf, type World } from '../../network/world.ts';
import { sendersOf } from '../../packet-filter/attempts.ts';
import { carries, isUp, sessionsOf } from '../bgp/session-symptoms.ts';

export function routeSymptoms(world: World): readonly Symptom[] {
  const parts = routedParts(world);
  const found = new Map<string, Symptom>();
  for (const [from, answers] of world.lookups) {
    for (const destination of answers.keys()) {
      const owner = ownerOf(world, destination);
      if (owner === undefined || owner.node === from) continue;
      for (const symptom of failures(world, from, destination, owner.node, parts)) {
        const known = found.get(symptom.id);
        const affected = [...((known?.detail['affected'] as readonly string[] | undefined) ?? []), from];
        found.set(symptom.id, { ...symptom, detail: { ...symptom.detail, affected: [...new Set(affected)] } });
      }
    }
  }
  return [...[...found.values()].filter((symptom) => expected(world, symptom)), ...unanswered(world)];
}

function failures(world: World, from: string, destination: string, owner: string, parts: Parts): readonly Symptom[] {
  const way = walk(world, from, destination);
  return way.endings
    .filter(({ kind }) => kind !== 'delivered' && kind !== 'unknown')
    .filter(
      ({ kind, at }) => kind !== 'none' || connected(parts, carrierOf(world, destination), destination, at, owner),
    )
    .map((ending): Symptom => {
      const at = ending.kind === 'loop' ? [...way.nodes].sort().join('+') : ending.at;
      return {
        id: `route:${ending.kind}/${ending.kind === 'none' ? '' : at}/${destination}`,
        kind: 'route',
        subject: nodeResource(ending.at),
        text: describe(ending, from, owner, destination),
        source: sourcesOf(world, ending.at, owner),
        nodes: [...new Set([ending.at, owner])],
        way: { nodes: way.nodes, links: way.links },
        detail: { destination, owner, at: ending.at, how: ending.kind, from },
      };
    });
}

function describe({ kind, at }: Ending, from: string, owner: string, destination: string): string {
  const what = {
    blackhole: `${mark(at)} throws it away`,
    unreachable: `${mark(at)} refuses it`,
    none: `${mark(at)} has no route`,
    loop: `it goes round in a loop at ${mark(at)}`,
    elsewhere: `${mark(at)} takes it for its own`,
    delivered: '',
    unknown: '',
  }[kind];
  return `${mark(from)} cannot send to ${destination} of ${mark(owner)}: ${what}`;
}

/** An address that nobody can reach may be meant to be: it is a symptom only when its like are reachable elsewhere. */
function expected(world: World, symptom: Symptom): boolean {
  if (symptom.detail['how'] !== 'none') return true;
  const destination = String(symptom.detail['destination']);
  const reached = (address: string) =>
    [...world.lookups].some(([from, answers]) => {
      const answer = answers.get(address);
      const routes = (world.views.get(from)?.state.daemons?.length ?? 0) > 0;
      // What one head sends into a segment list says nothing of what others should have a route to.
      const steered = (answer?.segments?.length ?? 0) > 0;
      return (
        routes &&
        answer?.kind === 'unicast' &&
        !steered &&
        answer.matched !== 'default' &&
        ownerOf(world, address)?.node !== from
      );
    });
  if (reached(destination)) return true;
  if (isSpare(world, destination, reached)) return false;
  const alike = [...world.owners.keys()].filter(
    (address) => address !== destination && kindOf(world, address) === kindOf(world, destination),
  );
  const asked = alike.filter((address) => [...world.lookups.values()].some((answers) => answers.has(address)));
  return asked.length >= 1 && asked.every(reached);
}

/** The protocol that should carry an address: an IGP where its owner runs one on that interface, else BGP where it runs that. */
export function carrierOf(world: World, address: string): 'igp' | 'bgp' | undefined {
  const owner = ownerOf(world, address);
  const state = owner === undefined ? undefined : world.views.get(owner.node)?.state;
  const inIgp =
    state?.isis?.circuits.some(
      (circuit) => circuit.ifname === owner?.ifname && (address.includes(':') ? circuit.ipv6 : circuit.ipv4),
    ) === true || state?.ospf?.some((row) => row.ifname === owner?.ifname) === true;
  if (inIgp) return 'igp';
  return state?.bgp === undefined ? undefined : 'bgp';
}

/** Nodes that each kind of protocol connects: those in one part should know each other's prefixes. */
type Parts = {
  readonly igp: ReadonlyMap<string, string>;
  /** BGP's parts differ by address family: a session may carry either or both. */
  readonly bgp4: ReadonlyMap<string, string>;
  readonly bgp6: ReadonlyMap<string, string>;
};

function connected(
  parts: Parts,
  carrier: 'igp' | 'bgp' | undefined,
  destination: string,
  one: string,
  other: string,
): boolean {
  const bgp = destination.includes(':') ? parts.bgp6 : parts.bgp4;
  const joined = (name: 'igp' | 'bgp') => {
    const part = name === 'igp' ? parts.igp : bgp;
    return part.get(one) === part.get(other);
  };
  return carrier === undefined ? joined('igp') && joined('bgp') : joined(carrier);
}

function routedParts(world: World): Parts {
  const adjacent = world.links.filter(({ from, to }) =>
    [from, to].every((end) => {
      const state = world.views.get(end.node)?.state;
      const isis = state?.adjacencies.some((entry) => entry.ifname === end.ifname && entry.state === 'up');
      const ospf = state?.ospf?.some(
        (entry) => entry.ifname === end.ifname && entry.neighbours.some(({ state: full }) => full === 'Full'),
      );
      return isis || ospf;
    }),
  );
  const sessions = sessionsOf(world).filter(
    ({ near, far }) => far?.row !== undefined && isUp(near.row) && isUp(far.row),
  );
  const bgpParts = (address: string) =>
    partsOf(
      world,
      sessions.flatMap(({ near, far }) =>
        carries(near.row, address) && carries(far!.row!, address) ? [[near.node, far!.node] as const] : [],
      ),
    );
  return {
    igp: partsOf(
      world,
      adjacent.map(({ from, to }) => [from.node, to.node] as const),
    ),
    bgp4: bgpParts('0.0.0.0'),
    bgp6: bgpParts('::'),
  };
}

function partsOf(world: World, pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const part = new Map<string, string>([...world.views.keys()].map((node) => [node, node]));
  const find = (node: string): string => {
    const next = part.get(node) ?? node;
    return next === node ? node : find(next);
  };
  for (const [one, other] of pairs) part.set(find(one), find(other));
  return new Map([...part.keys()].map((node) => [node, find(node)]));
}

/** Probes of which none came back, although every lookup on the way there says that it should have. */
function unanswered(world: World): readonly Symptom[] {
  return world.reach.flatMap((probe): readonly Symptom[] => {
    const owner = ownerOf(world, probe.destination);
    if (probe.received > 0 || owner === undefined) return [];
    const there = walk(world, probe.from, probe.destination);
    if (there.endings.some(({ kind }) => kind !== 'delivered')) return [];
    const source = world.views
      .get(probe.from)
      ?.state.inventory.loopbacks.map((address) => address.split('/')[0]!)
      .find((address) => address.includes(':') === probe.destination.includes(':'));
    const back = source === undefined ? undefined : walk(world, owner.node, source);
    if (back?.endings.some(({ kind }) => kind !== 'delivered')) return [];
    const nodes = [...new Set([...there.nodes, ...(back?.nodes ?? [])])];
    const links = [...new Set([...there.links, ...(back?.links ?? [])])];
    return [
      {
        id: `reach:${probe.from}>${probe.destination}`,
        kind: 'reach',
        subject: nodeResource(owner.node),
        text: `${mark(probe.from)} probed ${probe.destination} of ${mark(owner.node)}: none of ${probe.sent} came back, though every route is there`,
        source: [probe.source, ...sourcesOf(world, probe.from, owner.node)],
        nodes: [probe.from, owner.node],
        way: { nodes, links },
        detail: {
          from: probe.from,
          destination: probe.destination,
          owner: owner.node,
          sent: probe.sent,
          sources: sendersOf(world, probe.from, probe.destination),
        },
      },
    ];
  });
}
