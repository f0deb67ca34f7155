// descriptors_exhausted: a routing daemon has as many files and sockets open as it may, and takes no connection any more: no new session, no command.
// Both are needed: a daemon at its limit that answers has room, and one that is silent with room left is busy, or hangs (daemon_down).
import { nodeResource } from '#model/names.ts';
import type { Daemon } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Detection, defineFault } from '../../engine/fault-definition.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { View } from '../../network/world.ts';
import { lostWithDaemons } from './lost-with-daemons.ts';

type Detail = { readonly node: string; readonly daemon: string; readonly open: number; readonly most: number };

export const descriptorsExhausted = defineFault<Detail>({
  id: 'descriptors_exhausted',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a routing daemon of a node has as many files and sockets open as it may, and takes no new connection',
  detect: ({ world, past }) => (past === undefined ? [...world.views.values()].flatMap(detected) : []),
  describe: ({ node, daemon, open, most }) =>
    `${nodeRef(node)}: ${daemon} has ${open} files and sockets open, may have ${most}, and takes no new connection`,
  remedy: ({ node, daemon, most }) => ({
    node,
    summary: `find out why ${daemon} on ${nodeRef(node)} has so many files open, or raise its limit`,
    command: `ls -l /proc/$(cat /run/frr/${daemon}.pid)/fd`,
    // FRR makes room for its files once, when it starts, and aborts at the first beyond (`lib/event.c`): no `prlimit` while it runs.
    decide: `when it may be started again, with MAX_FDS=${Math.max(most * 2, LEAST_FILES)} in /etc/frr/daemons; a limit raised while it runs ends it`,
  }),
  score: 6,
  consequences: ({ detail: { node, daemon } }, file) => lostWithDaemons(file, node, [daemon]),
});

/** What FRR's start script allows where nothing else is set. */
const LEAST_FILES = 1_024;

function detected({ node, state, before, after, sources }: View): readonly Detection<Detail>[] {
  return (state.daemons ?? []).flatMap((daemon): readonly Detection<Detail>[] => {
    const { name, descriptors } = daemon;
    const holds = [before, after].every((other) => other?.daemons === undefined || isOut(daemonIn(other, name)));
    if (descriptors === undefined || !isOut(daemon) || !holds) return [];
    const detail = { node, daemon: name, ...descriptors };
    return [{ resource: nodeResource(node), key: name, evidence: sources, nodes: [node], detail }];
  });
}

function isOut(daemon: Daemon | undefined): boolean {
  const { silent, descriptors } = daemon ?? {};
  return silent === true && descriptors !== undefined && descriptors.open >= descriptors.most;
}

function daemonIn({ daemons = [] }: NodeState, name: string): Daemon | undefined {
  return daemons.find((daemon) => daemon.name === name);
}
