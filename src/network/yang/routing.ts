// Routes and protocols as `ietf-routing` (RFC 8349), from the kernel's forwarding table. Pure.
import type { JsonObject } from '#base/json.ts';
import type { AddressFamily, RouteEntry } from '#model/device-port.ts';

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
  const module = `ietf-${family}-unicast-routing`;
  const special = SPECIAL[route.kind];
  const hops = route.nextHops.map((hop): JsonObject => {
    return {
      ...(hop.ifname === undefined ? {} : { 'outgoing-interface': hop.ifname }),
      ...(hop.gateway === undefined ? {} : { [`${module}:next-hop-address`]: hop.gateway }),
    };
  });
  const nextHop: JsonObject =
    special !== undefined
      ? { 'special-next-hop': special }
      : hops.length > 1
        ? { 'next-hop-list': { 'next-hop': hops } }
        : (hops[0] ?? {});
  return {
    [`${module}:destination-prefix`]: route.prefix,
    'source-protocol': PROTOCOLS[route.protocol] ?? `parley:${route.protocol}`,
    ...(route.metric === undefined ? {} : { 'route-preference': route.metric }),
    'next-hop': nextHop,
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
