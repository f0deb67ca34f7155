// Signs about a default route that is gone: when it was there last, whether a node that others had it by ever had one from the same protocol,
// what took its place, and whether the session or the address that it depended on went with it.
import { covers, parsePrefix } from '#base/ip.ts';
import type { DefaultRoute } from '#model/router/control-plane.ts';
import { toldDefaults } from '#model/settings/default-routes.ts';
import { STOOD_MS, settingsBefore } from '../../network/remembered.ts';
import { interfaceOf, peerEnd, statesSeen, type World } from '../../network/world.ts';

type Hop = DefaultRoute['hops'][number];

/** How long ago the node was seen last with a default route, as far as it remembers. */
export function lostAgoMs(world: World, node: string, prefix: string): number {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  const seen = past.flatMap(({ state, untilAgoMs }) =>
    state.defaultRoutes?.some((route) => route.prefix === prefix && route.hops.length > 0) === true ? [untilAgoMs] : [],
  );
  const told = (history?.settings ?? []).flatMap(({ kind, subject, was, agoMs, fromAgoMs = agoMs }) =>
    kind === 'default-route' && subject === prefix && was !== undefined ? [fromAgoMs] : [],
  );
  return Math.min(...seen, ...told);
}

/**
 * The node remembers the time when others lost it, and no such route of this protocol. A router that has just started, or whose agent is new,
 * may have had one like the others. An agent of an earlier version may not have noted it.
 */
export function hadNone(world: World, node: string, { prefix, protocol }: DefaultRoute, agoMs: number): boolean {
  const { past = [], history } = world.views.get(node)?.state ?? {};
  const { settings = [], settingsSpanMs = 0 } = history ?? {};
  const sinceMs = agoMs + STOOD_MS;
  const isSeen = past.some(({ state, fromAgoMs }) => fromAgoMs >= sinceMs && toldDefaults(state).includes(prefix));
  const hasStarted = settings.some((change) => change.kind === 'agent' && change.agoMs <= sinceMs);
  const hadOne =
    past.some(({ state }) =>
      state.defaultRoutes?.some((each) => each.prefix === prefix && each.protocol === protocol),
    ) ||
    settings.some(
      ({ kind, subject, was = '' }) =>
        kind === 'default-route' && subject === prefix && was.startsWith(`${protocol} via `),
    );
  return !hadOne && (isSeen || (settingsSpanMs >= sinceMs && !hasStarted));
}

/** What is given out of IPv6 (RFC 4291 §2.4). */
const GLOBAL = '2000::/3';
/** Of each family the longest prefix of a route that stands for a default route, and an address of each part that such a route covers. */
const PARTS = { four: { bits: 1, starts: ['0.0.0.0', '128.0.0.0'] }, six: { bits: 3, starts: ['2000::'] } } as const;

/**
 * Another route leads where the default route led: 2000::/3 of IPv6, or both halves of IPv4. Routes that a protocol brought are not listed: then
 * a lookup shows it, of an address that no known node has a network for.
 */
export function isReplaced(world: World, node: string, prefix: string): boolean {
  const isSix = prefix.includes(':');
  const { bits, starts } = isSix ? PARTS.six : PARTS.four;
  const isShort = (each: string) => (parsePrefix(each)?.prefixBits ?? 0) <= bits;
  const routes = (world.views.get(node)?.state.staticRoutes ?? []).filter(
    ({ kind, table, prefix: each }) => kind === 'unicast' && table === undefined && isShort(each),
  );
  if (starts.every((start) => routes.some((route) => covers(route.prefix, start)))) return true;
  // Of IPv4 the lookup by which a default route is known shows such a route itself.
  return (
    isSix &&
    [...(world.lookups.get(node)?.values() ?? [])].some(
      ({ kind, destination, matched }) =>
        kind === 'unicast' &&
        covers(GLOBAL, destination) &&
        (matched === undefined || (matched.includes('/') && isShort(matched))) &&
        !isOfANetwork(world, destination),
    )
  );
}

function isOfANetwork({ views }: World, address: string): boolean {
  return [...views.values()].some(({ state }) =>
    state.inventory.interfaces.some(({ addresses }) => addresses.some((own) => covers(own, address))),
  );
}

/** The session that brought it is up: that with the next hop, else those with its node or to peers behind it; where none is known, all. */
export function sessionRuns(world: World, node: string, { nextHop, ifname }: Hop, next: string | undefined): boolean {
  const sessions = world.views.get(node)?.state.bgp?.sessions ?? [];
  const isUp = ({ state }: (typeof sessions)[number]) => state === 'Established';
  const direct = sessions.filter(({ peer }) => peer === nextHop || peer === ifname);
  if (direct.length > 0) return direct.some(isUp);
  const behind = sessions.filter(({ peer }) => {
    const answer = world.lookups.get(node)?.get(peer);
    const isThatWay = nextHop !== undefined && answer?.kind === 'unicast' && answer.nextHop === nextHop;
    return isThatWay || (next !== undefined && peerEnd(world, node, peer)?.node === next);
  });
  return behind.length > 0 ? behind.some(isUp) : sessions.length > 0 && sessions.every(isUp);
}

/** The interface had an address on the network of the next hop, and has none there now, as where a DHCP lease has ended. */
export function lostAddress(world: World, node: string, { nextHop, ifname }: Hop): boolean {
  if (nextHop === undefined || ifname === undefined) return false;
  const isThere = (own: string) => covers(own, nextHop);
  if (interfaceOf(world, { node, ifname })?.addresses.some(isThere) === true) return false;
  const seen = statesSeen(world, node).flatMap(({ inventory }) =>
    (inventory?.interfaces ?? []).flatMap(({ name, addresses }) => (name === ifname ? addresses : [])),
  );
  const told = settingsBefore(world, node, 'address', ifname).flatMap((was) => was.split(' '));
  return [...seen, ...told].some(isThere);
}
