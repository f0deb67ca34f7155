// Default routes that nodes remember and have no more, with nothing in their place, and where that began: each loss is followed to the node that it
// led to, as far as the protocol still runs between the two. A loss that goes with a link, an adjacency or a daemon is not told here, as these are
// symptoms of their own, nor is one without a sign of what it depended on.
import { type DefaultRoute, ospfRowsFor } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import {
  DEFAULT_PREFIXES,
  daemonOf,
  isByHand,
  mayBeLeased,
  parseDefault,
  toldDefaults,
} from '#model/settings/default-routes.ts';
import { DAEMON_SETTLE_MS } from '#model/settings/node-settings.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { interfaceOf, linkOn, otherEnd, ownerOf, type World } from '../../network/world.ts';
import { hadNone, isReplaced, lostAddress, lostAgoMs, sessionRuns } from './default-route-signs.ts';

/**
 * `stopped`: the node remembers that it had no such route of this protocol while others had it by the node, and announces none any more; `own`: a route that was set by hand is gone;
 * `unsure`: the node lost it, and the neighbour that it led to may as well be the cause.
 */
export type LostDefault = {
  readonly how: 'stopped' | 'own' | 'unsure';
  readonly node: string;
  readonly prefix: string;
  /** As it was; of `stopped` that of the nodes that lack it. */
  readonly was: DefaultRoute;
  /** All nodes that lost it by this one, itself apart. */
  readonly lacking: readonly string[];
  /** Of `unsure`: nodes or addresses that it led to. */
  readonly via: readonly string[];
};

/** Protocols in which all routers of an area know the same routes: where several lost one, it is not announced. */
const LINK_STATE: ReadonlySet<string> = new Set(['ospf', 'isis']);
/** One may refuse it; that several do at once, and not their neighbours, is less likely than that one has stopped. */
const LEAST_LACKING = 2;

export function lostDefaults(world: World): readonly LostDefault[] {
  return DEFAULT_PREFIXES.flatMap((prefix) => {
    const lost = new Map(
      [...world.views.keys()].flatMap((node) => {
        const was = lostBy(world, node, prefix);
        return was === undefined ? [] : [[node, was] as const];
      }),
    );
    const roots = new Map<string, LostDefault>();
    for (const node of lost.keys())
      for (const root of rootsOf(world, lost, node)) {
        const key = `${root.how} ${root.node}`;
        const known = roots.get(key)?.lacking ?? [];
        const others = root.node === node ? [] : [node];
        roots.set(key, { ...root, lacking: [...known, ...others] });
      }
    return [...roots.values()].flatMap((root) => settled(world, lost, root));
  });
}

type Lost = ReadonlyMap<string, DefaultRoute>;

/** The default route that the node remembers, where it says that it has none any more. */
function lostBy(world: World, node: string, prefix: string): DefaultRoute | undefined {
  const { state, before } = world.views.get(node)!;
  const isGone = (each: NodeState) => toldDefaults(each).includes(prefix) && routeOf(each, prefix) === undefined;
  if (!isGone(state) || isReplaced(world, node, prefix) || (before?.defaultRoutes !== undefined && !isGone(before)))
    return undefined;
  const [seen] = seenOtherwise(world, node, (each) => routeOf(each, prefix));
  if (seen !== undefined) return seen.hops.length === 0 ? undefined : seen;
  const [words] = settingsBefore(world, node, 'default-route', prefix);
  if (words !== undefined) return parseDefault(prefix, words);
  return setByHand(world, node, prefix);
}

/** One that days of memory have, with the interface that its next hop was behind. */
function setByHand(world: World, node: string, prefix: string): DefaultRoute | undefined {
  const changes = world.views.get(node)?.state.history?.settings ?? [];
  const places = new Set(
    changes.flatMap(({ kind, subject, setting }) => (kind === 'static-route' && subject === prefix ? [setting] : [])),
  );
  const hops = [...places].flatMap((ifname) => {
    const [was] = settingsBefore(world, node, 'static-route', prefix, ifname);
    const nextHop = /^unicast via (\S+)$/.exec(was ?? '')?.[1];
    return nextHop === undefined ? [] : [{ nextHop, ...(ifname === undefined ? {} : { ifname }) }];
  });
  return hops.length === 0 ? undefined : { prefix, protocol: 'static', hops };
}

function routeOf({ defaultRoutes = [] }: NodeState, prefix: string): DefaultRoute | undefined {
  return defaultRoutes.find((route) => route.prefix === prefix);
}

