// Whether a filter that stands in the way of a service does harm: a host wants what it drops. A probe of ours that it drops is no
// proof of that; a filter at an edge may be there for that very purpose. Where no host is known to miss the service it is a remark
// (docs/decisions/0029-unusual-but-not-faulty.md).
import type { Heard } from '#model/router/dhcp.ts';
import type { Served } from '#model/router/hosts.ts';
import { demands, mayTake, networkOf } from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { FilterHits } from '../engine/facts.ts';
import { type Walk, walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { hasCome } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import { linkOn, ownerOf, type World } from '../network/world.ts';
import { type Attempt, meets, takes } from './attempts.ts';
import { type FilterKind, kindOf, kindsTaken } from './filter-kinds.ts';

/** Kinds that a router only forwards: an operator may want them or not. */
const SERVICES: ReadonlySet<FilterKind | undefined> = new Set<FilterKind>(['echo', 'http', 'dns']);

/** A rule against one service, for all addresses. */
export function isAgainstService(rule: Pick<FilterHits, 'family' | 'matches'>): boolean {
  return SERVICES.has(kindOf(rule)) && !demands(rule, 'source', 'destination', 'sample');
}

/**
 * Against one service for some addresses, or on ports that lead to hosts alone, for as long as its node remembers: an operator's policy,
 * whatever was tried from elsewhere.
 */
export function isPolicyOfService(world: World, rule: FilterHits): boolean {
  const { node, inInterfaces, outInterfaces } = rule;
  const ports = [...inInterfaces, ...outInterfaces];
  const isEdge = ports.length > 0 && ports.every((ifname) => linkOn(world, { node, ifname }).length === 0);
  if (!SERVICES.has(kindOf(rule)) || !(isEdge || demands(rule, 'source', 'destination'))) return false;
  return rulesOf(world, rule).length > 0 && !isNew(world, rule);
}

/** Rules of its node that say what it says. */
export function rulesOf(
  world: World,
  { node, hook, inInterfaces, outInterfaces, matches }: FilterHits,
): readonly FilterRule[] {
  const said = JSON.stringify([hook, inInterfaces, outInterfaces, matches ?? []]);
  return (world.views.get(node)?.state.filters ?? []).filter(
    (each) => JSON.stringify([each.hook, each.inInterfaces, each.outInterfaces, each.matches ?? []]) === said,
  );
}

/** Its node remembers a time without it. */
export function isNew(world: World, rule: FilterHits): boolean {
  return rulesOf(world, rule).some((each) => hasCome(world, rule.node, each));
}

/** A host wants what did not come back, and the serving host itself does answer; or a host was heard to ask the one that does not answer. */
export function isMissed(world: World, symptom: Attempt, rule: FilterHits, hits: readonly FilterHits[]): boolean {
  // Hosts that were heard to ask for names miss them, whatever the filter is for.
  if (isPolicyOfService(world, rule) && !(kindOf(rule) === 'dns' && isUsed(world, symptom, rule))) return false;
  if (!isAgainstService(rule)) return true;
  if (rule.lets === true) return false;
  if (isSilentItself(world, symptom, hits)) return asksFor(world, symptom.detail).some((ask) => crosses(ask, rule));
  return kindOf(rule) === 'echo'
    ? takesAllMessages(rule) && answersNearby(world, symptom, hits)
    : isUsed(world, symptom, rule);
}

/** A host of one router was heard to ask a name server behind another one, by this way. */
type Ask = { readonly from: string; readonly way: Walk };

/** Who asks for names where they were seen to be served lately; whether the server still lives does not matter. */
export function asksFor(
  world: World,
  { destination, port }: { readonly destination: string; readonly port?: number | undefined },
): readonly Ask[] {
  const near = attachedTo(world, destination);
  const served = servicesIn(world).some((row) => row.address === destination && row.port === port);
  if (near === undefined || port !== 53 || !served) return [];
  return [...world.views.values()]
    .filter(({ node, state }) => node !== near.node && (state.history?.heard ?? []).some(isQuestionTo(destination)))
    .map(({ node }) => ({ from: node, way: walk(world, node, near.routerAddress) }))
    .filter(({ way }) => way.endings.every(({ kind }) => kind === 'delivered'));
}

function isQuestionTo(address: string): (heard: Heard) => boolean {
  return ({ what, to }) => what === 'dns-query' && to === address;
}

/** What routers at either end forward as well, for it comes from a host and is for one. */
function crosses({ way }: Ask, { hook, node, inInterfaces, outInterfaces }: FilterHits): boolean {
  return hook === 'forward' && inInterfaces.length + outInterfaces.length === 0 && way.nodes.includes(node);
}

/**
 * Who takes every ICMP message takes those that say that a packet is too large as well, which no filter may (RFC 2979 §3.1.1); one
 * against echoes alone is a matter of taste.
 */
export function takesAllMessages(rule: Pick<FilterHits, 'family' | 'matches'>): boolean {
  return kindsTaken(rule).includes('too-large');
}

/**
 * A node with an agent answers echoes unless a filter that it tells of takes them; a host does when its router has just heard it. Where a filter
 * of that router takes the router's own echoes no node can hear the host, and nothing speaks against it.
 */
function answersNearby(world: World, symptom: Attempt, hits: readonly FilterHits[]): boolean {
  const address = symptom.detail.destination;
  if (ownerOf(world, address) !== undefined) return true;
  const near = attachedTo(world, address);
  if (near === undefined) return false;
  const alone = triedByItsRouter(symptom, near.node);
  return (
    hits.some((rule) => rule.node === near.node && meets(alone, rule) && takes(rule, alone)) ||
    world.hosts.some(
      ({ node, ifname, echoed = [] }) => node === near.node && ifname === near.ifname && echoed.includes(address),
    )
  );
}

/**
 * What was tried was seen to be served lately; or a host behind the filter was heard to ask for names; or pages, which no host
 * listens for, are served somewhere and hosts behind the filter cannot get at them.
 */
function isUsed(world: World, { detail }: Attempt, rule: FilterHits): boolean {
  const served = servicesIn(world).filter(({ address, service, port }) =>
    mayTake(rule, { network: networkOf(address), protocol: service, destinationPort: port, destinations: [address] }),
  );
  if (served.some((row) => row.address === detail.destination && row.port === detail.port)) return true;
  const history = world.views.get(rule.node)?.state.history;
  const wants = (ifname: string, address: string) => takesRequests(world, rule, ifname, address);
  if (kindOf(rule) === 'http')
    return (history?.hosts ?? []).some(({ ifname }) => served.some(({ address }) => wants(ifname, address)));
  return (history?.heard ?? []).some(
    ({ what, ifname, to }) => what === 'dns-query' && wants(ifname, to) && served.some(({ address }) => address === to),
  );
}

/** What hosts on a port of the filter's node send to a server crosses the filter: one for what goes to those hosts alone takes nothing of it. */
function takesRequests(world: World, rule: FilterHits, ifname: string, address: string): boolean {
  const { node, hook, inInterfaces, outInterfaces } = rule;
  const near = attachedTo(world, address);
  const answer = world.lookups.get(node)?.get(near?.routerAddress ?? address);
  const onward = near?.node === node ? [near.ifname] : (answer?.ifnames ?? [answer?.ifname ?? '']);
  return (
    hook !== 'input' &&
    hook !== 'output' &&
    !onward.includes(ifname) &&
    (inInterfaces.length === 0 || inInterfaces.includes(ifname)) &&
    (outInterfaces.length === 0 || onward.some((each) => outInterfaces.includes(each)))
  );
}

function servicesIn({ views }: World): readonly Served[] {
  return [...views.values()].flatMap(({ state }) => state.history?.services ?? []);
}

/** The host's own router got no answer either, and no filter on that way took the try. */
function isSilentItself(world: World, symptom: Attempt, hits: readonly FilterHits[]): boolean {
  const { detail } = symptom;
  const near = attachedTo(world, detail.destination);
  if (near === undefined) return false;
  const same = (serviceProbe: ServiceProbeSeen) =>
    serviceProbe.destination === detail.destination &&
    serviceProbe.service === detail.service &&
    serviceProbe.port === detail.port &&
    serviceProbe.from === near.node;
  const tries = world.serviceProbes.filter(same);
  if (tries.length === 0 || tries.some((serviceProbe) => serviceProbe.answered)) return false;
  const alone = triedByItsRouter(symptom, near.node);
  return !hits.some((rule) => meets(alone, rule) && takes(rule, alone));
}

/** The same try as the router that the host is attached to makes it. */
function triedByItsRouter({ detail, way }: Attempt, router: string): Attempt {
  return { way: { nodes: [router], links: way?.links ?? [] }, detail: { ...detail, from: router } };
}

/** An earlier rule of the same chain, or of one that leads there, lets some of what this one is against through: it is for the rest alone. */
export function letsSome(filters: readonly FilterRule[], rule: FilterRule): boolean {
  const kind = kindOf(rule);
  if (kind === undefined) return false;
  return filters
    .slice(0, Math.max(0, filters.indexOf(rule)))
    .some(
      (each) =>
        each.verdict === 'accept' &&
        each.family === rule.family &&
        each.table === rule.table &&
        rule.path.includes(each.chain) &&
        each.matchesRest !== true &&
        !isInside(each) &&
        kindsTaken(each).includes(kind),
    );
}

/** What a node says to itself. */
function isInside({ inInterfaces, outInterfaces }: FilterRule): boolean {
  const ports = [...inInterfaces, ...outInterfaces];
  return ports.length > 0 && ports.every((ifname) => ifname === 'lo');
}
