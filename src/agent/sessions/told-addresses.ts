// Which addresses are dialled that a peer has told of: a peer that lies must not send this node's connections anywhere. What the node heard
// itself (LLDP, IS-IS) and what its configuration names are not judged here.

import { messageOf } from '#base/error.ts';
import { covers, isOffTheInternet, parsePrefix } from '#base/ip.ts';
import type { Log } from '#base/log.ts';
import type { PeerHint, PeerRecord } from '#model/peer.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type MayDial = (address: string) => Promise<boolean>;

/**
 * With `prefixes` those alone. Without: what is not on the Internet, and what this node's own routing leads to by a route other than the
 * default one and other than BGP's.
 */
export function createMayDial(parts: {
  readonly prefixes: readonly string[] | undefined;
  readonly router: Pick<RouterPort, 'route'>;
  readonly log: Log;
}): MayDial {
  const { prefixes, router, log } = parts;
  return async (address) => {
    if (prefixes !== undefined) return prefixes.some((prefix) => covers(prefix, address));
    if (isOffTheInternet(address)) return true;
    try {
      const route = await router.route(address, AbortSignal.timeout(AGENT_LIMITS.toldRouteMs));
      const bits = parsePrefix(route.matched ?? '')?.prefixBits ?? 0;
      return route.kind === 'unicast' && bits > 0 && route.protocol !== 'bgp';
    } catch (error) {
      log.warn('no route could be looked up for an address that a peer told of', { reason: messageOf(error) });
      return false;
    }
  };
}

/** The record without the told addresses that may not be dialled, and those. */
export async function withoutForbidden(
  record: PeerRecord,
  mayDial: MayDial,
): Promise<{ readonly record: PeerRecord; readonly forbidden: readonly string[] }> {
  const forbidden: string[] = [];
  const keep = async (hint: PeerHint): Promise<readonly PeerHint[]> => {
    if (hint.source !== 'peer-exchange') return [hint];
    const addresses: string[] = [];
    for (const address of hint.addresses) {
      if (await mayDial(address)) addresses.push(address);
      else forbidden.push(address);
    }
    return addresses.length === 0 ? [] : [{ ...hint, addresses }];
  };
  const hints = (await Promise.all(record.hints.map(keep))).flat();
  return { record: { ...record, hints }, forbidden };
}
