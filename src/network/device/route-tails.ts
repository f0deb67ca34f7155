// The text of a route without its prefix, made once for all routes that share it: a table of a million routes has few of them. Keyed by
// the identity of the next hops, of which drivers give shared ones.
import type { RouteEntry } from '#model/router/device-port.ts';

type Tail = {
  readonly kind: string;
  readonly protocol: string;
  readonly metric: number | undefined;
  readonly text: string;
};

/** `make` must not look at the prefix. */
export function createRouteTails(make: (route: RouteEntry) => string): (route: RouteEntry) => string {
  const tails = new Map<RouteEntry['nextHops'], Tail>();
  return (route) => {
    const { kind, protocol, metric, nextHops } = route;
    const known = tails.get(nextHops);
    if (known !== undefined && known.protocol === protocol && known.metric === metric && known.kind === kind)
      return known.text;
    const text = make(route);
    tails.set(nextHops, { kind, protocol, metric, text });
    return text;
  };
}
