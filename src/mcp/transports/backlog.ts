// Nothing that may be lost is queued for a peer that does not read (NET-20): while the socket is full, updates, progress and log messages
// are refused with a Backlog; once there is room, the sender notes that something is missing. Answers are never refused.
import type { JsonObject } from '#base/json.ts';
import { MCP_LIMITS } from '../limits.ts';

/** The peer does not read. `room` resolves when it reads again, or when its session ends. */
export class Backlog extends Error {
  readonly room: Promise<void>;
  constructor(room: Promise<void>) {
    super('the peer does not read what it was sent');
    this.room = room;
  }
}

/** `_meta` member of the first notification after some of its kind were left out. */
const MISSED_META = 'io.parley/missed';

const LOSABLE = new Set(['notifications/progress', 'notifications/message', 'notifications/resources/updated']);

/** True for notifications whose loss is reported to the client and can be made up for. */
export function isLosable(message: object): boolean {
  return 'method' in message && LOSABLE.has(String(message.method));
}

/** Sends notifications of one kind in order; one that follows a lost one says so. */
export function createMarkedSender(send: (params: JsonObject) => Promise<void>): (params: JsonObject) => void {
  let missed = false;
  return (params) => {
    const marked = missed;
    missed = false;
    send(
      marked ? { ...params, _meta: { ...(params['_meta'] as JsonObject | undefined), [MISSED_META]: true } } : params,
    ).catch((error: unknown) => {
      missed = error instanceof Backlog;
    });
  };
}

/** Gives up a peer that never reads: it would hold its session, and what was written for it, for good. */
export function createUnreadWatch(giveUp: (reason: string) => void): { begin(): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    begin() {
      timer ??= setTimeout(
        () => giveUp(`expected the peer to read within ${MCP_LIMITS.unreadMs} ms, it did not`),
        MCP_LIMITS.unreadMs,
      );
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
