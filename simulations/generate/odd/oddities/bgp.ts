// Legal oddities of BGP: limits that only warn, sessions by way of loopbacks, one autonomous system at two sites, graceful shutdown.
import {
  bgpOf,
  blockOf,
  connect,
  corePorts,
  type Draft,
  has4,
  type Port,
  peerAddress,
  type Router,
  routerNamed,
  sample,
} from '../model.ts';
import { bgpNeighbor, staticRoute } from '../protocols.ts';
import { type Oddity, someRouter } from './oddity.ts';

type Session = { readonly router: Router; readonly port: Port; readonly neighbor: string };

/** Sessions over links, of IPv4 or by interface. */
function sessions(draft: Draft): readonly Session[] {
  return draft.routers.flatMap((router) =>
    corePorts(router).flatMap((port) => {
      const neighbor = port.adjacency?.kind === 'bgp' ? port.adjacency.neighbors[0] : undefined;
      return neighbor === undefined ? [] : [{ router, port, neighbor }];
    }),
  );
}

const familyOf = (router: Router, neighbor: string) =>
  neighbor.includes(':') ? bgpOf(router)!.ipv6 : bgpOf(router)!.ipv4;

export const warningOnly: Oddity = {
  name: 'maximum-prefix with a warning only',
  add: (draft) => {
    const session = sample(draft.random, sessions(draft), 1)[0];
    if (session === undefined) return false;
    familyOf(session.router, session.neighbor).push(`neighbor ${session.neighbor} maximum-prefix 1 warning-only`);
    return true;
  },
};

export const gracefulShutdown: Oddity = {
  name: 'graceful shutdown community',
  add: (draft) => {
    const router = someRouter(draft, (each) => bgpOf(each) !== undefined && corePorts(each).length > 1);
    if (router === undefined) return false;
    bgpOf(router)!.lines.push('bgp graceful-shutdown');
    return true;
  },
};

export const allowedOwnAs: Oddity = {
  name: 'own AS accepted once',
  add: (draft) => {
    const session = sample(draft.random, sessions(draft), 1)[0];
    if (session === undefined) return false;
    familyOf(session.router, session.neighbor).push(`neighbor ${session.neighbor} allowas-in 1`);
    return true;
  },
};

/** A second session between two neighbours, shut at one end since before the agents start. */
export const sessionShut: Oddity = {
  name: 'session shut at one end',
  add: (draft) => {
    if (draft.shape !== 'bgp-transit') return false;
    const [one, other] = sample(
      draft.random,
      draft.routers.filter((router) => bgpOf(router) !== undefined && router.asn !== undefined),
      2,
    );
    if (one === undefined || other === undefined) return false;
    const ports = connect(draft, one, other, { role: 'spare' });
    const family = has4(draft) ? 4 : 6;
    [one, other].forEach((router, side) => {
      const peer = side === 0 ? other : one;
      const neighbor = peerAddress(draft, ports[side as 0 | 1], family)!;
      bgpNeighbor(bgpOf(router)!, neighbor, family, [`remote-as ${peer.asn}`, ...(side === 0 ? ['shutdown'] : [])]);
    });
    return true;
  },
};

/** A session of an edge by way of both loopbacks, with static routes to them, instead of the link's addresses. */
export const multihop: Oddity = {
  name: 'eBGP multihop',
  add: (draft) => {
    if (draft.shape !== 'bgp-transit' || !has4(draft)) return false;
    const found = sessions(draft).find(({ router, port, neighbor }) => {
      const peer = routerNamed(draft, port.peer.node);
      return router.name.startsWith('isp') && peer.asn !== router.asn && !neighbor.includes(':');
    });
    if (found === undefined) return false;
    const peer = routerNamed(draft, found.port.peer.node);
    const back = peer.ports.find(({ ifname }) => ifname === found.port.peer.ifname)!;
    overLoopbacks(draft, found.router, found.port, peer);
    overLoopbacks(draft, peer, back, found.router);
    return true;
  },
};

function overLoopbacks(draft: Draft, router: Router, port: Port, peer: Router): void {
  const was = peerAddress(draft, port, 4)!;
  const now = peer.loopback4!;
  const block = bgpOf(router)!;
  for (const lines of [block.lines, block.ipv4])
    lines.forEach((line, index) => {
      lines[index] = line.replace(`neighbor ${was} `, `neighbor ${now} `);
    });
  const head = block.lines.findIndex((line) => line.startsWith(`neighbor ${now} remote-as`));
  block.lines.splice(head + 1, 0, `neighbor ${now} ebgp-multihop 2`, `neighbor ${now} update-source lo`);
  router.top.push(staticRoute(`${now}/32`, was));
  if (port.adjacency?.kind === 'bgp') {
    const neighbors = port.adjacency.neighbors.map((each) => (each === was ? now : each));
    port.adjacency = { ...port.adjacency, neighbors };
  }
}

/** A customer asks for an address of its own to be thrown away: announced with a community, and taken as a route to nowhere at its provider. */
export const askedBlackHole: Oddity = {
  name: 'black hole by community',
  add: (draft) => {
    if (draft.shape !== 'bgp-transit' || !has4(draft)) return false;
    const customer = someRouter(draft, ({ name }) => name.startsWith('cust'));
    const host = draft.hosts.find(({ router }) => router === customer?.name);
    const uplinks = customer === undefined ? [] : corePorts(customer).map(({ peer }) => routerNamed(draft, peer.node));
    if (customer === undefined || host === undefined || uplinks.length === 0) return false;
    const victim = host.prefix4!.split('/')[0]!.replace(/\d+$/, (last) => String(Number(last) + 33));
    customer.top.push(`ip route ${victim}/32 Null0`);
    bgpOf(customer)!.ipv4.push(`network ${victim}/32`);
    const name = `CUST${customer.name.slice(-1)}`;
    for (const router of new Set(uplinks))
      router.top.push(
        ...[`ip prefix-list HOLE seq 5 permit ${victim}/32`, 'ip route 192.0.2.254/32 Null0'],
        ...[`route-map ${name}-4 permit 5`, ' match ip address prefix-list HOLE', ' set ip next-hop 192.0.2.254'],
        ...[' set community no-export additive', 'exit'],
      );
    return true;
  },
};

export const defaultPreference: Oddity = {
  name: 'multiple paths and a weight',
  add: (draft) => {
    const session = sample(
      draft.random,
      sessions(draft).filter(({ neighbor }) => neighbor.includes('.')),
      1,
    )[0];
    if (session === undefined) return false;
    blockOf(session.router, bgpOf(session.router)!.head).ipv4.push(`neighbor ${session.neighbor} weight 50`);
    return true;
  },
};
