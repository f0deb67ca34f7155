// Which links this node probes all the time: those whose other end it knows without asking, by a subnet for two. Of two ends the one
// with the lower address probes, which both can tell alone. Pure.
import { pairOf } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import { LIMITS } from '#base/limits.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import type { InterfaceState } from '#model/router/router-port.ts';

export function watchTargets(interfaces: readonly InterfaceState[]): readonly WatchTarget[] {
  return interfaces
    .filter(({ kind, operUp }) => kind !== 'loopback' && operUp)
    .flatMap(({ name, addresses }): WatchTarget[] => {
      const pairs = addresses.flatMap((text) => pairOf(text) ?? []);
      const six = pairs.find(({ own }) => own.family === 6);
      const four = pairs.find(({ own }) => own.family === 4);
      const deciding = six ?? four;
      if (deciding === undefined || deciding.own.value > deciding.farValue) return [];
      return [
        {
          ifname: name,
          ...(four === undefined ? {} : { far4: formatAddress(4, four.farValue) }),
          ...(six === undefined ? {} : { far6: formatAddress(6, six.farValue) }),
        },
      ];
    })
    .slice(0, LIMITS.monitoredLinks);
}
