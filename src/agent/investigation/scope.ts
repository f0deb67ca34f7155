// The first half of the story: who is in the scope of a question, sessions with them, and the state of each before anything is
// measured. A path names its nodes; any other question starts with the nodes that it names, or with all known nodes,
// and grows by their neighbours.

import { parsePrefix } from '#base/ip.ts';
import { isAttached } from '#measure/hosts/services.ts';
import { planPathStates, planScopeStates, statesOf } from '#measure/nodes/node-state.ts';
import { pathEndsOf, planPathEnds } from '#measure/path/path-ends.ts';
import { planRelays, relaysFor } from '#measure/relays.ts';
import type { Relays } from '#measure/scope.ts';
import type { States } from '#measure/states.ts';
import type { Phase, PlannedCall } from '#model/call.ts';
import { type Intent, isAlongPath } from '#model/intent.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { Journal } from '../parts/progress.ts';
import { findNodes } from '../sessions/find-nodes.ts';
import { ask, askFew, askRings, authorise, knownNodes, neighboursOf, type SurveyParts, withKey } from './ask-states.ts';
import { consult, type Gathered } from './collect.ts';
import { follow } from './follow.ts';
import { arePartners, isServiceEdge } from './srv6-partners.ts';

export type Surveyed = {
  /** Every node in scope, also those that did not answer; for a path in its order. */
  readonly nodes: readonly string[];
  readonly states: States;
  /** Who asked whom on our behalf. */
  readonly relays: Relays;
  /** Nodes that forward to the address of a question about reaching one. */
  readonly forwarding?: readonly string[];
  /** As of Scope. */
  readonly ends?: readonly [source: string, destination: string];
};

