// One rtnetlink dump of a routing table, datagram by datagram, with the knowledge of whether the table changed where the kernel
// stood between two of them. The kernel makes each datagram while the one before is read: a change between those two moments is
// what counts, and looks at the announced changes lie on both sides of them.
import type { AddressFamily } from '#model/router/device-port.ts';
import type { Libc } from '../../../native/libc.ts';
import { type Changes, keyOfMessage, mayHide, NO_CHANGES, watchChanges } from './route-changes.ts';
import { unreadable } from './route-entries.ts';
import type { RouteKey } from './route-order.ts';
import { behindMessage, emptyRouteMessage, isReadable, readMessage, routeDumpRequest } from './rtnetlink.ts';

export type PassRead = {
  readonly bytes: number;
  /** The first route of the datagram. */
  readonly first: RouteKey | undefined;
  /** True when routes directly before the first may be missing. */
  readonly mayLack: boolean;
  /** True when interfaces changed. */
  readonly areNamesOld: boolean;
};

export type Pass = {
  /** Reads the next datagram into `buffer`. Must not be called behind the dump's end. */
  read(buffer: Buffer): PassRead;
  close(): void;
};

export function startPass(libc: Libc, family: AddressFamily): Pass {
  if (!isReadable) throw unreadable('a processor of the other byte order');
  // The watch comes first: what changes from the first datagram on is seen.
  const watch = watchChanges(libc, family);
  const socket = libc.openNetlink(0);
  if ('refused' in socket || !socket.send(routeDumpRequest(family))) {
    watch.close();
    throw unreadable('refused' in socket ? socket.refused : 'no answer');
  }
  const message = emptyRouteMessage();
  const keyAt = (buffer: Buffer, at: number, end: number) =>
    at >= 0 && readMessage(buffer, at, end, message) === 'route' ? keyOfMessage(family, buffer, message) : undefined;
  let place: RouteKey | undefined;
  let before: Changes = NO_CHANGES;
  let mayLack = false;
  return {
    read(buffer) {
      const until = watch.look();
      const bytes = socket.receive(buffer);
      if (typeof bytes !== 'number') throw unreadable(bytes);
      const ends = endsOf(buffer, bytes);
      const after = watch.look();
      const first = keyAt(buffer, ends.first, bytes);
      const lacked = mayLack;
      place = keyAt(buffer, ends.last, bytes) ?? keyAt(buffer, ends.lastButOne, bytes) ?? place;
      const changes = [before, until, after];
      mayLack = place !== undefined && changes.some((each) => mayHide(family, each, place!));
      before = after;
      return { bytes, first, mayLack: lacked, areNamesOld: until.links || after.links };
    },
    close() {
      socket.close();
      watch.close();
    },
  };
}

/** Offsets of the first message and of the last two. */
function endsOf(buffer: Buffer, bytes: number): { first: number; last: number; lastButOne: number } {
  let [last, lastButOne] = [-1, -1];
  for (let at = 0; at < bytes; at = behindMessage(buffer, at, bytes)) [last, lastButOne] = [at, last];
  return { first: bytes > 0 ? 0 : -1, last, lastButOne };
}
