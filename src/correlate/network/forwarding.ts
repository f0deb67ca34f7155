// Where packets for an address end up when every node on the way forwards as it says: hop by hop over the lookups of all of
// them, all equally good next hops followed. What is not known ends the walk without a verdict.
import { usualSource } from '#measure/probe-sources.ts';
import type { LinkEnd, ResourceId } from '#model/names.ts';
import { interfaceOf, linkOn, otherEnd, ownerOf, type Reach, type World, type WorldLink } from './world.ts';

export type Ending = {
  readonly kind: 'delivered' | 'blackhole' | 'unreachable' | 'none' | 'loop' | 'elsewhere' | 'unknown';
  /** Node where it ended; for a loop the node that was reached twice. */
  readonly at: string;
};

export type Walk = {
  readonly endings: readonly Ending[];
  readonly nodes: readonly string[];
  readonly links: readonly ResourceId[];
};

/** Most nodes of one way, and most steps over ways that share nodes. */
const MOST_HOPS = 64;
const MOST_STEPS = 20_000;

export function walk(world: World, from: string, destination: string): Walk {
  const owners = (world.owners.get(destination) ?? []).map((owner) => owner.node);
  return everyNode(world, owners, from, destination) ?? everyWay(world, owners, from, destination);
}

/** Every way from the node leads to an owner of the address. */
export function isDelivered(world: World, from: string, address: string): boolean {
  const { endings } = walk(world, from, address);
  return endings.length > 0 && endings.every(({ kind }) => kind === 'delivered');
}

/** Each node once, which is enough where no way comes back to a node: where it goes on does not depend on how it was reached. */
function everyNode(world: World, owners: readonly string[], from: string, destination: string): Walk | undefined {
  const endings = new Map<string, Ending>();
  const links = new Set<ResourceId>();
  const entered = new Set<string>();
  const left = new Set<string>();
  const comesBack = (node: string, hops: number): boolean => {
    if (left.has(node)) return false;
    if (entered.has(node)) return true;
    entered.add(node);
    const { kind, onward } = endAt(world, owners, node, destination, hops);
    if (kind !== undefined) endings.set(`${kind} ${node}`, { kind, at: node });
    for (const link of onward) {
      links.add(link.key);
      if (comesBack(otherEnd(link, node).node, hops + 1)) return true;
    }
    left.add(node);
    return false;
  };
  return comesBack(from, 0) ? undefined : { endings: [...endings.values()], nodes: [...entered], links: [...links] };
}

/** Path by path: a loop is named by the node at which each path enters it. */
function everyWay(world: World, owners: readonly string[], from: string, destination: string): Walk {
  const endings = new Map<string, Ending>();
  const nodes = new Set<string>();
  const links = new Set<ResourceId>();
  let steps = 0;
  const visit = (node: string, way: readonly string[]): void => {
    if (++steps > MOST_STEPS) return void endings.set(`unknown ${node}`, { kind: 'unknown', at: node });
    const { kind, onward } = way.includes(node) ? LOOP : endAt(world, owners, node, destination, way.length);
    if (!way.includes(node)) nodes.add(node);
    if (kind !== undefined) endings.set(`${kind} ${node}`, { kind, at: node });
    for (const link of onward) {
      links.add(link.key);
      visit(otherEnd(link, node).node, [...way, node]);
    }
  };
  visit(from, []);
  return { endings: [...endings.values()], nodes: [...nodes], links: [...links] };
}

/** How the walk ends at a node, and the links over which it goes on: both where of several ways one is not known. */
type Step = { readonly kind?: Ending['kind']; readonly onward: readonly WorldLink[] };

const LOOP: Step = { kind: 'loop', onward: [] };

