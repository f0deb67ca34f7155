// One session's messages over a duplex: length-prefixed frames, one strict JSON-RPC message each [NET-14]. Anything else ends this
// session with the reason, and no other. Applies back pressure instead of growing: while the peer does not read our answers, a serving
// channel does not read its requests; after MCP_LIMITS.unreadMs it ends.
import type { Duplex } from 'node:stream';
import { messageOf } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { createFrameDecoder, encodeTextFrame } from '#codec/frame.ts';
import { DEFAULT_BOUNDS, decodeStrictJson, type JsonBounds } from '#codec/strict-json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import {
  errorResponse,
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
  /** Called once, when nothing will arrive any more; `reason` is absent after a clean end. */
  ended: (reason?: string) => void;
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

type Init = { readonly duplex: Duplex; readonly role: 'serving' | 'calling' };

export function createFrameChannel(init: Init): FrameChannel {
  const { duplex } = init;
  const decoder = createFrameDecoder();
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
  const { write, wake, room } = createWriter(init, (reason) => {
    finish(reason);
    duplex.destroy();
  });
  const onChunk = (chunk: Uint8Array) => {
    if (finished) return;
    const frames = decoder.push(chunk);
    if (!frames.ok) return channel.refuse(frames.reason);
    for (const frame of frames.value) {
      if (finished) return;
      const message = decodeMessage(frame, bounds);
      if (!message.ok) return channel.refuse(message.reason);
      channel.receive(message.value);
    }
  };

  const channel: FrameChannel = {
    receive: ignore,
    ended: ignore,
    start() {
      duplex.on('data', onChunk);
      duplex.on('drain', wake);
      duplex.on('end', () => {
        const whole = decoder.end();
        finish(whole.ok ? undefined : whole.reason);
        endSocket();
      });
      duplex.on('error', (error) => finish(`the connection failed: ${messageOf(error)}`));
      duplex.on('close', () => {
        finish();
        wake();
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
  const wake = () => {
    unread.end();
    waiting?.resolve();
    waiting = undefined;
    duplex.resume();
  };
  const room = (): Promise<void> => {
    waiting ??= Promise.withResolvers<void>();
    return waiting.promise;
  };
  return { write, wake, room };
}

function decodeMessage(frame: Uint8Array, bounds: JsonBounds) {
  const value = decodeStrictJson(frame, bounds);
  return value.ok ? parseRpcMessage(value.value) : value;
}
