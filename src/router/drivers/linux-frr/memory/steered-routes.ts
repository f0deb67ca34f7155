// Looks, at every whole state, whether the kernel has a way to what this node puts into SRv6 and to the SIDs that it sends to:
// where a route is gone, what lies behind it (another route, a default, nothing) cannot be told afterwards. Asks by connecting a
// socket, which sends nothing and starts no program; remembers for a while what was steered, since a route that is gone names nothing.
import { LIMITS } from '#base/limits.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { connectKind } from '../routing-table/route-recheck.ts';

export type SteeredWays = {
  /** Addresses, of what is steered or was lately, to which there is no way now. Routes that could not be read change nothing. */
  look(routes: readonly StaticRoute[] | undefined): Promise<readonly string[]>;
};

export function createSteeredWays(
  nowMs: () => number,
  kindOf: (address: string) => Promise<RouteAnswer['kind'] | undefined> = connectKind,
): SteeredWays {
  /** Address → when it was last steered, the latest last. */
  const seen = new Map<string, number>();
  return {
    async look(routes = []) {
      const atMs = nowMs();
      for (const address of routes.flatMap(addressesOf)) {
        seen.delete(address);
        seen.set(address, atMs);
      }
      for (const [address, seenMs] of seen)
        if (seen.size > LIMITS.srv6Destinations || atMs - seenMs > DRIVER_LIMITS.pastMs) seen.delete(address);
      const asked = [...seen.keys()];
      const kinds = await Promise.all(asked.map(kindOf));
      return asked.filter((_, index) => kinds[index] === 'none' || kinds[index] === 'unreachable').sort();
    },
  };
}

/** The first address of the prefix, and each SID; other hand-set routes steer nothing. */
function addressesOf({ prefix, segments = [] }: StaticRoute): readonly string[] {
  return segments.length === 0 || !prefix.includes(':') ? segments : [prefix.split('/')[0]!, ...segments];
}
