// Legal oddities of routing: overload and maximum metrics, uneven costs, detours by static routes, policy routing, anycast, discarded addresses.
import { isConnected } from '../graph.ts';
import { blockOf, corePorts, type Draft, has4, has6, peerAddress, type Router, routerNamed, sample } from '../model.ts';
import { announce, staticRoute } from '../protocols.ts';
import { coreLinks, endsOf, hasLan, type Oddity, runs, someRouter } from './oddity.ts';

/** No traffic between others needs it. */
const isAside = (draft: Draft, router: Router): boolean => isConnected(draft, [router.name]);

export const isisOverload: Oddity = {
  name: 'isis overload bit',
  add: (draft) => {
    const router = someRouter(
      draft,
      (each) => runs(each, 'router isis') && isAside(draft, each) && !runs(each, 'router bgp'),
    );
    if (router === undefined) return false;
    // Level 1 routers find out by the attached bit of one border: it must not be the overloaded one.
    if (router.blocks.some(({ lines }) => lines.includes('is-type level-1-2'))) return false;
    blockOf(router, 'router isis core').lines.push('set-overload-bit');
    return true;
  },
};

export const ospfMaxMetric: Oddity = {
  name: 'ospf max-metric',
  add: (draft) => {
    const router = someRouter(draft, (each) => runs(each, 'router ospf') && has4(draft) && isAside(draft, each));
    if (router === undefined) return false;
    blockOf(router, 'router ospf').lines.push('max-metric router-lsa administrative');
    return true;
  },
};

export const unevenMetrics: Oddity = {
  name: 'uneven metrics',
  add: (draft) => {
    const links = coreLinks(draft).filter((link) =>
      ['ospf', 'isis'].includes(endsOf(draft, link)[0].adjacency?.kind ?? ''),
    );
    if (links.length === 0) return false;
    for (const link of sample(draft.random, links, 2))
      for (const port of endsOf(draft, link)) {
        const cost = draft.random.pick([5, 40, 100, 400]);
        // isisd 8.4 reads a port before it reads that metrics are wide, and refuses the whole port with a metric over 63.
        const metric = Math.min(cost, 63);
        port.lines.forEach((line, index) => {
          port.lines[index] = line
            .replace(/cost \d+$/, `cost ${cost}`)
            .replace(/isis metric \d+$/, `isis metric ${metric}`);
        });
      }
    return true;
  },
};

export const anycast: Oddity = {
  name: 'anycast loopback',
  add: (draft) => {
    if (!has4(draft)) return false;
    const fits = (router: Router) =>
      runs(router, 'router bgp')
        ? draft.shape === 'unnumbered-bgp'
        : router.loopbackLines.some((line) => line.startsWith('ip ospf') || line === 'ip router isis core');
    const owners = sample(
      draft.random,
      draft.routers.filter((each) => fits(each) && !inLevelOne(each)),
      2,
    );
    const asking = draft.hosts.find(({ isBehindNat, isAsleep }) => !isBehindNat && !isAsleep);
    if (owners.length < 2 || asking === undefined) return false;
    const address = '192.0.2.200';
    for (const router of owners) {
      router.loopbackLines.unshift(`ip address ${address}/32`);
      if (runs(router, 'router bgp')) announce(router, [`${address}/32`]);
    }
    draft.shared.add(address);
    draft.flows.push({ from: asking.name, to: 'anycast', address, kind: 'ping', works: true });
    return true;
  },
};

/** What a level 1 router announces stays in its area. */
const inLevelOne = (router: Router): boolean => router.blocks.some(({ lines }) => lines.includes('is-type level-1'));

/** Hosts of one LAN are led by a table of its own to a neighbour for the LAN behind that neighbour. */
export const policyRouting: Oddity = {
  name: 'policy routing into a table that works',
  add: (draft) => {
    for (const router of sample(draft.random, draft.routers.filter(hasLan), draft.routers.length))
      for (const port of corePorts(router)) {
        const via = peerAddress(draft, port, 4);
        const behind = draft.hosts.find(
          (host) => host.router === port.peer.node && host.prefix4 !== undefined && !host.isBehindNat,
        );
        const own = draft.hosts.find((host) => host.router === router.name && host.prefix4 !== undefined);
        if (via === undefined || port.address4?.endsWith('/32') || behind === undefined || own === undefined) continue;
        if (draft.apart.has(`${own.name} ${behind.name}`)) continue;
        router.exec.push(
          `ip route add ${behind.prefix4} via ${via} dev ${port.ifname} table 100`,
          `ip rule add from ${own.prefix4} iif ${own.port} lookup 100 prio 1000`,
        );
        return true;
      }
    return false;
  },
};

