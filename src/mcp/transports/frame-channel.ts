// One session's messages over a duplex: length-prefixed frames, one strict JSON-RPC message each [NET-14]. What is no frame or no strict
// JSON ends this session with the reason, and no other; a served peer's JSON that is no message is answered and ends nothing. Applies back pressure instead of growing: while the peer does not read our answers, a serving
// channel does not read its requests; after MCP_LIMITS.unreadMs it ends.
import type { Duplex } from 'node:stream';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { createFrameDecoder, encodeTextFrame } from '#codec/frame.ts';
import { DEFAULT_BOUNDS, decodeStrictJson } from '#codec/strict-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { MCP_LIMITS } from '../limits.ts';
import {
  errorResponse,
  type InvalidMessage,
  invalidAnswer,
  nameOfCode,
  parseRpcMessage,
  REQUEST_BOUNDS,
  type RpcId,
  type RpcMessage,
} from '../protocol/rpc.ts';
import { Backlog, createUnreadWatch } from './backlog.ts';

export type FrameChannel = {
  /** Receives each message; may be replaced at any time, also while it runs. */
  receive: (message: RpcMessage) => void;
  /** Called for the first message of a served peer that was invalid, answered and dropped. */
  invalid: (reason: string) => void;
  /** Called once, when nothing will arrive any more; `reason` is absent after a clean end. */
  ended: (reason?: string) => void;
  /** Hands nothing over until `ready` has settled; what arrives meanwhile waits in the socket. A rejection ends the session. */
  holdUntil: (ready: Promise<void>) => void;
  /** Begins reading. Set `receive` and `ended` before. */
  start(): void;
  /** Resolves when the socket took the message; rejects when the channel is closed or the frame would be too large. */
  send(message: JsonObject): Promise<void>;
  /** The same for what may be lost: rejects with Backlog while the socket waits for its peer to read. */
  offer(message: JsonObject): Promise<void>;
  /** Sends an error, ends the session, and reports `reason` to `ended`. */
  refuse(reason: string, error?: { readonly id: RpcId | null; readonly code: number }): void;
  /** Ends the session after what was sent; destroys the socket when the peer does not end too. */
  close(): void;
  readonly closed: boolean;
};

const ignore = () => {};

type Init = {
  readonly duplex: Duplex;
  readonly role: 'serving' | 'calling';
  /** Hears each message before `receive`, whatever that is. */
  readonly heard?: (message: RpcMessage) => void;
};

export function createFrameChannel(init: Init): FrameChannel {
  const { duplex } = init;
  const bounds = init.role === 'serving' ? REQUEST_BOUNDS : DEFAULT_BOUNDS;
  let finished = false;

  const finish = (reason?: string) => {
    if (finished) return;
    finished = true;
    channel.ended(reason);
  };
  const endSocket = () => {
    if (duplex.destroyed) return;
    const timer = setTimeout(() => duplex.destroy(), LIMITS.closeMs);
    duplex.once('close', () => clearTimeout(timer));
    duplex.end();
    duplex.resume();
  };
  const { write, woken, room } = createWriter(init, (reason) => {
    finish(reason);
    duplex.destroy();
  });
  let complained = false;
  /** A server whose message is invalid is not used any more; a client gets an answer. */
  const drop = (message: InvalidMessage) => {
    if (init.role === 'calling') return channel.refuse(message.reason);
    if (message.id !== undefined) channel.send(invalidAnswer(message, message.id)).catch(ignore);
    if (!complained) channel.invalid(message.reason);
    complained = true;
  };
  const frames = createFrameQueue(init, {
    take(frame) {
      if (finished) return;
      const value = decodeStrictJson(frame, bounds);
      if (!value.ok) return channel.refuse(value.reason);
      const message = parseRpcMessage(value.value);
      if (!message.ok) return drop(message);
      init.heard?.(message.value);
      channel.receive(message.value);
    },
    fail: (reason) => channel.refuse(reason),
    ended(reason) {
      finish(reason);
      endSocket();
    },
  });

  const channel: FrameChannel = {
    receive: ignore,
    invalid: ignore,
    ended: ignore,
    holdUntil: (ready) =>
      frames.holdUntil(ready, (reason) => channel.refuse(reason, { id: null, code: WIRE_CODES.internal })),
    start() {
      duplex.on('data', frames.push);
      duplex.on('drain', () => {
        woken();
        frames.goOn();
      });
      duplex.on('end', frames.end);
      duplex.on('error', (error) => finish(`the connection failed: ${messageOf(error)}`));
      duplex.on('close', () => {
        finish();
        woken();
      });
    },
    async send(message) {
      if (finished || !duplex.writable) throw new Error('the session is closed');
      if (write(encodeTextFrame(JSON.stringify(message)))) return;
      await room();
    },
    async offer(message) {
      if (!finished && duplex.writableNeedDrain) throw new Backlog(room());
      await channel.send(message);
    },
    refuse(reason, error = { id: null, code: WIRE_CODES.parse }) {
      if (finished) return;
      const response = errorResponse(error.id, { code: error.code, message: nameOfCode(error.code) });
      if (init.role === 'serving' && duplex.writable) write(encodeTextFrame(JSON.stringify(response)));
      finish(reason);
      endSocket();
    },
    close() {
      finish();
      endSocket();
    },
    get closed() {
      return finished;
    },
  };
  return channel;
}

