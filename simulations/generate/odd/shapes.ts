// The shapes of heterogeneous networks: which routers there are, what runs between them, and which hosts are behind them. Pure.
import { bgpTransit } from './bgp-transit.ts';
import {
  addHost,
  addRouter,
  between,
  connect,
  type Draft,
  type Family,
  has4,
  type Port,
  peerAddress,
  type Router,
  routerNamed,
  type ShapeName,
  sample,
} from './model.ts';
import {
  announce,
  isisLink,
  isisPassive,
  loopbacksOf,
  ospfLine,
  ospfLink,
  ospfPassive,
  startBgp,
  startIsis,
  startOspf,
  staticRoute,
} from './protocols.ts';

export type Shape = { readonly name: ShapeName; readonly families: readonly Family[]; make(draft: Draft): void };

const ANY_FAMILY = ['ipv4', 'ipv6', 'dual', 'dual'] as const;

export const SHAPES: readonly Shape[] = [
  { name: 'ospf-areas', families: ANY_FAMILY, make: ospfAreas },
  { name: 'bgp-transit', families: ['ipv4', 'dual', 'ipv6'], make: bgpTransit },
  { name: 'isis-levels', families: ANY_FAMILY, make: isisLevels },
  { name: 'unnumbered-bgp', families: ['dual'], make: unnumberedBgp },
  { name: 'unnumbered-ospf', families: ['ipv4'], make: unnumberedOspf },
  { name: 'hub-spoke', families: ['ipv4', 'dual', 'ipv6'], make: hubSpoke },
];

/** Routers in a row, the last joined to the first where there are three or more. */
function ring(draft: Draft, routers: readonly Router[], join: (ports: readonly [Port, Port]) => void): void {
  routers.slice(1).forEach((router, index) => void join(connect(draft, routers[index]!, router)));
  if (routers.length > 2) join(connect(draft, routers.at(-1)!, routers[0]!));
}

/** Which of `routers` have hosts: `count` of them, the first of which serves pages. */
function hostsAt(
  draft: Draft,
  routers: readonly Router[],
  count: number,
  lan: (router: Router, port: Port, prefixes: readonly string[]) => void,
): void {
  sample(draft.random, routers, count).forEach((router, index) => {
    const { host, port } = addHost(draft, router, { service: index === 0 ? 'http' : undefined });
    lan(
      router,
      port,
      [host.prefix4, host.prefix6].filter((prefix) => prefix !== undefined),
    );
  });
}

/** An area 0 of two to four routers with a stub area, an NSSA whose last router brings a LAN in from outside, and an ordinary area. */
function ospfAreas(draft: Draft): void {
  const { random } = draft;
  const core = names('r', 1, between(random, 2, 4)).map((name) => addRouter(draft, name));
  for (const router of core) startOspf(draft, router);
  ring(draft, core, (ports) => ospfLink(draft, ports, '0', random.pick([10, 10, 20])));
  const areas = new Map<Router, string>(core.map((router) => [router, '0']));
  const kinds = sample(random, ['stub', 'stub no-summary', 'nssa', ''], between(random, core.length > 2 ? 1 : 2, 3));
  let outside: Router | undefined;
  kinds.forEach((kind, index) => {
    const area = String(index + 1);
    const left = 9 - draft.routers.length;
    if (left === 0) return;
    const own = names('r', draft.routers.length + 1, between(random, 1, Math.min(2, left))).map((name) =>
      addRouter(draft, name),
    );
    // ospfd 8.4 finds no way to what an NSSA brings in where its border is reached by way of a stub area too.
    const isAlone = own.length < 2 || kinds.includes('nssa');
    const borders = sample(random, core, isAlone || random.next() < 0.5 ? 1 : 2);
    for (const router of own) startOspf(draft, router);
    if (kind !== '')
      for (const router of [...own, ...borders])
        ospfLine(draft, router, `area ${area} ${own.includes(router) ? kind.split(' ')[0] : kind}`);
    const chain = [borders[0]!, ...own, ...borders.slice(1)];
    chain.slice(1).forEach((router, at) => void ospfLink(draft, connect(draft, chain[at]!, router), area));
    for (const router of own) areas.set(router, area);
    if (kind === 'nssa') outside = own.at(-1)!;
  });
  for (const [router, area] of areas) ospfPassive(draft, router.loopbackLines, area);
  hostsAt(
    draft,
    draft.routers.filter((router) => router !== outside),
    between(random, 2, 4),
    (router, port) => ospfPassive(draft, port.lines, areas.get(router)!),
  );
  if (outside !== undefined) outsideLan(draft, outside, areas.get(outside)!);
}

