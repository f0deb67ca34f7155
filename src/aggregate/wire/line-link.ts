// Messages as lines on two streams: the stdio transport of MCP. Ends the link at a message that is too long; passes over lines that are no
// message, since servers print things that are none.
import type { Readable, Writable } from 'node:stream';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { type Link, mayDrop, UNSET } from './link.ts';
import { decodeMessage } from './message.ts';

export type LineInit = {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxBytes?: number;
  /** Hears why a line was passed over. */
  readonly onOdd?: (reason: string) => void;
};

export function createLineLink(init: LineInit): Link {
  const { input, output, maxBytes = AGGREGATE_LIMITS.leafMessageBytes } = init;
  let closed = false;
  let corked = false;
  const finish = (reason?: string) => {
    if (closed) return;
    closed = true;
    link.ended(reason);
  };
  const read = createLines(maxBytes, {
    line(bytes) {
      if (closed) return;
      const message = decodeMessage(bytes);
      if (message.ok) link.receive(message.value);
      else init.onOdd?.(message.reason);
    },
    tooLong() {
      finish(`expected messages of at most ${maxBytes} bytes, got more`);
      input.destroy();
      output.end();
    },
  });
  const link: Link = {
    ...UNSET,
    send(text, about) {
      if (closed || !output.writable || mayDrop(output, about)) return;
      if (output.writableLength > AGGREGATE_LIMITS.unreadMostBytes)
        return link.close('expected the other side to read, it does not');
      // What is sent in one turn leaves in one write.
      if (!corked) {
        corked = true;
        output.cork();
        process.nextTick(() => {
          corked = false;
          output.uncork();
        });
      }
      output.write(`${text}\n`);
    },
    start() {
      input.on('data', read);
      input.once('end', () => finish());
      input.once('close', () => finish());
      input.on('error', (error) => finish(error.message));
      output.on('error', (error) => finish(error.message));
    },
    close(reason) {
      finish(reason);
      output.end();
    },
    get closed() {
      return closed;
    },
  };
  return link;
}

type LineSink = { line(bytes: Uint8Array): void; tooLong(): void };

function createLines(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let waiting = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      from = end + 1;
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = [];
      waiting = 0;
      if (line.length > maxBytes) return sink.tooLong();
      if (line.length > 1 || (line.length === 1 && line[0] !== 13)) sink.line(line);
    }
    if (from === chunk.length) return;
    parts.push(chunk.subarray(from));
    waiting += chunk.length - from;
    if (waiting > maxBytes) sink.tooLong();
  };
}
