// Opens sessions and exchanges peers until the plan's nodes are known or the budget ends: a node two hops away is found by asking known
// nodes for their peers (CARD-2, docs/design.md §4). Believes only names and addresses.

import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import { foldPeerAnswer, PEERS_TOOL } from '#discovery/exchange.ts';
import { nearest } from '#intent/reader/names.ts';
import type { Asking } from '#model/asker.ts';
import type { OutgoingCall, RawAnswer } from '#model/call.ts';
import type { Intent, NamedNode } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerTable } from '#model/peer.ts';
import type { AuditHeads, AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { Journal } from '../parts/progress.ts';
import type { Sessions } from './sessions.ts';

export type FindParts = {
  readonly node: string;
  readonly peers: PeerTable;
  readonly sessions: Sessions;
  readonly clock: Clock;
  /** Monotonic time until which a freshly started discovery may still find nodes. */
  readonly patienceEndsMs: number;
  /** For questions: upkeep leaves no record on this side. */
  readonly record?: (record: AuditRecord) => void;
  /** For upkeep: heads of audit trails, which peers keep for each other. */
  readonly heads?: Pick<AuditHeads, 'offer' | 'answered'>;
};

/** For which question, and on whose behalf; a journal is one. */
type Asked = Asking & Pick<OutgoingCall, 'sessionId'>;

const DISCOVERY_POLL_MS = 100;

/** Names of the path's nodes in order. Throws `caller/unknown-node` naming the nodes that are known. */
export async function findNodes(
  parts: FindParts,
  intent: Intent,
  journal: Journal,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = new Set<string>();
  let silent: readonly string[] = [];
  for (let retries = 0; ; ) {
    const names = intent.path.map((named) => resolve(parts, named));
    const missing = intent.path.filter((_, index) => names[index] === undefined);
    if (missing.length === 0) return names as string[];
    const askable = parts.peers
      .list()
      .map((record) => record.node)
      .filter((node) => !asked.has(node) && node !== parts.node);
    if (askable.length === 0) {
      if (await heardMore(parts, missing, signal)) continue;
      if (silent.length === 0 || retries++ === AGENT_LIMITS.peerExchangeRetries)
        throw unknownNodes(parts, missing, silent);
      for (const node of silent) asked.delete(node);
      silent = [];
      continue;
    }
    for (const node of askable) asked.add(node);
    journal.tell('peers', `asking ${askable.join(', ')} for ${missing.map((named) => named.as).join(', ')}`);
    const outcomes = await Promise.all(askable.map((node) => askForPeers(parts, node, journal, signal)));
    signal.throwIfAborted();
    silent = [...silent, ...askable.filter((_, index) => outcomes[index] === 'silent')];
  }
}

/** Right after a start no LLDP frame has arrived yet: waits until a new peer is known, or patience ends. */
async function heardMore(parts: FindParts, missing: readonly NamedNode[], signal: AbortSignal): Promise<boolean> {
  const { clock, peers } = parts;
  const leftMs = parts.patienceEndsMs - clock.monotonicMs();
  if (leftMs <= 0 || signal.aborted) return false;
  const first = missing[0]!.key;
  const known = peers.list().length;
  const poll = async (stop: AbortSignal) => {
    while (!stop.aborted && peers.list().length === known) await clock.sleep(DISCOVERY_POLL_MS, stop).catch(() => {});
    return peers.list().length !== known;
  };
  const budget = { clock, budgetMs: leftMs, signal, what: 'news of peers' };
  return withBudget(budget, (stop) => Promise.race([peers.waitFor(first, stop), poll(stop)]));
}

/** Asks one peer for its table and keeps the entries as hints; one that is silent costs only time. */
export async function askForPeers(
  parts: FindParts,
  node: string,
  question: Asked,
  signal: AbortSignal,
): Promise<'answered' | 'refused' | 'silent'> {
  const budget = { clock: parts.clock, budgetMs: AGENT_LIMITS.peerExchangeMs, signal, what: 'an answer' };
  try {
    const answer = await withBudget(budget, (until) => exchangePeers(parts, node, question, until));
    if (answer.status !== 'answered') return 'refused';
    const folded = foldPeerAnswer(answer.body, { toldBy: node, own: parts.node, atMs: parts.clock.nowMs() });
    for (const hint of folded.hints) parts.peers.add(hint);
    for (const remark of folded.remarks) parts.peers.remark(node, remark);
    return 'answered';
  } catch (error) {
    // If we stopped waiting, the peer is not to blame.
    if (signal.aborted) return 'silent';
    if (error instanceof ParleyError && error.code === 'peer/timeout') await parts.sessions.drop(node);
    parts.peers.remark(node, {
      kind: 'silent',
      detail: `peer exchange: ${messageOf(error)}`,
      atMs: parts.clock.nowMs(),
    });
    return 'silent';
  }
}

/** Asks all of them at once, except this node, for a bounded time: answers that arrive later do not count. */
export async function askWitnesses(
  parts: FindParts,
  witnesses: readonly string[],
  question: Asked,
  signal: AbortSignal,
): Promise<void> {
  const others = witnesses.filter((node) => node !== parts.node);
  if (others.length === 0) return;
  await withinPeersBudget(parts, signal, (until) =>
    Promise.all(others.map((node) => askForPeers(parts, node, question, until))),
  );
}

/** Runs `work` within the time that peers have to report their peers. */
export async function withinPeersBudget(
  { clock }: Pick<FindParts, 'clock'>,
  signal: AbortSignal,
  work: (until: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const budget = { clock, budgetMs: AGENT_LIMITS.peersOfPeersMs, signal, what: 'the peers of peers' };
  await withBudget(budget, work);
}

async function exchangePeers(parts: FindParts, node: string, question: Asked, signal: AbortSignal): Promise<RawAnswer> {
  const session = await parts.sessions.open(node, signal);
  const timeoutMs = AGENT_LIMITS.peerExchangeMs;
  const { sessionId, asker, askedBy } = question;
  const method = `tool ${PEERS_TOOL}`;
  parts.record?.({ event: 'request', direction: 'out', party: `node/${node}`, asker: askedBy, method, sessionId });
  const ask = async (args: JsonObject) => {
    const call = { kind: 'tool', name: PEERS_TOOL, arguments: args, sessionId, asker, timeoutMs, signal } as const;
    return (await session.call(call)).answer;
  };
  const heads = parts.heads?.offer(node) ?? {};
  const first = await ask(heads);
  // An earlier version takes no arguments.
  const answer = first.status === 'refused' && Object.keys(heads).length > 0 ? await ask({}) : first;
  if (answer.status === 'answered' && isJsonObject(answer.body)) parts.heads?.answered(session, answer.body);
  return answer;
}

function resolve(parts: FindParts, named: NamedNode): string | undefined {
  if (nodeKey(parts.node) === named.key) return parts.node;
  return parts.peers.resolve(named.as)?.node;
}

/** Peers that did not answer may know what is missing: the message names them. */
function unknownNodes(parts: FindParts, missing: readonly NamedNode[], silent: readonly string[]): ParleyError {
  const known = [parts.node, ...parts.peers.list().map((record) => record.node)];
  const names = missing.map((named) => named.as).join(', ');
  const shown = [...silent].sort().slice(0, AGENT_LIMITS.namedNodes).join(', ');
  const unheard = silent.length > 0 ? `; ${shown} did not answer, and may know more: ask again` : '';
  return new ParleyError(
    'caller/unknown-node',
    `expected nodes with an agent, got ${names}${nearestWords(missing, known)}; a host without one is asked about by its address${unheard}`,
    { data: { known, ...(silent.length > 0 ? { silent } : {}) } },
  );
}

/** The name that may have been meant; where none is near, those that are known. */
function nearestWords(missing: readonly NamedNode[], known: readonly string[]): string {
  const meant = missing.flatMap(({ as }) => nearest(as.toLowerCase(), known) ?? []);
  if (meant.length > 0) return ` (did you mean ${meant.join(', ')}?)`;
  return ` (known: ${[...known].sort().slice(0, AGENT_LIMITS.namedNodes).join(', ')})`;
}
