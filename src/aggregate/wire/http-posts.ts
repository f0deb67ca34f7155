// The POSTs of one link: each message and its answer. A message that the server refuses with 401 is sent once more, with another token: such a
// server has not acted on it. Where that does not help, this message fails and no other.
import type { Pool } from 'undici';
import { createExchange, type ExchangeInit, GIVEN_UP } from './http-exchange.ts';
import type { HeaderRecord, LinkHeaders } from './http-headers.ts';
import type { Streams } from './http-stream.ts';
import type { About } from './link.ts';

export type PostsInit = Pick<ExchangeInit, 'maxBytes' | 'receive'> & {
  readonly pool: Pool;
  readonly path: string;
  readonly headers: LinkHeaders;
  readonly streams: Pick<Streams, 'resume'>;
  readonly isClosed: () => boolean;
  /** In a session of the older revisions, whose streams can be resumed. */
  readonly isInSession: () => boolean;
  readonly failed: (id: number, reason: string) => void;
  /** The session cannot go on. */
  readonly finish: (reason: string) => void;
};

export type Posts = {
  send(text: string, about: About): void;
  /** Ends the exchange of this request, whose answer is not wanted any more. */
  abandon(id: number): void;
};

type Abortable = { abort(reason: Error): void };

/** `id`: of a request; `more`: headers of this message alone. */
type Posted = { readonly text: string; readonly id: number | undefined; readonly more: HeaderRecord | undefined };

export function createPosts(init: PostsInit): Posts {
  const { headers, pool, path, maxBytes, receive, isInSession } = init;
  const open = new Map<number, Abortable>();
  const fail = (id: number | undefined, reason: string) => {
    // Who has cancelled a request of a session waits for nothing of it.
    if (id !== undefined && !(reason === GIVEN_UP && isInSession())) init.failed(id, reason);
  };
  /** `refused`: the headers with which it was refused before. */
  const post = (message: Posted, refused: HeaderRecord | undefined) => {
    const { id } = message;
    const state = { isTaken: false, isWaiting: false };
    headers.take('posting', refused, (own) => {
      if (state.isTaken || init.isClosed()) return;
      state.isTaken = true;
      if (state.isWaiting) open.delete(id!);
      if (own.ok) exchange(message, own.value, refused !== undefined);
      else
        fail(id, refused === undefined ? own.reason : `the server refused the token (HTTP status 401): ${own.reason}`);
    });
    if (state.isTaken || id === undefined) return;
    // It may be given up while another token is asked for.
    state.isWaiting = true;
    open.set(id, {
      abort(reason) {
        state.isTaken = true;
        open.delete(id);
        fail(id, reason.message);
      },
    });
  };
  const exchange = (message: Posted, own: HeaderRecord, isSecond: boolean) => {
    const { id, text, more } = message;
    const handler = createExchange({
      ...{ id, maxBytes, receive, keepSession: headers.keepSession },
      hasSession: () => headers.hasSession,
      began: (controller) => id !== undefined && open.set(id, controller),
      done: () => id !== undefined && open.delete(id),
      resume(place) {
        if (id === undefined || init.isClosed() || !isInSession()) return false;
        open.set(
          id,
          init.streams.resume(id, place, () => open.delete(id)),
        );
        return true;
      },
      fail(reason, isGone) {
        fail(id, reason);
        if (isGone) init.finish(reason);
      },
      refused() {
        if (isSecond) fail(id, 'the server refused the token, and another one too: HTTP status 401');
        else post(message, own);
      },
    });
    const sent = more === undefined ? own : { ...own, ...more };
    pool.dispatch({ path, method: 'POST', headers: sent, body: text }, handler);
  };
  return {
    send(text, about) {
      const isRequest = about.kind === 'request';
      post({ text, id: isRequest ? about.id : undefined, more: isRequest ? about.headers : undefined }, undefined);
    },
    abandon: (id) => open.get(id)?.abort(new Error(GIVEN_UP)),
  };
}