/** Writes frames and keeps the senders that wait for room; calls `giveUp` if a served peer does not read. */
function createWriter({ duplex, role }: Init, giveUp: (reason: string) => void) {
  const unread = createUnreadWatch(giveUp);
  let corked = false;
  /** One promise for all senders that wait until the socket takes more or closes; refused messages wait on it too. */
  let waiting: PromiseWithResolvers<void> | undefined;
  /** Frames that are sent in one turn leave in one record. */
  const write = (frame: Uint8Array): boolean => {
    if (!corked) {
      corked = true;
      duplex.cork();
      process.nextTick(() => {
        corked = false;
        duplex.uncork();
      });
    }
    const more = duplex.write(frame);
    if (!more && role === 'serving') {
      duplex.pause();
      unread.begin();
    }
    return more;
  };
  const woken = () => {
    unread.end();
    waiting?.resolve();
    waiting = undefined;
  };
  const room = (): Promise<void> => {
    waiting ??= Promise.withResolvers<void>();
    return waiting.promise;
  };
  return { write, woken, room };
}

type FrameSink = {
  take(frame: Uint8Array): void;
  /** The bytes are no frames. */
  fail(reason: string): void;
  /** After the last frame; `reason` is present when the stream ended within one. */
  ended(reason?: string): void;
};

/**
 * Hands over what arrived, MCP_LIMITS.messagesPerTurn frames in each round of the event loop, so that one session's burst does not keep
 * the others waiting. Reads no more while frames wait, and a served peer's frames wait while it does not read our answers.
 */
function createFrameQueue({ duplex, role }: Init, sink: FrameSink) {
  const decoder = createFrameDecoder();
  let queue: Uint8Array[] = [];
  let scheduled = false;
  let inputEnded = false;
  let isHeld = false;
  const held = () => isHeld || (role === 'serving' && duplex.writableNeedDrain && !duplex.destroyed);
  const takeSome = () => {
    scheduled = false;
    for (let taken = 0; taken < MCP_LIMITS.messagesPerTurn && queue.length > 0 && !held(); taken++) {
      sink.take(queue.shift()!);
    }
    goOn();
  };
  const goOn = () => {
    if (scheduled || held()) return;
    if (queue.length > 0) {
      scheduled = true;
      setImmediate(takeSome);
    } else if (inputEnded) {
      const whole = decoder.end();
      sink.ended(whole.ok ? undefined : whole.reason);
    } else duplex.resume();
  };
  return {
    goOn,
    holdUntil(ready: Promise<void>, fail: (reason: string) => void) {
      isHeld = true;
      ready
        .catch((error) => fail(messageOf(error)))
        .then(() => {
          isHeld = false;
          goOn();
        });
    },
    push(chunk: Uint8Array) {
      const frames = decoder.push(chunk);
      if (!frames.ok) return sink.fail(frames.reason);
      queue = queue.concat(frames.value);
      if (queue.length === 0) return;
      duplex.pause();
      if (!scheduled) takeSome();
    },
    end() {
      inputEnded = true;
      goOn();
    },
  };
}
