// Where a reader of a routing table stands: the key of the last route given out, and how many of that key were. Written over with each
// route, since a million objects would cost more than the table.
import type { AddressFamily } from '#model/router/device-port.ts';
import { compareWith, type RouteKey } from './route-order.ts';
import type { RouteMessage } from './rtnetlink.ts';

export type Position = { readonly after: RouteKey; readonly same: number };

export type RoutePlace = {
  /** Undefined before the first route. */
  readonly position: Position | undefined;
  /** From now on routes come that were given out already. */
  repeat(): void;
  /** True when the route was not given out yet. */
  isNew(buffer: Buffer, message: RouteMessage): boolean;
  /** The route is given out. */
  moveTo(buffer: Buffer, message: RouteMessage): void;
  /** True when `key` comes before the place. */
  isBehind(key: RouteKey | undefined): boolean;
};

export function createRoutePlace(family: AddressFamily, position: Position | undefined): RoutePlace {
  const place = {
    bytes: new Uint8Array(family === 'ipv4' ? 4 : 16),
    length: position?.after.length ?? 0,
    metric: position?.after.metric ?? 0,
  };
  place.bytes.set(position?.after.bytes ?? []);
  let same = position?.same ?? 0;
  /** Routes of the place's key that are still to come again. */
  let repeated = 0;
  let isRepeating = false;
  const order = (buffer: Buffer, { dstAt, prefixBits, metric }: RouteMessage) =>
    compareWith(family, place, buffer, dstAt, prefixBits, Math.max(0, metric));
  return {
    get position() {
      return same === 0 ? undefined : { after: place, same };
    },
    repeat() {
      [repeated, isRepeating] = [same, same > 0];
    },
    isNew(buffer, message) {
      if (!isRepeating) return true;
      const direction = order(buffer, message);
      const isNew = direction > 0 || (direction === 0 && repeated-- <= 0);
      if (isNew) isRepeating = false;
      return isNew;
    },
    moveTo(buffer, message) {
      const { dstAt, prefixBits, metric } = message;
      const { bytes } = place;
      same = same > 0 && order(buffer, message) === 0 ? same + 1 : 1;
      for (let index = 0; index < bytes.length; index++) bytes[index] = dstAt < 0 ? 0 : buffer[dstAt + index]!;
      place.length = prefixBits;
      place.metric = Math.max(0, metric);
    },
    isBehind: (key) =>
      same > 0 && key !== undefined && compareWith(family, place, key.bytes, 0, key.length, key.metric) < 0,
  };
}
