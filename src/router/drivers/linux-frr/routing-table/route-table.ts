// One pass through the kernel's routing table that can stand still, and knows when it must begin again: the routes behind its
// position, each once, whatever changes. Looks at one datagram at a time and never waits for the kernel.
import { setImmediate } from 'node:timers/promises';
import { ParleyError } from '#base/error.ts';
import type { AddressFamily, RouteEntry } from '#model/router/device-port.ts';
import type { Libc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { type RouteEntries, unreadable } from './route-entries.ts';
import { startPass } from './route-pass.ts';
import { createRoutePlace, type Position } from './route-place.ts';
import { behindMessage, emptyRouteMessage, errnoAt, readMessage } from './rtnetlink.ts';

/** Routes that a page still has room for; one with many next hops takes more of it. */
export type Room = { left: number };

export type Table = {
  readonly family: AddressFamily;
  readonly position: Position | undefined;
  /** Routes of one datagram, as many as there is room for; undefined when the table has ended. */
  take(room: Room, signal: AbortSignal | undefined): Promise<readonly RouteEntry[] | undefined>;
  /** True when there is a route behind the position. */
  hasMore(signal: AbortSignal | undefined): Promise<boolean>;
  close(): void;
};

/** Errors of a dump that mean that there is no such table here: ENOENT, EOPNOTSUPP, EAFNOSUPPORT. */
const NO_TABLE = new Set([2, 95, 97]);

export function openTable(init: {
  readonly libc: Libc;
  readonly entries: RouteEntries;
  readonly family: AddressFamily;
  /** Where to go on (`same` at least 1); undefined: from the beginning. */
  readonly position: Position | undefined;
}): Table {
  const { libc, entries, family } = init;
  const buffer = Buffer.allocUnsafe(DRIVER_LIMITS.netlinkBytes);
  const message = emptyRouteMessage();
  const place = createRoutePlace(family, init.position);
  let pass = startPass(libc, family);
  place.repeat();
  let [at, end, isAtRoute, isEnded, restarts] = [0, 0, false, false, 0];

  const restart = () => {
    if (++restarts > DRIVER_LIMITS.routeDumpRestarts)
      throw new ParleyError(
        'node/table-unsteady',
        `expected a table that holds still where it is read, it changed ${restarts} times`,
      );
    pass.close();
    pass = startPass(libc, family);
    place.repeat();
  };
  /** Moves to the next new route within the datagram. */
  const step = (): boolean => {
    if (isAtRoute) return true;
    for (; at < end; at = behindMessage(buffer, at, end)) {
      const kind = readMessage(buffer, at, end, message);
      if (kind === 'end') {
        isEnded = true;
        const errno = errnoAt(buffer, at, end);
        if (errno !== 0 && !NO_TABLE.has(errno)) throw unreadable(`errno ${errno}`);
      }
      if (kind !== 'route' || !place.isNew(buffer, message)) continue;
      isAtRoute = true;
      return true;
    }
    return false;
  };
  const give = (): RouteEntry => {
    place.moveTo(buffer, message);
    [isAtRoute, restarts] = [false, 0];
    const entry = entries.entry(family, buffer, message);
    at = behindMessage(buffer, at, end);
    return entry;
  };
  /** The next datagram; false when there is none. */
  const refill = async (signal: AbortSignal | undefined): Promise<boolean> => {
    while (!isEnded) {
      signal?.throwIfAborted();
      const read = pass.read(buffer);
      if (read.areNamesOld) entries.forgetNames();
      await entries.prepare(signal);
      // What may lack does not matter where the datagram begins before the place; it repeats then what was given out.
      const doesRepeat = read.mayLack && place.isBehind(read.first);
      if (doesRepeat) place.repeat();
      if (!read.mayLack || doesRepeat) {
        [at, end] = [0, read.bytes];
        return true;
      }
      restart();
      await setImmediate();
    }
    return false;
  };
  return {
    family,
    get position() {
      return place.position;
    },
    async take(room, signal) {
      if (!step() && !(await refill(signal))) return undefined;
      const routes: RouteEntry[] = [];
      while (room.left > 0 && step()) {
        const route = give();
        room.left -= Math.max(1, (route.nextHops.length + 1) / 2);
        routes.push(route);
      }
      return routes;
    },
    async hasMore(signal) {
      while (!step()) {
        if (!(await refill(signal))) return false;
        await setImmediate();
      }
      return true;
    },
    close: () => pass.close(),
  };
}
