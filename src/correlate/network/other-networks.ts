// Nodes of other networks that a question meets at its edge. Two autonomous systems owe each other no route to the addresses of their routers: one
// that never announced them keeps them to itself, and its nodes and the others cannot probe each other from end to end. That is no hole in the
// proof; what lies behind such a node is not tested. A node of the own network, an address that was announced before, and a session that is
// down are no reason to test less.

import { covers, isLinkLocal, isNarrow, parsePrefix } from '#base/ip.ts';
import { neighbourKeys } from '#model/links/links.ts';
import { type LinkEnd, nodeKey } from '#model/names.ts';
import { announcesAgent } from '#model/peer.ts';
import type { BgpState } from '#model/router/control-plane.ts';
import { ospfRows } from '#model/router/control-plane.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { type PolicyTexts, policyTextsOf, verdictOf } from '#model/settings/policy-verdict.ts';
import { isConfigured } from './configured-routes.ts';
import { isBetweenNodes, isWithdrawn, wasRouted } from './lost-routes.ts';
import { remembersBefore, seenOtherwise, settingsBefore } from './remembered.ts';
import { ownerOf, peerEnd, type Reach, type View, type World } from './world.ts';

/**
 * Addresses of `owner`, its loopbacks unless others are given, are not announced to the network of `other`, and never were as far as its node
 * remembers.
 */
export function isKeptFrom(world: World, owner: string, other: string, addresses?: readonly string[]): boolean {
  const [mine, its] = [owner, other].map((node) => world.views.get(node)?.state);
  const own = addresses ?? (mine?.inventory.loopbacks ?? []).map((address) => address.split('/')[0]!);
  if (mine === undefined || its?.bgp === undefined || own.length === 0) return false;
  const { asn } = its.bgp;
  if (mine.bgp === undefined) return own.every((address) => isInsideAlone(world, owner, asn, address));
  if (mine.bgp.asn === asn) return false;
  return own.every((address) => isUntold(world, owner, mine.bgp!, asn, address));
}

/** `owner` has interior protocols alone: none of its routers that speak BGP, all of one other system, announces the address, or did before. */
function isInsideAlone(world: World, owner: string, asn: number, address: string): boolean {
  const speakers = [...interiorOf(world, owner)].flatMap((node) => {
    const bgp = world.views.get(node)?.state.bgp;
    return bgp === undefined ? [] : [{ node, bgp }];
  });
  const systems = new Set(speakers.map(({ bgp }) => bgp.asn));
  return (
    systems.size === 1 &&
    !systems.has(asn) &&
    !wasRouted(world, address) &&
    speakers.every(
      ({ node, bgp }) =>
        !mayBePassedOn(world, bgp, address) &&
        !isWithdrawn(world, node, address) &&
        !bgp.ownPrefixes.some(({ prefix, advertisedTo }) => covers(prefix, address) && advertisedTo.length > 0),
    )
  );
}

/** The nodes that interior protocols join with this one, itself among them: both ends of each link between them take part. */
function interiorOf(world: World, node: string): ReadonlySet<string> {
  return interiors(world).get(node) ?? new Set([node]);
}

/** A world does not change: what it is made of is found once. */
const INTERIORS = new WeakMap<World, ReadonlyMap<string, ReadonlySet<string>>>();

/** Nodes without such links are in none. */
function interiors(world: World): ReadonlyMap<string, ReadonlySet<string>> {
  const known = INTERIORS.get(world);
  if (known !== undefined) return known;
  const found = new Map<string, ReadonlySet<string>>();
  const joined = world.links.filter(({ from, to }) => takesPart(world, from) && takesPart(world, to));
  const ends = [...joined, ...joined.map(({ from, to }) => ({ from: to, to: from }))];
  const next = Map.groupBy(ends, ({ from }) => from.node);
  for (const node of next.keys()) {
    if (found.has(node)) continue;
    const together = new Set([node]);
    for (const each of together) for (const { to } of next.get(each) ?? []) together.add(to.node);
    for (const each of together) found.set(each, together);
  }
  INTERIORS.set(world, found);
  return found;
}

function takesPart({ views }: World, { node, ifname }: LinkEnd): boolean {
  const state = views.get(node)?.state;
  return [...(state?.isis?.circuits ?? []), ...ospfRows(state ?? {})].some(
    (row) => row.ifname === ifname && !row.passive,
  );
}

