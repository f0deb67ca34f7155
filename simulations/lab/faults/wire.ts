// What wires do to frames: lose them, change them, hold them back, let only so many through. All of it inside the cable, where neither
// router has a counter.
import { join } from 'node:path';
import { z } from 'zod';
import {
  cableName,
  defineFault,
  interfaceId,
  linkEnd,
  linkId,
  locationOf,
  otherEnd,
  portTowards,
  type Symptom,
  shareOf,
  type Truth,
  truthAtInterface,
} from './fault.ts';
import { randomLink } from './places.ts';

const RELAY = join(import.meta.dirname, '../relay.ts');
const percent = z.number().positive().max(100);

/** A chain on frames that come in from `port`, with one rule. */
const ingress = (port: string, rule: string, chain = 'c'): string =>
  `nft 'add table netdev z; add chain netdev z ${chain} { type filter hook ingress device ${port} priority 0; }; add rule netdev z ${chain} ${rule}'`;

export const packetLoss = defineFault({
  id: 'packet_loss',
  description: 'a cable drops a share of the frames that `from` sends',
  parameters: z.strictObject({
    cable: cableName,
    /** The end whose frames are dropped. */
    from: linkEnd,
    percent,
  }),
  steps: ({ cable, from, percent: share }) => [
    { where: 'cable', cable, exec: [ingress(portTowards(cable, from), `${shareOf(share)}drop`)] },
  ],
  truth: ({ from }) => truthAtInterface('packet_loss', from),
  symptoms: ({ from }) => [lossy(from)],
  place: (network, random) => ({ ...randomLink(network, random), percent: random.pick([1, 3, 5, 10, 20, 30]) }),
});

export const packetLossBothWays = defineFault({
  id: 'packet_loss_both_ways',
  description: 'a cable drops a share of the frames of both ends',
  parameters: z.strictObject({ cable: cableName, percent }),
  steps: ({ cable, percent: share }) => [
    {
      where: 'cable',
      cable,
      exec: [ingress('{a}', `${shareOf(share)}drop`, 'c'), ingress('{b}', `${shareOf(share)}drop`, 'd')],
    },
  ],
  truth: ({ cable }): Truth => {
    const ends = cable.split('--');
    return { pairs: ends.map((end) => ({ resource: interfaceId(end), fault: 'packet_loss' })), locations: [] };
  },
  symptoms: ({ cable }) => [lossy(cable.split('--')[0]!)],
  place: (network, random) => ({
    cable: randomLink(network, random).cable,
    percent: random.pick([2, 5, 10, 20]),
  }),
});

export const packetLossSomeFlows = defineFault({
  id: 'packet_loss_some_flows',
  description: 'a cable drops every packet of some flows and none of the others, as a broken member of a bundle does',
  parameters: z.strictObject({
    cable: cableName,
    from: linkEnd,
    oneIn: z.int().min(2).max(64).default(4),
    seed: z.int().min(1).default(1),
  }),
  steps: ({ cable, from, oneIn, seed }) => {
    const port = portTowards(cable, from);
    const keys = ['ip saddr . ip daddr . th sport . th dport', 'ip6 saddr . ip6 daddr . th sport . th dport'];
    return [
      {
        where: 'cable',
        cable,
        exec: keys.map((key, index) =>
          ingress(
            port,
            `meta l4proto { tcp, udp } jhash ${key} mod ${oneIn} seed ${seed} == 0 counter drop`,
            `c${index}`,
          ),
        ),
      },
    ];
  },
  truth: ({ from }) => truthAtInterface('packet_loss', from),
  symptoms: ({ cable, from }) => [manyFlows(from), struck(cable)],
  place: (network, random) => ({ ...randomLink(network, random), seed: 1 + Math.floor(random.next() * 1_000) }),
});

const corrupted = ({ cable, from }: { cable: string; from: string }): Truth => ({
  pairs: [{ resource: linkId(cable), fault: 'link_packet_corruption' }],
  locations: [locationOf(from)],
});

