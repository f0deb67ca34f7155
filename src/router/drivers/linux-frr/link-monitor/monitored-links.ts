// Which links this node probes all the time: those whose other end it knows without asking, by a subnet for two, or on a port without a network of its
// own by the one router that is its neighbour there. Of two ends the one with the lower address probes, which both can tell alone. Pure.
import { type IpPrefix, isLinkLocal, isNetwork, pairOf, parsePrefix } from '#base/ip.ts';
import { formatAddress } from '#base/ipv6-text.ts';
import { LIMITS } from '#base/limits.ts';
import { resolvedRows } from '#model/links/adjacent-ports.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import type { InterfaceState, NodeState } from '#model/router/router-port.ts';

type State = Pick<NodeState, 'neighbourTable' | 'cut'> &
  Partial<Pick<NodeState, 'neighbours' | 'adjacencies' | 'ospf' | 'ospf6' | 'bgp'>> & {
    readonly inventory: Pick<NodeState['inventory'], 'interfaces'>;
  };
/** An own address and that of the other end, of one family. */
type Ends = { readonly own: bigint; readonly far: bigint; readonly address: string };

export function watchTargets(state: State): readonly WatchTarget[] {
  const up = state.inventory.interfaces.filter(({ kind, operUp }) => kind !== 'loopback' && operUp);
  // Links for two come first, where there is no room for all.
  return [...up.filter(hasOwnNetwork), ...up.filter((entry) => !hasOwnNetwork(entry) && hasRouter(state, entry.name))]
    .flatMap((entry): WatchTarget[] => {
      const [four, six] = hasOwnNetwork(entry)
        ? [pairIn(entry, 4), pairIn(entry, 6)]
        : [undefined, neighbourOn(state, entry)];
      const deciding = six ?? four;
      if (deciding === undefined || deciding.own > deciding.far) return [];
      return [
        {
          ifname: entry.name,
          ...(four === undefined ? {} : { far4: four.address }),
          ...(six === undefined ? {} : { far6: six.address }),
        },
      ];
    })
    .slice(0, LIMITS.monitoredLinks);
}

/** A device that LLDP hears there, or that speaks a routing protocol: containers and hosts may be alone on a port as well. */
function hasRouter({ neighbours = [], adjacencies = [], ospf = [], ospf6 = [], bgp }: State, port: string): boolean {
  return (
    [...neighbours, ...adjacencies].some(({ ifname }) => ifname === port) ||
    [...ospf, ...ospf6].some((row) => row.ifname === port && row.neighbours.length > 0) ||
    bgp?.sessions.some(({ peer }) => peer === port) === true
  );
}

function pairIn({ addresses }: InterfaceState, family: 4 | 6): Ends | undefined {
  const pair = addresses.flatMap((text) => pairOf(text) ?? []).find(({ own }) => own.family === family);
  return pair && { own: pair.own.value, far: pair.farValue, address: formatAddress(family, pair.farValue) };
}

function prefixesOf({ addresses }: InterfaceState): readonly IpPrefix[] {
  return addresses.flatMap((text) => parsePrefix(text) ?? []);
}

function hasOwnNetwork(entry: InterfaceState): boolean {
  return prefixesOf(entry).some(isNetwork);
}

/** Between link-local addresses, which no route leads elsewhere. */
function neighbourOn(state: State, entry: InterfaceState): Ends | undefined {
  const rows = resolvedRows(state, entry.name);
  if (new Set(rows.map(({ mac }) => mac)).size !== 1) return undefined;
  const own = prefixesOf(entry).find(isLinkLocal);
  const far = rows
    .map(({ address }) => parsePrefix(address))
    .find((prefix) => prefix !== undefined && isLinkLocal(prefix));
  return own === undefined || far === undefined || own.value === far.value
    ? undefined
    : { own: own.value, far: far.value, address: far.address };
}
