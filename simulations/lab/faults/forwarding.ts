// Routers that do not forward what they are sent, for reasons that no route and no rule of nftables shows: settings of the kernel, policy rules,
// the older packet filter, traffic control.
import { z } from 'zod';
import type { Network } from '../../generate/network.ts';
import { SERVICE_CHECKS } from '../services.ts';
import { address, defineFault, ifname, nodeName, prefix, type Random, type Symptom, truthAtNode } from './fault.ts';
import { randomEdge } from './places.ts';

/** A host, and an address that it can no longer reach. */
const seenFrom = z.strictObject({ host: nodeName, address });
const unseen = (seen: z.infer<typeof seenFrom> | undefined): Symptom[] =>
  seen === undefined
    ? []
    : [{ where: 'network', node: seen.host, script: `! ping -q -c 1 -W 0.5 ${seen.address} > /dev/null` }];

/** A router with a host, and another host that this one reaches through it. */
function edgeWithOther(network: Network, random: Random) {
  const { router, host } = randomEdge(network, random);
  const others = network.hosts.filter((each) => each.router !== router.name);
  return others.length === 0 ? undefined : { router, host, other: random.pick(others) };
}

const setting = (path: string, value: number) => `echo ${value} > /proc/sys/net/${path}`;

export const forwardingDisabled = defineFault({
  id: 'forwarding_disabled',
  description: 'the kernel of a router with hosts forwards no IPv4, or none that comes in by the port of its hosts',
  parameters: z.strictObject({ node: nodeName, interface: ifname.optional(), seen: seenFrom.optional() }),
  steps: ({ node, interface: port }) => {
    const path = port === undefined ? 'ipv4/ip_forward' : `ipv4/conf/${port}/forwarding`;
    return [{ where: 'node', node, exec: [setting(path, 0)], undo: [setting(path, 1)] }];
  },
  truth: ({ node }) => truthAtNode('forwarding_disabled', node),
  symptoms: ({ seen }) => unseen(seen),
  place: (network, random) => {
    const found = edgeWithOther(network, random);
    if (found === undefined) return undefined;
    const { router, host, other } = found;
    const chosen = { node: router.name, seen: { host: host.host, address: other.hostAddress4 } };
    return random.next() < 0.5 ? chosen : { ...chosen, interface: host.ifname };
  },
});

/** `fib_multipath_hash_fields`: the protocol alone, or what is in a tunnel. */
const ALIKE_FIELDS = [0x04, 0xfc0] as const;

export const ecmpPolarised = defineFault({
  id: 'ecmp_polarised',
  description: 'of equal next hops a router uses one alone: its kernel hashes what is alike in all packets',
  parameters: z.strictObject({ node: nodeName, fields: z.int().default(ALIKE_FIELDS[0]) }),
  steps: ({ node, fields }) => [
    {
      ...{ where: 'node', node },
      exec: [setting('ipv4/fib_multipath_hash_fields', fields), setting('ipv4/fib_multipath_hash_policy', 3)],
      undo: [setting('ipv4/fib_multipath_hash_policy', 0), setting('ipv4/fib_multipath_hash_fields', 7)],
    },
  ],
  truth: ({ node }) => truthAtNode('ecmp_polarised', node),
  symptoms: ({ node }) => [
    {
      where: 'node',
      node,
      script: '[ $(cat /proc/sys/net/ipv4/fib_multipath_hash_policy) = 3 ] && ip route | grep -q nexthop',
    },
  ],
  /** A router with hosts that reaches others by all of its links. */
  place: (network, random) => {
    const { router } = randomEdge(network, random);
    if (network.protocol !== 'bgp' || router.core.length < 2) return undefined;
    return { node: router.name, fields: random.pick(ALIKE_FIELDS) };
  },
});

