// Circumstances, no faults of the network: an agent that no longer answers, on a node that goes on forwarding.
import { z } from 'zod';
import { defineFault, nodeName } from './fault.ts';
import { randomRouter } from './places.ts';

/** Agent and helper of a node, by the users they run as; in the node's own PID namespace. */
const signal = (name: string): string => `pkill -${name} -u parley; pkill -${name} -u parley-helper; true`;

export const agentSilent = defineFault({
  id: 'agent_silent',
  description: 'the agent of a node hangs: connections stand, nothing is answered',
  parameters: z.strictObject({ node: nodeName }),
  steps: ({ node }) => [{ where: 'node', node, exec: [signal('STOP')], undo: [signal('CONT')], repaired: true }],
  symptoms: ({ node }) => [{ where: 'node', node, script: "ps -o stat= -u parley | grep -q '^T'" }],
  place: (network, random) => ({ node: randomRouter(network, random).name }),
});
