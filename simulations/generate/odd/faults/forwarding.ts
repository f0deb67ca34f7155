// Faults of what a router does with packets of others: filters, black holes, policy rules, forwarding that is off, headers that are rewritten.
import type { Injection } from '../../../lab/scenario.ts';
import { distances } from '../graph.ts';
import { corePorts, type Draft, has4, peerAddress } from '../model.ts';
import { fromCatalogue, type HostPlace, inNode, type Mechanism, named, nodeOf, someHost } from './mechanism.ts';

/** At the router of `host`, against what `other` sends to it or it sends to `other`. */
const atEdge = (
  fault: string,
  by: string,
  right: readonly string[],
  draw: (place: HostPlace, draft: Draft) => readonly Injection[] | undefined,
): Mechanism => ({
  ...{ fault, by },
  draw: (draft) => {
    const place = someHost(draft);
    const inject = place && draw(place, draft);
    return place && inject && { inject, truth: named(nodeOf(place.router.name), right) };
  },
});

/** The family that the network has, IPv4 where it has both. */
const prefixOf = (host: HostPlace['host']): string => (host.prefix4 ?? host.prefix6)!;
const word = (prefix: string): string => (prefix.includes(':') ? 'ip6' : 'ip');
const six = (prefix: string): string => (prefix.includes(':') ? '-6 ' : '');

const filterFaults = ['acl_misconfig'] as const;

export const nftFilter = atEdge('acl_misconfig', 'nft forward rule', filterFaults, ({ router, host }) => [
  fromCatalogue('acl_blocks_prefix', { node: router.name, prefix: prefixOf(host) }),
]);

export const legacyFilter = atEdge('acl_misconfig', 'iptables-legacy rule', filterFaults, ({ router, host }) => {
  const prefix = prefixOf(host);
  const rule = `FORWARD -d ${prefix} -j DROP`;
  const program = prefix.includes(':') ? 'ip6tables-legacy' : 'iptables-legacy';
  return [inNode(router.name, [`${program} -A ${rule}`], [`${program} -D ${rule}`])];
});

export const redirected = atEdge('acl_misconfig', 'tc redirect into nothing', filterFaults, ({ router, host }) => {
  if (host.prefix4 === undefined) return undefined;
  const ports = corePorts(router).map(({ ifname }) => ifname);
  return [
    inNode(
      router.name,
      ports.flatMap((port) => [
        `tc qdisc add dev ${port} clsact`,
        `tc filter add dev ${port} ingress protocol ip u32 match ip dst ${host.prefix4} action mirred egress redirect dev lo`,
      ]),
      ports.map((port) => `tc qdisc del dev ${port} clsact`),
    ),
  ];
});

export const rawFilter = atEdge(
  'acl_misconfig',
  'nft rule at prerouting, by the source',
  filterFaults,
  ({ router, host }) => {
    const prefix = prefixOf(host);
    const rule = `iifname ${host.port} ${word(prefix)} saddr ${prefix} drop`;
    return [
      inNode(
        router.name,
        [
          `nft 'add table inet edge; add chain inet edge pre { type filter hook prerouting priority -300; }; add rule inet edge pre ${rule}'`,
        ],
        ['nft delete table inet edge'],
      ),
    ];
  },
);

const webRight = ['http_acl_block', 'acl_misconfig'] as const;
const atWeb = (by: string, draw: (place: HostPlace) => readonly Injection[]): Mechanism => ({
  ...{ fault: 'http_acl_block', by },
  draw: (draft) => {
    const place = someHost(draft, (host) => host.service === 'http' && !host.denied.has('http'));
    return place && { inject: draw(place), truth: named(nodeOf(place.router.name), webRight) };
  },
});

export const webFilter = atWeb('nft forward rule', ({ router }) => [
  fromCatalogue('http_acl_block', { node: router.name }),
]);
export const webLegacyFilter = atWeb('iptables-legacy rule', ({ router, host }) => {
  const rule = 'FORWARD -p tcp --dport 80 -j REJECT --reject-with tcp-reset';
  const programs = [
    ...(host.prefix4 === undefined ? [] : ['iptables-legacy']),
    ...(host.prefix6 === undefined ? [] : ['ip6tables-legacy']),
  ];
  return [
    inNode(
      router.name,
      programs.map((each) => `${each} -A ${rule}`),
      programs.map((each) => `${each} -D ${rule}`),
    ),
  ];
});

const holes = ['blackhole_route', 'policy_route_misconfig', 'rib_fib_mismatch'] as const;
/** At the router of one host, for the network of the other. */
const hole = (
  by: string,
  right: readonly string[],
  draw: (node: string, own: HostPlace['host'], far: string) => Injection,
): Mechanism =>
  atEdge('blackhole_route', by, right, ({ router, host, other }) => [draw(router.name, host, prefixOf(other))]);

