// frr_service_down: every routing daemon of a node is dead, while the node itself answers.
import { defineDaemonOutage } from './daemon-outage.ts';

export const frrServiceDown = defineDaemonOutage(
  {
    id: 'frr_service_down',
    labels: { nika: 'frr_service_down', netOpsBench: null },
    summary: 'all routing daemons of a node are dead while its links are up',
  },
  (alive) => alive.length === 0,
);
