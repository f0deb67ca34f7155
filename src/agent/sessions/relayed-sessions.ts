// Sessions of one question, also with nodes to which this node has no route: over a link past the routes, or passed on by nodes that it has
// sessions with, ring by ring (docs/decisions/0050-relays-over-several-nodes.md). Each is TLS from here to the node itself, which therefore
// applies its rules to this node and to the asker; each node that passes one on was asked for it, on behalf of the same asker. Bounded in nodes,
// hops, tries and time; no way visits a node twice, as a way only ever leads on from a node that was reached. They end with the question.
import type { Socket } from 'node:net';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isJsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import { RELAY_TOOL } from '#measure/call.ts';
import type { States } from '#measure/states.ts';
import type { Asking } from '#model/asker.ts';
import type { PeerSession } from '#model/call.ts';
import { nodeKey } from '#model/names.ts';
import type { PeerRecord, PeerTable } from '#model/peer.ts';
import type { AuditRecord } from '#model/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { withBudget } from '../parts/budget.ts';
import type { RelayDialer } from './dial-peer.ts';
import { abortable, type Sessions } from './sessions.ts';

/** What sessions through others are opened with. */
export type Relaying = RelayDialer & {
  readonly log: Log;
  /** A connection to a neighbour's agent over the link itself. Rejects where this node hears no such neighbour. */
  connect(node: string, signal: AbortSignal): Promise<Socket>;
};

export type QuestionSessions = Sessions & {
  /** From now on those who hear a node by LLDP are asked to pass sessions with it on. */
  learn(states: States): void;
  /** Whether there is a node to try that `open` had not when it failed. */
  mayReach(node: string): boolean;
  /** Ends what was opened through others, and what is under way. */
  end(): void;
};

export type RelayedParts = {
  readonly node: string;
  readonly peers: Pick<PeerTable, 'find'>;
  readonly sessions: Sessions;
  readonly relaying: Relaying;
  readonly clock: Clock;
  readonly record: (record: AuditRecord) => void;
};

/** A node that was reached through others; none of them where it was over a link. */
type Reached = { readonly session: PeerSession; readonly relays: readonly string[] };
type Attempt = { readonly node: string; isDirectOver: boolean; isTrying: boolean };

