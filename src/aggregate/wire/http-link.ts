// The client's end of Streamable HTTP: one POST a message, its answer as JSON or as events, and one GET stream for what the server sends by
// itself. Nothing is sent twice: a request whose answer is lost fails.
import { type Dispatcher, Pool } from 'undici';
import { messageOf } from '#base/error.ts';
import type { Result } from '#base/result.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createEventReader } from './event-stream.ts';
import { createLinkHeaders, type HeaderRecord } from './http-headers.ts';
import { type Link, UNSET } from './link.ts';
import { decodeMessage } from './message.ts';

export type HttpLinkInit = {
  readonly url: string;
  /** The token for this server, and for no other, as it is now; without one that is in force nothing is sent. */
  readonly token?: (() => Result<string>) | undefined;
  /** The server has refused the token. */
  readonly refused?: (() => void) | undefined;
  readonly tls?: HttpLinkTls | undefined;
  readonly connections?: number;
  readonly maxBytes?: number;
};

export type HttpLinkTls = {
  /** The only CA that counts; the system's CAs when absent. */
  readonly ca?: string | undefined;
  /** Shown to the server. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
};

export type HttpLink = Link & {
  /** The revision that was agreed, for the header that goes with every later message. */
  agreed(version: string): void;
  /** Ends the exchange of this request, whose answer is not wanted any more. */
  abandon(id: number): void;
};

export function createHttpLink(init: HttpLinkInit): HttpLink {
  const url = new URL(init.url);
  const path = url.pathname + url.search;
  const maxBytes = init.maxBytes ?? AGGREGATE_LIMITS.leafMessageBytes;
  const pool = poolFor(url, init);
  const headers = createLinkHeaders(init.token);
  const exchanges = new Map<number, { abort(reason: Error): void }>();
  let closed = false;
  let listening = false;

  const finish = (reason?: string) => {
    if (closed) return;
    closed = true;
    link.ended(reason);
    void endSession().finally(() => pool.destroy().catch(() => {}));
  };
  const endSession = async () => {
    const own = headers.reading();
    if (!headers.hasSession || !own.ok) return;
    const signal = AbortSignal.timeout(500);
    await pool.request({ path, method: 'DELETE', headers: own.value, signal }).catch(() => {});
  };
  /** A session whose token has ended is over: the next one is opened with another. */
  const withHeaders = (own: Result<HeaderRecord>, send: (headers: HeaderRecord) => void) =>
    own.ok ? send(own.value) : queueMicrotask(() => finish(own.reason));
  const receive = (bytes: Uint8Array, id: number | undefined): boolean => {
    const message = decodeMessage(bytes);
    if (!message.ok) return false;
    link.receive(message.value, id);
    return message.value.kind === 'response';
  };
  /** The stream for what belongs to no request; servers without one answer 405. `again`: there was one before. */
  const listen = (again: boolean) =>
    withHeaders(headers.reading(), (own) => {
      listening = true;
      const reader = createEventReader(maxBytes, {
        data: (bytes) => void receive(bytes, undefined),
        tooLong: () => finish(`expected events of at most ${maxBytes} bytes, got more`),
      });
      readStream(pool, { path, headers: own }, reader, (status) => {
        listening = false;
        if (status === 200 && !closed) setTimeout(() => !closed && listen(true), AGGREGATE_LIMITS.restartMs).unref();
        // It was there, and is not: what answers now knows nothing of this session.
        else if (again) finish('the stream of the server has ended, and no other could be opened');
      });
    });
  const link: HttpLink = {
    ...UNSET,
    send(text, about) {
      if (closed) return;
      const id = about.kind === 'request' ? about.id : undefined;
      const handler = createExchange({
        id,
        maxBytes,
        receive,
        keepSession: headers.keepSession,
        hasSession: () => headers.hasSession,
        began: (controller) => id !== undefined && exchanges.set(id, controller),
        done: () => id !== undefined && exchanges.delete(id),
        fail: (reason, isGone) => {
          if (id !== undefined) link.failed(id, reason);
          if (isGone) finish(reason);
        },
        refused: () => init.refused?.(),
      });
      const own = about.kind === 'request' ? about.headers : undefined;
      withHeaders(headers.posting(), (posting) => {
        const sent = own === undefined ? posting : { ...posting, ...own };
        pool.dispatch({ path, method: 'POST', headers: sent, body: text }, handler);
      });
    },
    agreed(version) {
      headers.agreed(version);
      if (!listening) queueMicrotask(() => listen(false));
    },
    abandon(id) {
      exchanges.get(id)?.abort(new Error(GIVEN_UP));
    },
    start() {},
    close: finish,
    get closed() {
      return closed;
    },
  };
  return link;
}

