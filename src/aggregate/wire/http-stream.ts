// GET streams of Streamable HTTP, of the older revisions: what a server sends by itself, and the rest of an answer whose stream has ended. Each goes on
// where the one before ended, after the wait that the server has asked for.
import type { Dispatcher, Pool } from 'undici';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createEventReader, type StreamPlace } from './event-stream.ts';
import { GIVEN_UP } from './http-exchange.ts';
import type { HeaderRecord } from './http-headers.ts';

export type StreamsInit = {
  readonly pool: Pool;
  readonly path: string;
  /** Calls back with the headers that go with a message, unless nothing may be sent. */
  readonly withHeaders: (send: (headers: HeaderRecord) => void) => void;
  readonly maxBytes: number;
  /** `id`: of the own request that it came with. True for a response. */
  readonly receive: (bytes: Uint8Array, id: number | undefined) => boolean;
  readonly isClosed: () => boolean;
  readonly failed: (id: number, reason: string) => void;
  /** The session cannot go on. */
  readonly finish: (reason: string) => void;
};

export type Streams = {
  /** Opens the stream for what belongs to no request, once; servers without one answer 405. */
  listen(): void;
  /** Fetches the rest of the answer to the request `id`. */
  resume(id: number, place: StreamPlace): void;
};

export function createStreams(init: StreamsInit): Streams {
  const ownPlace: StreamPlace = { id: undefined, retryMs: undefined };
  let isListening = false;
  /** `again`: there was one before. */
  const read = (again: boolean) => {
    const data = (bytes: Buffer) => {
      init.receive(bytes, undefined);
      return true;
    };
    readStream(init, ownPlace, data, (status) => {
      isListening = status === 200;
      if (isListening) afterWait(ownPlace, () => (init.isClosed() ? undefined : read(true)));
      // It was there, and is not: what answers now knows nothing of this session.
      else if (again) init.finish('the stream of the server has ended, and no other could be opened');
    });
  };
  return {
    listen() {
      if (isListening) return;
      isListening = true;
      read(false);
    },
    resume: (id, place) => resume(init, id, place),
  };
}

/** One stream after another, until one has brought the answer, at most `resumptions` in a row that bring no event. */
function resume(init: StreamsInit, id: number, place: StreamPlace): void {
  let inVain = 0;
  let isAnswered = false;
  const data = (bytes: Buffer) => {
    isAnswered ||= init.receive(bytes, id);
    return !isAnswered;
  };
  const once = () => {
    if (init.isClosed()) return;
    const before = place.id;
    readStream(init, place, data, (status) => {
      if (isAnswered || init.isClosed()) return;
      inVain = place.id === before ? inVain + 1 : 0;
      const isRefused = status !== 200 && status !== NO_ANSWER;
      if (!isRefused && inVain < AGGREGATE_LIMITS.resumptions) return afterWait(place, once);
      init.failed(id, `the stream of the answer ended and could not be resumed: HTTP status ${status}`);
      if (status === 404) init.finish('the server does not know the session any more');
    });
  };
  afterWait(place, once);
}

const NO_ANSWER = 0;

/** `data` is false where nothing more is wanted; `ended` hears the status. */
function readStream(
  init: StreamsInit,
  place: StreamPlace,
  data: (bytes: Buffer) => boolean,
  ended: (status: number) => void,
): void {
  let status = NO_ANSWER;
  let controller: { abort(reason: Error): void } | undefined;
  const reader = createEventReader(init.maxBytes, {
    data(bytes) {
      if (!data(bytes)) controller?.abort(new Error(GIVEN_UP));
    },
    tooLong: () => init.finish(`expected events of at most ${init.maxBytes} bytes, got more`),
    place,
  });
  const last = place.id === undefined ? {} : { 'last-event-id': place.id };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      controller = given;
    },
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(_, chunk) {
      if (status === 200) reader(chunk as Buffer);
    },
    onResponseEnd: () => ended(status),
    onResponseError: () => ended(status),
  };
  init.withHeaders((own) =>
    init.pool.dispatch({ path: init.path, method: 'GET', headers: { ...own, ...last } }, handler),
  );
}

/** Calls `again` after the wait that the server has asked for. */
function afterWait({ retryMs }: StreamPlace, again: () => void): void {
  const waitMs = Math.min(retryMs ?? AGGREGATE_LIMITS.restartMs, AGGREGATE_LIMITS.resumeWaitMostMs);
  setTimeout(again, waitMs).unref();
}