export const corruptedHeaders = defineFault({
  id: 'link_packet_corruption',
  description: 'a cable spoils the IPv4 header of a share of the packets that `from` sends',
  parameters: z.strictObject({ cable: cableName, from: linkEnd, percent }),
  steps: ({ cable, from, percent: share }) => [
    {
      where: 'cable',
      cable,
      exec: [ingress(portTowards(cable, from), `ip version 4 ${shareOf(share)}counter ip checksum set 0xdead`)],
    },
  ],
  truth: corrupted,
  symptoms: ({ cable, from }) => [echoes4(from), struck(cable), spoiledAt(otherEnd(cable, from))],
  place: (network, random) => ({ ...randomLink(network, random), percent: random.pick([5, 10, 25]) }),
});

export const corruptedPayload = defineFault({
  id: 'payload_corruption',
  description: 'a cable spoils the TCP, UDP or ICMP checksum of a share of the packets that `from` sends',
  parameters: z.strictObject({ cable: cableName, from: linkEnd, percent }),
  steps: ({ cable, from, percent: share }) => {
    const port = portTowards(cable, from);
    const rules = [
      ...['tcp', 'udp'].map(
        (protocol) => `meta l4proto ${protocol} ${shareOf(share)}counter ${protocol} checksum set 0xdead`,
      ),
      `ip protocol icmp ${shareOf(share)}counter icmp checksum set 0xdead`,
      `icmpv6 type { echo-request, echo-reply } ${shareOf(share)}counter icmpv6 checksum set 0xdead`,
    ];
    return [{ where: 'cable', cable, exec: rules.map((rule, index) => ingress(port, rule, `c${index}`)) }];
  },
  truth: corrupted,
  symptoms: ({ from }) => [lossy(from)],
  place: (network, random) => ({ ...randomLink(network, random), percent: random.pick([5, 10, 25]) }),
});

export const duplicatedFrames = defineFault({
  id: 'duplicated_frames',
  description: 'a cable delivers a share of the frames that `from` sends twice',
  parameters: z.strictObject({ cable: cableName, from: linkEnd, percent }),
  steps: ({ cable, from, percent: share }) => {
    const port = portTowards(cable, from);
    const copy = `${shareOf(share)}counter dup to ${port === '{a}' ? '{b}' : '{a}'}`;
    return [{ where: 'cable', cable, exec: [ingress(port, copy)] }];
  },
  truth: ({ cable, from }) => ({
    pairs: [{ resource: linkId(cable), fault: 'duplicated_frames' }],
    locations: [locationOf(from)],
  }),
  symptoms: ({ from }) => [doubled(from)],
  place: (network, random) => ({ ...randomLink(network, random), percent: random.pick([5, 10, 30]) }),
});

export const highLatency = defineFault({
  id: 'high_latency',
  description: 'a cable holds back what `from` sends; the other way is untouched',
  parameters: z.strictObject({ cable: cableName, from: linkEnd, delayMs: z.int().min(1).max(1_000) }),
  steps: ({ cable, from, delayMs }) => {
    const slow = portTowards(cable, from);
    const fast = slow === '{a}' ? '{b}' : '{a}';
    return [
      { where: 'cable', cable, exec: ['ip link set {a} nomaster; ip link set {b} nomaster'] },
      { where: 'beside-cable', cable, argv: [process.execPath, RELAY, slow, fast, String(delayMs)] },
    ];
  },
  truth: ({ from }) => truthAtInterface('high_latency', from),
  symptoms: ({ from, delayMs }) => [late(from, delayMs)],
  place: (network, random) => ({ ...randomLink(network, random), delayMs: random.pick([30, 60, 120]) }),
});

export const narrowLink = defineFault({
  id: 'link_capacity_bottleneck',
  description: 'a cable passes only so many megabits a second, either way',
  parameters: z.strictObject({ cable: cableName, megabits: z.number().positive().max(1_000) }),
  steps: ({ cable, megabits }) => [
    {
      where: 'cable',
      cable,
      exec: ['{a}', '{b}'].map(
        (port) => `tc qdisc add dev ${port} root tbf rate ${megabits}mbit burst 16kb limit 60kb`,
      ),
    },
  ],
  truth: ({ cable }) => ({
    pairs: [{ resource: linkId(cable), fault: 'link_capacity_bottleneck' }],
    locations: [],
  }),
  symptoms: ({ cable, megabits }) => [slow(cable.split('--')[0]!, megabits)],
  place: (network, random) => ({ cable: randomLink(network, random).cable, megabits: random.pick([2, 5, 10]) }),
});

