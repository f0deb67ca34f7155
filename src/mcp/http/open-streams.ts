// The open responses of one HTTP session. The SDK queues events for a client without an end: while one of its responses waits to
// be read, notifications that may be lost are refused, and a response that stays unread from the first refusal on is destroyed (NET-20).
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { whenClosed } from '#base/when-closed.ts';
import { Backlog, createUnreadWatch, isLosable } from '../transports/backlog.ts';

export type OpenStreams = {
  add(response: ServerResponse | Http2ServerResponse): void;
  /** A response waits for more to be sent: its client is there. */
  readonly isOpen: boolean;
};

/** Puts itself before the transport's `send`. */
export function watchStreams(transport: Pick<Transport, 'send'>): OpenStreams {
  const open = new Set<{ readonly full: () => boolean; readonly room: () => Promise<void> }>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const full = isLosable(message) ? [...open].find((stream) => stream.full()) : undefined;
    if (full !== undefined) throw new Backlog(full.room());
    await send(message, options);
  };
  return {
    get isOpen() {
      return open.size > 0;
    },
    add(response) {
      const writable = 'stream' in response ? response.stream : response;
      const unread = createUnreadWatch(() => response.destroy());
      let waiting: PromiseWithResolvers<void> | undefined;
      const wake = () => {
        unread.end();
        waiting?.resolve();
        waiting = undefined;
      };
      const stream = {
        full: () => writable.writableNeedDrain,
        room: () => {
          unread.begin();
          waiting ??= Promise.withResolvers<void>();
          return waiting.promise;
        },
      };
      open.add(stream);
      response.on('drain', wake);
      whenClosed(response, () => {
        open.delete(stream);
        wake();
      });
    },
  };
}