function endAt(world: World, owners: readonly string[], node: string, destination: string, hops: number): Step {
  const end = (kind: Ending['kind']): Step => ({ kind, onward: [] });
  if (owners.includes(node)) return end('delivered');
  const answer = world.lookups.get(node)?.get(destination);
  if (answer === undefined || hops > MOST_HOPS) return end('unknown');
  if (answer.kind === 'local') return end('elsewhere');
  if (answer.kind !== 'unicast') return end(answer.kind);
  const ifnames = answer.ifnames ?? (answer.ifname === undefined ? [] : [answer.ifname]);
  const legs = ifnames.map((ifname) => linksTowards(world, { node, ifname }, answer.nextHop ?? destination));
  const onward = legs.flat();
  if (onward.length === 0 || (answer.segments?.length ?? 0) > 0) return end('unknown');
  const isUnsure = ifnames.some(
    (ifname, index) => legs[index]!.length === 0 && linkOn(world, { node, ifname }).length > 1,
  );
  return { ...(isUnsure ? { kind: 'unknown' as const } : {}), onward };
}

/** On a segment of several nodes, as of a switch, the next node is the one that has the next hop, or without one the destination itself. */
function linksTowards(world: World, end: LinkEnd, nextHop: string): readonly WorldLink[] {
  const links = linkOn(world, end);
  if (links.length < 2) return links;
  const next = world.owners.get(nextHop) ?? [];
  return links
    .filter((link) => {
      const far = otherEnd(link, end.node);
      // Several links have the same link-local addresses, which no node is the owner of.
      const hasIt = interfaceOf(world, far)?.addresses.some((address) => address.split('/')[0] === nextHop) === true;
      return hasIt || next.some(({ node, ifname }) => node === far.node && ifname === far.ifname);
    })
    .slice(0, 1);
}

/** The node forwards to an address over this interface alone. */
export function leavesBy(world: World, { node, ifname }: LinkEnd, address: string): boolean {
  const answer = world.lookups.get(node)?.get(address);
  if (answer?.kind !== 'unicast') return false;
  const ifnames = answer.ifnames ?? (answer.ifname === undefined ? [] : [answer.ifname]);
  return ifnames.length > 0 && ifnames.every((each) => each === ifname);
}

/** The sender's own address that they left from. */
export function senderOf(
  { views }: World,
  { from, destination, sender }: Pick<Reach, 'from' | 'destination' | 'sender'>,
): string | undefined {
  const state = views.get(from)?.state;
  return sender ?? (state && usualSource(state, destination.includes(':') ? 6 : 4));
}

/**
 * Probes from one end cross the link and no other, and so do the answers: they are for the far port, or for the far node, and both forward to each
 * other over the link alone. An unnumbered link borrows the address of another port of its node.
 */
export function crosses(world: World, row: Reach, near: LinkEnd, far: LinkEnd): boolean {
  const { destination } = row;
  const owners = world.owners.get(destination) ?? [];
  if (owners.length === 0 || owners.some(({ node }) => node !== far.node)) return false;
  if (owners.length === 1 && owners[0]!.ifname === far.ifname) return true;
  const sender = senderOf(world, row);
  return leavesBy(world, near, destination) && sender !== undefined && leavesBy(world, far, sender);
}

export function loopbacksOf(world: World, node: string): readonly string[] {
  return (world.views.get(node)?.state.inventory.loopbacks ?? []).map((address) => address.split('/')[0]!);
}

/** IPv4 echoes over exactly this link, from either end; where it has no addresses of its own, those between its nodes that no other way carries. */
export function echoesOver(
  world: World,
  { from, to, link }: WorldLink,
): { readonly sent: number; readonly lost: number } {
  const isBare = link.addresses === undefined;
  const mine = world.reach.filter((row) => {
    const { destination } = row;
    const [near, far] = row.from === from.node ? [from, to] : [to, from];
    const owner = ownerOf(world, destination);
    if (row.from !== near.node || owner?.node !== far.node) return false;
    return owner.ifname === far.ifname || (isBare && !destination.includes(':') && crosses(world, row, near, far));
  });
  return mine.reduce((sum, { sent, received }) => ({ sent: sum.sent + sent, lost: sum.lost + sent - received }), {
    sent: 0,
    lost: 0,
  });
}
