// What was wrong and is over: the same rules over the states that nodes were in, moment by moment. Moments of two nodes are
// joined by how long ago each says they were, no clock is subtracted from another's. What was not read is not known: where a node may have been
// in one of several states, a fault is found that is there whichever it was, and another is a doubt, which accuses nothing.

import { covers } from '#base/ip.ts';
import type { Evidence } from '#model/evidence.ts';
import { nodesOf } from '#model/names.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { type CaseFile, NOTHING_PLANNED } from '../engine/facts.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { lossSymptomsOf } from '../engine/loss-symptom.ts';
import { merged, rank } from '../engine/rank.ts';
import { linkDown } from '../faults/link/link-down.ts';
import { deviceDown } from '../faults/nodes/device-down.ts';
import { FAULT_DEFINITIONS } from '../faults/registry.ts';
import { symptomsOf } from '../faults/symptoms.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linksAt, ownEnd, type StateEntry, type World, worldOf } from '../network/world.ts';
import { factsIn } from '../observe/observe.ts';
import { entrySymptom } from '../symptoms/neighbour-entries.ts';
import { isUp } from '../symptoms/sessions.ts';
import { type Guess, type Moment, middleOf, mixedGuesses, momentsOf, plainGuesses, unknownIn } from './moments.ts';
import { waysLacking } from './past-routes.ts';
import { timeOf } from './states-then.ts';

/** What came back less long ago than this may not have announced everything again. */
const YOUNG_MS = 15_000;

/** A proposal that is withheld is a doubt: whether it was so is not known. */
export type PastFinding = { readonly proposal: Proposal; readonly agoMs: number };

/** `now` is the world of the question itself; findings that it has already are found here again. */
export function pastFindings(now: World, evidence: readonly Evidence[]): readonly PastFinding[] {
  const sure = new Map<string, PastFinding>();
  const doubtful: PastFinding[] = [];
  for (const moment of momentsOf(now)) {
    const { certain, possible } = judged(now, evidence, moment, (key) => !sure.has(key));
    for (const proposal of certain) sure.set(keyOf(proposal), { proposal, agoMs: agoOf(now, moment, proposal) });
    doubtful.push(...possible.map((proposal) => ({ proposal: doubted(now, moment, proposal), agoMs: moment.agoMs })));
  }
  return lastOfEach([...sure.values(), ...doubtful]);
}

function keyOf({ fault, resource }: Proposal): string {
  return `${fault} ${resource}`;
}

/** The moment, or when a node of the finding itself was in the state that shows it, if that was later. */
function agoOf({ views }: World, { agoMs, states }: Moment, { resource }: Proposal): number {
  const own = nodesOf(resource).flatMap((node) => {
    const [state, ...others] = states.get(node) ?? [];
    const entry = views.get(node)?.state.past?.find((each) => each.state === state);
    return entry === undefined || others.length > 0 ? [] : [middleOf(timeOf(entry))];
  });
  return Math.min(agoMs, ...own);
}

type Judged = { readonly certain: readonly Proposal[]; readonly possible: readonly Proposal[] };

/** What is found in each network that there may have been, and what in some of them alone; `isNew`: not known from a later moment. */
function judged(now: World, evidence: readonly Evidence[], moment: Moment, isNew: (key: string) => boolean): Judged {
  const chosenIn = (guess: Guess): ReadonlyMap<string, Proposal> =>
    new Map(
      chosenAt(now, evidence, moment.agoMs, guess)
        .map((proposal) => [keyOf(proposal), proposal] as const)
        .filter(([key]) => isNew(key)),
    );
  const plain = plainGuesses(moment).map((guess) => ({ guess, chosen: chosenIn(guess) }));
  const certain = new Map(plain[0]!.chosen);
  const keepThoseOf = (chosen: ReadonlyMap<string, Proposal>) => {
    for (const [key, known] of certain) {
      const other = chosen.get(key);
      if (other === undefined) certain.delete(key);
      // What is said of it may not be so in each of them.
      else if (JSON.stringify(other.details) !== JSON.stringify(known.details))
        certain.set(key, { ...known, confidence: 'likely' });
    }
  };
  for (const { chosen } of plain) keepThoseOf(chosen);
  const compared = unknownUnder(now, moment, [...certain.values()]);
  for (const guess of mixedGuesses(moment, compared)) if (certain.size > 0) keepThoseOf(chosenIn(guess));
  // A node of which nothing is known is reason enough to find nothing: what would follow from its absence is no doubt.
  const likely = plain.filter(({ guess }) => ![...guess.values()].includes(undefined));
  const possible = new Map(likely.toReversed().flatMap(({ chosen }) => [...chosen]));
  return {
    certain: [...certain.values()],
    possible: [...possible].flatMap(([key, proposal]) => (certain.has(key) ? [] : [proposal])),
  };
}

/** Nodes named in the reason of a doubt; the rest is counted. */
const DOUBTED_NODES = 3;

/** Nodes that proposals stand on and of which it is not known what they were. */
function unknownUnder({ views }: World, moment: Moment, proposals: readonly Proposal[]): readonly string[] {
  const evidence = new Set(proposals.flatMap((proposal) => proposal.evidence));
  return unknownIn(moment).filter((node) => views.get(node)!.sources.some((id) => evidence.has(id)));
}

function doubted(now: World, moment: Moment, proposal: Proposal): Proposal {
  const shown = unknownUnder(now, moment, [proposal]);
  const named = shown.length === 0 ? unknownIn(moment) : shown;
  const left = named.length - DOUBTED_NODES;
  const names = `${named.slice(0, DOUBTED_NODES).map(nodeRef).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return { ...proposal, withheld: `what ${names} was like then was not read` };
}

function chosenAt(now: World, evidence: readonly Evidence[], agoMs: number, guess: Guess): readonly Proposal[] {
  const then = new Map<string, StateEntry>();
  const earlier = new Map<string, StateEntry>();
  for (const view of now.views.values()) {
    const state = guess.get(view.node);
    if (state === undefined) continue;
    const id = view.sources[0]!;
    then.set(view.node, { id, state });
    // Packets that a filter counted while it was there are those of its whole life.
    earlier.set(view.node, { id, state: unfiltered(state, view.state) });
  }
  const lookups = evidence.filter((entry) => entry.kind === 'lookups');
  const nodes = [...now.views.keys()];
  const seen = new Map([...then].map(([node, { state }]) => [node, otherStates(now, node, state)]));
  // Who had lost every link could not have answered then: what it remembers is of no use to find out what happened to it.
  for (const [node] of [...then].filter(([each, { state }]) => isCutOff(now, state, each))) {
    then.delete(node);
    earlier.delete(node);
  }
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
  const dead = [...found, ...over]
    .filter(({ fault, withheld }) => fault === deviceDown.id && withheld === undefined)
    .map(({ resource }) => resource);
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

/** What was seen at several times is over since the last of them; where it certainly was, there is no doubt beside. */
export function lastOfEach(found: readonly PastFinding[]): readonly PastFinding[] {
  const last = new Map<string, PastFinding>();
  for (const each of found) {
    const key = keyOf(each.proposal);
    const known = last.get(key);
    const isSure = ({ proposal }: PastFinding) => proposal.withheld === undefined;
    if (known === undefined || (isSure(each) === isSure(known) ? each.agoMs < known.agoMs : isSure(each)))
      last.set(key, each);
  }
  return [...last.values()];
}
