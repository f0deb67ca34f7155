// Legal oddities of hosts and of who speaks: second subnets, sleepers, proxy ARP, silent LLDP, routers without an agent.
import { addHost, bgpOf, type Draft, has4, lanPorts, routerNamed, sample } from '../model.ts';
import { hasLan, leavesEchoes, type Oddity, someRouter } from './oddity.ts';

export const secondarySubnet: Oddity = {
  name: 'secondary subnet on a LAN',
  add: (draft) => {
    const host = sample(
      draft.random,
      draft.hosts.filter(({ address4, isBehindNat }) => address4 !== undefined && !isBehindNat),
      1,
    )[0];
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
    const router = someRouter(draft, (each) => hasLan(each) && bgpOf(each) === undefined);
    if (router === undefined) return false;
    const { host, port } = addHost(draft, router);
    const pattern = lanPorts(router)[0]!;
    port.lines.push(...pattern.lines.slice(1).filter((line) => !line.startsWith('ip address')));
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
    const host = sample(
      draft.random,
      draft.hosts.filter(({ address4, isBehindNat }) => address4 !== undefined && !isBehindNat),
      1,
    )[0];
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
    // A provider's or a customer's router is not ours; elsewhere one at the rim.
    const fits =
      draft.shape === 'bgp-transit' ? draft.routers.filter(({ name }) => !name.startsWith('core')) : draft.routers;
    const router = sample(draft.random, fits, 1)[0];
    if (router === undefined || draft.routers.length < 5) return false;
    router.hasAgent = false;
    return true;
  },
};

export const staticNeighbour: Oddity = {
  name: 'permanent neighbour entries that are right',
  add: (draft: Draft) => {
    const host = sample(
      draft.random,
      draft.hosts.filter(({ address4 }) => address4 !== undefined),
      1,
    )[0];
    if (host === undefined || !has4(draft)) return false;
    host.exec.push('ip link set eth1 address 02:00:5e:20:00:10');
    routerNamed(draft, host.router).exec.push(
      `ip neigh replace ${host.address4} lladdr 02:00:5e:20:00:10 dev ${host.port} nud permanent`,
    );
    return true;
  },
};