/**
 * Both are of one autonomous system that other systems alone join, as the spines of a fabric: routes of one reach the other with its own number in
 * their path, and are refused (RFC 4271 §9.1.2). `other` has no route to `address` of `owner`, and none was seen before.
 */
export function isApartInOneAs(world: World, owner: string, other: string, address: string): boolean {
  const ends = [owner, other].map((node) => world.views.get(node)?.state);
  const answer = world.lookups.get(other)?.get(address);
  return (
    ends[0]?.bgp !== undefined &&
    ends[0].bgp.asn === ends[1]?.bgp?.asn &&
    ends.every((state) => state !== undefined && isByOthersAlone(state)) &&
    (answer?.kind === 'none' || answer?.matched === 'default') &&
    !wasRouted(world, address) &&
    !knowsRouteTo(world, other, owner) &&
    !knowsRouteTo(world, owner, other)
  );
}

/** Why no node of the asking system is owed a route to an address of another one: it is of a router, or policies keep the networks of hosts apart. */
export type Kept = 'router' | 'policy';

/**
 * An address of another system that the ones between do not pass on to `node`: no node of its system has a route to it, and none had. Of a router, where
 * probes from `node` to hosts behind that router come back (behind others of its system, where it has none), or where those of another node of its
 * system do and its own lack a way back alone, as a provider hands on its customer's networks
 * and not the addresses of its routers; a border may have a static route of its own. Of a network of hosts, where policies towards the asking system deny
 * it, as between two providers of one customer. A policy that changed, or an announcement that was withdrawn, is a reason to look at it.
 */
export function keptOnTheWay(world: World, node: string, address: string): Kept | undefined {
  const [owner] = world.owners.get(address) ?? [];
  if (owner === undefined || !isUnknownAcross(world, node, address)) return undefined;
  const own = hostAddresses(world, owner.node);
  if (own.includes(address)) return isKeptByPolicy(world, node, owner.node, address) ? 'policy' : undefined;
  const asn = systemOf(world, owner.node);
  const system = [...world.views.keys()].filter((each) => systemOf(world, each) === asn);
  // A network that its own system keeps to itself says nothing of what others pass on.
  const announced = (each: string) =>
    hostAddresses(world, each).filter((mine) => !isKeptFrom(world, each, node, [mine]));
  const near = announced(owner.node);
  const networks = near.length > 0 ? near : system.flatMap(announced);
  const rows = world.reach.filter(({ from, destination }) => from === node && networks.includes(destination));
  const isMate = (each: string) => systemOf(world, each) === systemOf(world, node);
  const isRouted = world.reach.some(
    ({ from, destination, received }) => received > 0 && isMate(from) && networks.includes(destination),
  );
  // Of what a node sent from an address that the owner was never told of, no answer finds back.
  const isUntoldOf = ({ sender }: Reach) =>
    isRouted && isKeptFrom(world, node, owner.node, sender === undefined ? undefined : [sender]);
  const isApart = ({ destination }: Reach) => keptOnTheWay(world, node, destination) === 'policy';
  // What is lost of one that comes back in part is a loss of its own; the rest shows that routes lead there and back.
  const isSound = rows.every((row) => row.received > 0 || isApart(row) || isUntoldOf(row));
  return rows.length > 0 && isSound ? 'router' : undefined;
}

function isUnknownAcross(world: World, node: string, address: string): boolean {
  const owners = world.owners.get(address) ?? [];
  const [own, its] = [node, owners[0]?.node ?? ''].map((each) => systemOf(world, each));
  const isOfHosts = () => hostAddresses(world, owners[0]!.node).includes(address);
  return (
    owners.length === 1 &&
    address !== world.destination &&
    ![own, its].includes(undefined) &&
    own !== its &&
    world.lookups.get(node)?.get(address)?.kind === 'none' &&
    [...world.lookups].every(
      ([each, answers]) => systemOf(world, each) !== own || isOwnAlone(answers.get(address), isOfHosts),
    ) &&
    !wasRouted(world, address) &&
    !havePoliciesChanged(world)
  );
}

/** No route, or, to a router, one that the node set itself, as towards the peer of a session: others of its system need not know it. */
function isOwnAlone(answer: RouteAnswer | undefined, isOfHosts: () => boolean): boolean {
  return (answer?.kind ?? 'none') === 'none' || (isConfigured({ protocol: answer?.protocol ?? '' }) && !isOfHosts());
}

