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
  /** Fetches the rest of the answer to the request `id`, unless it is given up before; `done` hears that it has ended. */
  resume(id: number, place: StreamPlace, done: () => void): { abort(reason: Error): void };
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
    resume: (id, place, done) => resume(init, { id, place, done }),
  };
}

/** One stream after another, until one has brought the answer, at most `resumptions` in a row that bring no event. */
function resume(init: StreamsInit, { id, place, done }: Resumed): { abort(reason: Error): void } {
  let inVain = 0;
  let isOver = false;
  let controller: { abort(reason: Error): void } | undefined;
  const end = () => {
    isOver = true;
    done();
  };
  const data = (bytes: Buffer) => {
    if (init.receive(bytes, id)) end();
    return !isOver;
  };
  const once = () => {
    if (isOver || init.isClosed()) return;
    const before = place.id;
    const began = (given: typeof controller) => {
      controller = given;
      if (isOver) controller?.abort(new Error(GIVEN_UP));
    };
    readStream({ ...init, began }, place, data, (status) => {
      if (isOver || init.isClosed()) return;
      inVain = place.id === before ? inVain + 1 : 0;
      const isRefused = status !== 200 && status !== NO_ANSWER;
      if (!isRefused && inVain < AGGREGATE_LIMITS.resumptions) return afterWait(place, once);
      end();
      init.failed(id, `the stream of the answer ended and could not be resumed: HTTP status ${status}`);
      if (status === 404) init.finish('the server does not know the session any more');
    });
  };
  afterWait(place, once);
  return {
    abort(reason) {
      end();
      controller?.abort(reason);
    },
  };
}

type Resumed = { readonly id: number; readonly place: StreamPlace; readonly done: () => void };

const NO_ANSWER = 0;

/** `data` is false where nothing more is wanted; `ended` hears the status. */
function readStream(
  init: StreamsInit & { readonly began?: (controller: { abort(reason: Error): void }) => void },
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
      init.began?.(given);
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
  const { restartMs, resumeWaitLeastMs, resumeWaitMostMs } = AGGREGATE_LIMITS;
  const waitMs = Math.min(Math.max(retryMs ?? restartMs, resumeWaitLeastMs), resumeWaitMostMs);
  setTimeout(again, waitMs).unref();
}
