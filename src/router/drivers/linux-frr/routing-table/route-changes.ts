// Tells whether the kernel's table changed where a dump stands (NET-6). A dump stays open between two pages, and the kernel finds
// its place again by the address (IPv4) or by counting what it has passed (IPv6): a change just there, or for IPv6 before it,
// could make it pass over a route. Sees changes as they are announced; when announcements were lost, everything may have changed.

import type { AddressFamily } from '#model/router/device-port.ts';
import type { Libc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { unreadable } from './route-entries.ts';
import { compareWith, type RouteKey } from './route-order.ts';
import { behindMessage, emptyRouteMessage, ROUTE_GROUPS, readMessage } from './rtnetlink.ts';

/** One look's changes: `everything` when they are not known one by one. */
export type Changes = { readonly everything: boolean; readonly links: boolean; readonly routes: readonly RouteKey[] };

export const NO_CHANGES: Changes = { everything: false, links: false, routes: [] };

export type ChangeWatch = {
  /** What was announced since the last look. */
  look(): Changes;
  close(): void;
};

export function watchChanges(libc: Libc, family: AddressFamily): ChangeWatch {
  const socket = libc.openNetlink(ROUTE_GROUPS[family]);
  if ('refused' in socket) throw unreadable(socket.refused);
  const buffer = Buffer.allocUnsafe(DRIVER_LIMITS.netlinkBytes);
  const message = emptyRouteMessage();
  return {
    look() {
      let everything = false;
      let links = false;
      const routes: RouteKey[] = [];
      for (let looks = 0; ; looks++) {
        const bytes = looks < DRIVER_LIMITS.netlinkChanges ? socket.receive(buffer) : 'lost';
        if (bytes === 'none') break;
        if (bytes === 'lost') {
          everything = true;
          if (looks >= DRIVER_LIMITS.netlinkChanges) break;
          continue;
        }
        for (let at = 0; at < bytes; at = behindMessage(buffer, at, bytes)) {
          const kind = readMessage(buffer, at, bytes, message);
          if (kind === 'link') links = true;
          if (kind === 'route') routes.push(keyOfMessage(family, buffer, message));
        }
      }
      if (!everything && !links && routes.length === 0) return NO_CHANGES;
      return { everything, links, routes };
    },
    close: () => socket.close(),
  };
}

/** True when the routes directly behind `place` may be missing from a dump that stood there while these changes came. */
export function mayHide(family: AddressFamily, changes: Changes, place: RouteKey): boolean {
  // An interface that goes down takes its IPv4 routes with it unannounced.
  if (changes.everything || changes.links) return true;
  return changes.routes.some((key) =>
    family === 'ipv4'
      ? Buffer.compare(key.bytes, place.bytes) === 0
      : compareWith(family, place, key.bytes, 0, key.length, key.metric) <= 0,
  );
}

export function keyOfMessage(
  family: AddressFamily,
  buffer: Buffer,
  message: { readonly dstAt: number; readonly prefixBits: number; readonly metric: number },
): RouteKey {
  const width = family === 'ipv4' ? 4 : 16;
  const { dstAt, prefixBits, metric } = message;
  const bytes = dstAt < 0 ? new Uint8Array(width) : Uint8Array.prototype.slice.call(buffer, dstAt, dstAt + width);
  return { bytes, length: prefixBits, metric: Math.max(0, metric) };
}
