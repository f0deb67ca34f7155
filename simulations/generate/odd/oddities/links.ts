// Legal oddities of links and interfaces: small MTUs at both ends, what was shut before the agents start, slow leased links, inner interfaces.
import { connect, type Draft, has4, sample } from '../model.ts';
import { coreLinks, endsOf, type Oddity, runs, someRouter } from './oddity.ts';

export const smallMtu: Oddity = {
  name: 'MTU 1400 at both ends',
  add: (draft) => {
    const link = sample(draft.random, coreLinks(draft), 1)[0];
    if (link === undefined) return false;
    link.mtu = 1_400;
    // IS-IS sends no LSP that is larger than the smallest link of the area.
    for (const router of draft.routers)
      for (const block of router.blocks) if (block.head.startsWith('router isis')) block.lines.push('lsp-mtu 1200');
    return true;
  },
};

const spare = (name: string, ends: 'one' | 'both'): Oddity => ({
  name,
  add: (draft) => {
    const [a, b] = sample(draft.random, draft.routers, 2);
    if (a === undefined || b === undefined) return false;
    const ports = connect(draft, a, b, { role: 'spare', unnumbered: draft.shape.startsWith('unnumbered') });
    for (const port of ends === 'both' ? ports : ports.slice(0, 1)) port.lines.push('shutdown');
    return true;
  },
});

export const linkShutAtOneEnd = spare('link shut at one end', 'one');
export const linkShutAtBothEnds = spare('link shut at both ends', 'both');

/** Rented at fewer megabits than its interfaces could: each end sends no more than it may. */
export const leasedLink: Oddity = {
  name: 'leased link with a shaper at both ends',
  add: (draft) => {
    const link = sample(draft.random, coreLinks(draft), 1)[0];
    if (link === undefined) return false;
    for (const { node, ifname } of [link.a, link.b])
      draft.routers
        .find(({ name }) => name === node)!
        .exec.push(`tc qdisc add dev ${ifname} root tbf rate 50mbit burst 64kb latency 50ms`);
    return true;
  },
};

/** An interface on top of a LAN port, with a MAC address of its own, for machines that do not run yet. */
export const macvlan: Oddity = {
  name: 'macvlan interface on a LAN port',
  add: (draft) => {
    const host = sample(
      draft.random,
      draft.hosts.filter(({ prefix4 }) => prefix4?.startsWith('198.19.')),
      1,
    )[0];
    if (host === undefined || !has4(draft)) return false;
    const address = host.prefix4!.replace(/0\/24$/, '2/24');
    draft.routers
      .find(({ name }) => name === host.router)!
      .exec.push(
        `ip link add vm0 link ${host.port} type macvlan mode bridge`,
        ...[
          'ip link set vm0 address 02:00:5e:10:00:02',
          `ip address add ${address} dev vm0 noprefixroute`,
          'ip link set vm0 up',
        ],
        // Each interface of the LAN answers for its own address alone.
        ...[
          `echo 1 > /proc/sys/net/ipv4/conf/${host.port}/arp_ignore`,
          'echo 1 > /proc/sys/net/ipv4/conf/vm0/arp_ignore',
        ],
      );
    return true;
  },
};

/** An adjacency that was switched off at both ends, on a link that is up, since before the agents start. */
export const linkWithoutProtocol: Oddity = {
  name: 'link without a routing protocol',
  add: (draft) => {
    if (draft.shape === 'unnumbered-bgp') return false;
    const [a, b] = sample(draft.random, draft.routers, 2);
    if (a === undefined || b === undefined) return false;
    connect(draft, a, b, { role: 'spare', unnumbered: draft.shape === 'unnumbered-ospf' });
    return true;
  },
};

/** Default values at one end, said explicitly at the other: the same to the protocol. */
export const describedOnly: Oddity = {
  name: 'descriptions that say something else',
  add: (draft) => {
    const link = sample(draft.random, coreLinks(draft), 1)[0];
    if (link === undefined) return false;
    endsOf(draft, link).forEach((port, side) => {
      port.lines[0] = side === 0 ? 'description leased line 4711, do not touch' : 'description to be replaced';
    });
    return true;
  },
};

/** A VXLAN between the loopbacks of two routers for somebody's machines: its MTU is smaller at both ends, and no routing runs over it. */
export const tunnel: Oddity = {
  name: 'VXLAN between two routers',
  add: (draft) => {
    if (!has4(draft) || draft.shape === 'bgp-transit') return false;
    const [a, b] = sample(draft.random, draft.routers, 2);
    if (a?.loopback4 === undefined || b?.loopback4 === undefined) return false;
    const ends = [
      [a, a.loopback4, b.loopback4, 1],
      [b, b.loopback4, a.loopback4, 2],
    ] as const;
    for (const [router, local, remote, last] of ends)
      router.exec.push(
        `ip link add vx7 mtu 1350 type vxlan id 7 local ${local} remote ${remote} dstport 4789`,
        ...[`ip address add 198.19.230.${last}/30 dev vx7`, 'ip link set vx7 up'],
      );
    return true;
  },
};

export const isisPadding: Oddity = {
  name: 'hellos without padding at one end',
  add: (draft: Draft) => {
    const router = someRouter(draft, (each) => runs(each, 'router isis'));
    const port = router?.ports.find(({ adjacency }) => adjacency?.kind === 'isis');
    if (port === undefined) return false;
    port.lines.push('no isis hello padding');
    return true;
  },
};