/** A LAN that its router brings in by redistribution: type 7 in its area, type 5 beyond. IPv6 is announced the usual way. */
function outsideLan(draft: Draft, router: Router, area: string): void {
  const { host, port } = addHost(draft, router);
  if (host.prefix4 !== undefined) {
    router.top.push(
      `ip prefix-list LAN seq 5 permit ${host.prefix4}`,
      'route-map LAN permit 10',
      ' match ip address prefix-list LAN',
      'exit',
    );
    router.blocks.find(({ head }) => head === 'router ospf')!.lines.push('redistribute connected route-map LAN');
  }
  if (host.prefix6 !== undefined) port.lines.push(`ipv6 ospf6 area ${area}`, 'ipv6 ospf6 passive');
}

/**
 * A level 2 backbone and level 1 areas that follow the attached bit. isisd does not bring level 1 into level 2 by itself: the border router
 * has static routes for what is behind its level 1 neighbours, and announces them.
 */
function isisLevels(draft: Draft): void {
  const { random } = draft;
  const core = names('p', 1, between(random, 3, 4)).map((name) => addRouter(draft, name));
  const borders = sample(random, core, between(random, 1, 2));
  core.forEach(
    (router, index) =>
      void startIsis(router, `49.000${index + 1}`, borders.includes(router) ? 'level-1-2' : 'level-2-only'),
  );
  ring(draft, core, (ports) => {
    const metric = random.pick([10, 10, 30]);
    for (const port of ports) isisLink(draft, port, 'level-2-only', metric);
  });
  const inside: { readonly router: Router; readonly border: Router; readonly towards: Port }[] = [];
  for (const border of borders) {
    const area = `49.000${core.indexOf(border) + 1}`;
    for (let count = between(random, 1, 2); count > 0; count--) {
      const router = addRouter(draft, `a${draft.routers.length + 1}`);
      startIsis(router, area, 'level-1');
      const [atBorder, own] = connect(draft, border, router);
      isisLink(draft, atBorder, 'level-1-2');
      isisLink(draft, own, 'level-1');
      inside.push({ router, border, towards: atBorder });
    }
    const block = border.blocks.find(({ head }) => head.startsWith('router isis'))!;
    if (has4(draft)) block.lines.push('redistribute ipv4 static level-2');
    if (draft.family !== 'ipv4') block.lines.push('redistribute ipv6 static level-2');
  }
  for (const router of draft.routers) isisPassive(draft, router.loopbackLines);
  const behind = (router: Router, prefixes: readonly string[]) => {
    const found = inside.find((entry) => entry.router === router);
    if (found === undefined) return;
    for (const prefix of prefixes)
      found.border.top.push(staticRoute(prefix, peerAddress(draft, found.towards, prefix.includes(':') ? 6 : 4)!));
  };
  for (const { router } of inside) behind(router, loopbacksOf(router));
  hostsAt(draft, draft.routers, between(random, 2, 4), (router, port, prefixes) => {
    isisPassive(draft, port.lines);
    behind(router, prefixes);
  });
}

/** eBGP over link-local addresses (RFC 8950) in a fabric of two spines or in a ring, one autonomous system each. */
function unnumberedBgp(draft: Draft): void {
  const { random } = draft;
  const isFabric = random.next() < 0.5;
  const firstAs = 64_512;
  const make = (name: string) => {
    const router = addRouter(draft, name, firstAs + draft.routers.length);
    startBgp(router).ipv4.push('maximum-paths 4');
    announce(router, loopbacksOf(router));
    return router;
  };
  const join = (a: Router, b: Router) => {
    const ports = connect(draft, a, b, { unnumbered: true });
    [a, b].forEach((router, side) => {
      const port = ports[side as 0 | 1];
      const block = router.blocks[0]!;
      block.lines.push(
        `neighbor ${port.ifname} interface remote-as external`,
        `neighbor ${port.ifname} timers 1 3`,
        `neighbor ${port.ifname} timers connect 2`,
      );
      for (const family of [block.ipv4, block.ipv6]) family.push(`neighbor ${port.ifname} activate`);
      port.adjacency = { kind: 'bgp', peerAs: (side === 0 ? b : a).asn!, neighbors: [port.ifname] };
      // The neighbour's link-local address is learned from its router advertisements.
      port.lines.push('ipv6 nd ra-interval 2', 'no ipv6 nd suppress-ra');
    });
  };
  let edges: Router[];
  if (isFabric) {
    const spines = names('s', 1, 2).map(make);
    edges = names('l', 1, between(random, 2, 5)).map(make);
    for (const leaf of edges) for (const spine of spines) join(spine, leaf);
  } else {
    edges = names('r', 1, between(random, 4, 6)).map(make);
    edges.forEach((router, index) => void join(router, edges[(index + 1) % edges.length]!));
  }
  hostsAt(draft, edges, between(random, 2, Math.min(4, edges.length)), (router, _port, prefixes) =>
    announce(router, prefixes),
  );
}

