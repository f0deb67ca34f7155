// Default routes, of whichever protocol: the kernel is asked where it would send what is for an address that no network has, so that a full table is
// never listed. Of a family that the kernel does not tell of, as where such addresses are thrown away or have a route of their own (128.0.0.0/1), no
// route is shown and none is denied.
import { isDefaultRoute } from '#base/ip.ts';
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { DefaultRoute } from '#model/router/control-plane.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { failedLines, refusalKind, textOf } from './ip-command.ts';

/** In 240.0.0.0/4 (RFC 1112 §4) and 4000::/3 (RFC 4291 §2.4), which are not given out. */
const UNUSED = { ipv4: '240.0.0.1', ipv6: '4000::1' } as const;
/** `fibmatch` names the whole route, and is wrong for IPv6 routes that share a next hop object (routing-table/route.ts). */
export const DEFAULT_LOOKUPS: readonly string[] = [`route get fibmatch ${UNUSED.ipv4}`, `route get ${UNUSED.ipv6}`];
const PREFIXES = ['0.0.0.0/0', '::/0'] as const;

/** One entry a family: `none` where the kernel says so, undefined where it does not tell. */
export type DefaultAnswer = DefaultRoute | 'none' | undefined;

/** Whether a socket can be connected to an address (routing-table/route-recheck.ts). */
export type KindOf = (address: string) => Promise<RouteAnswer['kind'] | undefined>;

/** Of the lookups that did not fail, in their order; `line` is that of the first lookup in the batch. */
export function parseDefaultRoutes(
  found: readonly (readonly JsonObject[])[],
  stderr: string,
  line: number,
): readonly DefaultAnswer[] {
  const failed = failedLines(stderr);
  const left = [...found];
  return PREFIXES.map((prefix, index) => {
    const reason = failed.get(line + index);
    if (reason !== undefined) return refusalKind(reason) === 'none' ? 'none' : undefined;
    const row = left.shift()?.[0];
    return row === undefined ? undefined : routeOf(prefix, row);
  });
}

function routeOf(prefix: string, row: JsonObject): DefaultAnswer {
  if ((textOf(row['type']) ?? 'unicast') !== 'unicast' || !isDefault(row)) return undefined;
  const several = Array.isArray(row['nexthops']) ? row['nexthops'].filter((hop) => isJsonObject(hop)) : [];
  const hops = (several.length > 0 ? several : [row]).slice(0, DRIVER_LIMITS.defaultHops).map((hop) => {
    const via = hop['via'];
    const nextHop = textOf(hop['gateway']) ?? (isJsonObject(via) ? textOf(via['host']) : undefined);
    const ifname = textOf(hop['dev']);
    return { ...(nextHop === undefined ? {} : { nextHop }), ...(ifname === undefined ? {} : { ifname }) };
  });
  return { prefix, protocol: textOf(row['protocol']) ?? '', hops };
}

/** A lookup of IPv6 names the address, not the route that it took. */
function isDefault(row: JsonObject): boolean {
  const dst = textOf(row['dst']);
  return dst === undefined || dst === 'default' || dst === UNUSED.ipv6 || isDefaultRoute(dst);
}

/**
 * The routes that there are. Of IPv6 a lookup may say `none` of what is forwarded: a socket that cannot be connected either says that it is so.
 */
export async function believed(answers: readonly DefaultAnswer[], kindOf: KindOf): Promise<readonly DefaultRoute[]> {
  const isDoubtful = answers[1] === 'none' && (await kindOf(UNUSED.ipv6)) !== 'none';
  return PREFIXES.flatMap((prefix, index) => {
    const answer = index === 1 && isDoubtful ? undefined : answers[index];
    if (answer === 'none') return [];
    return [answer ?? { prefix, protocol: '', hops: [] }];
  });
}
