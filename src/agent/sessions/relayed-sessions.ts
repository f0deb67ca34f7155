// Sessions of one question, also with nodes to which this node has no route: over a link past the routes, or passed on by nodes that it has
// sessions with, ring by ring (docs/decisions/0050-relays-over-several-nodes.md). Routing's own session has a head start, and takes the place of
// the other where it stands later. All of them end with the question.
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { isImpostor } from '#fanout/fan-out.ts';
import type { States } from '#measure/states.ts';
import type { PeerSession } from '#model/call.ts';
import type { PeerRecord } from '#model/peer.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { createRelayBook, type RelayBook } from './relay-book.ts';
import {
  type AskedFor,
  createReachThrough,
  RELAY_BUSY,
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
      // Its session has ended: that way led there, and may again.
      if (book.reached.has(node)) book.renew(node);
      if (failed.has(node) && !mayReach(node)) return Promise.reject(failed.get(node));
      const pending = opening.get(node) ?? openNow(node).finally(() => opening.delete(node));
      opening.set(node, pending);
      return abortable(pending, signal).catch((error: unknown) => {
        throw (signal.aborted ? attempts.lostOnTheWay(node) : undefined) ?? error;
      });
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

type Attempt = {
  readonly node: string;
  readonly direct: DirectDial;
  isDirectOver: boolean;
  isTrying: boolean;
  /** The last try through others: which, and what it ended in. */
  last?: { readonly way: readonly string[]; readonly error?: unknown };
  readonly busy: Set<string>;
  busyTurns: number;
};

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
    const way = book.wayTo(relay) ?? [];
    book.noteTried(node, relay);
    mine.isTrying = true;
    // Its own link leads through no other node.
    if (way.length > 0) mine.last = { way };
    try {
      return await takeTurn(() => reach(node, relay, ended));
    } catch (error) {
      const reason = messageOf(error);
      parts.relaying.log.debug('no session through another node', { node, relay, reason });
      if (way.length > 0) mine.last = { way, error };
      if (isBusy(error)) await waitForPlace(mine, relay);
      return undefined;
    } finally {
      mine.isTrying = false;
    }
  };
  /** Places come free as other sessions end: to have found none is no try. */
  const waitForPlace = async (mine: Attempt, relay: string) => {
    book.noteBusy(mine.node, relay);
    mine.busy.add(relay);
    mine.busyTurns += 1;
    await parts.clock.sleep(AGENT_LIMITS.relayBusyMs, ended).catch(() => {});
  };
  const openFrom = async (mine: Attempt, direct: DirectDial): Promise<PeerSession> => {
    for (;;) {
      if (ended.aborted) throw stopped();
      if (direct.session !== undefined) return direct.session;
      const isTired = mine.busyTurns >= AGENT_LIMITS.relayBusyTurns;
      const relay = isTired ? undefined : book.next(mine.node, mine.busy);
      if (relay === undefined) {
        if (mine.isDirectOver && (isTired || isQuiet())) throw endOf(mine, parts.peers.find(mine.node));
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
    /** Where a session that is being opened through others has not come in time: what says so and accuses no node. */
    lostOnTheWay(node: string): ParleyError | undefined {
      const mine = [...attempts].find((each) => each.node === node);
      if (mine?.last === undefined || standsAlone(mine.direct.error, parts.peers.find(node), !mine.isDirectOver))
        return undefined;
      return lostThrough(mine, mine.last);
    },
    isTrying: (node: string) => [...attempts].some((each) => each.node === node && each.isTrying),
    async open(node: string, known: unknown): Promise<PeerSession> {
      const direct = startDirect(parts, node, known, ended);
      const mine: Attempt = { node, direct, isDirectOver: false, isTrying: false, busy: new Set(), busyTurns: 0 };
      attempts.add(mine);
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

/** Why there is no session: each node between may have dropped it, so that a try through others says nothing against any. */
function endOf(mine: Attempt, record: PeerRecord | undefined): unknown {
  const { direct, last } = mine;
  return last === undefined || standsAlone(direct.error, record, false) ? direct.error : lostThrough(mine, last);
}

/** What the direct dial showed of the node itself: another party, or silence where TLS once proved that it was the node. */
function standsAlone(error: unknown, record: PeerRecord | undefined, isSilent: boolean): boolean {
  if (error instanceof Error && isImpostor(error)) return true;
  const isTimeout = isSilent || (error instanceof ParleyError && error.code === 'peer/timeout');
  return isTimeout && record?.verified !== undefined;
}

function lostThrough({ node, direct }: Attempt, { way, error }: NonNullable<Attempt['last']>): ParleyError {
  const how = error === undefined ? 'no session in time' : messageOf(error);
  const through = `${node} through ${way.join(', ')}: ${how}`;
  const message = direct.error === undefined || isBusy(error) ? through : `${messageOf(direct.error)}; ${through}`;
  return new ParleyError('peer/unreachable', message, { data: { peer: node, through: way } });
}

/** The nodes that a session was to be passed on by when it could not be opened. */
export function triedThrough(error: Error): readonly string[] | undefined {
  const through = error instanceof ParleyError ? error.data?.['through'] : undefined;
  return Array.isArray(through) ? through.map(String) : undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof ParleyError && error.code === RELAY_BUSY;
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
