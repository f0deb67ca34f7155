// Routes of FRR's configuration and routes that the kernel alone has: a change of the configuration reaches the first alone.
import type { StaticRoute } from '#model/router/control-plane.ts';

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
