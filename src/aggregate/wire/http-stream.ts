// GET streams of Streamable HTTP, of the older revisions: what a server sends by itself, and the rest of an answer whose stream has ended. Each goes on
// where the one before ended, after the wait that the server has asked for, and after longer ones where none can be opened. No stream that
// cannot be opened ends the session, unless the server says that it does not know it.
import type { Dispatcher, Pool } from 'undici';
import type { Result } from '#base/result.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { createEventReader, type StreamPlace } from './event-stream.ts';
import { GIVEN_UP } from './http-exchange.ts';
import type { HeaderRecord } from './http-headers.ts';

export type StreamsInit = {
  readonly pool: Pool;
  readonly path: string;
  /** Calls back with the headers that go with a message, where anything may be sent. `refused`: those that the server refused before. */
  readonly takeHeaders: (refused: HeaderRecord | undefined, taken: (own: Result<HeaderRecord>) => void) => void;
  readonly maxBytes: number;
  /** `id`: of the own request that it came with. True for a response. */
  readonly receive: (bytes: Uint8Array, id: number | undefined) => boolean;
  readonly isClosed: () => boolean;
  readonly failed: (id: number, reason: string) => void;
  /** A stream that was there cannot be opened again. */
  readonly doubted: () => void;
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
  const place: StreamPlace = { id: undefined, retryMs: undefined };
  let isListening = false;
  /** Whether there was one before, and how many were tried in vain since. */
  let wasOpen = false;
  let inVain = 0;
  const read = (refused?: HeaderRecord) => {
    const data = (bytes: Buffer) => {
      init.receive(bytes, undefined);
      return true;
    };
    readStream(init, { place, refused, data }, (status, shown) => {
      if (init.isClosed()) return;
      inVain = status === 200 ? 0 : inVain + 1;
      const isOffered = wasOpen ? status !== 405 : isPassing(status) && inVain <= AGGREGATE_LIMITS.resumptions;
      wasOpen ||= status === 200;
      isListening = isOffered || status === 200;
      if (wasOpen && status === 404) return init.finish('the server does not know the session any more');
      if (!isListening) return;
      if (wasOpen && status !== 200) init.doubted();
      const next = status === 401 ? shown : undefined;
      afterWait(place, inVain, () => (init.isClosed() ? undefined : read(next)));
    });
  };
  return {
    listen() {
      if (isListening) return;
      isListening = true;
      read();
    },
    resume: (id, from, done) => resume(init, { id, place: from, done }),
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
  const once = (refused?: HeaderRecord) => {
    if (isOver || init.isClosed()) return;
    const before = place.id;
    const began = (given: typeof controller) => {
      controller = given;
      if (isOver) controller?.abort(new Error(GIVEN_UP));
    };
    readStream(init, { place, refused, data, began }, (status, shown) => {
      if (isOver || init.isClosed()) return;
      inVain = place.id === before ? inVain + 1 : 0;
      const mayGoOn = status === 200 || isPassing(status);
      const next = status === 401 ? shown : undefined;
      if (mayGoOn && inVain < AGGREGATE_LIMITS.resumptions) return afterWait(place, 0, () => once(next));
      end();
      init.failed(id, `the stream of the answer ended and could not be resumed: HTTP status ${status}`);
      if (status === 404) init.finish('the server does not know the session any more');
    });
  };
  afterWait(place, 0, once);
  return {
    abort(reason) {
      end();
      controller?.abort(reason);
    },
  };
}

type Resumed = { readonly id: number; readonly place: StreamPlace; readonly done: () => void };

const NO_ANSWER = 0;

/** The same request may be answered with a stream later, or with another token. */
function isPassing(status: number): boolean {
  const isOfServer = status >= 500 && status !== 501;
  return status === NO_ANSWER || status === 401 || status === 408 || status === 429 || isOfServer;
}

type Reading = {
  readonly place: StreamPlace;
  readonly refused: HeaderRecord | undefined;
  /** False where nothing more is wanted. */
  readonly data: (bytes: Buffer) => boolean;
  readonly began?: (controller: { abort(reason: Error): void }) => void;
};

/** `ended` hears the status, and the headers that were sent. */
function readStream(
  init: StreamsInit,
  { place, refused, data, began }: Reading,
  ended: (status: number, shown?: HeaderRecord) => void,
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
  const handlerFor = (own: HeaderRecord): Dispatcher.DispatchHandler => ({
    onRequestStart(given) {
      controller = given;
      began?.(given);
    },
    onResponseStart(_, code) {
      status = code;
    },
    onResponseData(_, chunk) {
      if (status === 200) reader(chunk as Buffer);
    },
    onResponseEnd: () => ended(status, own),
    onResponseError: () => ended(status, own),
  });
  init.takeHeaders(refused, (own) => {
    if (init.isClosed()) return;
    // Without a token that is in force the server would say the same.
    if (!own.ok) return ended(401);
    const headers = { ...own.value, ...last };
    init.pool.dispatch({ path: init.path, method: 'GET', headers }, handlerFor(own.value));
  });
}

/** Calls `again` after the wait that the server has asked for, which doubles with each try in vain. */
function afterWait({ retryMs }: StreamPlace, inVain: number, again: () => void): void {
  const { restartMs, resumeWaitLeastMs, resumeWaitMostMs } = AGGREGATE_LIMITS;
  const askedMs = Math.max(retryMs ?? restartMs, resumeWaitLeastMs);
  setTimeout(again, Math.min(askedMs * 2 ** Math.min(inVain, DOUBLINGS), resumeWaitMostMs)).unref();
}

/** More make no wait longer: the longest is reached. */
const DOUBLINGS = 16;