/** Rejects with `caller/unknown-node` when a named node is not known. */
export async function survey(
  parts: SurveyParts,
  intent: Intent,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Surveyed> {
  if (isAlongPath(intent)) {
    const nodes = await findNodes(parts, intent, journal, signal);
    const states = await statesAlong(parts, nodes, gathered, journal, signal);
    const told = await consult(parts, planPathEnds(nodes, states), gathered, journal, signal);
    const ends = pathEndsOf(nodes, states, told);
    return { nodes, states, relays: new Map(), ...(ends === undefined ? {} : { ends }) };
  }
  const isWhole = isOfAll(intent);
  const start = isWhole ? await knownNodes(parts, journal, signal) : await startOf(parts, intent, journal, signal);
  const asked = isWhole
    ? await askRings(parts, start, gathered, journal, signal)
    : await askFew(parts, start, gathered, journal, signal);
  const { unasked } = asked;
  let { nodes, states } = asked;
  let forwarding: readonly string[] = [];
  // What changed on the named nodes is asked of them alone, unless one of them is silent: a neighbour may ask it.
  const isTold = intent.kind === 'changes' || (intent.kind === 'data' && intent.topic !== 'path');
  const isNamed =
    isTold && (intent.kind === 'data' || intent.path.length > 0) && nodes.every((node) => states.has(node));
  if (!isNamed && !isWhole) {
    // Only its neighbours can say of a silent node whether it is dead, and it did not say who they are.
    const silent = nodes.some((node) => !states.has(node));
    const around = silent ? othersThan(parts, nodes) : neighboursOf(parts, nodes, states, intent.neighbour);
    states = new Map([...states, ...(await ask(parts, around, gathered, journal, signal))]);
    nodes = [...nodes, ...around];
    ({ nodes, states, forwarding } = await withWays(parts, intent, { nodes, states }, gathered, journal, signal));
    ({ nodes, states } = await withHeads(parts, intent, { nodes, states }, gathered, journal, signal));
  }
  const missing = nodes.filter((node) => !states.has(node));
  states = new Map([...states, ...(await askAgain(parts, missing, gathered, journal, signal))]);
  const silent = missing.filter((node) => !states.has(node));
  const relays = relaysFor(silent, states, (node, relay) => parts.sessions.wasAsked?.(node, relay) !== true);
  const told = await consult(parts, planRelays('before', relays), gathered, journal, signal);
  const heard = statesOf(silent, told);
  // Who says nothing to its neighbours either is asked nothing more.
  const useful = new Map([...relays].filter(([node]) => heard.has(node)));
  return { nodes: [...nodes, ...unasked], states: new Map([...states, ...heard]), relays: useful, forwarding };
}

/**
 * States of the nodes of a path, in its order. Those that did not answer are asked once more, for as long as a node that hears one of them has
 * answered since: it may pass a session with that one on.
 */
async function statesAlong(
  parts: SurveyParts,
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<States> {
  const states = new Map<string, NodeState>();
  const askEach = async (some: readonly string[], until: AbortSignal) => {
    await authorise(parts, some, gathered, journal, until);
    const calls = withKey(inPhase(planPathStates(some), 'before'), journal);
    const told = statesOf(some, await consult(parts, calls, gathered, journal, signal));
    for (const [node, state] of told) states.set(node, state);
    parts.sessions.learn?.(told);
    return told.size === 0 ? [] : nodes.filter((node) => !states.has(node) && parts.sessions.mayReach?.(node) === true);
  };
  let left = await askEach(nodes, signal);
  while (left.length > 0) {
    const more = left;
    forget(gathered, more);
    const budget = { clock: parts.clock, budgetMs: AGENT_LIMITS.sweepDialMs, signal, what: 'a session' };
    left = await withBudget(budget, (until) => askEach(more, until));
  }
  return new Map(nodes.flatMap((node) => (states.has(node) ? [[node, states.get(node)!] as const] : [])));
}

/** A call has one outcome: that of the last time it was made. */
function forget({ lost, outcomes }: Gathered, nodes: readonly string[]): void {
  for (const node of nodes) lost.delete(node);
  const kept = outcomes.filter(({ node, phase }) => phase !== 'before' || !nodes.includes(node));
  outcomes.splice(0, outcomes.length, ...kept);
}

type Scope = { readonly nodes: readonly string[]; readonly states: States };

/**
 * A question about reachability is about all nodes on the path, and about all nodes when the path ends before the address's owner. A session
 * with an address is a question about reaching that.
 */
async function withWays(
  parts: SurveyParts,
  intent: Intent,
  scope: Scope,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Scope & { readonly forwarding: readonly string[] }> {
  const session =
    intent.kind === 'neighbour-down' && intent.neighbour !== undefined && parsePrefix(intent.neighbour) !== undefined;
  const isWay = intent.kind === 'reachability' || intent.topic === 'path';
  if (!isWay && !session) return { ...scope, forwarding: [] };
  const asked = new Map(scope.states);
  const all = new Set(scope.nodes);
  const more = async (nodes: readonly string[]) => {
    const fresh = nodes.filter((node) => !all.has(node));
    for (const node of fresh) all.add(node);
    const told = await ask(parts, fresh, gathered, journal, signal);
    for (const [node, state] of told) asked.set(node, state);
    return told;
  };
  let complete = true;
  const forwards = new Set<string>();
  for (const start of startsOf(parts, intent, scope)) {
    const { found, forwarding } = await follow(parts, start, asked, more, { gathered, journal, signal });
    complete &&= found;
    for (const node of forwarding) forwards.add(node);
  }
  for (const start of waysBack(intent, asked)) await follow(parts, start, asked, more, { gathered, journal, signal });
  // A neighbour's address that no node has is often that of another network: no reason to ask all nodes.
  if (!complete && !session)
    await more(
      parts.peers
        .list()
        .map((record) => record.node)
        .slice(0, AGENT_LIMITS.scopeNodes),
    );
  return { nodes: [...all], states: asked, forwarding: [...forwards] };
}

/**
 * What is wrong with SRv6 on a node shows at those who steer traffic to it, and to whom it steers: they need not be its neighbours.
 * The state of every known node is read once; nodes without a link to the named node are not measured.
 */
async function withHeads(
  parts: SurveyParts,
  intent: Intent,
  scope: Scope,
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Scope> {
  const named = intent.kind === 'fault' ? scope.nodes.slice(0, intent.path.length) : [];
  const focus = named.flatMap((node) => scope.states.get(node) ?? []).filter(isServiceEdge);
  if (focus.length === 0) return scope;
  const others = othersThan(parts, scope.nodes).slice(0, AGENT_LIMITS.srv6Heads);
  const told = await ask(parts, others, gathered, journal, signal);
  const partners = [...told].filter(([, state]) => focus.some((each) => arePartners(each, state)));
  return {
    nodes: [...scope.nodes, ...partners.map(([node]) => node)],
    states: new Map([...scope.states, ...partners]),
  };
}

/** From where the address is to the host that asks. */
function waysBack({ fromHost, destination = '' }: Intent, states: States) {
  if (fromHost === undefined) return [];
  const far = [...states].filter(([, state]) => isAttached(state, destination.split('/')[0]!)).map(([node]) => node);
  return far.slice(0, AGENT_LIMITS.farRouters).map((from) => ({ from, destination: fromHost.address }));
}

/** From the first named node, or this one, to the address; between two named nodes there and back. */
function startsOf(parts: SurveyParts, intent: Intent, { nodes, states }: Scope) {
  const head = intent.path.length === 0 ? parts.node : nodes[0]!;
  const destination = intent.destination ?? intent.neighbour;
  if (destination !== undefined) return [{ from: head, destination: destination.split('/')[0]! }];
  const tail = intent.path.length < 2 ? undefined : nodes[intent.path.length - 1];
  if (tail === undefined) return [];
  const loopback = (node: string) => states.get(node)?.inventory.loopbacks[0]?.split('/')[0];
  return [
    { from: head, destination: loopback(tail) },
    { from: tail, destination: loopback(head) },
  ].flatMap(({ from, destination }) => (destination === undefined ? [] : [{ from, destination }]));
}

/** The states after the measurements, of those that gave one before. */
export function planAfter(intent: Intent, surveyed: Surveyed): readonly PlannedCall[] {
  if (intent.kind === 'changes' || (intent.kind === 'data' && intent.topic !== 'traffic')) return [];
  if (isAlongPath(intent)) return inPhase(planPathStates(surveyed.nodes), 'after');
  const direct = [...surveyed.states.keys()].filter((node) => !surveyed.relays.has(node));
  const parts = intent.sinceMs === undefined ? 'all' : 'past';
  return [...planScopeStates('after', direct, parts), ...planRelays('after', surveyed.relays)];
}

/** Named nodes; without any, this one. */
async function startOf(
  parts: SurveyParts,
  intent: Intent,
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return intent.path.length > 0 ? findNodes(parts, intent, journal, signal) : [parts.node];
}

/** Where an address is, and which nodes there are, is known of all nodes alone. */
function isOfAll({ kind, topic, path }: Intent): boolean {
  return (
    path.length === 0 &&
    (kind === 'fault' || (kind === 'data' && (topic === 'where' || topic === 'nodes' || topic === 'history')))
  );
}

/** Once more those that did not answer, where a node that hears them has answered since: it may pass a session with them on. */
async function askAgain(
  parts: SurveyParts,
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<States> {
  const found = nodes.filter((node) => parts.sessions.mayReach?.(node) === true);
  forget(gathered, found);
  return ask(parts, found, gathered, journal, signal);
}

function othersThan(parts: SurveyParts, nodes: readonly string[]): readonly string[] {
  const known = [parts.node, ...parts.peers.list().map((record) => record.node)];
  return [...new Set(known)]
    .filter((node) => !nodes.includes(node))
    .sort()
    .slice(0, AGENT_LIMITS.scopeNodes);
}

function inPhase(calls: readonly PlannedCall[], phase: Phase): readonly PlannedCall[] {
  return calls.filter((call) => call.phase === phase);
}