/** Where the loss of a node began; none where it goes with what is a symptom of its own. */
function rootsOf(
  world: World,
  lost: Lost,
  node: string,
  seen: readonly string[] = [],
): readonly Omit<LostDefault, 'lacking'>[] {
  const was = lost.get(node)!;
  const { prefix } = was;
  const hops = was.hops.filter((hop) => isUsable(world, node, was, hop));
  if (hops.length === 0 || seen.includes(node) || !runs(world, node, was)) return [];
  const vias = [...new Set(hops.map((hop) => nextNode(world, node, hop) ?? hop.nextHop ?? hop.ifname ?? ''))];
  if (mayBeLeased(was)) return [{ how: 'unsure', node, prefix, was, via: vias }];
  if (isByHand(was)) return [{ how: 'own', node, prefix, was, via: [] }];
  const found = vias.flatMap((via) => {
    const unsure = { how: 'unsure', node, prefix, was, via: [via] } as const;
    const next = world.views.get(via)?.state;
    // Of one that gave no state other symptoms tell; one without an agent may have stopped.
    if (next === undefined) return world.nodes.includes(via) && world.agentless?.has(via) !== true ? [] : [unsure];
    if (!runs(world, via, was)) return [];
    if (lost.has(via)) return rootsOf(world, lost, via, [...seen, node]);
    if (!toldDefaults(next).includes(prefix) || !LINK_STATE.has(was.protocol)) return [unsure];
    return routeOf(next, prefix)?.protocol !== was.protocol && hadNone(world, via, was, lostAgoMs(world, node, prefix))
      ? [{ how: 'stopped', node: via, prefix, was, via: [] } as const]
      : [unsure];
  });
  const certain = found.filter(({ how }) => how !== 'unsure');
  return certain.length > 0 ? certain : found;
}

/** Where one node alone lost it, or another still has it from there, it may be the one that takes it no more. */
function settled(world: World, lost: Lost, root: LostDefault): readonly LostDefault[] {
  const { how, node, prefix, was, lacking } = root;
  const unique = { ...root, lacking: [...new Set(lacking)].sort() };
  if (how !== 'stopped') return [unique];
  const stillThere = [...world.views.values()].some(({ node: other, state }) => {
    const route = routeOf(state, prefix);
    return (
      route?.protocol === was.protocol &&
      other !== node &&
      route.hops.some((hop) => nextNode(world, other, hop) === node)
    );
  });
  if (unique.lacking.length >= LEAST_LACKING && !stillThere) return [unique];
  return unique.lacking.map((each) => ({
    how: 'unsure',
    node: each,
    prefix,
    was: lost.get(each)!,
    lacking: [],
    via: [node],
  }));
}

type Hop = DefaultRoute['hops'][number];

/** Its interface is up, and what the route depended on still runs over it. */
function isUsable(world: World, node: string, { protocol, prefix }: DefaultRoute, hop: Hop): boolean {
  const { ifname, nextHop } = hop;
  const { state } = world.views.get(node)!;
  const { adjacencies, bfd = [] } = state;
  if (lostAddress(world, node, hop)) return false;
  if (ifname !== undefined && interfaceOf(world, { node, ifname })?.operUp !== true) return false;
  if (bfd.some(({ peer, status }) => peer === nextHop && status !== 'up')) return false;
  switch (protocol) {
    case 'ospf':
      return ospfRowsFor(state, prefix).some(
        (row) => row.ifname === ifname && row.neighbours.some(({ state: is }) => /^(?:Full|2-Way)/.test(is)),
      );
    case 'isis':
      return adjacencies.some((row) => row.ifname === ifname && row.state === 'up');
    case 'bgp':
      return sessionRuns(world, node, hop, nextNode(world, node, hop));
    default:
      return true;
  }
}

/** The daemon that brings it, and zebra, have read their configuration. */
function runs(world: World, node: string, was: DefaultRoute): boolean {
  const wanted = ['zebra', isByHand(was) ? 'staticd' : daemonOf(was)];
  return (world.views.get(node)?.state.daemons ?? [])
    .filter(({ name }) => wanted.includes(name))
    .every(({ alive, silent, upMs = DAEMON_SETTLE_MS }) => alive && silent !== true && upMs >= DAEMON_SETTLE_MS);
}

/** The node that has the next hop; of a link-local address the one at the other end. */
function nextNode(world: World, node: string, { nextHop, ifname }: Hop): string | undefined {
  const owner = nextHop === undefined ? undefined : ownerOf(world, nextHop)?.node;
  if (owner !== undefined) return owner;
  const links = ifname === undefined ? [] : linkOn(world, { node, ifname });
  return links.length === 1 ? otherEnd(links[0]!, node).node : undefined;
}