export function withRelays(parts: RelayedParts, question: Asking & { readonly sessionId: string }): QuestionSessions {
  const { node: home, peers, sessions, clock } = parts;
  const ended = new AbortController();
  const reached = new Map<string, Reached>();
  const opening = new Map<string, Promise<PeerSession>>();
  const attempts = new Set<Attempt>();
  const tried = new Map<string, Set<string>>();
  const failed = new Map<string, unknown>();
  /** Node key → nodes that hear it on a port that is up. */
  const hearers = new Map<string, Set<string>>();
  const takeTurn = createTurns(AGENT_LIMITS.relayDials);
  let waiting: (() => void)[] = [];
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const each of all) each();
  };
  const changed = () => new Promise<void>((resolve) => waiting.push(resolve));

  const wayTo = (relay: string): readonly string[] | undefined => {
    if (relay === home) return [];
    if (sessions.current(relay) !== undefined) return [relay];
    const known = reached.get(relay);
    return known === undefined || known.session.closed ? undefined : [...known.relays, relay];
  };
  /** The next node to try, of those that are reached and have not been tried. */
  const nextRelay = (node: string): string | undefined => {
    const done = tried.get(node) ?? new Set();
    if (done.size >= AGENT_LIMITS.relayTries || reached.size >= AGENT_LIMITS.relayedNodes) return undefined;
    return relaysOf(node, home, peers.find(node), hearers).find((relay) => {
      const way = done.has(relay) ? undefined : wayTo(relay);
      return way !== undefined && way.length <= AGENT_LIMITS.relayHops && !way.includes(node);
    });
  };
  /** Nothing that is under way can make another node reachable. */
  const isQuiet = () =>
    [...attempts].every((each) => each.isDirectOver && !each.isTrying && nextRelay(each.node) === undefined);

  const streamTo = async (node: string, relay: string, signal: AbortSignal): Promise<Socket> => {
    if (relay === home) return parts.relaying.connect(node, signal);
    const direct = sessions.current(relay);
    const known = reached.get(relay);
    const session = direct ?? known?.session;
    if (session === undefined) throw new ParleyError('peer/unreachable', `no session with ${relay} any more`);
    const ticket = await ticketFor(node, session, signal);
    const at = peers.find(relay)?.verified;
    if (direct !== undefined && at !== undefined) return parts.relaying.claim(relay, at, ticket, signal);
    const over = await streamTo(relay, known?.relays.at(-1) ?? home, signal);
    return parts.relaying.claim(relay, { over }, ticket, signal);
  };
  const ticketFor = async (node: string, relay: PeerSession, signal: AbortSignal): Promise<string> => {
    if (!relay.authorised.includes(RELAY_TOOL))
      throw new ParleyError('peer/refused', `${relay.peer.name} passes no connections on for this node`);
    const { sessionId, asker, askedBy } = question;
    const about = { party: `node/${relay.peer.name}`, asker: askedBy, method: `tool ${RELAY_TOOL}`, sessionId };
    parts.record({ event: 'request', direction: 'out', ...about });
    const { answer } = await relay.call({
      ...{ kind: 'tool', name: RELAY_TOOL, arguments: { node, channel: true } },
      ...{ sessionId, asker, timeoutMs: AGENT_LIMITS.relayMs, signal },
    });
    const ticket = isJsonObject(answer.body) ? answer.body['ticket'] : undefined;
    if (answer.status === 'answered' && typeof ticket === 'string' && /^[0-9a-f]{32}$/.test(ticket)) return ticket;
    const why = answer.reason ?? 'an answer without a ticket';
    throw new ParleyError('peer/refused', `expected ${relay.peer.name} to pass a connection on to ${node}, got ${why}`);
  };
  const reach = (node: string, relay: string): Promise<PeerSession> =>
    takeTurn(async () => {
      const way = wayTo(relay) ?? [];
      const what = `a session with ${node} through ${way.join(', ') || 'the link'}`;
      const budget = { clock, budgetMs: AGENT_LIMITS.relayOpenMs, signal: ended.signal, what };
      return withBudget(budget, async (until) => {
        const over = await streamTo(node, relay, until);
        return marked(await parts.relaying.openOver(node, over, what, until), way);
      });
    });

  /** Directly, and through others once that has failed or takes long. */
  const attempt = async (node: string): Promise<PeerSession> => {
    const mine: Attempt = { node, isDirectOver: false, isTrying: false };
    attempts.add(mine);
    let direct: PeerSession | undefined;
    let error = failed.get(node);
    const over = () => {
      mine.isDirectOver = true;
      wake();
    };
    const headStart = new AbortController();
    if (error === undefined)
      sessions.open(node, ended.signal).then(
        (session) => {
          direct = session;
          headStart.abort();
          over();
        },
        (why: unknown) => {
          error = why;
          headStart.abort();
          over();
        },
      );
    else mine.isDirectOver = true;
    if (!mine.isDirectOver)
      await clock
        .sleep(headStartMs(peers.find(node)), AbortSignal.any([headStart.signal, ended.signal]))
        .catch(() => {});
    try {
      for (;;) {
        if (ended.signal.aborted) throw stopped();
        if (direct !== undefined) return direct;
        const relay = nextRelay(node);
        if (relay === undefined) {
          if (mine.isDirectOver && isQuiet()) throw error;
          await changed();
          continue;
        }
        tried.set(node, new Set([...(tried.get(node) ?? []), relay]));
        mine.isTrying = true;
        const session = await reach(node, relay).catch((why: unknown) => {
          parts.relaying.log.debug('no session through another node', { node, relay, reason: messageOf(why) });
          return undefined;
        });
        mine.isTrying = false;
        if (session === undefined) {
          wake();
          continue;
        }
        if (direct !== undefined || ended.signal.aborted) {
          await session.close();
          continue;
        }
        reached.set(node, { session, relays: session.through ?? [] });
        return session;
      }
    } catch (why) {
      // A node that is unknown may be told of later.
      if (!(why instanceof ParleyError) || why.code !== 'caller/unknown-node') failed.set(node, why);
      throw why;
    } finally {
      attempts.delete(mine);
      wake();
    }
  };
  const current = (node: string): PeerSession | undefined => {
    const known = reached.get(node)?.session;
    return sessions.current(node) ?? (known?.closed === false ? known : undefined);
  };
  return {
    ...sessions,
    current,
    open(node, signal) {
      const ready = current(node);
      if (ready !== undefined) return Promise.resolve(ready);
      if (failed.has(node) && nextRelay(node) === undefined) return Promise.reject(failed.get(node));
      const pending = opening.get(node) ?? attempt(node).finally(() => opening.delete(node));
      opening.set(node, pending);
      return abortable(pending, signal);
    },
    // A second connection through others would be passed on by the same nodes.
    renew: (node, silent, signal) =>
      silent.through === undefined ? sessions.renew(node, silent, signal) : Promise.reject(stopped()),
    async drop(node) {
      const known = reached.get(node);
      reached.delete(node);
      await known?.session.close();
      await sessions.drop(node);
    },
    learn(states) {
      for (const [hearer, state] of states) {
        const up = new Set(state.inventory.interfaces.filter(({ operUp }) => operUp).map(({ name }) => name));
        for (const { ifname, systemName } of state.neighbours) {
          if (systemName === undefined || !up.has(ifname)) continue;
          const key = nodeKey(systemName);
          hearers.set(key, (hearers.get(key) ?? new Set()).add(hearer));
        }
      }
      wake();
    },
    mayReach: (node) => failed.has(node) && nextRelay(node) !== undefined,
    end() {
      ended.abort();
      wake();
      for (const { session } of reached.values()) void session.close();
    },
  };
}

