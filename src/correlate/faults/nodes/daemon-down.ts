// daemon_down: some routing daemons of a node are dead or hang, and others still answer.
import { defineDaemonOutage } from './daemon-outage.ts';

export const daemonDown = defineDaemonOutage(
  {
    id: 'daemon_down',
    labels: { nika: null, netOpsBench: null },
    summary: 'one routing daemon of a node is dead or hangs, others still answer',
  },
  (alive) => alive.length > 0,
);
