// What was wrong and is over: the same rules over the states that nodes were in, moment by moment. Moments of two nodes are
// joined by how long ago each says they were, no clock is subtracted from another's; what was not sampled is not known.

import { covers } from '#base/ip.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState, PastState, RouteAnswer } from '#model/router/router-port.ts';
import { type CaseFile, NOTHING_PLANNED } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { lossSymptomsOf } from '../engine/loss-symptom.ts';
import { merged, rank } from '../engine/rank.ts';
import { linkDown } from '../faults/link/link-down.ts';
import { deviceDown } from '../faults/nodes/device-down.ts';
import { FAULT_DEFINITIONS } from '../faults/registry.ts';
import { symptomsOf } from '../faults/symptoms.ts';
import { CORRELATE_LIMITS } from '../limits.ts';
import { linksAt, ownEnd, type StateEntry, type World, worldOf } from '../network/world.ts';
import { factsIn } from '../observe/observe.ts';
import { entrySymptom } from '../symptoms/neighbour-entries.ts';
import { isUp } from '../symptoms/sessions.ts';
import { waysLacking } from './past-routes.ts';

/** A node is looked at every few seconds: what it was at a moment is what it was seen as within this. */
const SEEN_MS = 6_000;

/** What came back less long ago than this may not have announced everything again. */
const YOUNG_MS = 15_000;

export type PastFinding = { readonly proposal: Proposal; readonly agoMs: number };

/** `now` is the world of the question itself; findings that it has already are found here again. */
export function pastFindings(now: World, evidence: readonly Evidence[]): readonly PastFinding[] {
  const found = new Map<string, PastFinding>();
  for (const agoMs of momentsOf(now).slice(0, CORRELATE_LIMITS.pastMoments)) {
    for (const proposal of chosenAt(now, evidence, agoMs)) {
      const key = `${proposal.fault} ${proposal.resource}`;
      const known = found.get(key);
      if (known === undefined || agoMs < known.agoMs) found.set(key, { proposal, agoMs });
    }
  }
  return [...found.values()];
}

/** The middle of each time in which a node was not as it is now, within what was asked about. */
function momentsOf({ views, sinceMs }: World): readonly number[] {
  const middles = [...views.values()].flatMap(({ state }) =>
    (state.past ?? [])
      .filter(({ untilAgoMs }) => sinceMs === undefined || untilAgoMs <= sinceMs)
      .map(({ fromAgoMs, untilAgoMs }) => Math.round((fromAgoMs + untilAgoMs) / 2_000) * 1_000),
  );
  return [...new Set(middles)].sort((one, other) => one - other);
}

/** Such times that are too many to look at, the earliest ones. */
export function momentsLeft(now: World): number {
  return Math.max(0, momentsOf(now).length - CORRELATE_LIMITS.pastMoments);
}

function chosenAt(now: World, evidence: readonly Evidence[], agoMs: number): readonly Proposal[] {
  const then = new Map<string, StateEntry>();
  const earlier = new Map<string, StateEntry>();
  for (const view of now.views.values()) {
    const past = nearest(view.state.past ?? [], agoMs);
    const id = view.sources[0]!;
    then.set(view.node, { id, state: past?.state ?? view.state });
    // Packets that a filter counted while it was there are those of its whole life.
    earlier.set(view.node, { id, state: unfiltered(past?.state ?? view.state, view.state) });
  }
  const lookups = evidence.filter((entry) => entry.kind === 'lookups');
  const nodes = [...then.keys()];
  // Who had lost every link could not have answered then: what it remembers is of no use to find out what happened to it.
  for (const node of nodes.filter((each) => isCutOff(now, then.get(each)!.state, each))) {
    then.delete(node);
    earlier.delete(node);
  }
  const seen = new Map(nodes.map((node) => [node, otherStates(now, node, then.get(node)!.state)]));
  const world = { ...overlaid(worldOf({ nodes, whole: now.whole }, earlier, then, lookups), now), seen };
  const facts = factsIn({ path: [], world }, [], []).filter((fact) => fact.predicate !== 'missing');
  // What was learned from the wire differs for a moment whenever a MAC address changes; only what an operator set is a state.
  const symptoms = symptomsOf({ path: [], world }, facts, [], { agoMs, now }).filter(
    (symptom) => !entrySymptom.is(symptom) || symptom.detail.fixed || symptom.detail.unresolved,
  );
  const file: CaseFile = { path: [], facts, world, expected: [], symptoms, planned: NOTHING_PLANNED };
  const losses = lossSymptomsOf(file);
  const proposals = merged(FAULT_DEFINITIONS.flatMap((rule) => rule.propose(file, losses)));
  const { chosen } = rank(proposals, losses, symptoms);
  return chosen.filter(({ accuses }) => accuses !== false);
}

/** The node as it is now, and at every other moment that it remembers. */
function otherStates({ views }: World, node: string, then: NodeState): readonly NodeState[] {
  const { state } = views.get(node)!;
  return [state, ...(state.past ?? []).map((entry) => entry.state)].filter((each) => each !== then);
}

/** All links of a node, two or more, without a carrier. */
function isCutOff(now: World, then: NodeState, node: string): boolean {
  const ends = linksAt(now, node).map((link) => ownEnd(link, node).ifname);
  const dark = then.inventory.interfaces.filter((entry) => entry.adminUp && !entry.operUp).map((entry) => entry.name);
  return ends.length >= 2 && ends.every((ifname) => dark.includes(ifname));
}