export const headerRewrite = defineFault({
  id: 'header_rewrite',
  description: 'a rule of a router with hosts writes a TTL of one into all IPv4 that it forwards',
  parameters: z.strictObject({ node: nodeName, seen: seenFrom.optional() }),
  steps: ({ node }) => {
    const rule = 'add rule ip edge_ttl forward ip ttl set 1';
    const chain = 'add chain ip edge_ttl forward { type filter hook forward priority -150; }';
    const exec = [`nft 'add table ip edge_ttl; ${chain}; ${rule}'`];
    return [{ where: 'node', node, exec, undo: ['nft delete table ip edge_ttl'] }];
  },
  truth: ({ node }) => truthAtNode('header_rewrite', node),
  symptoms: ({ seen }) => unseen(seen),
  place: (network, random) => {
    const found = edgeWithOther(network, random);
    if (found === undefined) return undefined;
    return { node: found.router.name, seen: { host: found.host.host, address: found.other.hostAddress4 } };
  },
});

/** Documentation space (RFC 5737), which no generated network has. */
const NOWHERE = '192.0.2.254';

export const destinationRewrite = defineFault({
  id: 'destination_rewrite',
  description: 'a rule of a router with hosts sends all their questions for names to an address that does not exist',
  parameters: z.strictObject({ node: nodeName, seen: seenFrom.optional() }),
  steps: ({ node }) => {
    const chain = 'add chain ip edge_nat pre { type nat hook prerouting priority -100; }';
    const exec = [
      `nft 'add table ip edge_nat; ${chain}; add rule ip edge_nat pre udp dport 53 counter dnat to ${NOWHERE}'`,
    ];
    return [{ where: 'node', node, exec, undo: ['nft delete table ip edge_nat'] }];
  },
  truth: ({ node }) => truthAtNode('destination_rewrite', node),
  symptoms: ({ seen }) =>
    seen === undefined ? [] : [{ where: 'network', node: seen.host, script: `! ${SERVICE_CHECKS.dns(seen.address)}` }],
  place: (network, random) => {
    const server = network.hosts.find((host) => host.service === 'dns');
    const users = network.hosts.filter((host) => host.router !== server?.router);
    if (server === undefined || users.length === 0) return undefined;
    const user = random.pick(users);
    return { node: user.router, seen: { host: user.host, address: server.hostAddress4 } };
  },
});

const ruled = z.strictObject({ node: nodeName, prefix, interface: ifname, seen: seenFrom.optional() });
const placeOfRule = (network: Network, random: Random): z.infer<typeof ruled> | undefined => {
  const found = edgeWithOther(network, random);
  if (found === undefined) return undefined;
  const { router, host, other } = found;
  const seen = { host: host.host, address: other.hostAddress4 };
  return { node: router.name, prefix: host.prefix4, interface: host.ifname, seen };
};

export const policyRouteMisconfig = defineFault({
  id: 'policy_route_misconfig',
  description: 'a policy rule of a router throws away what hosts on one of its ports send',
  parameters: ruled,
  steps: ({ node, prefix: network, interface: port }) => {
    const rule = `from ${network} iif ${port} blackhole prio 100`;
    return [{ where: 'node', node, exec: [`ip rule add ${rule}`], undo: [`ip rule del ${rule}`] }];
  },
  truth: ({ node }) => truthAtNode('policy_route_misconfig', node),
  symptoms: ({ seen }) => unseen(seen),
  place: placeOfRule,
});

export const policyBlackhole = defineFault({
  id: 'policy_blackhole',
  description: 'a policy rule of a router leads what hosts on one of its ports send to a table that throws it away',
  parameters: ruled,
  steps: ({ node, prefix: network, interface: port }) => {
    const rule = `from ${network} iif ${port} lookup 100 prio 100`;
    return [
      {
        ...{ where: 'node', node },
        exec: ['ip route add blackhole default table 100', `ip rule add ${rule}`],
        undo: [`ip rule del ${rule}`, 'ip route del blackhole default table 100'],
      },
    ];
  },
  truth: ({ node }) => truthAtNode('blackhole_route', node),
  symptoms: ({ seen }) => unseen(seen),
  place: placeOfRule,
});

