// host_missing_ip: a host is alive on its link, answers for its address no more and has no other. `likely` at most: a host may give up
// IPv4 on purpose where all can do without (RFC 8925).
import { defineFault } from '../../engine/fault-definition.ts';
import { hostPorts } from '../../network/host-ports.ts';
import type { HostDetail } from '../../symptoms/host-settings.ts';
import { echoedElsewhere, hostDetection, hostLabel, hostRemedy, isSilent, otherAddress } from './host-detection.ts';

const describe = (detail: HostDetail) =>
  `${hostLabel(detail)} is alive and no longer has the address ${detail.address}`;

export const hostMissingIp = defineFault<HostDetail>({
  id: 'host_missing_ip',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'host_missing_ip', netOpsBench: null },
  summary: 'a host is alive and no longer has its address',
  clue: 'host',
  memories: ['host-scans'],
  detect: ({ world }) =>
    hostPorts(world).flatMap((port) =>
      port.hosts
        .filter((host) => isSilent(port, host) && otherAddress(port, host) === undefined)
        .filter(({ mac }) => port.seen.some(({ alive = [] }) => alive.includes(mac)))
        .map((host) => ({ ...hostDetection(port, host, 'port', {}), confidence: 'likely' as const })),
    ),
  describe,
  remedy: (detail) => hostRemedy('give the host its address back', detail, describe(detail)),
  contrary: echoedElsewhere,
});