/** A link that fell with the device at its end is no finding of its own. */
export function withoutFallen(found: readonly Proposal[], over: readonly Proposal[]): readonly Proposal[] {
  const dead = [...found, ...over].filter(({ fault }) => fault === deviceDown.id).map(({ resource }) => resource);
  const nodes = dead.map((resource) => resource.slice('node/'.length));
  return over.filter(
    ({ fault, resource }) =>
      fault !== linkDown.id ||
      !nodes.some(
        (node) =>
          resource.includes(`/${node}:`) ||
          resource.includes(`--${node}:`) ||
          resource.startsWith(`interface/${node}/`),
      ),
  );
}

function nearest(past: readonly PastState[], agoMs: number): PastState | undefined {
  const away = ({ fromAgoMs, untilAgoMs }: PastState) => Math.max(0, agoMs - fromAgoMs, untilAgoMs - agoMs);
  return [...past].sort((one, other) => away(one) - away(other)).find((entry) => away(entry) <= SEEN_MS);
}

/** The state without the packets of filter rules that are no longer there. */
function unfiltered(then: NodeState, now: NodeState): NodeState {
  const staying = new Set(now.filters.map((rule) => `${rule.table} ${rule.chain} ${rule.handle}`));
  const filters = then.filters.map((rule) =>
    rule.packets === undefined || staying.has(`${rule.table} ${rule.chain} ${rule.handle}`)
      ? rule
      : { ...rule, packets: '0' },
  );
  return { ...then, filters };
}

/** Where packets went then: as they go now, but for routes that were set or removed by hand then, or that no node announced. */
function overlaid(then: World, now: World): World {
  const withheld = withheldThen(then, now);
  const lookups = new Map(
    [...then.lookups].map(([node, answers]): [string, ReadonlyMap<string, RouteAnswer>] => {
      const current = now.views.get(node)?.state.staticRoutes ?? [];
      const gone = (then.views.get(node)?.state.staticRoutes ?? []).filter(
        (route) => !current.some((each) => each.prefix === route.prefix && each.nextHop === route.nextHop),
      );
      const isLacking = waysLacking(then, now, node);
      const rewritten = [...answers].map(([destination, answer]): [string, RouteAnswer] => {
        const route = gone.find(({ prefix }) => prefix.includes('/') && covers(prefix, destination));
        if (route === undefined && withheld.some((own) => own.node !== node && covers(own.prefix, destination)))
          return [destination, { destination, kind: 'none' }];
        if (route === undefined) return [destination, isLacking(answer) ? { destination, kind: 'none' } : answer];
        const kind = route.kind === 'prohibit' ? 'unreachable' : route.kind;
        const { nextHop, ifname, protocol, segments } = route;
        return [
          destination,
          {
            ...{ destination, kind, protocol, matched: route.prefix },
            ...(nextHop === undefined ? {} : { nextHop }),
            ...(ifname === undefined ? {} : { ifname }),
            ...(segments === undefined ? {} : { segments }),
          },
        ];
      });
      return [node, new Map([...nowhere(then, node), ...rewritten])];
    }),
  );
  return { ...then, lookups };
}

/** SIDs that a node steered to and that no node of the whole network had: lookups no longer ask for them. */
function nowhere({ views, whole }: World, node: string): readonly [string, RouteAnswer][] {
  if (!whole) return [];
  const all = [...views.values()];
  const has = (sid: string) =>
    all.some(
      ({ state }) =>
        state.inventory.sids.some((entry) => entry.sid === sid) ||
        (state.staticRoutes ?? []).some(({ prefix, kind }) => kind === 'blackhole' && covers(prefix, sid)),
    );
  const steered = (views.get(node)?.state.staticRoutes ?? []).flatMap(({ segments = [] }) => segments);
  return steered.filter((sid) => !has(sid)).map((sid) => [sid, { destination: sid, kind: 'none' }]);
}

/** Links, sessions or daemons that had just come back: announcements follow some seconds later. */
function isYoung({ history, daemons }: NodeState): boolean {
  return (
    (history?.events ?? []).some(({ agoMs }) => agoMs < YOUNG_MS) ||
    (daemons ?? []).some(({ upMs }) => upMs !== undefined && upMs < YOUNG_MS)
  );
}

/** Own prefixes that a node announced to no neighbour then, and announces now. */
function withheldThen(then: World, now: World): readonly { readonly node: string; readonly prefix: string }[] {
  const upAt = (world: World, node: string) =>
    (world.views.get(node)?.state.bgp?.sessions ?? []).filter(isUp).map(({ peer }) => peer);
  // Where sessions had just been lost, what they carried was converging, which is no fault.
  const steady = [...then.views.values()].filter(({ node, state }) => {
    const up = upAt(then, node);
    const fresh = (state.bgp?.sessions ?? []).some(({ upMs = YOUNG_MS, ...row }) => isUp(row) && upMs < YOUNG_MS);
    return !fresh && !isYoung(state) && upAt(now, node).every((peer) => up.includes(peer));
  });
  return steady.flatMap(({ node, state }) =>
    (state.bgp?.ownPrefixes ?? [])
      .filter(({ prefix, originated, advertisedTo }) => {
        const own = now.views.get(node)?.state.bgp?.ownPrefixes.find((each) => each.prefix === prefix);
        const announced = own?.originated === true && own.advertisedTo.length > 0;
        return announced && (!originated || advertisedTo.length === 0);
      })
      .map(({ prefix }) => ({ node, prefix })),
  );
}

/** What was seen at several times is over since the last of them. */
export function lastOfEach(found: readonly PastFinding[]): readonly PastFinding[] {
  const last = new Map<string, PastFinding>();
  for (const each of found) {
    const key = `${each.proposal.fault} ${each.proposal.resource}`;
    const known = last.get(key);
    if (known === undefined || each.agoMs < known.agoMs) last.set(key, each);
  }
  return [...last.values()];
}
