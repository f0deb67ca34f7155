// Links that are down, flap, or lose an end. A cable's two ports go down together, so that both routers lose their carrier.
import { z } from 'zod';
import { findCable } from '../plan.ts';
import {
  cableName,
  configure,
  defineFault,
  type FaultStep,
  ifname,
  interfaceId,
  type LabShape,
  linkEnd,
  locationOf,
  noCarrier,
  nodeName,
  otherEnd,
  truthAtLink,
} from './fault.ts';
import { cableOf, randomLink } from './places.ts';

const cut = 'ip link set {a} down; ip link set {b} down';
const mend = 'ip link set {a} up; ip link set {b} up';

export const linkDown = defineFault({
  id: 'link_down',
  description: 'a cable is cut: both ends lose their carrier',
  parameters: z.strictObject({ cable: cableName }),
  steps: ({ cable }) => [{ where: 'cable', cable, exec: [cut] }],
  truth: ({ cable }) => truthAtLink('link_down', cable),
  symptoms: ({ cable }) => cable.split('--').map(noCarrier),
  place: (network, random) => ({ cable: randomLink(network, random).cable }),
});

export const linkShutdown = defineFault({
  id: 'link_shutdown',
  description: 'an interface is shut down by configuration; the far end keeps its carrier',
  parameters: z.strictObject({ cable: cableName, at: linkEnd }),
  steps: ({ at }) => {
    const { device, interface: port } = locationOf(at);
    return [
      {
        where: 'node',
        node: device,
        exec: [configure(`interface ${port}`, 'shutdown')],
        undo: [configure(`interface ${port}`, 'no shutdown')],
      },
    ];
  },
  truth: ({ cable }) => truthAtLink('link_down', cable),
  symptoms: ({ at }) => {
    const { device, interface: port } = locationOf(at);
    return [{ where: 'network', node: device, script: `! ip link show dev ${port} up | grep -q .` }];
  },
  place: (network, random) => {
    const { cable, from } = randomLink(network, random);
    return { cable, at: from };
  },
});

export const linkFlap = defineFault({
  id: 'link_flap',
  description: 'a cable loses contact again and again; its last state is up unless it goes on',
  parameters: z.strictObject({
    cable: cableName,
    cycles: z.int().min(2).max(100).default(3),
    downMs: z.int().min(50).max(60_000).default(1_000),
    upMs: z.int().min(50).max(60_000).default(1_000),
    /** Goes on beside the investigation until the run ends. */
    ongoing: z.boolean().default(false),
  }),
  steps: ({ cable, cycles, downMs, upMs, ongoing }): readonly FaultStep[] => {
    const cycle = `${cut}; sleep ${downMs / 1_000}; ${mend}; sleep ${upMs / 1_000}`;
    if (ongoing)
      return [{ where: 'beside-cable', cable, argv: ['bash', '--norc', '-c', `while :; do ${cycle}; done`] }];
    return [{ where: 'cable', cable, repaired: true, exec: [`for cycle in $(seq ${cycles}); do ${cycle}; done`] }];
  },
  truth: ({ cable }) => truthAtLink('link_flap', cable),
  /** Lost and back, as both ends count it: each cycle, or again and again while it goes on. */
  symptoms: ({ cable, cycles, ongoing }) =>
    cable.split('--').map((end) => {
      const { device, interface: port } = locationOf(end);
      const script = `cat /sys/class/net/${port}/carrier_changes`;
      return { where: 'network', node: device, script, rises: ongoing ? 4 : 2 * cycles };
    }),
  place: (network, random) => ({
    cable: randomLink(network, random).cable,
    cycles: random.pick([3, 4, 5]),
    ongoing: random.next() < 0.5,
  }),
});

