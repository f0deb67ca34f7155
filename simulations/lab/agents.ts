// Agents of a running lab, started anew: what they remember of the case before is gone, and they know nothing of the lab as ever.
// Routers, daemons and the privileged helpers go on undisturbed.
import pLimit from 'p-limit';
import { runInNode } from './node-processes.ts';
import { agentNodes, type LabRecord, type NodeRecord } from './registry.ts';

/** Agents that start at the same time: each needs a processor for a good part of a second. */
const AT_ONCE = 4;

/** Ends every agent of the lab, empties its memory on disk, and starts it again; resolves when all are on their way, not yet when they answer. */
export async function restartAgents(lab: LabRecord): Promise<void> {
  if (lab.agents !== 'real') return;
  const limited = pLimit(AT_ONCE);
  await Promise.all(
    agentNodes(lab).map((node) => limited(() => runInNode(node, ['bash', '--norc', '-uc', RESTART_ANEW]))),
  );
}

/** It keeps its memory on disk. */
export function restartAgent(node: NodeRecord): Promise<unknown> {
  return runInNode(node, ['bash', '--norc', '-uc', RESTART]);
}

/** The agent's user runs nothing else. An agent that hangs (stopped by a signal) goes on first, or it could not end by itself. */
export const END_AGENT = [
  'pkill -CONT -u parley || true; pkill -TERM -u parley || true',
  'for attempt in $(seq 40); do pgrep -u parley > /dev/null || break; sleep 0.05; done',
  'pkill -KILL -u parley || true',
  'rm -f /run/parley/*.sock',
].join('\n');

/** In the background and out of this shell's session, as the node's first process would have started it. */
export const START_AGENT = 'setsid /run/start-agent < /dev/null > /dev/null 2>&1 &';

const RESTART = `${END_AGENT}\n${START_AGENT}`;
const RESTART_ANEW = `${END_AGENT}\nrm -rf /var/lib/parley/memory\n${START_AGENT}`;
