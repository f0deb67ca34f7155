// Requests and answers over one link, in both directions: own ids, deadlines, cancellation. Answers that nothing waits for are counted and
// dropped, so that one that comes late or twice is never taken for another.
import { afterInput, type Clock, STOPPED } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import type { Link } from './link.ts';
import {
  type Answer,
  answerOf,
  errorAnswer,
  type Incoming,
  type IncomingNotification,
  type IncomingRequest,
  notificationText,
  requestText,
  responseText,
} from './message.ts';

export type Outgoing = {
  readonly method: string;
  /** The params object as JSON text; made for the id that the request gets. */
  readonly paramsText: string | ((id: number) => string);
  /** Undefined: the caller sees to it. */
  readonly timeoutMs?: number | undefined;
  /** The other side's request during which this one is made. */
  readonly related?: RpcId | undefined;
};

export type Call = { readonly id: number; readonly answer: Promise<Answer>; cancel(reason: string): void };

export type Peer = {
  call(outgoing: Outgoing): Call;
  notify(method: string, paramsText?: string, related?: RpcId): void;
  /** `related`: the own request in whose stream it came. */
  onRequest: (request: IncomingRequest, signal: AbortSignal, related?: RpcId) => Promise<Answer>;
  onNotification: (notification: IncomingNotification, related?: RpcId) => void;
  onEnd: (reason?: string) => void;
  /** Restarts the deadline of an open call: its answer is on the way. */
  extend(id: number): void;
  close(reason?: string): void;
  readonly closed: boolean;
  readonly openCalls: number;
  /** Answers that nothing waited for. */
  readonly strayAnswers: number;
};

type Pending = {
  readonly settle: (answer: Answer) => void;
  readonly timeoutMs: number | undefined;
  dueMs: number;
};

const CANCELLED = 'notifications/cancelled';

/** Begins to read from the link. */
export function createPeer(link: Link, clock: Clock): Peer {
  const pending = new Map<number, Pending>();
  const deadlines = createDeadlines(pending, clock, (id) => stop(id, 'timed out'));
  let nextId = 1;
  let strayAnswers = 0;

  const settle = (id: number, answer: Answer) => {
    const found = pending.get(id);
    if (found === undefined) strayAnswers += 1;
    else {
      pending.delete(id);
      found.settle(answer);
    }
  };
  /** Gives a call up, on both sides. */
  const stop = (id: number, reason: string) => {
    if (!pending.has(id)) return;
    const timedOut = reason === 'timed out';
    settle(id, errorAnswer(timedOut ? WIRE_CODES.timeout : WIRE_CODES.internal, timedOut ? 'Network.Timeout' : reason));
    link.send(notificationText(CANCELLED, JSON.stringify({ requestId: id, reason })), {
      kind: 'notification',
      related: id,
      cancels: id,
    });
  };
  const incoming = createIncoming(link, (...given) => peer.onRequest(...given));
  const take = (message: Incoming, related: RpcId | undefined) => {
    if (message.kind === 'request') void incoming.answer(message, related);
    else if (message.kind === 'notification') {
      if (message.method === CANCELLED) incoming.cancel(message.params['requestId'] as RpcId);
      else peer.onNotification(message, related);
    } else {
      const answer = answerOf(message.text);
      const id = message.raw['id'];
      if (answer.ok && typeof id === 'number') settle(id, answer.value);
      else strayAnswers += 1;
    }
  };
  const peer: Peer = {
    call({ method, paramsText, timeoutMs, related }) {
      const id = nextId++;
      const { promise, resolve } = Promise.withResolvers<Answer>();
      if (link.closed) resolve(gone());
      else {
        pending.set(id, { settle: resolve, timeoutMs, dueMs: 0 });
        deadlines.begin(id);
        const text = typeof paramsText === 'string' ? paramsText : paramsText(id);
        link.send(requestText(id, method, text), { kind: 'request', id, related });
      }
      return { id, answer: promise, cancel: (reason) => stop(id, reason) };
    },
    notify: (method, paramsText, related) =>
      link.send(notificationText(method, paramsText), { kind: 'notification', related }),
    onRequest: async () => errorAnswer(WIRE_CODES.methodNotFound, 'Method not found'),
    onNotification: () => {},
    onEnd: () => {},
    extend: (id) => deadlines.begin(id),
    close: (reason) => link.close(reason),
    get closed() {
      return link.closed;
    },
    get openCalls() {
      return pending.size;
    },
    get strayAnswers() {
      return strayAnswers;
    },
  };
  link.receive = take;
  link.failed = (id, reason) =>
    settle(id, errorAnswer(WIRE_CODES.unreachable, 'Network.Unreachable', { detail: reason }));
  link.ended = (reason) => {
    for (const id of [...pending.keys()]) settle(id, gone());
    incoming.end();
    deadlines.stop();
    peer.onEnd(reason);
  };
  link.start();
  return peer;
}

