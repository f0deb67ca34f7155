// Which direction of a slow link is slow: probes that leave a node over the link, come back to it by another way, and the same
// loop the other way round, steered by SRv6 segment lists. One clock measures each, the sender's own. Pure; where there is no
// other way back, or a node without SIDs on it, there is no loop and the direction stays unknown.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { isBetween, isSameLink, type Link } from '#model/links/links.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { withoutRoutes } from '../scope.ts';
import { scopeLinks } from '../scope-links.ts';
import { decapSid, endSid, loopback } from '../sids.ts';
import { interfaceOf, type Mute, NO_NODE, type States } from '../states.ts';
import { CONFIRMED_LINKS } from './link-probes.ts';

const LOOP_PROBES = 40;
const LOOP_INTERVAL_MS = 5;
const LOOP_LINGER_MS = 500;
/** A list has so many SIDs: one of each node of the loop. Longer ways gather the delays of others, of which the least of all probes keeps little. */
const MOST_HOPS = LIMITS.probeSegments - 1;

export const loops = defineMeasurement({
  kinds: ['loop'],
  rounds: {
    confirmation: (scope, { slow }) => planLoops(scope.states, slow.slice(0, CONFIRMED_LINKS), withoutRoutes(scope)),
  },
  read: decodeProbeResult,
});

/**
 * Two loops for each slow link; they cross another one only where there is no other way. `mute` are nodes that routing has lost, as
 * it has those whose own routing is dead; their kernels may forward all the same: a loop begins beside one and is handed to it on the link.
 */
export function planLoops(states: States, slow: readonly Link[], mute: Mute = NO_NODE): readonly PlannedCall[] {
  const calls = loopsFor(states, slow, mute);
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

function loopsFor(states: States, slow: readonly Link[], mute: Mute): readonly PlannedCall[] {
  const usable = scopeLinks(states).filter(
    (link) => isUp(states, link) && !slow.some((each) => isSameLink(each, link)),
  );
  const anyway = scopeLinks(states).filter((link) => isUp(states, link));
  return slow.flatMap((link) => {
    const others = anyway.filter((each) => !isSameLink(each, link));
    if (others.some((each) => isBetween(each, link.from.node, link.to.node))) return [];
    // A first look suspects more links than are slow: where none other is left, one of those may do after all.
    const round = wayBetween(usable, link.to.node, link.from.node) ?? wayBetween(others, link.to.node, link.from.node);
    if (round === undefined) return [];
    const back = [...round.slice(0, -1).reverse(), link.from.node];
    return [round, back].flatMap((visits) => loop(states, visits, mute) ?? []);
  });
}

/** `visits` are the nodes in the order of travel; the last is the one that sends and hears the probes. */
function loop(states: States, visits: readonly string[], mute: Mute): PlannedCall | undefined {
  const lost = visits.filter((visit) => mute.has(visit) || isRoutingDead(states.get(visit)));
  if (lost.length === 0) return loopOf(states, visits, {});
  // No node has a route to it: the sender must be its neighbour, and packets leave it by the routes that its kernel kept.
  const at = visits.indexOf(lost[0]!);
  const turned = [...visits.slice(at), ...visits.slice(0, at)];
  const via = lost.length > 1 ? undefined : hopTo(states, turned.at(-1)!, turned[0]!);
  return via === undefined ? undefined : loopOf(states, turned, { via });
}

const ROUTING: ReadonlySet<string> = new Set(['zebra', 'bgpd', 'isisd', 'ospfd', 'ospf6d']);

/** Its neighbours have taken back what they had learned from it. */
function isRoutingDead(state: NodeState | undefined): boolean {
  return (state?.daemons ?? []).some(({ name, alive }) => !alive && ROUTING.has(name));
}

type First = { readonly via?: { readonly ifname: string; readonly mac: string } };

function loopOf(states: States, visits: readonly string[], first: First): PlannedCall | undefined {
  const node = visits.at(-1)!;
  const home = states.get(node)!;
  const steered = visits.slice(first.via === undefined ? 0 : 1, -1);
  const sids = [...steered.map((visit) => endSid(states.get(visit)!)), decapSid(home)];
  const address = loopback(home);
  if (address === undefined || sids.some((sid) => sid === undefined)) return undefined;
  const run = { count: LOOP_PROBES, intervalMs: LOOP_INTERVAL_MS, lingerMs: LOOP_LINGER_MS };
  const way = { destination: address, source: address, segments: sids as string[], ...first };
  return probeCall({ kind: 'loop', visits }, [node, node], run, { 'SID List': [...visits], ...way });
}

/** The one link between two neighbours, as the first of them sees it. */
function hopTo(states: States, from: string, to: string): First['via'] {
  const links = scopeLinks(states).filter((link) => isUp(states, link) && isBetween(link, from, to));
  const [link] = links;
  if (link === undefined || links.length > 1) return undefined;
  const [mine, its] = link.from.node === from ? [link.from, link.to] : [link.to, link.from];
  const mac = interfaceOf(states, its)?.mac;
  return mac === undefined || mac === '' ? undefined : { ifname: mine.ifname, mac: mac.toLowerCase() };
}

/** The shortest way from one node to another over `links`, both named. */
function wayBetween(links: readonly Link[], from: string, to: string): readonly string[] | undefined {
  let reached: readonly (readonly string[])[] = [[from]];
  const seen = new Set([from]);
  for (let hops = 0; hops < MOST_HOPS && reached.length > 0; hops++) {
    reached = reached.flatMap((way) =>
      neighbours(links, way.at(-1)!)
        .filter((next) => !seen.has(next))
        .map((next) => {
          seen.add(next);
          return [...way, next];
        }),
    );
    const found = reached.find((way) => way.at(-1) === to);
    if (found !== undefined) return found;
  }
  return undefined;
}

function neighbours(links: readonly Link[], node: string): readonly string[] {
  return links.flatMap(({ from, to }) => (from.node === node ? [to.node] : to.node === node ? [from.node] : []));
}

function isUp(states: States, link: Link): boolean {
  return [link.from, link.to].every((end) => interfaceOf(states, end)?.operUp === true);
}
