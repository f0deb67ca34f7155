// Legal oddities of filters and NAT: services that are closed on purpose, policers of the control plane, private networks behind one address.
import { addHost, type Host, has4, routerNamed, sample } from '../model.ts';
import { coreNames, leavesEchoes, nftTable, type Oddity, someHost, someRouter } from './oddity.ts';

const lanRules = (host: Host, match: string): string[] => [
  ...(host.prefix4 === undefined ? [] : [`ip daddr ${host.prefix4} ${match} counter drop`]),
  ...(host.prefix6 === undefined ? [] : [`ip6 daddr ${host.prefix6} ${match} counter drop`]),
];

export const webDenied: Oddity = {
  name: 'web denied to a LAN',
  add: (draft) => {
    const host = someHost(draft, (each) => !each.isAsleep && !each.isBehindNat);
    if (host === undefined) return false;
    routerNamed(draft, host.router).exec.push(
      nftTable('inet', 'web', 'forward', lanRules(host, 'tcp dport { 80, 443 }')),
    );
    host.denied.add('http');
    return true;
  },
};

export const echoDenied: Oddity = {
  name: 'ICMP echo denied to hosts',
  add: (draft) => {
    const host = someHost(draft, (each) => !each.isAsleep && !each.isBehindNat);
    if (host === undefined || !leavesEchoes(draft)) return false;
    const rules = [
      ...(host.prefix4 === undefined ? [] : [`ip daddr ${host.prefix4} icmp type echo-request counter drop`]),
      ...(host.prefix6 === undefined ? [] : [`ip6 daddr ${host.prefix6} icmpv6 type echo-request counter drop`]),
    ];
    routerNamed(draft, host.router).exec.push(nftTable('inet', 'noping', 'forward', rules));
    host.denied.add('ping');
    return true;
  },
};

export const remoteDesktopDenied: Oddity = {
  name: 'ports denied everywhere',
  add: (draft) => {
    for (const router of sample(draft.random, draft.routers, 2))
      router.exec.push(
        nftTable('inet', 'closed', 'forward', [
          'tcp dport { 23, 445, 3389 } counter drop',
          'udp dport 161 counter drop',
        ]),
      );
    return true;
  },
};

export const controlPlanePolicer: Oddity = {
  name: 'control-plane policer',
  add: (draft) => {
    const rules = [
      'iifname lo accept',
      'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert, nd-router-solicit } accept',
      'meta l4proto { icmp, ipv6-icmp } limit rate over 20/second burst 20 packets counter drop',
      'meta l4proto udp limit rate over 100/second burst 100 packets counter drop',
    ];
    for (const router of sample(draft.random, draft.routers, 2))
      router.exec.push(nftTable('inet', 'copp', 'input', rules));
    return true;
  },
};

export const antiSpoofing: Oddity = {
  name: 'anti-spoofing filter towards hosts',
  add: (draft) => {
    const host = someHost(draft, ({ prefix4 }) => prefix4 !== undefined);
    if (host === undefined) return false;
    const rule = `iifname ${host.port} ip saddr != ${host.prefix4} counter drop`;
    routerNamed(draft, host.router).exec.push(nftTable('inet', 'spoof', 'forward', [rule]));
    return true;
  },
};

export const managementOnly: Oddity = {
  name: 'SSH to a router from its own LAN alone',
  add: (draft) => {
    const host = someHost(draft, ({ prefix4 }) => prefix4 !== undefined);
    if (host === undefined) return false;
    const rule = `tcp dport 22 ip saddr != ${host.prefix4} counter drop`;
    routerNamed(draft, host.router).exec.push(nftTable('inet', 'mgmt', 'input', [rule]));
    return true;
  },
};

/** Stands in every office; RFC 1918 §3 keeps it out of everybody's routes. */
const OFFICE = '192.168.0.0';

const network = (name: string, count: number): Oddity => ({
  name,
  add: (draft) => {
    // Between autonomous systems, loopbacks are not told to everybody: an answer would not find its way back.
    if (!has4(draft) || draft.shape === 'bgp-transit') return false;
    const routers = sample(draft.random, draft.routers, count);
    if (routers.length < count || draft.oddities.some((each) => each.includes('NAT'))) return false;
    for (const router of routers) {
      const { host, port } = addHost(draft, router, {
        lan4: { base: count > 1 ? OFFICE : '198.19.200.0', length: 24 },
        behindNat: true,
      });
      const out = coreNames(router).map((ifname) => `"${ifname}"`);
      router.exec.push(
        nftTable(
          'ip',
          'nat',
          'postrouting',
          [`oifname { ${out.join(', ')} } ip saddr ${host.prefix4} snat to ${router.loopback4}`],
          'nat',
          100,
        ),
      );
      if (count > 1) for (const address of [host.address4!, port.address4!.split('/')[0]!]) draft.shared.add(address);
    }
    return true;
  },
});

export const natAtAnEdge = network('NAT at an edge', 1);
export const privateDuplicates = network('private duplicates behind NAT', 2);

/** Filters of xtables that were there before: rules that nothing meets. */
export const olderTables: Oddity = {
  name: 'rules of the older packet filter',
  add: (draft) => {
    const router = someRouter(draft);
    if (router === undefined) return false;
    router.exec.push('iptables-legacy -A FORWARD -p tcp --dport 25 -j DROP');
    return true;
  },
};

/** Marks are set anew towards a customer: nothing is dropped. */
export const markedAnew: Oddity = {
  name: 'DSCP set towards hosts',
  add: (draft) => {
    const host = sample(draft.random, draft.hosts, 1)[0];
    if (host === undefined || !has4(draft)) return false;
    routerNamed(draft, host.router).exec.push(
      nftTable('ip', 'qos', 'postrouting', [`oifname ${host.port} ip dscp set cs0`], 'filter', -150),
    );
    return true;
  },
};
