// Notifications of a device (RFC 5277, RFC 6470) as lines: time, event and its content as JSON-like text, the last of them kept. One
// subscription on a session of its own while there is a listener or a reader, made anew after the device was lost. Device text, bounded.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { Log } from '#base/log.ts';
import { REDACTED } from '#model/secrets/secret-forms.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import type { NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
import type { NetconfReader } from './reader.ts';
import type { XmlElement } from './xml.ts';

export type NetconfEvents = {
  /** Subscribes, if it can, and stays so. */
  start(): Promise<void>;
  last(count: number): Promise<readonly string[]>;
  watch(lines: (added: readonly string[]) => void): () => void;
  /** The element inside each notification, before it becomes a line. */
  onEvent(hear: (event: XmlElement) => void): void;
  close(): Promise<void>;
};

export function createNetconfEvents(parts: {
  readonly link: Pick<NetconfLink, 'use' | 'beside'>;
  readonly reader: Pick<NetconfReader, 'notification'>;
  readonly clock: Clock;
  readonly log: Log;
}): NetconfEvents {
  const { link, reader, clock, log } = parts;
  const kept: string[] = [];
  const watchers = new Set<(added: readonly string[]) => void>();
  const hearers: ((event: XmlElement) => void)[] = [];
  const ended = new AbortController();
  let subscribed: Promise<void> | undefined;

  const inTurn = createInTurn();
  let waiting = 0;
  const tell = async (notification: XmlElement) => {
    const time = notification.children.find(({ name }) => name === 'eventTime')?.text.trim() ?? '';
    // What in it is a secret is not known as long as the device does not tell its modules.
    const shown = await reader.notification(notification).catch(() => undefined);
    const named = eventIn(notification)?.name ?? '';
    const event = shown === undefined ? undefined : eventIn(shown);
    const line = `${time} ${named} ${event === undefined ? REDACTED : briefOf(event)}`.slice(
      0,
      DRIVER_LIMITS.netconfEventChars,
    );
    kept.push(line);
    if (kept.length > DRIVER_LIMITS.netconfEvents) kept.shift();
    for (const watcher of watchers) watcher([line]);
  };
  const hear = (notification: XmlElement) => {
    const event = eventIn(notification);
    // No more than are kept wait for the device to tell its modules: a flood must not grow here.
    if (event === undefined || waiting >= DRIVER_LIMITS.netconfEvents) return;
    waiting += 1;
    void inTurn(() => tell(notification)).finally(() => {
      waiting -= 1;
    });
    for (const each of hearers) each(event);
  };
  /** Resolves when the subscription stands, or the device has none. */
  const subscribe = async (): Promise<void> => {
    const { session } = await link.use();
    if (!hasCapability(session.capabilities, CAPABILITIES.notification)) return;
    const own = await link.beside();
    own.session.onNotification(hear);
    own.session.onEnd(() => {
      subscribed = undefined;
      if (!ended.signal.aborted) void again();
    });
    await own.operations.subscribe();
  };
  const ensure = () => {
    subscribed ??= subscribe().catch((error) => {
      subscribed = undefined;
      throw error;
    });
    return subscribed;
  };
  /** The link's own pauses keep this from hammering a device that is down. */
  const again = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(DRIVER_LIMITS.netconfRedialMs, ended.signal).catch(() => {});
      if (ended.signal.aborted) return;
      try {
        return await ensure();
      } catch (error) {
        log.debug('notifications of the device could not be had', { reason: messageOf(error) });
      }
    }
  };
  return {
    start: () =>
      ensure().catch((error) => {
        log.warn('notifications of the device could not be had', { reason: messageOf(error) });
        void again();
      }),
    async last(count) {
      await ensure();
      await inTurn(async () => {});
      return kept.slice(-count);
    },
    watch(lines) {
      watchers.add(lines);
      void ensure().catch(() => {});
      return () => void watchers.delete(lines);
    },
    onEvent: (each) => void hearers.push(each),
    async close() {
      ended.abort();
    },
  };
}

function eventIn(notification: XmlElement): XmlElement | undefined {
  return notification.children.find(({ name }) => name !== 'eventTime');
}

/** `changed-by={username=admin} edit={target=/if:interfaces}`: leaves and their texts, control characters out. */
function briefOf(element: XmlElement): string {
  return element.children
    .map(({ name, ...entry }) => {
      const inside =
        entry.children.length > 0
          ? `{${briefOf({ name, ...entry })}}`
          : entry.text.trim().replace(/[\p{Cc}\s]+/gu, ' ');
      return `${name}=${inside}`;
    })
    .join(' ');
}
