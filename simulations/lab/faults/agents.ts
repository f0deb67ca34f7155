// Circumstances, no faults of the network: an agent that no longer answers, or tells what is not so, on a node that goes on forwarding.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { END_AGENT, START_AGENT } from '../agents.ts';
import { defineFault, ifname, nodeName, type Symptom } from './fault.ts';
import { LIES } from './lies.ts';
import { randomRouter } from './places.ts';

/** Agent and helper of a node, by the users they run as; in the node's own PID namespace. */
const signal = (name: string): string => `pkill -${name} -u parley; pkill -${name} -u parley-helper; true`;

const HOW = ['hangs', 'dead'] as const;

export const agentSilent = defineFault({
  id: 'agent_silent',
  description: 'the agent of a node is dead, or hangs: connections stand, nothing is answered',
  parameters: z.strictObject({ node: nodeName, how: z.enum(HOW).default('hangs') }),
  steps: ({ node, how }) => [
    {
      where: 'node',
      node,
      exec: [how === 'hangs' ? signal('STOP') : 'pkill -KILL -u parley'],
      undo: [how === 'hangs' ? signal('CONT') : `${END_AGENT}\n${START_AGENT}`],
      repaired: true,
    },
  ],
  symptoms: ({ node, how }) => [
    { where: 'node', node, script: how === 'hangs' ? "ps -o stat= -u parley | grep -q '^T'" : '! pgrep -u parley' },
  ],
  place: (network, random) => ({ node: randomRouter(network, random).name, how: random.pick(HOW) }),
});

const MODULE = join(import.meta.dirname, '../lying-agent.mts');
const MODULE_IN_NODE = '/run/agent-preload.mts';

export const agentLying = defineFault({
  id: 'agent_lying',
  description: 'the agent of a node reports false counters, of one interface or of all; its node is well',
  parameters: z.strictObject({
    node: nodeName,
    lie: z.enum(LIES),
    /** Of these interfaces only. */
    interfaces: z.array(ifname).default([]),
  }),
  steps: ({ node, lie, interfaces }) => {
    const environment = `NODE_OPTIONS=--import=${MODULE_IN_NODE} LIE=${lie} LIE_AT=${interfaces.join(',')}`;
    return [
      {
        where: 'node',
        node,
        exec: [
          `cat > ${MODULE_IN_NODE} <<'END_OF_MODULE'\n${readFileSync(MODULE, 'utf8')}\nEND_OF_MODULE`,
          END_AGENT,
          `export AGENT_ENVIRONMENT='${environment}'`,
          START_AGENT,
        ],
        undo: [END_AGENT, START_AGENT, `rm -f ${MODULE_IN_NODE}`],
        repaired: true,
      },
    ];
  },
  symptoms: ({ node, lie }) => [
    answering(node),
    { where: 'node', node, script: `tr '\\0' '\\n' < /proc/$(pgrep -n -u parley)/environ | grep -qx LIE=${lie}` },
  ],
  place: (network, random) => {
    const router = randomRouter(network, random);
    const one = random.next() < 0.5 ? [random.pick(router.core).ifname] : [];
    return { node: router.name, lie: random.pick(LIES), interfaces: one };
  },
});

const answering = (node: string): Symptom => ({ where: 'node', node, script: '[ -S /run/parley/control.sock ]' });
