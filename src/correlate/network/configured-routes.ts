// Routes of FRR's configuration and routes that the kernel alone has: a change of the configuration reaches the first alone.
import { covers, isDefaultRoute } from '#base/ip.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';

/** By the name and by the number of what writes FRR's routes. */
const CONFIGURED: ReadonlySet<string> = new Set(['static', '196']);

/** What is to be decided where it is not. */
export const NOT_CONFIGURED =
  'the route is not of the configuration: the operator or program that set it must remove it';

export function isConfigured({ protocol }: Pick<StaticRoute, 'protocol'>): boolean {
  return CONFIGURED.has(protocol);
}

/** Deletes this route alone: an `ip route del` without its next hop, protocol, metric and table takes the first that has the prefix. */
export function deleteCommand(route: StaticRoute): string {
  const { prefix, kind, nextHop, ifname, protocol, metric, table = 'main' } = route;
  // The kernel shows the loopback interface of an IPv6 route that discards, which was not given when it was made.
  const words = [
    ...['route del', ...(kind === 'unicast' ? [] : [kind]), prefix],
    ...(kind === 'unicast' && nextHop !== undefined ? ['via', nextHop] : []),
    ...(kind === 'unicast' && ifname !== undefined ? ['dev', ifname] : []),
    ...(protocol === '' ? [] : ['proto', protocol]),
    ...(metric === undefined ? [] : ['metric', `${metric}`]),
    ...['table', table],
  ];
  return ipCommand(prefix, words.join(' '));
}

/** `ip -6 route del blackhole 2001:db8::/32`. */
export function ipCommand(prefix: string, rest: string): string {
  return `ip ${prefix.includes(':') ? '-6 ' : ''}${rest}`;
}

/**
 * A lookup of IPv6 tells the next hop and not the prefix that matched. Where a default route of the node's configuration has that next hop, and no other
 * route of the configuration covers the address, it was the default route.
 */
export function withDefault(
  answer: RouteAnswer,
  state: Pick<NodeState, 'staticRoutes' | 'missing' | 'cut'>,
): RouteAnswer {
  const { kind, destination, protocol, nextHop, matched } = answer;
  const isTold = matched !== undefined || kind !== 'unicast' || !destination.includes(':') || nextHop === undefined;
  if (isTold || !isWhole(state)) return answer;
  const covering = (state.staticRoutes ?? []).filter(({ prefix }) =>
    isDefaultRoute(prefix) ? prefix === '::/0' : covers(prefix, destination),
  );
  const isDefault = covering.some((route) => route.nextHop === nextHop && route.protocol === protocol);
  return isDefault && covering.every(({ prefix }) => isDefaultRoute(prefix))
    ? { ...answer, matched: 'default' }
    : answer;
}

/** Else it is not known which routes there are, or which more. */
export function isWhole({ missing, cut }: Pick<NodeState, 'missing' | 'cut'>): boolean {
  return !missing?.some(({ part }) => part === 'kernel-tables') && !cut?.some(({ part }) => part === 'static-routes');
}
