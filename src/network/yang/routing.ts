// Routes and protocols as `ietf-routing` (RFC 8349), from the kernel's forwarding table. Pure.
import type { JsonObject } from '#base/json.ts';
import { canonicalJsonText } from '#codec/canonical-json.ts';
import type { AddressFamily, RouteEntry } from '#model/router/device-port.ts';
import { createRouteTails } from '../device/route-tails.ts';

/** rtnetlink's names → identities; what is unknown keeps its name under `parley`. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  kernel: 'ietf-routing:direct',
  boot: 'ietf-routing:static',
  static: 'ietf-routing:static',
  isis: 'ietf-isis:isis',
  ospf: 'ietf-ospf:ospf',
  bgp: 'ietf-bgp:bgp',
};

const SPECIAL: Readonly<Record<string, string>> = {
  blackhole: 'blackhole',
  unreachable: 'unreachable',
  prohibit: 'prohibit',
  local: 'receive',
};

export function ribName(family: AddressFamily): string {
  return `${family}-main`;
}

export function routeJson(family: AddressFamily, route: RouteEntry): JsonObject {
  return {
    [`ietf-${family}-unicast-routing:destination-prefix`]: route.prefix,
    'source-protocol': PROTOCOLS[route.protocol] ?? `parley:${route.protocol}`,
    ...(route.metric === undefined ? {} : { 'route-preference': route.metric }),
    'next-hop': nextHopJson(family, route),
  };
}

function nextHopJson(family: AddressFamily, route: RouteEntry): JsonObject {
  const module = `ietf-${family}-unicast-routing`;
  const special = SPECIAL[route.kind];
  const hops = route.nextHops.map((hop): JsonObject => {
    return {
      ...(hop.ifname === undefined ? {} : { 'outgoing-interface': hop.ifname }),
      ...(hop.gateway === undefined ? {} : { [`${module}:next-hop-address`]: hop.gateway }),
    };
  });
  if (special !== undefined) return { 'special-next-hop': special };
  return hops.length > 1 ? { 'next-hop-list': { 'next-hop': hops } } : (hops[0] ?? {});
}

/**
 * Makes the RFC 8785 text of some routes, with commas between them over all calls, without an object for each: a table of a million routes
 * goes through here.
 */
export function createRouteTexts(family: AddressFamily): (routes: readonly RouteEntry[]) => string {
  const first = `{"ietf-${family}-unicast-routing:destination-prefix":"`;
  const next = `,${first}`;
  const tailOf = createRouteTails((route) => {
    const hops = canonicalJsonText(nextHopJson(family, route));
    const preference = route.metric === undefined ? '' : `,"route-preference":${route.metric}`;
    const protocol = JSON.stringify(PROTOCOLS[route.protocol] ?? `parley:${route.protocol}`);
    return `","next-hop":${hops}${preference},"source-protocol":${protocol}}`;
  });
  let isFirst = true;
  return (routes) => {
    let text = '';
    for (const route of routes) {
      // A prefix needs no escapes.
      text += (isFirst ? first : next) + route.prefix + tailOf(route);
      isFirst = false;
    }
    return text;
  };
}

export type RibContent = {
  readonly family: AddressFamily;
  readonly routes: readonly RouteEntry[];
  readonly complete: boolean;
};

export function ietfRouting(init: {
  readonly interfaces: readonly string[];
  readonly protocols: readonly string[];
  readonly ribs: readonly RibContent[];
}): JsonObject {
  const protocols = ['direct', 'static', ...init.protocols].map((name) => ({
    type: PROTOCOLS[name] ?? `ietf-routing:${name}`,
    name: 'default',
  }));
  return {
    'ietf-routing:routing': {
      interfaces: { interface: [...init.interfaces] },
      'control-plane-protocols': { 'control-plane-protocol': protocols },
      ribs: {
        rib: init.ribs.map(({ family, routes, complete }) => ({
          name: ribName(family),
          'address-family': `ietf-routing:${family}`,
          'default-rib': true,
          routes: { route: routes.map((route) => routeJson(family, route)) },
          // The rest is read page by page: a table may be a million routes long.
          ...(complete ? {} : { 'parley:rest': `network:///routing/${family}/route-table` }),
        })),
      },
    },
  };
}