/** Some of many echoes over the link alone stay away; looked for again until they do. */
function lossy(end: string): Symptom {
  const { device, interface: port } = locationOf(end);
  const ping = `timeout 10 ping -q -6 -L -c 300 -i 0.002 -W 0.3 ff02::1%${port}`;
  return { where: 'network', node: device, script: `${ping} | grep 'packet loss' | grep -vq ' 0% packet loss'` };
}

/** Of many echoes over the link alone some come back twice; looked for again until they do. */
function doubled(end: string): Symptom {
  const { device, interface: port } = locationOf(end);
  const ping = `timeout 10 ping -q -6 -L -c 300 -i 0.002 -W 0.3 ff02::1%${port}`;
  return { where: 'network', node: device, script: `${ping} | grep -q 'duplicates'` };
}

/** An echo over the link alone takes at least as long as the wire holds frames back. */
function late(from: string, delayMs: number): Symptom {
  const { device, interface: port } = locationOf(from);
  const judge = `awk -F time= '/time=/ { split($2, t, " "); if (t[1] >= ${delayMs}) late = 1 } END { exit !late }'`;
  return { where: 'network', node: device, script: `ping -6 -L -c 1 -W 3 ff02::1%${port} | ${judge}` };
}

/** Sends UDP of many flows over the link alone; nobody listens. Shows nothing by itself: `struck` does. */
function manyFlows(end: string): Symptom {
  const { device, interface: port } = locationOf(end);
  const each = `echo > /dev/udp/ff02::1%${port}/$((40000 + flow))`;
  return { where: 'network', node: device, script: `for flow in $(seq 200); do ${each}; done; true` };
}

/** Sends IPv4 echoes over the link alone that nobody answers. Shows nothing by itself. */
function echoes4(end: string): Symptom {
  const { device, interface: port } = locationOf(end);
  const script = `timeout 10 ping -q -c 100 -i 0.002 -W 0.1 -I ${port} 224.0.0.1 > /dev/null; true`;
  return { where: 'network', node: device, script };
}

/** A rule of the cable has met a frame. */
function struck(cable: string): Symptom {
  return { where: 'cable', cable, script: "nft list table netdev z | grep -Eq 'packets [1-9]'" };
}

/** A router has seen IPv4 headers whose checksum is wrong. */
function spoiledAt(end: string): Symptom {
  const script = `awk '$1 == "IpExt:" && !at { for (n = 2; n <= NF; n++) if ($n == "InCsumErrors") at = n; next } $1 == "IpExt:" { print $at }' /proc/net/netstat`;
  return { where: 'network', node: locationOf(end).device, script, rises: 1 };
}

/** Octets of each of seven long echoes sent at once, and of what the bottleneck lets through without waiting; all fit into its queue. */
const [ECHO_BYTES, ECHOES, BURST_BYTES] = [8_000, 7, 16_384];

/** Long echoes sent at once wait for each other: at least half as long as the rate makes the last of them wait. */
function slow(end: string, megabits: number): Symptom {
  const { device, interface: port } = locationOf(end);
  const waitMs = ((ECHO_BYTES * ECHOES - BURST_BYTES) * 8) / (megabits * 1_000) / 2;
  const judge = `awk -F time= '/time=/ { split($2, t, " "); if (t[1] >= ${waitMs.toFixed(1)}) slow = 1 } END { exit !slow }'`;
  const ping = `timeout 10 ping -6 -L -c ${ECHOES} -l ${ECHOES} -s ${ECHO_BYTES} -W 2 ff02::1%${port}`;
  return { where: 'network', node: device, script: `${ping} | ${judge}` };
}
