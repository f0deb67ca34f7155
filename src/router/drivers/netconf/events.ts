// Notifications of a device (RFC 5277, RFC 6470) as lines: time, event and its content as JSON-like text, the last of them kept. One
// subscription on a session of its own while somebody listens or has asked, made anew after the device was lost. Device text, bounded.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { Log } from '#base/log.ts';
import { isSecretLeaf } from '#model/redaction.ts';
import type { NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
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
  readonly link: NetconfLink;
  readonly clock: Clock;
  readonly log: Log;
}): NetconfEvents {
  const { link, clock, log } = parts;
  const kept: string[] = [];
  const watchers = new Set<(added: readonly string[]) => void>();
  const hearers: ((event: XmlElement) => void)[] = [];
  const ended = new AbortController();
  let subscribed: Promise<void> | undefined;

  const hear = (notification: XmlElement) => {
    const event = notification.children.find(({ name }) => name !== 'eventTime');
    if (event === undefined) return;
    const time = notification.children.find(({ name }) => name === 'eventTime')?.text.trim() ?? '';
    const line = `${time} ${event.name} ${briefOf(event)}`.slice(0, LIMITS.netconfEventChars);
    kept.push(line);
    if (kept.length > LIMITS.netconfEvents) kept.shift();
    for (const each of hearers) each(event);
    for (const watcher of watchers) watcher([line]);
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
      await clock.sleep(LIMITS.netconfRedialMs, ended.signal).catch(() => {});
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

/** `changed-by={username=admin} edit={target=/if:interfaces}`: leaves and their texts, control characters out. */
function briefOf(element: XmlElement): string {
  return element.children
    .map((entry) => {
      const inside =
        entry.children.length > 0 ? `{${briefOf(entry)}}` : entry.text.trim().replace(/[\p{Cc}\s]+/gu, ' ');
      return entry.children.length === 0 && isSecretLeaf(entry.name)
        ? `${entry.name}=<redacted>`
        : `${entry.name}=${inside}`;
    })
    .join(' ');
}
