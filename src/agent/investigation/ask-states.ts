// Sessions with nodes and the state of each, before anything is measured: of those that are named, or of all that are known, ring by ring, as
// those who were found may hear others.
import { parsePrefix } from '#base/ip.ts';
import { hintsFromNeighbours } from '#discovery/lldp/discovery.ts';
import { planScopeStates, statesOf } from '#measure/nodes/node-state.ts';
import type { States } from '#measure/states.ts';
import type { PlannedCall } from '#model/call.ts';
import { neighbourKeys } from '#model/links/links.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerRecord } from '#model/peer.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { Journal } from '../parts/progress.ts';
import { askForPeers, askWitnesses, type FindParts, withinPeersBudget } from '../sessions/find-nodes.ts';
import { type ConsultParts, consult, type Gathered, openOrReason } from './collect.ts';

export type SurveyParts = ConsultParts &
  FindParts & {
    /** States that this question has asked for before: these nodes are not asked again. */
    readonly knownStates?: States;
  };

export type Asked = {
  readonly nodes: readonly string[];
  /** Nodes that the limit leaves out stay in the scope: the answer says what is not known of them. */
  readonly unasked: readonly string[];
  readonly states: States;
};

/** As many as the limit lets. */
export async function askFew(
  parts: SurveyParts,
  start: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Asked> {
  const nodes = start.slice(0, AGENT_LIMITS.scopeNodes);
  const states = await ask(parts, nodes, gathered, journal, signal);
  return { nodes, unasked: start.slice(AGENT_LIMITS.scopeNodes), states };
}

/** Ring by ring: those who were found may hear others. */
export async function askRings(
  parts: SurveyParts,
  start: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<Asked> {
  const first = await askFew(parts, start, gathered, journal, signal);
  const unasked = [...first.unasked];
  let { nodes, states } = first;
  for (let ring = 0; ring < AGENT_LIMITS.relayHops && !signal.aborted; ring++) {
    const found = (await unheard(parts, nodes, states, journal, signal)).filter((node) => !unasked.includes(node));
    if (found.length === 0) break;
    const more = found.slice(0, Math.min(AGENT_LIMITS.scopeNodes, 2 * AGENT_LIMITS.scopeNodes - nodes.length));
    unasked.push(...found.slice(more.length));
    states = new Map([...states, ...(await ask(parts, more, gathered, journal, signal))]);
    nodes = [...nodes, ...more];
  }
  return { nodes, unasked, states };
}

/** This node and all that it knows, once those are asked for their peers with whom there never was a session. */
export async function knownNodes(
  parts: SurveyParts,
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await withinPeersBudget(parts, signal, (until) => meetStrangers(parts, journal, until));
  const others = parts.peers
    .list()
    .map((record) => record.node)
    .filter((node) => node !== parts.node);
  return [parts.node, ...others.sort()];
}

/** Nodes that those in scope name as neighbours, now or lately, and that this agent has heard of; `neighbour` is one that the question names. */
export function neighboursOf(
  parts: SurveyParts,
  nodes: readonly string[],
  states: States,
  neighbour?: string,
): readonly string[] {
  const keys = new Set<string>();
  for (const state of states.values()) for (const key of neighbourKeys(state)) keys.add(key);
  if (neighbour !== undefined && parsePrefix(neighbour) === undefined) keys.add(nodeKey(neighbour));
  const found = [...keys].flatMap((key) =>
    key === nodeKey(parts.node) ? parts.node : (parts.peers.find(key)?.node ?? []),
  );
  return [...new Set(found)]
    .filter((node) => !nodes.includes(node))
    .sort()
    .slice(0, AGENT_LIMITS.scopeNodes);
}

/** Opens sessions and asks for the state of each; of those that gave one. */
export async function ask(
  parts: SurveyParts,
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<States> {
  const { knownStates = new Map() } = parts;
  const fresh = nodes.filter((node) => !knownStates.has(node));
  const known = new Map(
    nodes.flatMap((node) => (knownStates.has(node) ? [[node, knownStates.get(node)!] as const] : [])),
  );
  if (fresh.length === 0) return known;
  const budget = { clock: parts.clock, budgetMs: AGENT_LIMITS.sweepDialMs, signal, what: 'a session' };
  await withBudget(budget, (until) => authorise(parts, fresh, gathered, journal, until));
  const calls = withKey(planScopeStates('before', fresh), journal);
  const states = statesOf(fresh, await consult(parts, calls, gathered, journal, signal));
  parts.sessions.learn?.(states);
  return new Map([...known, ...states]);
}

/** With its state each node is asked to know this question's probes. */
export function withKey(calls: readonly PlannedCall[], { probeKey }: Journal): readonly PlannedCall[] {
  if (probeKey === undefined) return calls;
  return calls.map((call) => ({ ...call, arguments: { ...call.arguments, probeKey } }));
}

/** Opens the sessions that the plan needs, and tells what each authorises (TS-14). */
export async function authorise(
  parts: SurveyParts,
  nodes: readonly string[],
  gathered: Gathered,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  const others = nodes.filter((node) => node !== parts.node);
  journal.tell('peers', `${others.join(', ')} known from ${others.map((node) => sourcesOf(parts, node)).join(', ')}`);
  const opened = await Promise.all(others.map((node) => openOrReason(parts.sessions, node, gathered, signal)));
  for (const [index, node] of others.entries()) {
    const session = opened[index]!;
    const message =
      'error' in session
        ? `${node}: no session, ${session.error.message}`
        : `${node}: authorised for ${session.authorised.join(', ')}${throughWords(session.through)}`;
    journal.tell('session', message, { node, authorised: 'error' in session ? [] : [...session.authorised] });
  }
}

function throughWords(through: readonly string[] | undefined): string {
  if (through === undefined) return '';
  return through.length === 0 ? ', over the link' : `, through ${through.join(', ')}`;
}

function sourcesOf(parts: SurveyParts, node: string): string {
  const sources = parts.peers.find(node)?.hints.map((hint) => hint.source) ?? [];
  return [...new Set(sources)].join('+') || 'a session';
}

/**
 * Nodes that others hear and this one does not know: what their states say of these neighbours tells how to reach them, and where it does not, those who
 * hear them are asked.
 */
async function unheard(
  parts: SurveyParts,
  nodes: readonly string[],
  states: States,
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const known = new Set(nodes.map(nodeKey));
  const atMs = parts.clock.nowMs();
  const isNew = (key: string) => !known.has(key) && key !== nodeKey(parts.node);
  for (const [toldBy, state] of states)
    for (const hint of toldBy === parts.node ? [] : hintsFromNeighbours(state.neighbours, { toldBy, atMs }))
      if (isNew(nodeKey(hint.node))) parts.peers.add(hint);
  const isUnknown = (key: string) => isNew(key) && parts.peers.resolve(key) === undefined;
  const hear = [...states].filter(([, state]) => [...neighbourKeys(state)].some(isUnknown));
  await askWitnesses(
    parts,
    hear.map(([node]) => node),
    journal,
    signal,
  );
  const found = parts.peers.list().map((record) => record.node);
  return found.filter((node) => isNew(nodeKey(node)));
}

/** Asks those with whom there never was a session for their peers, and theirs. */
async function meetStrangers(parts: SurveyParts, journal: Journal, signal: AbortSignal): Promise<void> {
  const asked = new Set<string>();
  while (!signal.aborted) {
    const strangers = parts.peers
      .list()
      .filter((record) => isStranger(record) && record.node !== parts.node && !asked.has(record.node))
      .map((record) => record.node);
    if (strangers.length === 0) return;
    for (const node of strangers) asked.add(node);
    await Promise.all(strangers.map((node) => askForPeers(parts, node, journal, signal)));
  }
}

/** Whom this agent remembers alone is asked once: where it does not answer, no later question waits for it again. */
function isStranger({ hints, verified, remembered, remarks }: PeerRecord): boolean {
  const isLost = hints.length === 0 && remembered !== undefined && remarks.some(({ kind }) => kind === 'silent');
  return verified === undefined && !isLost;
}
