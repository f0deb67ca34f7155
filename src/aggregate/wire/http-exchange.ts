// One POST of Streamable HTTP and its answer: a JSON body, or a stream of events. Gives no answer up where the server has said by an event's id
// that the stream can be resumed.
import type { Dispatcher } from 'undici';
import { messageOf } from '#base/error.ts';
import { createEventReader, type StreamPlace } from './event-stream.ts';
import { decodeMessage } from './message.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export const GIVEN_UP = 'the request was given up';

export type ExchangeInit = {
  readonly id: number | undefined;
  readonly maxBytes: number;
  /** True for a response. */
  receive(bytes: Uint8Array, id: number | undefined): boolean;
  keepSession(headers: Headers): void;
  hasSession(): boolean;
  began(controller: { abort(reason: Error): void }): void;
  done(): void;
  /** Takes over an answer whose stream has ended; false where the revision has no streams that go on. */
  resume(place: StreamPlace): boolean;
  /** `isGone`: the server, or the session with it, is not there any more. */
  fail(reason: string, isGone: boolean): void;
  /** The server has refused the token, and has not acted on the message. */
  refused(): void;
};

export function createExchange(init: ExchangeInit): Dispatcher.DispatchHandler {
  const { id, maxBytes } = init;
  const place: StreamPlace = { id: undefined, retryMs: undefined };
  let status = 0;
  let isAnswered = id === undefined;
  let isStream = false;
  const chunks: Buffer[] = [];
  let byteCount = 0;
  const tooLong = () => init.fail(`expected an answer of at most ${maxBytes} bytes, got more`, true);
  const reader = createEventReader(maxBytes, {
    data(bytes) {
      if (init.receive(bytes, id)) isAnswered = true;
    },
    tooLong,
    place,
  });
  const isResumed = () => !isAnswered && place.id !== undefined && init.resume(place);
  return {
    onRequestStart: (controller) => init.began(controller),
    onResponseStart(_, code, headers) {
      status = code;
      init.keepSession(headers as Headers);
      isStream = String(headers['content-type']).startsWith('text/event-stream');
    },
    onResponseData(controller, data) {
      const chunk = data as Buffer;
      if (isStream) return reader(chunk);
      byteCount += chunk.length;
      if (byteCount <= maxBytes) chunks.push(chunk);
      else {
        tooLong();
        controller.abort(new Error('too long'));
      }
    },
    onResponseEnd() {
      if (isResumed()) return;
      init.done();
      if (status === 401) return init.refused();
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      // MCP 2026-07-28: errors come with a status of their own.
      if (status >= 400 && !init.hasSession() && isErrorFor(body, id)) {
        init.receive(body, id);
        return;
      }
      if (!isStream && status < 300 && byteCount > 0 && init.receive(body, id)) isAnswered = true;
      // MCP: a session that the server does not know any more is answered with 404.
      if (!isAnswered || status >= 400)
        init.fail(`the server answered with HTTP status ${status} and no result`, status === 404);
    },
    onResponseError(_, error) {
      const reason = messageOf(error);
      if (reason !== GIVEN_UP && isResumed()) return;
      init.done();
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
