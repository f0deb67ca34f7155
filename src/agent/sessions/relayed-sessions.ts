// Sessions of one question, also with nodes to which this node has no route: over a link past the routes, or passed on by nodes that it has
// sessions with, ring by ring (docs/decisions/0050-relays-over-several-nodes.md). Routing's own session has a head start, and takes the place of
// the other where it stands later. All of them end with the question.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { States } from '#measure/states.ts';
import type { PeerSession } from '#model/call.ts';
import type { PeerRecord } from '#model/peer.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { createRelayBook, type RelayBook } from './relay-book.ts';
import {
  type AskedFor,
  createReachThrough,
  type ReachThrough,
  type RelayedParts,
  type Relaying,
} from './relay-ways.ts';
import { abortable, type Sessions } from './sessions.ts';

export type QuestionSessions = Sessions & {
  /** From now on those who hear a node by LLDP are asked to pass sessions with it on. */
  learn(states: States): void;
  /** Whether there is a node to try that `open` had not when it failed, or one is tried now. */
  mayReach(node: string): boolean;
  /** Whether that node was asked to pass a session with the other on: asking it for less is of no use then. */
  wasAsked(node: string, relay: string): boolean;
  /** Ends what was opened through others, and what is under way. */
  end(): void;
};

export function withRelays(parts: RelayedParts, question: AskedFor): QuestionSessions {
  const { sessions } = parts;
  const ended = new AbortController();
  const book = createRelayBook(parts);
  const failed = new Map<string, unknown>();
  const opening = new Map<string, Promise<PeerSession>>();
  const attempts = createAttempts(parts, book, createReachThrough(parts, question, book), ended.signal);
  const openNow = (node: string) =>
    attempts.open(node, failed.get(node)).catch((error: unknown) => {
      // A node that is unknown may be told of later.
      if (!(error instanceof ParleyError) || error.code !== 'caller/unknown-node') failed.set(node, error);
      throw error;
    });
  const isKnown = (node: string) => failed.has(node) || opening.has(node);
  const mayReach = (node: string) => isKnown(node) && (book.next(node) !== undefined || attempts.isTrying(node));
  return {
    ...sessions,
    current: book.current,
    open(node, signal) {
      const ready = book.current(node);
      if (ready !== undefined) return Promise.resolve(ready);
      if (failed.has(node) && !mayReach(node)) return Promise.reject(failed.get(node));
      const pending = opening.get(node) ?? openNow(node).finally(() => opening.delete(node));
      opening.set(node, pending);
      return abortable(pending, signal);
    },
    // A second connection through others would be passed on by the same nodes.
    renew: (node, silent, signal) =>
      silent.through === undefined ? sessions.renew(node, silent, signal) : Promise.reject(stopped()),
    async drop(node) {
      const known = book.reached.get(node);
      book.reached.delete(node);
      await known?.session.close();
      await sessions.drop(node);
    },
    learn(states) {
      book.learn(states);
      attempts.wake();
    },
    mayReach,
    wasAsked: book.wasAsked,
    end() {
      ended.abort(stopped());
      attempts.wake();
      for (const { session } of book.reached.values()) void session.close();
    },
  };
}

/** Runs `work` with the sessions of one question, which end with it; as it is where nothing is passed on. */
export async function withQuestionSessions<P extends Omit<RelayedParts, 'relaying'>, T>(
  parts: P & { readonly relaying?: Relaying },
  question: AskedFor,
  work: (parts: P) => Promise<T>,
): Promise<T> {
  const { relaying } = parts;
  if (relaying === undefined) return work(parts);
  const sessions = withRelays({ ...parts, relaying }, question);
  try {
    return await work({ ...parts, sessions });
  } finally {
    sessions.end();
  }
}

type Attempt = { readonly node: string; isDirectOver: boolean; isTrying: boolean };

/** Directly, and through others once that has failed or takes long. A node that nothing leads to yet waits for what is under way. */
function createAttempts(parts: RelayedParts, book: RelayBook, reach: ReachThrough, ended: AbortSignal) {
  const attempts = new Set<Attempt>();
  const takeTurn = createTurns(AGENT_LIMITS.relayDials);
  const news = createNews();
  /** Nothing that is under way can make another node reachable. */
  const isQuiet = () =>
    [...attempts].every((each) => each.isDirectOver && !each.isTrying && book.next(each.node) === undefined);
  const tryThrough = async (mine: Attempt, relay: string): Promise<PeerSession | undefined> => {
    const { node } = mine;
    book.noteTried(node, relay);
    mine.isTrying = true;
    try {
      return await takeTurn(() => reach(node, relay, ended));
    } catch (error) {
      const reason = messageOf(error);
      parts.relaying.log.debug('no session through another node', { node, relay, reason });
      return undefined;
    } finally {
      mine.isTrying = false;
    }
  };
  const openFrom = async (mine: Attempt, direct: DirectDial): Promise<PeerSession> => {
    for (;;) {
      if (ended.aborted) throw stopped();
      if (direct.session !== undefined) return direct.session;
      const relay = book.next(mine.node);
      if (relay === undefined) {
        if (mine.isDirectOver && isQuiet()) throw direct.error;
        await news.next();
        continue;
      }
      const session = await tryThrough(mine, relay);
      if (session === undefined) news.tell();
      else if (direct.session !== undefined || ended.aborted) await session.close();
      else {
        book.reached.set(mine.node, { session, relays: session.through ?? [] });
        return session;
      }
    }
  };
  return {
    wake: news.tell,
    isTrying: (node: string) => [...attempts].some((each) => each.node === node && each.isTrying),
    async open(node: string, known: unknown): Promise<PeerSession> {
      const mine: Attempt = { node, isDirectOver: false, isTrying: false };
      attempts.add(mine);
      const direct = startDirect(parts, node, known, ended);
      direct.over.then(() => {
        mine.isDirectOver = true;
        news.tell();
      });
      try {
        await Promise.race([direct.over, headStart(parts.clock, parts.peers.find(node), direct.over, ended)]);
        return await openFrom(mine, direct);
      } finally {
        attempts.delete(mine);
        news.tell();
      }
    },
  };
}

type DirectDial = { session?: PeerSession; error?: unknown; readonly over: Promise<void> };

/** `known`: the error of an earlier dial of this question; there is none more then. */
function startDirect({ sessions }: RelayedParts, node: string, known: unknown, ended: AbortSignal): DirectDial {
  if (known !== undefined) return { error: known, over: Promise.resolve() };
  const dial: { session?: PeerSession; error?: unknown } = {};
  const over = sessions.open(node, ended).then(
    (session) => {
      dial.session = session;
    },
    (error: unknown) => {
      dial.error = error;
    },
  );
  return Object.assign(dial, { over });
}

/** Ends early where the dial does. Where upkeep has failed and no session ever stood, there is nothing to wait for. */
async function headStart(
  clock: Clock,
  record: PeerRecord | undefined,
  over: Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  if (record?.verified === undefined && record?.remarks.some(({ kind }) => kind === 'silent') === true) return;
  const early = new AbortController();
  over.then(() => early.abort());
  await clock.sleep(AGENT_LIMITS.relayHeadStartMs, AbortSignal.any([early.signal, ended])).catch(() => {});
}

/** Something changed: all that wait look again. */
function createNews(): { tell(): void; next(): Promise<void> } {
  let waiting: (() => void)[] = [];
  return {
    tell() {
      const all = waiting;
      waiting = [];
      for (const each of all) each();
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
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
