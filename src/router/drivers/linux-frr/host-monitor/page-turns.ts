// When a node asks a web server on its ports for a page: a few times at first, so that it is soon known to answer steadily, and then when the
// last page is long enough ago. Bounded in servers.

import type { ServiceProbe } from '#model/router/hosts.ts';
import { makeRoom } from '../../../bounded-maps.ts';
import { DRIVER_LIMITS } from '../../limits.ts';

/** As many services are tried of each. */
const FAMILIES = 2;

/** True when the server's turn for a page has come; it then counts as asked. */
export type PageTurns = (service: ServiceProbe, nowMs: number) => boolean;

export function createPageTurns(): PageTurns {
  const asked = new Map<string, { readonly atMs: number; readonly times: number }>();
  return ({ destination, port }, nowMs) => {
    const key = `${destination} ${port}`;
    const { atMs, times } = asked.get(key) ?? { atMs: nowMs, times: 0 };
    if (times >= DRIVER_LIMITS.firstPages && nowMs - atMs < DRIVER_LIMITS.pageEveryMs) return false;
    asked.delete(key);
    makeRoom(asked, FAMILIES * DRIVER_LIMITS.probedServices);
    asked.set(key, { atMs: nowMs, times: times + 1 });
    return true;
  };
}