/** Those that hear it come first, then this node over its own link, then those that told of it, the nearest first. */
function relaysOf(
  node: string,
  home: string,
  record: PeerRecord | undefined,
  hearers: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  // A neighbour that announces no agent has none to be reached.
  if (record === undefined || (record.hints.length === 0 && record.verified === undefined)) return [];
  const isHeard = record.hints.some(({ source }) => source === 'lldp');
  const told = record.hints
    .filter(({ source, toldBy }) => source === 'peer-exchange' && toldBy !== undefined)
    .toSorted((one, other) => one.hops - other.hops)
    .map(({ toldBy }) => toldBy!);
  const heard = [...(hearers.get(nodeKey(node)) ?? [])].filter((each) => each !== home).sort();
  return [...new Set([...(isHeard ? [home] : []), ...heard, ...told])].filter((each) => each !== node);
}

/** Where upkeep has failed and no session ever stood, there is nothing to wait for. */
function headStartMs(record: PeerRecord | undefined): number {
  const isLost = record?.verified === undefined && record?.remarks.some(({ kind }) => kind === 'silent');
  return isLost === true ? 0 : AGENT_LIMITS.relayHeadStartMs;
}

function marked(session: PeerSession, through: readonly string[]): PeerSession {
  return {
    peer: session.peer,
    chain: session.chain,
    authorised: session.authorised,
    through,
    call: (call) => session.call(call),
    get closed() {
      return session.closed;
    },
    close: () => session.close(),
  };
}

/** So many at once; the others wait for their turn. */
function createTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => queue.push(resolve));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      queue.shift()?.();
    }
  };
}

function stopped(): ParleyError {
  return new ParleyError('peer/unreachable', 'the question has ended');
}