/** Requests of the other side, each until it is answered or cancelled. */
function createIncoming(link: Link, onRequest: Peer['onRequest']) {
  const open = new Map<RpcId, AbortController>();
  return {
    async answer(request: IncomingRequest, related: RpcId | undefined): Promise<void> {
      // Two under one id would count as one, without bound.
      if (open.has(request.id)) {
        const detail = 'expected an id that no open request has';
        const odd = errorAnswer(WIRE_CODES.invalidRequest, 'Invalid Request', { detail });
        return link.send(responseText(request.id, odd), { kind: 'response', id: request.id });
      }
      const controller = new AbortController();
      if (open.size >= AGGREGATE_LIMITS.aggregatedRequests) {
        const busy = errorAnswer(WIRE_CODES.busy, 'Too many requests in flight');
        return link.send(responseText(request.id, busy), { kind: 'response', id: request.id });
      }
      open.set(request.id, controller);
      const answer = await onRequest(request, controller.signal, related).catch((error) =>
        errorAnswer(WIRE_CODES.internal, 'Internal error', { detail: messageOf(error) }),
      );
      open.delete(request.id);
      // MCP: no answer to what was cancelled.
      if (controller.signal.aborted) return;
      const kept = answer.isKept === true ? answer : undefined;
      link.send(responseText(request.id, answer), { kind: 'response', id: request.id, kept });
    },
    cancel: (id: RpcId) => open.get(id)?.abort(STOPPED),
    end() {
      for (const controller of open.values()) controller.abort(STOPPED);
    },
  };
}

function gone(): Answer {
  return errorAnswer(WIRE_CODES.unreachable, 'Network.Unreachable', { detail: 'the connection has ended' });
}

/** One timer for all calls of a peer, which runs only while one has a deadline. */
function createDeadlines(pending: ReadonlyMap<number, Pending>, clock: Clock, expired: (id: number) => void) {
  const stopped = new AbortController();
  let running = false;
  const watch = async () => {
    running = true;
    for (;;) {
      let isNeeded = false;
      const nowMs = clock.monotonicMs();
      for (const [id, { timeoutMs, dueMs }] of pending) {
        if (timeoutMs === undefined) continue;
        if (dueMs <= nowMs) expired(id);
        else isNeeded = true;
      }
      if (!isNeeded) break;
      await clock.sleep(AGGREGATE_LIMITS.deadlineStepMs, stopped.signal);
      // Where this process is late itself, answers may wait to be read.
      await afterInput();
    }
    running = false;
  };
  return {
    begin(id: number) {
      const call = pending.get(id);
      if (call?.timeoutMs === undefined) return;
      call.dueMs = clock.monotonicMs() + call.timeoutMs;
      if (!running && !stopped.signal.aborted) void watch().catch(() => {});
    },
    stop: () => stopped.abort(STOPPED),
  };
}
