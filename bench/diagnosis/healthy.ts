// Healthy controls: networks in which something goes on and nothing is wrong. Any finding is a false alarm.
import type { CoreInterface, Network } from '../../simulations/generate/network.ts';
import { configure, type Random } from '../../simulations/lab/faults/fault.ts';
import { randomLink, randomPort, randomRouter } from '../../simulations/lab/faults/places.ts';
import type { Injection } from '../../simulations/lab/scenario.ts';

export type Control = { readonly what: string; readonly inject: readonly Injection[] };

const CONTROLS: readonly ((network: Network, random: Random) => Control)[] = [
  quiet,
  load,
  repaired,
  filtered,
  oldCounters,
  unevenButLegal,
];

export function healthyControl(network: Network, random: Random): Control {
  return random.pick(CONTROLS)(network, random);
}

function quiet(): Control {
  return { what: 'quiet', inject: [] };
}

/** A customer's stream between two hosts of different routers, over IPv4 or over SRv6. */
function load(network: Network, random: Random): Control {
  const from = random.pick(network.hosts);
  const to = random.pick(network.hosts.filter((host) => host.router !== from.router));
  const address = random.pick([to.hostAddress4, to.hostAddress6]);
  const parameters = { from: from.host, to: to.host, address, megabits: random.pick([5, 20, 50]) };
  return { what: 'load', inject: [{ where: 'fault', fault: 'load', parameters }] };
}

function repaired(network: Network, random: Random): Control {
  const { cable, from } = randomLink(network, random);
  const faults: Injection[] = [
    { where: 'fault', fault: 'link_down', parameters: { cable }, lastsMs: 2_000 },
    { where: 'fault', fault: 'packet_loss', parameters: { cable, from, percent: 30 }, lastsMs: 3_000 },
    { where: 'fault', fault: 'mtu_mismatch', parameters: { at: from, mtu: 1_400, was: 9_000 }, lastsMs: 2_000 },
  ];
  return { what: 'repaired', inject: [random.pick(faults)] };
}

/** A filter with a counter that grows: what nobody should send comes from the node itself. */
function filtered(network: Network, random: Random): Control {
  const parameters = { node: randomRouter(network, random).name };
  return { what: 'filter at work', inject: [{ where: 'fault', fault: 'filter_at_work', parameters }] };
}

/** A wire that lost a third of a flood until a moment ago: both ends' counters stay far apart. */
function oldCounters(network: Network, random: Random): Control {
  const { cable, from } = randomLink(network, random);
  const [node = '', port = ''] = from.split(':');
  const flood = `perl -MIO::Socket::IP -e 'my $s = IO::Socket::IP->new(PeerHost => "ff02::1%${port}", PeerPort => 9, Proto => "udp") or die; $s->send("x" x 200) for 1 .. 3000'`;
  const drop =
    "nft 'add table netdev z; add chain netdev z c { type filter hook ingress device {a} priority 0; }; add chain netdev z d { type filter hook ingress device {b} priority 0; }; add rule netdev z c numgen random mod 3 == 0 drop; add rule netdev z d numgen random mod 3 == 0 drop'";
  return {
    what: 'old counters',
    inject: [
      { where: 'cable', cable, exec: [drop], repaired: true },
      { where: 'node', node, exec: [flood], undo: [], repaired: true },
      { where: 'cable', cable, exec: ['nft delete table netdev z'], repaired: true },
    ],
  };
}

/** Configuration that differs from router to router and is right all the same: timers, weights, spare addresses, discard routes of its own. */
function unevenButLegal(network: Network, random: Random): Control {
  const { router, port } = randomPort(network, random);
  const spare = `198.18.255.${router.number}/32`;
  const choices: readonly (readonly [on: readonly string[], off: readonly string[]])[] = [
    [
      ['interface lo', `ip address ${spare}`],
      ['interface lo', `no ip address ${spare}`],
    ],
    [[`ip route ${spare} Null0`], [`no ip route ${spare} Null0`]],
    [
      [`interface ${port.ifname}`, 'description spare capacity, do not use'],
      [`interface ${port.ifname}`, 'no description'],
    ],
    ...UNEVEN[network.protocol](port),
  ];
  const [on, off] = random.pick(choices);
  const inject: Injection = {
    where: 'node',
    node: router.name,
    exec: [configure(...on)],
    undo: [configure(...off)],
    repaired: false,
  };
  return { what: 'uneven but legal', inject: [inject] };
}

type Uneven = readonly (readonly [on: readonly string[], off: readonly string[]])[];

/** Hold times are announced or negotiated: they may differ. A longer AS path or a higher cost at both ends is traffic engineering. */
const UNEVEN: { readonly [protocol in Network['protocol']]: (port: CoreInterface) => Uneven } = {
  isis: ({ ifname }) => [
    [
      [`interface ${ifname}`, 'isis hello-interval 2', 'isis hello-multiplier 5'],
      [`interface ${ifname}`, 'isis hello-interval 1', 'isis hello-multiplier 3'],
    ],
    [
      [`interface ${ifname}`, 'isis priority 100'],
      [`interface ${ifname}`, 'no isis priority'],
    ],
  ],
  ospf: ({ ifname }) => [
    [
      [`interface ${ifname}`, 'ip ospf retransmit-interval 7'],
      [`interface ${ifname}`, 'no ip ospf retransmit-interval'],
    ],
  ],
  bgp: ({ peer }) => [
    [
      ['router bgp', `neighbor ${peer.address4} timers 5 15`],
      ['router bgp', `no neighbor ${peer.address4} timers`],
    ],
    [
      ['router bgp', `neighbor ${peer.address4} description transit, see contract`],
      ['router bgp', `no neighbor ${peer.address4} description`],
    ],
  ],
};