export const linkDetach = defineFault({
  id: 'link_detach',
  description: 'an interface disappears from a node, as a pulled module does',
  parameters: z.strictObject({
    cable: cableName,
    node: nodeName,
    interface: ifname,
    mtu: z.int().default(9_000),
  }),
  steps: ({ cable, node, interface: port, mtu }) => [
    {
      where: 'machine',
      node,
      exec: [`ip -n {ns:${node}} link set ${port} netns {cable:${cable}}`],
      undo: [
        `ip -n {cable:${cable}} link set ${port} netns {ns:${node}}`,
        `ip netns exec {ns:${node}} ethtool -K ${port} tx off rx off sg off tso off gso off gro off > /dev/null`,
        `ip -n {ns:${node}} link set ${port} mtu ${mtu} up`,
      ],
    },
  ],
  truth: ({ node, interface: port }) => ({
    pairs: [{ resource: interfaceId(`${node}:${port}`), fault: 'link_detach' }],
    locations: [],
  }),
  symptoms: ({ node, interface: port }) => [{ where: 'network', node, script: `[ ! -e /sys/class/net/${port} ]` }],
  place: (network, random) => {
    const { cable, from } = randomLink(network, random);
    const { device, interface: port = '' } = locationOf(from);
    return { cable, node: device, interface: port };
  },
});

const MOVED = 'moved';
const OFFLOADS = 'tx off rx off sg off tso off gso off gro off';

/** Takes the ends of two cables that lead to these ports out of their cables, and puts each into the other. Between the two moves nothing is connected. */
function exchanged(one: Plugged, other: Plugged): string[] {
  const moves = (from: Plugged, to: Plugged) =>
    `ip -n {cable:${from.cable}} link set ${from.port} nomaster netns {cable:${to.cable}} name ${MOVED}`;
  const arrives = ({ cable, port }: Plugged) =>
    `ip netns exec {cable:${cable}} bash -ec 'ip link set ${MOVED} name ${port}; ethtool -K ${port} ${OFFLOADS} > /dev/null; ip link set ${port} master br0 up'`;
  return [moves(one, other), moves(other, one), arrives(one), arrives(other)];
}

function plugged(lab: LabShape, text: string, end: string): Plugged {
  const found = findCable(lab, text);
  const isFirst = text.startsWith(`${end}--`);
  return { cable: text, port: (isFirst ? found?.portOfFirst : found?.portOfSecond) ?? '' };
}

type Plugged = { readonly cable: string; readonly port: string };

export const cablesSwapped = defineFault({
  id: 'cables_swapped',
  description: 'two cables have changed places: at one router, or at two routers on a patch panel',
  parameters: z.strictObject({ ends: z.tuple([linkEnd, linkEnd]), cables: z.tuple([cableName, cableName]) }),
  steps: ({ ends, cables }, lab) => {
    const [one, other] = ends.map((end, index) => plugged(lab, cables[index]!, end)) as [Plugged, Plugged];
    const node = locationOf(ends[0]).device;
    const exec = exchanged(one, other);
    return [{ where: 'machine', node, exec, undo: exec, learned: true }];
  },
  truth: ({ ends }) => ({
    pairs: ends.map((end) => ({ resource: interfaceId(end), fault: 'cables_swapped' as const })),
    locations: [],
  }),
  symptoms: ({ ends, cables }) => {
    const { device, interface: port } = locationOf(ends[0]);
    const far = locationOf(otherEnd(cables[1], ends[1]));
    const heard = `lldpcli show neighbors ports ${port} | grep -q 'SysName: *${far.device}$'`;
    return [{ where: 'node', node: device, script: heard }];
  },
  place: (network, random) => {
    const able = network.routers.filter(({ core }) => core.length > 1);
    if (able.length === 0) return undefined;
    const router = random.pick(able);
    const first = random.pick(router.core);
    const second = random.pick(router.core.filter((port) => port !== first && port.peer.node !== first.peer.node));
    if (second === undefined) return undefined;
    const ends = [first, second].map(({ ifname }) => `${router.name}:${ifname}`) as [string, string];
    const cables = [cableOf(router, first), cableOf(router, second)] as [string, string];
    return { ends, cables };
  },
});
