// Faults of links and of what is done to frames: carriers, loss, sizes, rates, damage. Each by one means or more.
import type { Draft } from '../model.ts';
import {
  fromCatalogue,
  inCable,
  inNode,
  interfaceOf,
  type LinkPlace,
  linkOf,
  type Mechanism,
  named,
  someLink,
  type Truth,
} from './mechanism.ts';

const atLink = (place: LinkPlace, ...faults: readonly string[]): Truth =>
  named(linkOf(place.ends), faults, place.ends.map(interfaceOf));
const atEnd = (place: LinkPlace, ...faults: readonly string[]): Truth => ({
  right: [
    ...faults.map((fault) => `${interfaceOf(place.ends[0])} ${fault}`),
    `${linkOf(place.ends)} unexplained_loss`,
    `${interfaceOf(place.ends[0])} unexplained_loss`,
  ],
  place: [...place.ends.map(interfaceOf), linkOf(place.ends)],
});

const onLink = (
  fault: string,
  by: string,
  draw: (place: LinkPlace, draft: Draft) => ReturnType<Mechanism['draw']>,
): Mechanism => ({
  ...{ fault, by },
  draw: (draft) => {
    const place = someLink(draft);
    return place && draw(place, draft);
  },
});

/** The cable's port for frames that the first end sends. */
const ingress = ({ cable, ends }: LinkPlace): string => (cable.startsWith(`${ends[0]}--`) ? '{a}' : '{b}');
const dropping = (place: LinkPlace, rule: string): string =>
  `nft 'add table netdev z; add chain netdev z c { type filter hook ingress device ${ingress(place)} priority 0; }; add rule netdev z c ${rule}'`;

export const linkCut = onLink('link_down', 'cable cut', (place) => ({
  inject: [fromCatalogue('link_down', { cable: place.cable })],
  truth: atLink(place, 'link_down'),
}));

export const linkShut = onLink('link_down', 'ip link set down at one end', (place) => {
  const { router, port } = place;
  return {
    inject: [inNode(router.name, [`ip link set ${port.ifname} down`], [`ip link set ${port.ifname} up`])],
    truth: atLink(place, 'link_down'),
  };
});

export const randomLoss = onLink('packet_loss', 'nft random drop in the cable', (place, { random }) => ({
  inject: [
    fromCatalogue('packet_loss', { cable: place.cable, from: place.ends[0], percent: random.pick([10, 20, 40]) }),
  ],
  truth: atEnd(place, 'packet_loss'),
}));

/** A policer that is far too narrow: the wire lets a few packets a second through, in bursts. */
export const policedAway = onLink('packet_loss', 'a rate limit in packets in the cable', (place) => ({
  inject: [inCable(place.cable, dropping(place, 'limit rate over 40/second burst 5 packets drop'))],
  truth: atEnd(place, 'packet_loss', 'link_capacity_bottleneck'),
}));

export const someFlows = onLink('packet_loss', 'every packet of some flows dropped in the cable', (place) => ({
  inject: [fromCatalogue('packet_loss_some_flows', { cable: place.cable, from: place.ends[0], oneIn: 3, seed: 7 })],
  truth: atEnd(place, 'packet_loss'),
}));

export const smallMtuAtOneEnd = onLink('mtu_mismatch', 'ip link set mtu at one end', (place) => ({
  inject: [fromCatalogue('mtu_mismatch', { at: place.ends[0], mtu: 1_300, was: place.mtu })],
  truth: named(interfaceOf(place.ends[0]), ['mtu_mismatch'], [interfaceOf(place.ends[1]), linkOf(place.ends)]),
}));

export const largeFramesLost = onLink('mtu_mismatch', 'large frames dropped in the cable', (place) => ({
  inject: [inCable(place.cable, dropping(place, 'meta length > 1100 drop'))],
  truth: {
    ...atEnd(place, 'packet_loss', 'mtu_mismatch'),
    right: [...atEnd(place, 'packet_loss', 'mtu_mismatch').right, `${linkOf(place.ends)} mtu_mismatch`],
  },
}));

export const narrow = onLink('link_capacity_bottleneck', 'tbf in the cable', (place) => ({
  inject: [
    inCable(
      place.cable,
      ...['{a}', '{b}'].map((port) => `tc qdisc add dev ${port} root tbf rate 2mbit burst 16kb limit 60kb`),
    ),
  ],
  truth: atLink(place, 'link_capacity_bottleneck'),
}));

export const damaged = onLink('link_packet_corruption', 'wrong checksums in the cable', (place) => ({
  inject: [fromCatalogue('payload_corruption', { cable: place.cable, from: place.ends[0], percent: 20 })],
  truth: atLink(place, 'link_packet_corruption'),
}));

export const late = onLink('high_latency', 'a relay in the cable', (place) => ({
  inject: [fromCatalogue('high_latency', { cable: place.cable, from: place.ends[0], delayMs: 80 })],
  truth: named(interfaceOf(place.ends[0]), ['high_latency'], [linkOf(place.ends)]),
}));

export const poisoned: Mechanism = {
  fault: 'arp_cache_poisoning',
  by: 'a permanent neighbour entry',
  draw: (draft) => {
    const place = someLink(draft, ({ address4 }) => address4?.endsWith('/31') ?? false);
    if (place === undefined) return undefined;
    const [, peer] = place.ends;
    const neighbor = draft.routers
      .find(({ name }) => name === peer.split(':')[0])!
      .ports.find(({ ifname }) => ifname === peer.split(':')[1])!;
    return {
      inject: [
        fromCatalogue('arp_cache_poisoning', {
          node: place.router.name,
          interface: place.port.ifname,
          neighbor: neighbor.address4!.split('/')[0],
        }),
      ],
      truth: named(
        `node/${place.router.name}`,
        ['arp_cache_poisoning'],
        [interfaceOf(place.ends[0]), linkOf(place.ends)],
      ),
    };
  },
};
