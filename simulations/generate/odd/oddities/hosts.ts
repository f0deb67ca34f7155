// Legal oddities of hosts and of who speaks: second subnets, sleepers, proxy ARP, silent LLDP, routers without an agent.
import { isConnected } from '../graph.ts';
import { type Draft, type Host, has4, portNamed, type Router, routerNamed, sample } from '../model.ts';
import { leavesEchoes, type Oddity, someHost, someRouter } from './oddity.ts';

export const secondarySubnet: Oddity = {
  name: 'secondary subnet on a LAN',
  add: (draft) => {
    const host = someHost(draft, ({ address4, isBehindNat }) => address4 !== undefined && !isBehindNat);
    if (host === undefined) return false;
    const router = routerNamed(draft, host.router);
    router.ports.find(({ ifname }) => ifname === host.port)!.lines.push('ip address 198.19.220.1/24');
    host.exec.push('ip address add 198.19.220.10/24 dev eth1');
    return true;
  },
};

export const sleepingHost: Oddity = {
  name: 'host that sleeps',
  add: (draft) => {
    const fits = draft.hosts.filter((host) => isPlain(host) && host.service === undefined);
    const host = sample(draft.random, fits, 1)[0];
    if (host === undefined || !leavesEchoes(draft)) return false;
    host.isAsleep = true;
    host.exec.push('ip link set eth1 down');
    return true;
  },
};

export const silentHost: Oddity = {
  name: 'host that answers no echo',
  add: (draft) => {
    const awake = draft.hosts.filter((host) => host.denied.size === 0 && !host.isAsleep && !host.isBehindNat);
    if (awake.length < 2 || !leavesEchoes(draft)) return false;
    const host = sample(draft.random, awake, 1)[0]!;
    host.exec.push(
      'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all',
      'echo 1 > /proc/sys/net/ipv6/icmp/echo_ignore_all',
    );
    host.denied.add('ping');
    return true;
  },
};

/** The host takes all the world for its own link, and its router answers for it. */
export const proxyArp: Oddity = {
  name: 'proxy ARP',
  add: (draft) => {
    const host = someHost(draft, ({ address4, isBehindNat }) => address4 !== undefined && !isBehindNat);
    if (host === undefined) return false;
    routerNamed(draft, host.router).exec.push(`echo 1 > /proc/sys/net/ipv4/conf/${host.port}/proxy_arp`);
    host.exec.push('ip route replace default dev eth1');
    return true;
  },
};

export const silentLldp: Oddity = {
  name: 'LLDP off at a router',
  add: (draft) => {
    // Agents are told of loopbacks, which autonomous systems keep from each other.
    const router = draft.shape === 'bgp-transit' ? undefined : someRouter(draft);
    if (router === undefined) return false;
    router.exec.push('kill $(cat /run/lldpd.pid)');
    draft.isTold = true;
    return true;
  },
};

export const withoutAgent: Oddity = {
  name: 'router without an agent',
  add: (draft) => {
    // A provider's or a customer's router is not ours; elsewhere one that the others do not need to find each other.
    const fits = (each: Router) =>
      isConnected(draft, [each.name]) && !(draft.shape === 'bgp-transit' && each.name.startsWith('core'));
    const router = someRouter(draft, fits);
    if (router === undefined || draft.routers.length < 5) return false;
    router.hasAgent = false;
    return true;
  },
};

/** A second router on the LAN of a host, a switch between them, and a virtual router of both (RFC 9568) that hosts send to. */
export const virtualRouter: Oddity = {
  name: 'VRRP',
  add: (draft) => {
    if (!has4(draft) || !['ospf-areas', 'unnumbered-ospf'].includes(draft.shape)) return false;
    const host = someHost(draft, isPlain);
    if (host?.prefix4 === undefined) return false;
    const first = routerNamed(draft, host.router);
    const port = portNamed(first, host.port);
    const area = port.lines.find((line) => line.startsWith('ip ospf area'));
    const second = someRouter(
      draft,
      (each) => each !== first && area !== undefined && each.loopbackLines.includes(area),
    );
    const cable = draft.links.find(({ a }) => a.node === first.name && a.ifname === host.port);
    if (second === undefined || area === undefined || cable === undefined) return false;
    const [name, gateway] = ['sw1', host.gateway4!];
    const at = (last: number) => gateway.replace(/\d+$/, String(last));
    const own = `eth${second.ports.length + 1}`;
    const vrrp = (priority: number) => [
      ...[
        'vrrp 5 version 3',
        `vrrp 5 priority ${priority}`,
        'vrrp 5 advertisement-interval 500',
        `vrrp 5 ip ${gateway}`,
      ],
    ];
    port.address4 = `${at(2)}/24`;
    port.peer = { node: name, ifname: 'eth1' };
    port.lines.push(...vrrp(200));
    second.ports.push({
      ...{ ifname: own, peer: { node: name, ifname: 'eth2' }, role: 'lan', address4: `${at(3)}/24` },
      lines: ['description user LAN', area, 'ip ospf passive', ...vrrp(100)],
    });
    cable.b = { node: name, ifname: 'eth1' };
    draft.links.push(
      { a: { node: second.name, ifname: own }, b: { node: name, ifname: 'eth2' }, mtu: cable.mtu },
      { a: { node: host.name, ifname: 'eth1' }, b: { node: name, ifname: 'eth3' }, mtu: cable.mtu },
    );
    draft.switches.push({ name, ports: ['eth1', 'eth2', 'eth3'] });
    for (const [router, ifname] of [
      [first, host.port],
      [second, own],
    ] as const) {
      router.daemons.add('vrrpd');
      router.exec.push(
        ...[`ip link add vrrp4-${ifname.slice(3)}-1 link ${ifname} type macvlan mode bridge`],
        ...[`ip link set dev vrrp4-${ifname.slice(3)}-1 address 00:00:5e:00:01:05`],
        ...[
          `ip address add ${gateway}/24 dev vrrp4-${ifname.slice(3)}-1`,
          `ip link set dev vrrp4-${ifname.slice(3)}-1 up`,
        ],
        ...[`echo 1 > /proc/sys/net/ipv4/conf/${ifname}/arp_ignore`, 'echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore'],
      );
    }
    host.hasVirtualRouter = true;
    return true;
  },
};

/** Nothing has been done to its LAN yet. */
const isPlain = (host: Host): boolean =>
  (host.prefix4 ?? '198.19.').startsWith('198.19.') &&
  !host.isAsleep &&
  !host.isBehindNat &&
  host.exec.length === 0 &&
  host.denied.size === 0;

export const staticNeighbour: Oddity = {
  name: 'permanent neighbour entries that are right',
  add: (draft: Draft) => {
    const host = someHost(draft, ({ address4 }) => address4 !== undefined);
    if (host === undefined || !has4(draft)) return false;
    host.exec.push('ip link set eth1 address 02:00:5e:20:00:10');
    routerNamed(draft, host.router).exec.push(
      `ip neigh replace ${host.address4} lladdr 02:00:5e:20:00:10 dev ${host.port} nud permanent`,
    );
    return true;
  },
};
