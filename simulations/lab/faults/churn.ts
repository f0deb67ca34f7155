// What comes and goes again and again: prefixes, sessions. It goes on until the run ends, and may be well at any one moment.
import { z } from 'zod';
import { HOST_IFNAME } from '../../generate/network.ts';
import {
  cableName,
  configure,
  defineFault,
  type FaultStep,
  linkEnd,
  locationOf,
  nodeName,
  portTowards,
  prefix,
  truthAtLink,
  truthAtNode,
} from './fault.ts';
import { randomEdge, randomLink } from './places.ts';

const PID = '/run/turns.pid';
const SCRIPT = '/run/turn.sh';
/** A step may take no longer than half a minute. */
const WAIT_SECONDS = 25;

const loop = (round: string): readonly string[] => ['bash', '--norc', '-c', `while :; do ${round}; done`];
const waiting = (node: string): FaultStep => ({
  ...{ where: 'node', node, exec: [`sleep ${WAIT_SECONDS}`], undo: ['true'] },
  ...{ repaired: true, learned: true },
});

export const routeChurn = defineFault({
  id: 'route_churn',
  description:
    'a router announces a prefix of its hosts and withdraws it, again and again: its port comes and goes, or its statement does',
  parameters: z.strictObject({
    ...{ node: nodeName, prefix, cable: cableName },
    way: z.enum(['port', 'statement']).default('port'),
  }),
  steps: ({ node, prefix: network, cable, way }) => {
    if (way === 'port') {
      const port = portTowards(cable, cable.split('--').find((end) => end.startsWith(`${node}:`)) ?? '');
      const round = `ip link set ${port} down; sleep 2.5; ip link set ${port} up; sleep 2.5`;
      return [{ where: 'beside-cable', cable, argv: loop(round) }, waiting(node)];
    }
    const family = ['router bgp', 'address-family ipv4 unicast'];
    const [out, back] = [configure(...family, `no network ${network}`), configure(...family, `network ${network}`)];
    // What vtysh is told stands in quotes: in a file of its own.
    const script = `${out}; sleep 2; ${back}; sleep 4`;
    return [
      {
        ...{ where: 'node', node, learned: true },
        exec: [
          `cat > ${SCRIPT} << 'END'\n${script}\nEND`,
          `setsid bash --norc -c 'echo $$ > ${PID}; while :; do . ${SCRIPT}; done' < /dev/null > /dev/null 2>&1 &`,
        ],
        undo: [`kill -- -$(cat ${PID})`, back],
      },
      { ...waiting(node), repaired: false } as FaultStep,
    ];
  },
  truth: ({ node }) => truthAtNode('route_churn', node),
  symptoms: ({ node, cable, way }) => {
    const [end = ''] = cable.split('--').filter((each) => each.startsWith(`${node}:`));
    const script = `cat /sys/class/net/${locationOf(end).interface}/carrier_changes`;
    if (way === 'port') return [{ where: 'network', node, script, rises: 4 }];
    return [{ where: 'node', node, script: `kill -0 $(cat ${PID})` }];
  },
  place: (network, random) => {
    if (network.protocol !== 'bgp') return undefined;
    const { router, host } = randomEdge(network, random);
    const cable = `${router.name}:${host.ifname}--${host.host}:${HOST_IFNAME}`;
    return { node: router.name, prefix: host.prefix4, cable };
  },
});

/** What keeps an adjacency or a session up, and for how long it must be gone: IS-IS holds for 3 s in these labs, BGP for 9 s. */
const KEPT_UP = {
  isis: { rules: ['ether type < 0x0600 drop'], seconds: 5 },
  bgp: { rules: ['meta l4proto tcp tcp dport 179 drop', 'meta l4proto tcp tcp sport 179 drop'], seconds: 10 },
} as const;
const UP_SECONDS = 6;
const ROUNDS = 3.5;

export const sessionFlap = defineFault({
  id: 'session_flap',
  description:
    'a cable swallows what keeps a session or adjacency up, for longer than its hold time, again and again, and nothing else',
  parameters: z.strictObject({ cable: cableName, from: linkEnd, protocol: z.enum(['isis', 'bgp']) }),
  steps: ({ cable, from, protocol }) => {
    const { rules, seconds } = KEPT_UP[protocol];
    const chain = `add chain netdev turn c { type filter hook ingress device ${portTowards(cable, from)} priority 0; }`;
    const table = ['add table netdev turn', chain, ...rules.map((rule) => `add rule netdev turn c ${rule}`)];
    const round = `nft '${table.join('; ')}'; sleep ${seconds}; nft delete table netdev turn; sleep ${UP_SECONDS}`;
    const waits = Math.ceil((ROUNDS * (seconds + UP_SECONDS)) / WAIT_SECONDS);
    const { device } = locationOf(from);
    return [
      { where: 'beside-cable', cable, argv: loop(round) },
      ...Array.from({ length: waits }, () => waiting(device)),
    ];
  },
  truth: ({ cable }) => truthAtLink('session_flap', cable),
  symptoms: ({ cable }) => [{ where: 'cable', cable, script: 'nft list tables | grep -q turn' }],
  place: (network, random) => {
    if (network.protocol === 'ospf') return undefined;
    return { ...randomLink(network, random), protocol: network.protocol };
  },
});