/** OSPFv2 over links that borrow the address of the loopback (RFC 5309). */
function unnumberedOspf(draft: Draft): void {
  const { random } = draft;
  const routers = names('r', 1, between(random, 4, 7)).map((name) => addRouter(draft, name));
  for (const router of routers) {
    startOspf(draft, router);
    ospfPassive(draft, router.loopbackLines, '0');
    draft.shared.add(router.loopback4!);
  }
  const join = (a: Router, b: Router) => {
    const ports = connect(draft, a, b, { unnumbered: true });
    ports.forEach((port, side) => {
      port.address4 = `${[a, b][side]!.loopback4}/32`;
    });
    ospfLink(draft, ports, '0');
  };
  routers.forEach((router, index) => void join(router, routers[(index + 1) % routers.length]!));
  if (routers.length > 4 && random.next() < 0.5) join(routers[0]!, routers[2]!);
  hostsAt(draft, routers, between(random, 2, 4), (_router, port) => ospfPassive(draft, port.lines, '0'));
}

/** One or two hubs, spokes with a default route to each, and no routing protocol: the second way is a floating static route. */
function hubSpoke(draft: Draft): void {
  const { random } = draft;
  const hubs = names('hub', 1, random.next() < 0.7 ? 2 : 1).map((name) => addRouter(draft, name));
  const spokes = names('sp', 1, between(random, 4 - hubs.length, 9 - hubs.length - 2)).map((name) =>
    addRouter(draft, name),
  );
  const towards = new Map<string, Port>();
  const join = (a: Router, b: Router) => {
    const [one, other] = connect(draft, a, b);
    for (const [from, to, port] of [
      [a, b, one],
      [b, a, other],
    ] as const) {
      port.adjacency = { kind: 'static' };
      towards.set(`${from.name} ${to.name}`, port);
    }
  };
  const [hub, second] = hubs as [Router, Router?];
  if (second !== undefined) join(hub, second);
  for (const spoke of spokes) for (const each of hubs) join(each, spoke);
  hostsAt(draft, [...spokes, hub], between(random, 2, 4), () => {});
  const prefixes = new Map(
    draft.routers.map((router) => [
      router,
      [
        ...loopbacksOf(router),
        ...draft.hosts.filter((host) => host.router === router.name).flatMap((host) => [host.prefix4, host.prefix6]),
      ].filter((prefix) => prefix !== undefined),
    ]),
  );
  const route = (at: Router, prefix: string, by: Router, distance?: number) => {
    const via = peerAddress(draft, towards.get(`${at.name} ${by.name}`)!, prefix.includes(':') ? 6 : 4);
    if (via !== undefined) routerNamed(draft, at.name).top.push(staticRoute(prefix, via, distance));
  };
  for (const [index, each] of hubs.entries()) {
    const other = hubs[1 - index];
    for (const spoke of spokes)
      for (const prefix of prefixes.get(spoke)!) {
        route(each, prefix, spoke);
        if (other !== undefined) route(each, prefix, other, 200);
      }
    if (other !== undefined) for (const prefix of prefixes.get(other)!) route(each, prefix, other);
  }
  for (const spoke of spokes)
    for (const prefix of [...(has4(draft) ? ['0.0.0.0/0'] : []), ...(draft.family === 'ipv4' ? [] : ['::/0'])]) {
      route(spoke, prefix, hub);
      if (second !== undefined) route(spoke, prefix, second, 200);
    }
}

export function names(stem: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${stem}${from + index}`);
}
