// Hosts whose packets a policy rule of their router keeps from every other node, although the router's own packets would arrive: by the
// kernel's lookups for packets of these hosts. A rule that lets them reach something is a policy, as is one for single hosts of a network.
import { covers, parsePrefix } from '#base/ip.ts';
import type { LinkEnd } from '#model/names.ts';
import type { PolicyRule } from '#model/router/forwarding.ts';
import type { InputRoute, RouteAnswer } from '#model/router/router-port.ts';
import { walk } from './forwarding.ts';
import { interfaceOf, linkOn, otherEnd, ownerOf, type View, type World } from './world.ts';

export type PolicyCut = {
  readonly node: string;
  readonly ifname: string;
  /** The network of the port, which the rule covers. */
  readonly network: string;
  readonly rule: PolicyRule;
  /** `loop`: the next hop sends them back or nowhere; `unresolved`: the route has no next hop, and no neighbour answers for the destination. */
  readonly how: Exclude<InputRoute['kind'], 'unicast' | 'local'> | 'loop' | 'unresolved';
  /** Addresses that were looked up, all of which this router's own packets reach. */
  readonly destinations: readonly string[];
};

/** With fewer addresses looked up, a policy against those is as likely. */
const LEAST_DESTINATIONS = 2;

export function policyCuts(world: World): readonly PolicyCut[] {
  return [...world.views.values()].flatMap((view) => cutsAt(world, view));
}

function cutsAt(world: World, view: View): readonly PolicyCut[] {
  const { node, state } = view;
  const rules = state.forwarding?.policyRules ?? [];
  if (rules.length === 0) return [];
  const rows = [...(world.lookups.get(node)?.values() ?? [])].flatMap((answer) =>
    (answer.inputs ?? []).map((input) => ({ answer, input })),
  );
  const cuts = new Map<string, PolicyCut>();
  for (const mine of Map.groupBy(rows, ({ input }) => portOf(input)).values()) {
    const { ifname, source: host } = mine[0]!.input;
    const network = networkOf(view, ifname, host);
    const family = host.includes(':') ? 'ipv6' : 'ipv4';
    if (state.forwarding?.[family] !== true) continue;
    // Packets of routers are judged where they come from.
    if (network === undefined || linkOn(world, { node, ifname }).length > 0) continue;
    const rule = rules.find((each) => each.family === family && coversNetwork(each, { ifname, network }));
    const known = mine.filter(({ answer }) => arrives(world, node, answer));
    const kinds = known.map(({ answer, input }) => howLost(world, node, answer, input));
    const how = kinds[0];
    if (rule === undefined || how === undefined || kinds.length < LEAST_DESTINATIONS || kinds.includes(undefined))
      continue;
    // The kernel refuses an IPv4 source by reverse path with the same error as a black hole.
    const isChecked = state.forwarding.interfaces.some((row) => row.ifname === ifname && row.reversePath !== 'off');
    if (family === 'ipv4' && kinds.includes('blackhole') && isChecked) continue;
    const destinations = known.map(({ answer }) => answer.destination);
    cuts.set(`${ifname} ${network}`, { node, ifname, network, rule, how, destinations });
  }
  return [...cuts.values()];
}

function portOf({ ifname, source }: InputRoute): string {
  return `${ifname} ${source}`;
}

function networkOf({ state }: View, ifname: string, source: string): string | undefined {
  const port = state.inventory.interfaces.find((entry) => entry.name === ifname);
  return port?.addresses.find((own) => covers(own, source));
}

/** Its `from` is the whole network of the port or wider, or it takes what comes in there whatever the source is. */
function coversNetwork(
  { from, to, iif, negated, rest }: PolicyRule,
  { ifname, network }: { readonly ifname: string; readonly network: string },
): boolean {
  if (to !== undefined || negated === true || rest === true || (iif !== undefined && iif !== ifname)) return false;
  if (from === undefined) return iif !== undefined;
  const [wide, own] = [parsePrefix(from), parsePrefix(network)];
  return wide !== undefined && own !== undefined && wide.prefixBits <= own.prefixBits && covers(from, own.address);
}

/** What the router itself sends there does. */
function arrives(world: World, node: string, { kind, destination }: RouteAnswer): boolean {
  const owner = ownerOf(world, destination)?.node;
  if (kind !== 'unicast' || owner === undefined || owner === node) return false;
  const { endings } = walk(world, node, destination);
  return endings.length > 0 && endings.every((ending) => ending.kind === 'delivered');
}

/** Undefined where the packet gets away, as far as is known. */
function howLost(
  world: World,
  node: string,
  { destination }: RouteAnswer,
  { kind, out, nextHop }: InputRoute,
): PolicyCut['how'] | undefined {
  if (kind === 'local') return undefined;
  if (kind !== 'unicast') return kind;
  if (nextHop === undefined && out !== undefined && isUnresolved(world, { node, ifname: out }, destination))
    return 'unresolved';
  const via = nextHop === undefined ? undefined : ownerOf(world, nextHop)?.node;
  const links = out === undefined ? [] : linkOn(world, { node, ifname: out });
  // On a segment of several nodes the next hop's address says which of them it is.
  const link = links.length > 1 ? links.find((each) => otherEnd(each, node).node === via) : links[0];
  if (link === undefined) return undefined;
  const onward = walk(world, otherEnd(link, node).node, destination);
  const isBack = onward.nodes.includes(node) && onward.links.includes(link.key);
  const isLost = onward.endings.every((ending) => ending.kind !== 'delivered' && ending.kind !== 'unknown');
  return isLost || (isBack && onward.links.length === onward.nodes.length - 1) ? 'loop' : undefined;
}

/** The node asked on that interface for addresses that are of no network there, as it would for this one, and none was answered: no proxy. */
function isUnresolved(world: World, { node, ifname }: LinkEnd, destination: string): boolean {
  const state = world.views.get(node)?.state;
  const own = interfaceOf(world, { node, ifname })?.addresses ?? [];
  const isBeyond = (address: string) => !own.some((each) => covers(each, address));
  const rows = (state?.neighbourTable ?? []).filter(
    (row) => row.ifname === ifname && row.address.includes(':') === destination.includes(':') && isBeyond(row.address),
  );
  return (
    isBeyond(destination) &&
    rows.length > 0 &&
    rows.every(({ mac, state: is }) => mac === undefined && UNANSWERED.test(is))
  );
}

const UNANSWERED = /FAILED|INCOMPLETE/;
