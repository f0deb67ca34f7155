// Routing programs that end, and devices that are cut off as a whole.
import { z } from 'zod';
import { END_AGENT, START_AGENT } from '../agents.ts';
import { defineFault, noCarrier, nodeName, truthAtNode } from './fault.ts';
import { randomRouter } from './places.ts';

const DAEMONS = { isis: ['isisd'], ospf: ['ospfd', 'ospf6d'], bgp: ['bgpd'] } as const;
const daemonName = z.enum(['isisd', 'ospfd', 'ospf6d', 'bgpd', 'bfdd', 'staticd', 'zebra']);

/** By pid file, as a crash would: no good-bye to neighbours. */
const kill = (daemon: string): string => `kill -9 $(cat /run/frr/${daemon}.pid)`;
/**
 * zebra's first look at the kernel would turn what is there into next-hop objects, which the configuration that vtysh brings later forbids: they
 * would stay for ever. It is told before it looks.
 */
const FIRST = '/run/frr/first.conf';
const start = (daemons: string): string =>
  [
    `echo 'no zebra nexthop kernel enable' > ${FIRST}`,
    `for daemon in ${daemons}; do first=; [ $daemon = zebra ] && first='-f ${FIRST}'; [ -e /usr/lib/frr/$daemon ] && /usr/lib/frr/$daemon -d -F traditional -A 127.0.0.1 $first; done > /dev/null 2>&1`,
    'vtysh -b > /dev/null 2>&1',
  ].join('; ');
const LISTED = "zebra staticd $(sed -n 's/^\\([a-z0-9]*d\\)=yes.*/\\1/p' /etc/frr/daemons)";
const gone = (daemon: string): string => `! kill -0 $(cat /run/frr/${daemon}.pid) 2> /dev/null`;

/** Nothing says good-bye, and what was running begins anew: routing first, then the agent, as at boot. */
const POWER_OFF = ['for file in /run/frr/*.pid; do kill -9 $(cat $file); done', 'pkill -KILL -u parley || true'];
const POWER_ON = [
  start(LISTED),
  `[ -x /run/start-agent ] || exit 0\n${END_AGENT}\n${START_AGENT}`,
  'for attempt in $(seq 100); do [ -S /run/parley/control.sock ] && break; sleep 0.05; done',
];

export const frrDown = defineFault({
  id: 'frr_service_down',
  description: 'all routing programs of a node have crashed; the kernel goes on forwarding',
  parameters: z.strictObject({ node: nodeName }),
  steps: ({ node }) => [
    {
      where: 'node',
      node,
      exec: ['for file in /run/frr/*.pid; do kill -9 $(cat $file); done'],
      undo: [start(LISTED)],
    },
  ],
  truth: ({ node }) => truthAtNode('frr_service_down', node),
  symptoms: ({ node }) => [{ where: 'node', node, script: gone('zebra') }],
  place: (network, random) => ({ node: randomRouter(network, random).name }),
});

export const daemonDown = defineFault({
  id: 'daemon_down',
  description: 'one routing program of a node has crashed',
  parameters: z.strictObject({ node: nodeName, daemon: daemonName }),
  steps: ({ node, daemon }) => [{ where: 'node', node, exec: [kill(daemon)], undo: [start(daemon)] }],
  truth: ({ node }) => truthAtNode('daemon_down', node),
  symptoms: ({ node, daemon }) => [{ where: 'node', node, script: gone(daemon) }],
  place: (network, random) => ({
    node: randomRouter(network, random).name,
    daemon: random.pick(DAEMONS[network.protocol]),
  }),
});

const SIGNALS = { crash: 'KILL', stop: 'TERM' } as const;
/** So many ends, each long enough after the one before that a memory with a sample every few seconds sees it. */
const ENDS = 4;

/** Not zebra, which takes routes that others set along with it. */
const protocolDaemon = z.enum(['isisd', 'ospfd', 'ospf6d', 'bgpd']);

