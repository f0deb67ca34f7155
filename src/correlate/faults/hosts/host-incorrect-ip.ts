// host_incorrect_ip: a host that had an address of its network now has one of another network. Another address of the same network is as
// good: addresses are given out anew all day.
import { covers } from '#base/ip.ts';
import { defineFault } from '../../engine/fault-definition.ts';
import { hostPorts } from '../../network/host-ports.ts';
import type { HostDetail } from '../../symptoms/host-settings.ts';
import { echoedElsewhere, hostDetection, hostLabel, hostRemedy, isSilent, otherAddress } from './host-detection.ts';
import { hostMissingIp } from './host-missing-ip.ts';

/** `now`: the address that it has instead. */
type Detail = HostDetail & { readonly now: string };

const describe = (detail: Detail) => `${hostLabel(detail)} is no longer ${detail.address} but ${detail.now}`;

export const hostIncorrectIp = defineFault<Detail>({
  id: 'host_incorrect_ip',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'host_incorrect_ip', netOpsBench: null },
  summary: 'a host no longer has its address but another',
  clue: 'host',
  memories: ['host-scans'],
  // It was seen without its own address before it was found under another.
  replaces: [hostMissingIp],
  detect: ({ world }) =>
    hostPorts(world).flatMap((port) =>
      port.hosts.flatMap((host) => {
        const now = isSilent(port, host) ? otherAddress(port, host) : undefined;
        if (now === undefined || port.networks.some((own) => covers(own, now))) return [];
        return [hostDetection(port, host, 'port', { now })];
      }),
    ),
  describe,
  remedy: (detail) => hostRemedy('give the host its address back', detail, describe(detail)),
  contrary: echoedElsewhere,
});