function poolFor({ origin }: URL, { connections = 64, tls }: HttpLinkInit): Pool {
  const options = { connections, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 };
  if (tls === undefined) return new Pool(origin, options);
  const { ca, cert, key } = tls;
  const own = cert === undefined ? {} : { cert, key, minVersion: 'TLSv1.3' as const };
  return new Pool(origin, { ...options, connect: { ...(ca === undefined ? {} : { ca }), ...own } });
}

type Got = { readonly path: string; readonly headers: HeaderRecord };

/** `ended` hears the status of the answer. */
function readStream(
  pool: Pool,
  { path, headers }: Got,
  reader: (chunk: Buffer) => void,
  ended: (status: number) => void,
): void {
  let status = 0;
  pool.dispatch(
    { path, method: 'GET', headers },
    {
      onRequestStart() {},
      onResponseStart(_, code) {
        status = code;
      },
      onResponseData(_, chunk) {
        if (status === 200) reader(chunk as Buffer);
      },
      onResponseEnd: () => ended(status),
      onResponseError: () => ended(status),
    },
  );
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const GIVEN_UP = 'the request was given up';

type ExchangeInit = {
  readonly id: number | undefined;
  readonly maxBytes: number;
  /** True for a response. */
  receive(bytes: Uint8Array, id: number | undefined): boolean;
  keepSession(headers: Headers): void;
  hasSession(): boolean;
  began(controller: { abort(reason: Error): void }): void;
  done(): void;
  /** `isGone`: the server, or the session with it, is not there any more. */
  fail(reason: string, isGone: boolean): void;
  /** The server has refused the token. */
  refused(): void;
};

function createExchange(init: ExchangeInit): Dispatcher.DispatchHandler {
  const { id, maxBytes } = init;
  let status = 0;
  let isAnswered = id === undefined;
  let isStream = false;
  const chunks: Buffer[] = [];
  let byteCount = 0;
  const tooLong = () => init.fail(`expected an answer of at most ${maxBytes} bytes, got more`, true);
  let reader: ((chunk: Buffer) => void) | undefined;
  const onEvent = (bytes: Uint8Array) => {
    if (init.receive(bytes, id)) isAnswered = true;
  };
  return {
    onRequestStart: (controller) => init.began(controller),
    onResponseStart(_, code, headers) {
      status = code;
      init.keepSession(headers as Headers);
      isStream = String(headers['content-type']).startsWith('text/event-stream');
      if (isStream) reader = createEventReader(maxBytes, { data: onEvent, tooLong });
    },
    onResponseData(controller, data) {
      const chunk = data as Buffer;
      if (reader !== undefined) return reader(chunk);
      byteCount += chunk.length;
      if (byteCount <= maxBytes) chunks.push(chunk);
      else {
        tooLong();
        controller.abort(new Error('too long'));
      }
    },
    onResponseEnd() {
      init.done();
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      // MCP 2026-07-28: errors come with a status of their own.
      if (status >= 400 && !init.hasSession() && isErrorFor(body, id)) {
        init.receive(body, id);
        return;
      }
      if (!isStream && status < 300 && byteCount > 0 && init.receive(body, id)) isAnswered = true;
      if (status === 401) init.refused();
      // MCP: a session that the server does not know any more is answered with 404; one whose token does not hold, with 401.
      if (!isAnswered || status >= 400)
        init.fail(`the server answered with HTTP status ${status} and no result`, status === 404 || status === 401);
    },
    onResponseError(_, error) {
      init.done();
      const reason = messageOf(error);
      init.fail(reason, reason !== GIVEN_UP);
    },
  };
}

function isErrorFor(body: Uint8Array, id: number | undefined): boolean {
  const message = decodeMessage(body);
  return (
    message.ok && message.value.kind === 'response' && 'error' in message.value.raw && message.value.raw['id'] === id
  );
}

/** Plain HTTP has no place between machines (MCP-AX §10.4). */
export function isAllowedUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}
