// Watches how hosts on a node's ports get their addresses: listens all the time, and asks servers itself, as a relay does and taking nothing, only
// when a host there asked in vain servers that hosts there had chosen before; at most once a minute for one port. Asks no server to which the default
// route leads.
import { isDefaultRoute } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { hostNetwork } from '#model/hosts/host-places.ts';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import type { DhcpSign, WatchedDhcp } from '#model/router/dhcp-history.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import type { ReadHelper } from '../../../protocol/typed-operations.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { createDhcpMemory } from './dhcp-history.ts';

export type DhcpMonitorInit = {
  readonly helper: ReadHelper;
  /** What the node knows of itself; undefined while it does not. */
  readonly known: () => NodeState | undefined;
  /** Where this node forwards what is for these addresses. */
  readonly routes: (destinations: readonly string[]) => Promise<readonly RouteAnswer[]>;
  readonly nowMs: () => number;
};

export type DhcpMonitor = {
  heard(signs: readonly DhcpSign[]): void;
  /** Offers, so that what was offered can be looked for; the rest where the past was asked for. */
  watched(withPast: boolean): WatchedDhcp;
};

export function createDhcpMonitor({ helper, known, routes, nowMs }: DhcpMonitorInit): DhcpMonitor {
  const memory = createDhcpMemory();
  const askedMs = new Map<string, number>();
  const look = async (wanted: readonly DhcpAsk[]) => {
    // The server that a host names comes from an untrusted packet: it must not make this node send to any address.
    const ways = await routes([...new Set(wanted.map(({ server }) => server))]);
    const asks = wanted.filter(({ server }) => ways.some((way) => way.destination === server && isWithin(way)));
    if (asks.length === 0) return;
    const answers = await helper.call('watch-dhcp', { asks, patient: true }, { timeoutMs: LIMITS.dhcpCallMs });
    memory.asked(answers, nowMs());
  };
  return {
    heard(signs) {
      const atMs = nowMs();
      memory.add(signs, atMs);
      const state = known();
      const due = memory
        .inVain()
        .filter(
          ({ ifname }) => atMs - (askedMs.get(ifname) ?? -DRIVER_LIMITS.dhcpCheckMs) >= DRIVER_LIMITS.dhcpCheckMs,
        );
      const asks = (
        state === undefined ? [] : due.flatMap(({ ifname, servers }) => asksOf(state, ifname, servers))
      ).slice(0, LIMITS.dhcpAsks);
      if (asks.length === 0) return;
      for (const { ifname } of asks) askedMs.set(ifname, atMs);
      void look(asks).catch(() => {});
    },
    watched(withPast) {
      const told = memory.told(nowMs());
      return withPast ? told : { ...told, refusals: [], doubts: [] };
    },
  };
}

function isWithin({ kind, matched }: RouteAnswer): boolean {
  return kind === 'unicast' && matched !== undefined && !isDefaultRoute(matched);
}

/** For the port's own networks, and for that of the server: a server that answers for either is there, and serves a network. */
function asksOf({ inventory }: NodeState, ifname: string, servers: readonly string[]): readonly DhcpAsk[] {
  const own = inventory.interfaces.find(({ name }) => name === ifname)?.addresses ?? [];
  const gateways = own.filter((address) => hostNetwork(address) !== undefined).map((address) => address.split('/')[0]!);
  // A relay may stand in for the server (RFC 5107): a node does not query itself.
  const others = servers.filter((server) => !own.some((address) => address.startsWith(`${server}/`)));
  return gateways
    .flatMap((gateway) =>
      others.flatMap((server) => [
        { ifname, gateway, server },
        { ifname, gateway, server, link: server },
      ]),
    )
    .slice(0, DRIVER_LIMITS.dhcpChecks);
}