export const staticHole = hole('static route to Null0', ['blackhole_route'], (node, _, prefix) =>
  prefix.includes(':')
    ? inNode(
        node,
        [`vtysh -c 'configure terminal' -c 'ipv6 route ${prefix} Null0'`],
        [`vtysh -c 'configure terminal' -c 'no ipv6 route ${prefix} Null0'`],
      )
    : fromCatalogue('blackhole_route', { node, prefix }),
);
export const kernelHole = hole('ip route add blackhole', ['blackhole_route', 'rib_fib_mismatch'], (node, _, prefix) =>
  inNode(
    node,
    [`ip ${six(prefix)}route add blackhole ${prefix} metric 1`],
    [`ip ${six(prefix)}route del blackhole ${prefix} metric 1`],
  ),
);
export const ruleHole = hole('policy rule that throws away', holes, (node, host, prefix) => {
  const rule = `from ${prefix.includes(':') ? host.prefix6 : host.prefix4} iif ${host.port} blackhole prio 100`;
  return inNode(node, [`ip ${six(prefix)}rule add ${rule}`], [`ip ${six(prefix)}rule del ${rule}`]);
});
export const emptyTable = hole('policy rule into a table with an unreachable default', holes, (node, host, prefix) => {
  const rule = `from ${prefix.includes(':') ? host.prefix6 : host.prefix4} iif ${host.port} lookup 77 prio 100`;
  return inNode(
    node,
    [`ip ${six(prefix)}route add unreachable default table 77`, `ip ${six(prefix)}rule add ${rule}`],
    [`ip ${six(prefix)}rule del ${rule}`, `ip ${six(prefix)}route del unreachable default table 77`],
  );
});

const onIpv4 = (place: HostPlace, injection: Injection) => (place.host.prefix4 === undefined ? undefined : [injection]);

export const forwardingOff = atEdge('forwarding_disabled', 'ip_forward of the node', ['forwarding_disabled'], (place) =>
  onIpv4(place, fromCatalogue('forwarding_disabled', { node: place.router.name })),
);
export const portForwardingOff = atEdge(
  'forwarding_disabled',
  'forwarding of the port of its hosts',
  ['forwarding_disabled'],
  (place) =>
    onIpv4(place, fromCatalogue('forwarding_disabled', { node: place.router.name, interface: place.host.port })),
);
export const forwardingOff6 = atEdge(
  'forwarding_disabled',
  'IPv6 forwarding of the port of its hosts',
  ['forwarding_disabled'],
  ({ router, host }) => {
    if (host.prefix6 === undefined) return undefined;
    const path = '/proc/sys/net/ipv6/conf';
    const all = ['all', ...router.ports.map(({ ifname }) => ifname)];
    return [
      inNode(
        router.name,
        [`echo 0 > ${path}/all/forwarding`],
        all.map((port) => `echo 1 > ${path}/${port}/forwarding`),
      ),
    ];
  },
);

export const ttlByNft = atEdge('header_rewrite', 'nft rule', ['header_rewrite'], (place) =>
  onIpv4(place, fromCatalogue('header_rewrite', { node: place.router.name })),
);
export const ttlByTables = atEdge('header_rewrite', 'iptables-legacy TTL target', ['header_rewrite'], (place) => {
  const rule = 'PREROUTING -j TTL --ttl-set 1';
  return onIpv4(
    place,
    inNode(place.router.name, [`iptables-legacy -t mangle -A ${rule}`], [`iptables-legacy -t mangle -D ${rule}`]),
  );
});

/** A static route that leads to a neighbour from where the way leads back. */
export const wrongWay: Mechanism = {
  fault: 'static_route_misconfig',
  by: 'static route to a neighbour that sends it back',
  draw: (draft) => {
    const place = someHost(draft);
    if (place === undefined || !has4(draft) || place.other.prefix4 === undefined) return undefined;
    const { router, other } = place;
    // Without this router, that neighbour has no way or a longer one: what it is sent comes back.
    const far = distances(draft, other.router, [router.name]);
    const port = corePorts(router).find(({ peer, address4 }) => address4?.endsWith('/31') && !far.has(peer.node));
    const nextHop = port && peerAddress(draft, port, 4);
    if (nextHop === undefined) return undefined;
    return {
      inject: [fromCatalogue('static_route_misconfig', { node: router.name, prefix: other.prefix4, nextHop })],
      truth: named(nodeOf(router.name), ['static_route_misconfig']),
    };
  },
};
