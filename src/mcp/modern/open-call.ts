// A call whose handler may ask its client something while it runs. MCP 2026-07-28 has no requests to clients: the call is answered with what
// is asked, the client calls again with the answers, and the handler goes on where it was. It runs once, however many requests that takes.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { CallContext, ClientCapability, ClientSide } from '#model/definition.ts';
import type { HandledCall } from '#model/ports.ts';
import { clientCannot, neededFor } from '../dialects/client-requests.ts';

export type InputRequest = { readonly method: string; readonly params: JsonObject };

export type Round =
  | { readonly kind: 'done'; readonly handled: HandledCall }
  | { readonly kind: 'asks'; readonly requests: Readonly<Record<string, InputRequest>> };

/** What a running handler tells its client; there is no client to tell while the call waits. */
export type Teller = { readonly progress: CallContext['progress']; readonly log: ClientSide['log'] };

export type OpenCall = {
  /** The way to the client of the request that is being answered. */
  teller: Teller | undefined;
  /** Resolves when the handler has ended or waits for its client. */
  next(): Promise<Round>;
  /** Answers of the client by the keys of what was asked; others are passed over. */
  answer(responses: Readonly<Record<string, unknown>>): void;
  /** A capability that the handler needed and the client does not have. */
  readonly lacked: ClientCapability | undefined;
  /** Gives the call up. */
  abort(reason: Error): void;
};

export type OpenCallInit = {
  readonly offers: (capability: ClientCapability) => boolean;
  /** Answers that came with the first request. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly run: (side: {
    readonly client: ClientSide;
    readonly progress: CallContext['progress'];
    readonly signal: AbortSignal;
  }) => Promise<HandledCall>;
};

type Asked = { readonly request: InputRequest; readonly answered: (response: JsonObject) => void };

export function startOpenCall(init: OpenCallInit): OpenCall {
  const ended = new AbortController();
  const asked = new Map<string, Asked>();
  const given = new Map(Object.entries(init.given));
  let lacked: ClientCapability | undefined;
  let count = 0;
  let asking = false;
  let round = Promise.withResolvers<Round>();
  let isOver = false;

  /** What is asked in one turn of the event loop is asked together. */
  const ask = () => {
    if (asking) return;
    asking = true;
    setImmediate(() => {
      asking = false;
      if (asked.size === 0 || isOver) return;
      const requests = Object.fromEntries([...asked].map(([key, { request }]) => [key, request]));
      round.resolve({ kind: 'asks', requests });
    });
  };
  const request: ClientSide['request'] = async (method, params, signal, key) => {
    const needed = neededFor(method, params);
    if (needed === undefined || !init.offers(needed)) {
      lacked = needed;
      throw clientCannot(needed ?? method);
    }
    const name = key ?? `${method.replace('/', '-')}-${++count}`;
    const early = given.get(name);
    given.delete(name);
    if (isAnswer(early)) return early;
    const until = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
    const answered = waitFor(asked, { name, request: { method, params } }, until);
    ask();
    return answered;
  };
  const client: ClientSide = {
    offers: init.offers,
    request,
    log: (level, data) => call.teller?.log(level, data),
    // An answer has one stream, and cannot be fetched by another.
    detach: () => {},
  };
  const progress: CallContext['progress'] = (...step) => call.teller?.progress(...step);
  const start = () =>
    init.run({ client, progress, signal: ended.signal }).then(
      (handled) => {
        isOver = true;
        round.resolve({ kind: 'done', handled });
      },
      (error) => {
        isOver = true;
        round.reject(error);
      },
    );
  // A call that is given up while it waits has no caller that hears how it ended.
  round.promise.catch(() => {});
  const call: OpenCall = {
    teller: undefined,
    next: () => round.promise,
    answer(responses) {
      if (isOver) return;
      round = Promise.withResolvers<Round>();
      round.promise.catch(() => {});
      for (const [key, response] of Object.entries(responses)) {
        const one = asked.get(key);
        if (one === undefined || !isAnswer(response)) continue;
        asked.delete(key);
        one.answered(response);
      }
      // What was not answered is asked again.
      if (asked.size > 0) ask();
    },
    get lacked() {
      return lacked;
    },
    abort: (reason) => ended.abort(reason),
  };
  // After the caller has set the way to its client.
  queueMicrotask(start);
  return call;
}

/** Resolves with the client's answer; rejects when `until` aborts. */
function waitFor(
  asked: Map<string, Asked>,
  { name, request }: { readonly name: string; readonly request: InputRequest },
  until: AbortSignal,
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      asked.delete(name);
      reject(until.reason);
    };
    if (until.aborted) return onAbort();
    until.addEventListener('abort', onAbort, { once: true });
    asked.set(name, {
      request,
      answered(response) {
        until.removeEventListener('abort', onAbort);
        resolve(response);
      },
    });
  });
}

function isAnswer(response: unknown): response is JsonObject {
  return isJsonObject((response ?? null) as JsonValue);
}
