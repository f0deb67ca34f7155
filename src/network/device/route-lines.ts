// A page of a routing table as text/csv (RFC 4180): a quarter of the bytes of its YANG form, for callers who read whole tables.
// Columns prefix, kind, protocol, metric, next-hops; a next hop is `address%interface` (as RFC 4007 §11 writes scoped addresses, either
// part may be missing), `*weight` behind it where there are several, separated by spaces.
import type { RouteEntry } from '#model/router/device-port.ts';
import { createRouteTails } from './route-tails.ts';

export const ROUTE_LINES = 'text/csv';
/** So many lines at least take the place of one route as YANG data. */
export const LINES_FOR_ROUTE = 3;
export const ROUTE_LINES_HEADER = 'prefix,kind,protocol,metric,next-hops\r\n';

/** Makes the lines of some routes. What follows the prefix is shared, often by the thousand: its text is made once. */
export function createRouteLines(): (routes: readonly RouteEntry[]) => string {
  const tailOf = createRouteTails(({ kind, protocol, metric, nextHops }) => {
    const hops = quoted(nextHops.map(hopText).join(' '));
    return `,${kind},${protocol},${metric ?? ''},${hops}\r\n`;
  });
  return (routes) => {
    let text = '';
    for (const route of routes) text += route.prefix + tailOf(route);
    return text;
  };
}

function hopText({ gateway = '', ifname, weight }: RouteEntry['nextHops'][number]): string {
  return `${gateway}${ifname === undefined ? '' : `%${ifname}`}${weight === undefined ? '' : `*${weight}`}`;
}

/** An interface's name may hold a comma or a quote. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