/** A static route over a neighbour that is as near to the destination as the router itself, or nearer: longer than need be, and no loop. */
export const staticDetour: Oddity = {
  name: 'static detour',
  add: (draft) => {
    if (draft.shape === 'hub-spoke' || draft.shape === 'bgp-transit' || !has4(draft)) return false;
    for (const host of sample(
      draft.random,
      draft.hosts.filter(({ prefix4, isBehindNat }) => prefix4 !== undefined && !isBehindNat),
      draft.hosts.length,
    )) {
      for (const router of sample(
        draft.random,
        draft.routers.filter(({ name }) => name !== host.router),
        draft.routers.length,
      ))
        for (const port of corePorts(router)) {
          const via = peerAddress(draft, port, 4);
          if (via === undefined || port.address4?.endsWith('/32') || port.peer.node !== host.router) continue;
          router.top.push(staticRoute(host.prefix4!, via));
          return true;
        }
    }
    return false;
  },
};

/** An address of a LAN that no host has is thrown away where it comes in, as after an attack on it. */
export const remotelyTriggered: Oddity = {
  name: 'remotely triggered black hole',
  add: (draft) => {
    const host = draft.hosts.find(({ prefix4, isBehindNat }) => prefix4 !== undefined && !isBehindNat);
    if (host === undefined) return false;
    const router =
      someRouter(draft, (each) => each.name !== host.router && hasLan(each)) ??
      someRouter(draft, (each) => each.name !== host.router);
    if (router === undefined) return false;
    const victim = host.prefix4!.split('/')[0]!.replace(/\d+$/, (last) => String(Number(last) + 55));
    router.top.push(`ip route ${victim}/32 Null0`);
    return true;
  },
};

/** A network on an inner bridge of a router, announced where the IGP allows it by its interface. */
export const innerNetwork: Oddity = {
  name: 'bridge interface with an address',
  add: (draft) => {
    const router = someRouter(draft);
    if (router === undefined) return false;
    router.exec.push('ip link add lab0 type bridge', 'ip link set lab0 up');
    if (has4(draft)) router.exec.push('ip address add 198.19.240.1/24 dev lab0');
    if (has6(draft)) router.exec.push('ip -6 address add fd00:f0::1/64 dev lab0 nodad');
    return true;
  },
};

/**
 * The way back of what a router takes in by a loose check need not be the way it came by. Where OSPF itself brings the first route to the
 * neighbours, as on unnumbered links, such a router would drop their Hellos.
 */
export const looseReversePath: Oddity = {
  name: 'loose reverse path filter',
  add: (draft) => {
    if (draft.shape === 'unnumbered-ospf') return false;
    const router = someRouter(draft);
    if (router === undefined || !has4(draft)) return false;
    router.exec.push(...router.ports.map(({ ifname }) => `echo 2 > /proc/sys/net/ipv4/conf/${ifname}/rp_filter`));
    return true;
  },
};

export const strictReversePath: Oddity = {
  name: 'strict reverse path filter towards hosts',
  add: (draft) => {
    const host = sample(
      draft.random,
      draft.hosts.filter(({ address4 }) => address4 !== undefined),
      1,
    )[0];
    if (host === undefined) return false;
    routerNamed(draft, host.router).exec.push(`echo 1 > /proc/sys/net/ipv4/conf/${host.port}/rp_filter`);
    return true;
  },
};

/** The IGP's default route, which leads to where it came from, beside more exact ones. */
export const needlessDefault: Oddity = {
  name: 'default route into the network',
  add: (draft) => {
    if (!has4(draft) || !['ospf-areas', 'isis-levels'].includes(draft.shape)) return false;
    const router = someRouter(
      draft,
      (each) => corePorts(each).length === 1 && peerAddress(draft, corePorts(each)[0]!, 4) !== undefined,
    );
    if (router === undefined) return false;
    router.top.push(`ip route 0.0.0.0/0 ${peerAddress(draft, corePorts(router)[0]!, 4)} 250`);
    return true;
  },
};

export const loopbackTwice: Oddity = {
  name: 'second loopback address',
  add: (draft) => {
    const router = someRouter(draft, (each) => runs(each, 'router isis') || runs(each, 'router ospf'));
    if (router === undefined || !has4(draft)) return false;
    router.loopbackLines.push(`ip address 192.0.2.${100 + router.number}/32`);
    return true;
  },
};
