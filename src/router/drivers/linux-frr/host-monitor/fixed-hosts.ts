// Hosts whose neighbour entries were set by hand. The kernel never asks for these, so that its table does not tell who is there: such a host counts as
// heard once it has answered an ARP probe under the MAC address of its entry. Bounded in hosts and in how often an answer is sought.
import { LIMITS } from '#base/limits.ts';
import { isInside } from '#model/hosts/host-places.ts';
import type { NeighbourEntry } from '#model/router/control-plane.ts';
import type { Host, HostPort, HostScanRequest } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { askedByArp, type WatchedPort } from './host-anomalies.ts';

export type FixedHosts = {
  /** Seeks those that have not answered yet, at the first look and then now and then; resolves with what answered. */
  seek(state: NodeState, watched: readonly WatchedPort[]): Promise<readonly HostPort[]>;
  /** Those that have answered, after the ones that are given. */
  with(hosts: readonly Host[]): readonly Host[];
};

export function createFixedHosts(ask: (request: HostScanRequest) => Promise<readonly HostPort[]>): FixedHosts {
  const heard = new Map<string, Host>();
  let turn = 0;
  return {
    async seek({ neighbourTable = [] }, watched) {
      const isDue = turn++ % DRIVER_LIMITS.fixedHostLooks === 0;
      // Without an entry the kernel asks again, and its own table tells.
      const named = new Set(neighbourTable.filter(isFixed).map(({ ifname, address }) => `${ifname} ${address}`));
      for (const [key, { ifname, address }] of heard) if (!named.has(`${ifname} ${address}`)) heard.delete(key);
      const ports = askedByArp(watched).flatMap(({ ifname, networks }) => {
        const open = neighbourTable.filter(isFixed).flatMap(({ ifname: its, address, mac }): Host[] => {
          const isMine = its === ifname && networks.some((network) => isInside(network, address));
          // Who had the address first keeps it while an entry names it.
          const isHeard = [...heard.values()].some((each) => each.ifname === its && each.address === address);
          return !isMine || mac === undefined || isHeard ? [] : [{ ifname, address, mac: mac.toLowerCase() }];
        });
        return open.length === 0 ? [] : [{ ifname, open: open.slice(0, LIMITS.hostAddresses) }];
      });
      if (!isDue || ports.length === 0) return [];
      const found = await ask({
        ports: ports.map(({ ifname, open }) => ({ ifname, addresses: open.map(({ address }) => address) })),
        census: false,
      });
      for (const host of ports.flatMap(({ open }) => open))
        if (heard.size < LIMITS.hosts && found.some((port) => isAnswered(port, host))) heard.set(keyOf(host), host);
      return found;
    },
    with: (hosts) => {
      const known = new Set(hosts.map(keyOf));
      return [...hosts, ...[...heard.values()].filter((host) => !known.has(keyOf(host)))];
    },
  };
}

function isFixed({ state }: NeighbourEntry): boolean {
  return /PERMANENT/.test(state);
}

function isAnswered({ ifname, answers }: HostPort, host: Host): boolean {
  return (
    ifname === host.ifname && answers.some(({ address, macs }) => address === host.address && macs.includes(host.mac))
  );
}

function keyOf({ ifname, address, mac }: Host): string {
  return `${ifname} ${address} ${mac}`;
}