/**
 * The systems of the two have no session with each other; each session of other systems with that of `node` that carries routes of the family is up, has a policy that denies the prefix, and its
 * router remembers a time before; and `node` reaches hosts of another system than the two.
 */
function isKeptByPolicy(world: World, node: string, other: string, address: string): boolean {
  const [own, its] = [node, other].map((each) => systemOf(world, each));
  const announced = (world.views.get(other)?.state.bgp?.ownPrefixes ?? []).filter(({ prefix }) =>
    covers(prefix, address),
  );
  const speakers = [...world.views.values()].flatMap(({ node: at, state: { bgp } }) =>
    bgp === undefined ? [] : [{ at, bgp }],
  );
  const isDirect = speakers.some(({ bgp: { asn, sessions } }) =>
    sessions.some(({ remoteAs }) => (asn === own && remoteAs === its) || (asn === its && remoteAs === own)),
  );
  const outer = speakers.flatMap(({ at, bgp }) =>
    bgp.asn === own
      ? []
      : bgp.sessions
          .filter((session) => session.remoteAs === own && !session.shutdown && carries(session, address))
          .map((session) => ({ at, session, texts: policyTextsOf(bgp.policies) })),
  );
  const isOfThird = (destination: string) => {
    const end = ownerOf(world, destination);
    const asn = end && systemOf(world, end.node);
    return end !== undefined && asn !== own && asn !== its && hostAddresses(world, end.node).includes(destination);
  };
  return (
    !isDirect &&
    outer.length > 0 &&
    announced.length > 0 &&
    outer.every(
      ({ at, session, texts }) =>
        isEstablished(session) &&
        remembersBefore(world, at) &&
        announced.every(({ prefix }) => isDenied(session.policies, texts, prefix)),
    ) &&
    world.reach.some((row) => row.from === node && row.received > 0 && isOfThird(row.destination))
  );
}

/** Routes of this family go over the session: as told, else as its own address says. */
function carries({ families, peer }: BgpState['sessions'][number], address: string): boolean {
  const isSix = address.includes(':');
  return families?.includes(isSix ? 'ipv6' : 'ipv4') ?? peer.includes(':') === isSix;
}

function isDenied(policies: readonly string[], texts: PolicyTexts, prefix: string): boolean {
  return policies.some(
    (policy) => policy.endsWith(' out') && verdictOf(texts, policy.slice(0, -' out'.length), prefix) === 'deny',
  );
}

/** Own addresses in networks that hosts may be in. */
function hostAddresses({ views }: World, node: string): readonly string[] {
  const { interfaces = [] } = views.get(node)?.state.inventory ?? {};
  return interfaces
    .filter(({ kind, adminUp }) => kind !== 'loopback' && adminUp)
    .flatMap(({ addresses }) => addresses)
    .flatMap((address) => {
      const prefix = parsePrefix(address);
      return prefix === undefined || isLinkLocal(prefix) || isNarrow(prefix) ? [] : [address.split('/')[0]!];
    });
}

/** Of BGP, at any node, as far as is remembered: what is announced, and which policies its sessions use and say. */
export function havePoliciesChanged({ views }: Pick<World, 'views'>): boolean {
  return [...views.values()].some(({ state: { history } }) =>
    (history?.settings ?? []).some(
      ({ kind, setting, was, is }) =>
        was !== is && (kind === 'policy' || kind === 'network' || (kind === 'session' && setting === 'policies')),
    ),
  );
}

/** A route to one address of the other, over the systems between them, shows that routes of its own system are taken. */
function knowsRouteTo({ lookups, owners }: World, node: string, other: string): boolean {
  return [...(lookups.get(node) ?? [])].some(
    ([address, { kind, matched, protocol }]) =>
      kind === 'unicast' &&
      matched !== 'default' &&
      protocol !== 'kernel' &&
      owners.get(address)?.some((owner) => owner.node === other) === true,
  );
}

/** No interior protocol, and no session inside its own autonomous system. */
function isByOthersAlone(state: NodeState): boolean {
  const { bgp, isis } = state;
  const interior = [...(isis?.circuits ?? []), ...ospfRows(state)];
  const isInterior = interior.some(({ passive }) => !passive);
  const sessions = bgp?.sessions ?? [];
  return !isInterior && sessions.length > 0 && sessions.every(({ remoteAs }) => remoteAs !== bgp?.asn);
}

