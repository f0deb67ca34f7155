// Subscriptions of one session (NET-5, NET-20). Each begins with a read, so a caller that may not read may not subscribe; each update is
// a read too. Never announces the same content twice. Bounded in number; all end with the session. Queues nothing for a subscriber that
// does not read: once it reads again, it gets the current content with a note that updates were left out.

import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { HandledCall, PageHead } from '#model/ports.ts';
import { MCP_LIMITS } from '../limits.ts';
import { nameOfCode, RpcError } from '../protocol/rpc.ts';
import { Backlog } from '../transports/backlog.ts';
import type { Catalog } from './catalog.ts';

type Answered = Extract<HandledCall, { status: 'answered' }>;

/** Reads `uri` as its subscriber; a refusal ends the subscription. */
export type SubscriptionRead = (uri: string, contentId: string | undefined) => Promise<HandledCall>;

export type Update = {
  readonly id: string;
  readonly uri: string;
  readonly content: Pick<Answered, 'body' | 'page' | 'envelope'>;
  /** True: updates before this one were left out. */
  readonly missed?: true;
};

/** Rejects with Backlog where the update was left out. */
export type Notify = (update: Update) => Promise<void>;

export type Subscriptions = {
  /** Throws RpcError if there are too many, or the resource never changes; returns a refused read as it is. */
  add(uri: string, contentId?: string): Promise<{ readonly id: string; readonly initial: HandledCall }>;
  /** By id, or by URI for MCP clients, which have no ids. Throws RpcError if there is none. */
  remove(idOrUri: string): void;
  close(): void;
};

type Entry = {
  readonly id: string;
  readonly uri: string;
  stop: () => void;
  contentId: string | undefined;
  reading: boolean;
  /** It changed while it was read: what is being read may be older than that. */
  changed: boolean;
  /** An update was left out, and none was sent since. */
  missed: boolean;
  /** The subscriber does not read at present. */
  waiting: boolean;
};

export function createSubscriptions(parts: {
  readonly catalog: Catalog;
  readonly read: SubscriptionRead;
  readonly notify: Notify;
}): Subscriptions {
  const entries = new Map<string, Entry>();
  let count = 0;
  /** Subscriptions whose first read is still running. */
  let reserved = 0;
  let closed = false;
  const end = (entry: Entry) => {
    entries.delete(entry.id);
    entry.stop();
  };
  const refresh = async (entry: Entry) => {
    if (entry.waiting) entry.missed = true;
    if (entry.reading) entry.changed = true;
    if (entry.reading || entry.waiting) return;
    entry.reading = true;
    entry.changed = false;
    try {
      const handled = await parts.read(entry.uri, entry.contentId);
      if (!entries.has(entry.id)) return;
      if (handled.status === 'refused') return end(entry);
      if (handled.page?.unchanged) return;
      entry.contentId = handled.page?.contentId;
      tell(parts.notify, entry, handled, again);
    } finally {
      entry.reading = false;
      if (entry.changed) again(entry);
    }
  };
  const again = (entry: Entry) => {
    if (entries.has(entry.id)) refresh(entry).catch(() => end(entry));
  };
  return {
    async add(uri, contentId) {
      if (entries.size + reserved >= MCP_LIMITS.subscriptions) {
        throw refusal(WIRE_CODES.busy, {
          detail: `at most ${MCP_LIMITS.subscriptions} subscriptions in one session`,
          retryPossible: true,
        });
      }
      reserved++;
      const allowed = await parts.read(uri, contentId).catch((error: unknown) => {
        reserved--;
        throw error;
      });
      // No await between here and the entry: the subscription moves from one count to the other.
      reserved--;
      // The session has ended: a watch that began now would never stop.
      if (closed) throw new Error('the session ended');
      if (allowed.status === 'refused') return { id: '', initial: allowed };
      const definition = parts.catalog.findResource(uri);
      if (definition?.watch === undefined) {
        throw refusal(WIRE_CODES.invalidParams, {
          detail: 'this resource sends no updates',
          path: uri.slice(0, 200),
          retryPossible: false,
        });
      }
      const id = `${definition.name}-${++count}`;
      const entry: Entry = {
        id,
        uri,
        stop: () => {},
        contentId: allowed.page?.contentId,
        reading: false,
        changed: false,
        missed: false,
        waiting: false,
      };
      entries.set(id, entry);
      entry.stop = definition.watch(uri, (news) => {
        if (news === undefined || entry.waiting) again(entry);
        else if (entries.has(id))
          tell(parts.notify, entry, { body: news.data, page: headOf(news, definition.mimeType) }, again);
      });
      // Read again now that changes are watched: a change between the first read and the watch must not be lost.
      const initial = await parts.read(uri, contentId);
      if (initial.status === 'refused') end(entry);
      else entry.contentId = initial.page?.contentId;
      return { id, initial };
    },
    remove(idOrUri) {
      const found = entries.get(idOrUri) ?? [...entries.values()].find(({ uri }) => uri === idOrUri);
      if (found === undefined) {
        throw refusal(WIRE_CODES.invalidParams, { detail: 'expected a subscription of this session, got another' });
      }
      end(found);
    },
    close() {
      closed = true;
      for (const entry of [...entries.values()]) end(entry);
    },
  };
}

function refusal(code: number, data: JsonObject): RpcError {
  return new RpcError(code, nameOfCode(code), data);
}

/** Sends one update; where the subscriber does not read, `again` is called once it does. */
function tell(notify: Notify, entry: Entry, content: Update['content'], again: (entry: Entry) => void): void {
  const { id, uri, missed } = entry;
  entry.missed = false;
  notify({ id, uri, content, ...(missed ? { missed } : {}) }).catch((error: unknown) => {
    if (!(error instanceof Backlog)) return;
    entry.missed = true;
    // The subscriber does not have what was read last.
    entry.contentId = undefined;
    if (entry.waiting) return;
    entry.waiting = true;
    void error.room.then(() => {
      entry.waiting = false;
      again(entry);
    });
  });
}

function headOf(news: { readonly mimeType?: string; readonly binary?: boolean }, mimeType: string): PageHead {
  return { mimeType: news.mimeType ?? mimeType, ...(news.binary === undefined ? {} : { binary: news.binary }) };
}
