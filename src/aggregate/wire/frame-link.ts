// Messages as frames over a TLS session or the control socket: uint32 length, then one JSON-RPC message. Refuses what is no frame or no
// message, and stops reading while the other side does not read what was sent to it.
import type { Duplex } from 'node:stream';
import { messageOf, ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { createFrameDecoder, encodeTextFrame } from '#codec/frame.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { type About, type Link, mayDrop, UNSET } from './link.ts';
import { decodeMessage, errorAnswer, responseText } from './message.ts';

export function createFrameLink(duplex: Duplex): Link {
  const decoder = createFrameDecoder();
  let closed = false;
  let corked = false;
  const finish = (reason?: string) => {
    if (closed) return;
    closed = true;
    link.ended(reason);
    const timer = setTimeout(() => duplex.destroy(), LIMITS.closeMs);
    duplex.once('close', () => clearTimeout(timer));
    duplex.end();
    duplex.resume();
  };
  const write = (frame: Uint8Array) => {
    if (duplex.writableLength > AGGREGATE_LIMITS.unreadMostBytes)
      return finish('expected the other side to read, it does not');
    if (!corked) {
      corked = true;
      duplex.cork();
      process.nextTick(() => {
        corked = false;
        duplex.uncork();
      });
    }
    if (!duplex.write(frame)) duplex.pause();
  };
  const link: Link = {
    ...UNSET,
    send(text, about) {
      if (closed || !duplex.writable || mayDrop(duplex, about)) return;
      const frame = frameOf(text, about);
      if (frame !== undefined) write(frame);
      else if (about.kind === 'request')
        queueMicrotask(() => link.failed(about.id, `expected a request of at most ${LIMITS.frameBytes} bytes`));
    },
    start() {
      duplex.on('drain', () => duplex.resume());
      duplex.on('data', (chunk: Buffer) => {
        const frames = decoder.push(chunk);
        if (!frames.ok) return finish(frames.reason);
        for (const frame of frames.value) {
          if (closed) return;
          const message = decodeMessage(frame);
          if (!message.ok) return finish(message.reason);
          link.receive(message.value);
        }
      });
      duplex.on('end', () => {
        const whole = decoder.end();
        finish(whole.ok ? undefined : whole.reason);
      });
      duplex.on('error', (error) => finish(`the connection failed: ${messageOf(error)}`));
      duplex.on('close', () => finish());
    },
    close: finish,
    get closed() {
      return closed;
    },
  };
  return link;
}

/** In place of a response that does not fit, an error that says so; undefined for anything else that does not fit. */
function frameOf(text: string, about: About): Uint8Array | undefined {
  try {
    return encodeTextFrame(text);
  } catch (error) {
    if (!(error instanceof ParleyError) || about.kind !== 'response') return undefined;
    const data = { detail: 'the result does not fit into one frame', retryPossible: false };
    return encodeTextFrame(responseText(about.id, errorAnswer(WIRE_CODES.internal, 'Internal error', data)));
  }
}