/**
 * A node that answers through its neighbours alone, and is of another network than every node that routing leads to: that network has a session
 * with one of them, and one side keeps its addresses to itself.
 */
export function isBeyond(world: World, node: string): boolean {
  const { relayed = new Set<string>(), passedOn = new Map<string, unknown>() } = world;
  const isFar = (each: string) => relayed.has(each) || passedOn.has(each);
  const asn = asnOf(world, node);
  const direct = [...world.views.keys()].filter((each) => !isFar(each));
  const its = [...world.views.keys()].filter((each) => asnOf(world, each) === asn);
  return (
    isFar(node) &&
    asn !== undefined &&
    direct.length > 0 &&
    direct.every((each) => isKeptFrom(world, node, each) || isKeptFrom(world, each, node)) &&
    its.some((each) => direct.some((one) => sessionsWith(world, each, one).some(isEstablished)))
  );
}

/**
 * A node that gave no state, and that only nodes of another network hear, without an agent: who asks learns of it through them alone. One that
 * announces an agent is of the domain, whatever its number: a fabric of private numbers is one network, and what is lost in it is lost here.
 */
export function isBehindEdge(world: World, node: string): boolean {
  const hear = [...world.views.values()].filter((view) => neighbourKeys(view.state).has(nodeKey(node)));
  return (
    !world.views.has(node) &&
    hear.length > 0 &&
    hear.every((view) => isBeyond(world, view.node) && !hasAgentAt(view, node))
  );
}

function hasAgentAt({ state }: View, node: string): boolean {
  return state.neighbours.some((entry) => nodeKey(entry.systemName ?? '') === nodeKey(node) && announcesAgent(entry));
}

/** Its own, or that of all BGP speakers that interior protocols join it with. */
export function systemOf(world: World, node: string): number | undefined {
  const own = asnOf(world, node);
  if (own !== undefined) return own;
  const inside = new Set([...interiorOf(world, node)].flatMap((each) => asnOf(world, each) ?? []));
  return inside.size === 1 ? [...inside][0] : undefined;
}

function asnOf({ views }: World, node: string): number | undefined {
  return views.get(node)?.state.bgp?.asn;
}

function isEstablished({ state }: BgpState['sessions'][number]): boolean {
  return state === 'Established';
}

function sessionsWith(world: World, node: string, other: string): BgpState['sessions'] {
  const sessions = world.views.get(node)?.state.bgp?.sessions ?? [];
  return sessions.filter(({ peer }) => peerEnd(world, node, peer)?.node === other);
}

/** Not announced to any peer of the other network; without a session with it, not in BGP at all: what others pass on is not known. */
function isUntold(world: World, owner: string, bgp: BgpState, asn: number, address: string): boolean {
  if (mayBePassedOn(world, bgp, address)) return false;
  const toOther = bgp.sessions.filter(({ remoteAs }) => remoteAs === asn).map(({ peer }) => peer);
  const isTold = ({ originated, advertisedTo }: BgpState['ownPrefixes'][number]) =>
    originated && (toOther.length === 0 || advertisedTo.some((peer) => toOther.includes(peer)));
  const own = (state: BgpState | undefined) => state?.ownPrefixes.find(({ prefix }) => covers(prefix, address));
  const now = own(bgp);
  // Of networks between routers a node does not say to whom it announces them.
  if (now === undefined) return isBetweenNodes(world, address) && !wasRouted(world, address);
  if (isTold(now)) return false;
  const before = seenOtherwise(world, owner, (state) => own(state.bgp));
  return !before.some(isTold) && settingsBefore(world, owner, 'announced', now.prefix).every((was) => was === 'none');
}

/** A node of its network announces a network that covers it, or whatever an interior protocol or the kernel has; or an internal peer was told. */
function mayBePassedOn({ views }: World, { asn, sessions, ownPrefixes }: BgpState, address: string): boolean {
  const inside = [...views.values()].flatMap(({ state }) => (state.bgp?.asn === asn ? [state.bgp] : []));
  const internal = sessions.filter(({ remoteAs }) => remoteAs === asn).map(({ peer }) => peer);
  return (
    inside.some(
      ({ networks, redistribute }) => redistribute.length > 0 || networks.some((each) => covers(each, address)),
    ) ||
    ownPrefixes.some(
      ({ prefix, advertisedTo }) => covers(prefix, address) && advertisedTo.some((peer) => internal.includes(peer)),
    )
  );
}