export const olderFilter = defineFault({
  id: 'http_legacy_filter',
  description: 'a rule of the older packet filter (xtables) of a router drops HTTP that it should forward',
  parameters: z.strictObject({ node: nodeName, seen: seenFrom.optional() }),
  steps: ({ node }) => {
    const rule = 'FORWARD -p tcp --dport 80 -j DROP';
    return [{ where: 'node', node, exec: [`iptables-legacy -A ${rule}`], undo: [`iptables-legacy -D ${rule}`] }];
  },
  truth: ({ node }) => truthAtNode('http_acl_block', node),
  symptoms: ({ seen }) =>
    seen === undefined ? [] : [{ where: 'network', node: seen.host, script: `! ${SERVICE_CHECKS.http(seen.address)}` }],
  place: (network, random) => {
    const node = randomEdge(network, random).router.name;
    const server = network.hosts.find((host) => host.service === 'http');
    const near = server && network.hosts.find((host) => (host.router === node) !== (server.router === node));
    if (server === undefined || near === undefined) return undefined;
    return { node, seen: { host: near.host, address: server.hostAddress4 } };
  },
});

export const redirectedAway = defineFault({
  id: 'tc_redirect_away',
  description:
    'a filter of traffic control of a router takes what comes in for a prefix of its hosts, and sends it to where nothing is',
  parameters: z.strictObject({
    ...{ node: nodeName, interfaces: z.array(ifname).min(1), prefix, seen: seenFrom.optional() },
  }),
  steps: ({ node, interfaces, prefix: network }) => [
    {
      ...{ where: 'node', node },
      exec: interfaces.flatMap((port) => [
        `tc qdisc add dev ${port} clsact`,
        `tc filter add dev ${port} ingress protocol ip u32 match ip dst ${network} action mirred egress redirect dev lo`,
      ]),
      undo: interfaces.map((port) => `tc qdisc del dev ${port} clsact`),
    },
  ],
  truth: ({ node }) => truthAtNode('acl_misconfig', node),
  symptoms: ({ seen }) => unseen(seen),
  place: (network, random) => {
    const found = edgeWithOther(network, random);
    if (found === undefined) return undefined;
    const { router, host, other } = found;
    const seen = { host: other.host, address: host.hostAddress4 };
    return { node: router.name, interfaces: router.core.map((port) => port.ifname), prefix: host.prefix4, seen };
  },
});

export const hmacDemanded = defineFault({
  id: 'srv6_hmac_mismatch',
  description: 'a router demands an HMAC of SRv6 packets that come in by its links, and no head puts one on',
  parameters: z.strictObject({ node: nodeName, interfaces: z.array(ifname).min(1), seen: seenFrom.optional() }),
  steps: ({ node, interfaces }) => {
    const set = (value: number) => interfaces.map((port) => setting(`ipv6/conf/${port}/seg6_require_hmac`, value));
    return [{ where: 'node', node, exec: set(1), undo: set(0) }];
  },
  truth: ({ node }) => truthAtNode('srv6_hmac_mismatch', node),
  symptoms: ({ seen }) => unseen(seen),
  place: (network, random) => {
    const found = edgeWithOther(network, random);
    if (found === undefined) return undefined;
    const { router, host, other } = found;
    const seen = { host: other.host, address: host.hostAddress6 };
    return { node: router.name, interfaces: router.core.map((port) => port.ifname), seen };
  },
});

export const emptyTable = defineFault({
  id: 'srv6_sid_empty_table',
  description: 'a SID of a router looks up in a table without a route',
  parameters: z.strictObject({ node: nodeName, sid: address, seen: seenFrom.optional() }),
  steps: ({ node, sid }) => {
    const replace = (table: number) =>
      `ip -6 route replace ${sid}/128 encap seg6local action End.DT6 table ${table} count dev sr0`;
    return [{ where: 'node', node, exec: [replace(100)], undo: [replace(254)] }];
  },
  truth: ({ node }) => truthAtNode('srv6_sid_missing', node),
  symptoms: ({ seen }) => unseen(seen),
  place: (network, random) => {
    const found = edgeWithOther(network, random);
    if (found === undefined) return undefined;
    const { router, host, other } = found;
    return { node: router.name, sid: router.decapSid, seen: { host: other.host, address: host.hostAddress6 } };
  },
});
