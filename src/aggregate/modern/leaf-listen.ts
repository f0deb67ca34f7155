// What a server of MCP 2026-07-28 tells by itself: one `subscriptions/listen` at a time, opened anew when what it is asked for changes, and when
// it ends. The one before is given up after the next has been acknowledged, so that nothing is missed between them.
import { type Clock, STOPPED } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

export type LeafListen = {
  /** Begins, or begins anew. Resolves when the server has acknowledged, or has refused. */
  open(): Promise<void>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  acknowledged(id: number): void;
  /** The request with this id has ended; false where it is none of these. */
  ended(id: number): boolean;
  stop(): void;
};

export type LeafListenInit = {
  readonly clock: Clock;
  /** Sends the request and gives its id. */
  readonly send: (params: JsonObject) => number;
  readonly cancel: (id: number) => void;
};

export function createLeafListen({ clock, send, cancel }: LeafListenInit): LeafListen {
  const uris = new Set<string>();
  const stopped = new AbortController();
  let current: number | undefined;
  let opening: { readonly id: number; readonly settled: () => void } | undefined;
  const open = async () => {
    if (stopped.signal.aborted) return;
    const before = current;
    opening?.settled();
    const { promise, resolve } = Promise.withResolvers<void>();
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
    };
    const id = send({ notifications });
    current = id;
    opening = { id, settled: resolve };
    await promise;
    if (before !== undefined) cancel(before);
  };
  return {
    open,
    async subscribe(uri) {
      uris.add(uri);
      await open();
    },
    async unsubscribe(uri) {
      if (uris.delete(uri)) await open();
    },
    acknowledged(id) {
      if (opening?.id === id) opening.settled();
    },
    ended(id) {
      if (opening?.id === id) opening.settled();
      if (current !== id) return false;
      current = undefined;
      clock.sleep(AGGREGATE_LIMITS.restartMostMs, stopped.signal).then(
        () => (current === undefined ? void open() : undefined),
        () => {},
      );
      return true;
    },
    stop() {
      stopped.abort(STOPPED);
      opening?.settled();
    },
  };
}