export const daemonRestarts = defineFault({
  id: 'daemon_restarts',
  description:
    'one routing program of a node crashes, or is stopped, and is started again, four times in half a minute',
  parameters: z.strictObject({
    node: nodeName,
    daemon: protocolDaemon,
    way: z.enum(['crash', 'stop']).default('crash'),
  }),
  steps: ({ node, daemon, way }) => {
    const round = `kill -${SIGNALS[way]} $(cat /run/frr/${daemon}.pid); sleep 0.5; ${start(daemon)}; sleep 6`;
    // Steps of their own: what one of them runs must end within half a minute.
    return Array.from({ length: ENDS }, () => ({
      where: 'node',
      node,
      exec: [round],
      undo: [`${gone(daemon)} && { ${start(daemon)}; }; true`],
      repaired: true,
    }));
  },
  truth: ({ node }) => truthAtNode('daemon_restarts', node),
  /** Younger than the node. */
  symptoms: ({ node, daemon }) => [
    { where: 'node', node, script: `[ $(ps -o etimes= -p $(cat /run/frr/${daemon}.pid)) -lt 20 ]` },
  ],
  place: (network, random) => ({
    node: randomRouter(network, random).name,
    daemon: random.pick(DAEMONS[network.protocol]),
    way: random.pick(['crash', 'stop'] as const),
  }),
});

const AGENT_CONFIG = '/etc/parley/agent.yml';
const KEPT_CONFIG = '/run/agent-before.yml';

export const clockWrong = defineFault({
  id: 'clock_wrong',
  description: 'the clock that a node’s agent signs by is minutes to hours ahead or behind',
  parameters: z.strictObject({ node: nodeName, offsetMs: z.int().min(-86_400_000).max(86_400_000) }),
  steps: ({ node, offsetMs }) => [
    {
      ...{ where: 'node', node, repaired: true },
      exec: [
        END_AGENT,
        `cp ${AGENT_CONFIG} ${KEPT_CONFIG}`,
        `sed -i 's/^  offsetMs: .*/  offsetMs: ${offsetMs}/' ${AGENT_CONFIG}`,
        START_AGENT,
        'for attempt in $(seq 200); do [ -S /run/parley/control.sock ] && break; sleep 0.05; done',
      ],
      undo: [END_AGENT, `cat ${KEPT_CONFIG} > ${AGENT_CONFIG}`, START_AGENT],
    },
  ],
  truth: ({ node }) => truthAtNode('clock_wrong', node),
  symptoms: ({ node, offsetMs }) => [
    {
      where: 'node',
      node,
      script: `[ -S /run/parley/control.sock ] && grep -qx '  offsetMs: ${offsetMs}' ${AGENT_CONFIG}`,
    },
  ],
  place: (network, random) => ({
    node: randomRouter(network, random).name,
    offsetMs: random.pick([-43_200_000, -300_000, 300_000, 43_200_000]),
  }),
});

export const deviceDown = defineFault({
  id: 'device_down',
  description:
    'a device has lost its power: its routing programs and its agent are gone, and every cable of it has lost its carrier at both ends',
  parameters: z.strictObject({ node: nodeName }),
  steps: ({ node }, lab) => [
    { where: 'node', node, exec: POWER_OFF, undo: POWER_ON },
    ...lab.cables
      .filter(({ a, b }) => a.node === node || b.node === node)
      .map(({ a, b }) => ({
        where: 'cable' as const,
        cable: `${a.node}:${a.ifname}--${b.node}:${b.ifname}`,
        exec: ['ip link set {a} down; ip link set {b} down'],
      })),
  ],
  truth: ({ node }) => truthAtNode('device_down', node),
  symptoms: ({ node }, lab) => [
    { where: 'node', node, script: gone('zebra') },
    ...lab.cables
      .filter(({ a, b }) => a.node === node || b.node === node)
      .flatMap(({ a, b }) => [a, b].map((end) => noCarrier(`${end.node}:${end.ifname}`))),
  ],
  /** A router with one link cannot be told from that link. */
  place: (network, random) => {
    const linked = network.routers.filter((router) => router.core.length > 1);
    return linked.length === 0 ? undefined : { node: random.pick(linked).name };
  },
});
