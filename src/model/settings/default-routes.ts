// Default routes as settings: those that a protocol made, with the neighbours that they led to. One that was set by hand is among the static
// routes. Pure.
import { parsePrefix } from '#base/ip.ts';
import { type DefaultRoute, OSPF_DAEMONS, ospfRowsFor, ospfVersionFor } from '../router/control-plane.ts';
import type { NodeState } from '../router/router-port.ts';
import type { SettingRow } from './setting-row.ts';

export const DEFAULT_PREFIXES = ['0.0.0.0/0', '::/0'] as const;

/** Daemons of FRR by the name that the kernel gives their routes; those of OSPF by their version. */
const DAEMONS: Readonly<Record<string, string>> = { isis: 'isisd', bgp: 'bgpd', rip: 'ripd' };
/** Those of which a state shows the neighbours. */
const SPOKEN: ReadonlySet<string> = new Set(['ospf', 'isis', 'bgp']);
/** Of the configuration and of hands, by name or number. */
const BY_HAND: ReadonlySet<string> = new Set(['static', '196', '4', 'boot', '3']);

export function isByHand({ protocol }: Pick<DefaultRoute, 'protocol'>): boolean {
  return BY_HAND.has(protocol);
}

/** A DHCP client may have set it (`boot`, which `ip` writes where it is not told who): it goes with the lease, which a server ends. */
export function mayBeLeased({ protocol }: Pick<DefaultRoute, 'protocol'>): boolean {
  return protocol === 'boot' || protocol === '3';
}

/** Which daemon made it; undefined for what no daemon of FRR makes. */
export function daemonOf({ protocol, prefix }: Pick<DefaultRoute, 'protocol' | 'prefix'>): string | undefined {
  return protocol === 'ospf' ? OSPF_DAEMONS[ospfVersionFor(prefix)] : DAEMONS[protocol];
}

/** Which of these have a neighbour, without whom they bring nothing; OSPF by the version that carries a family. */
export function spokenProtocols(
  state: Pick<NodeState, 'ospf' | 'ospf6' | 'daemons' | 'adjacencies' | 'bgp'>,
): readonly string[] {
  const { adjacencies, bgp } = state;
  const carried = DEFAULT_PREFIXES.filter((prefix) =>
    ospfRowsFor(state, prefix).some(({ neighbours }) => neighbours.some(({ state: is }) => is.startsWith('Full'))),
  );
  return [
    ...carried.map(spokenName),
    ...(adjacencies.some(({ state }) => state === 'up') ? ['isis'] : []),
    ...(bgp?.sessions.some(({ state }) => state === 'Established') === true ? ['bgp'] : []),
  ];
}

function spokenName(prefix: string): string {
  return ospfVersionFor(prefix) === 3 ? 'ospf6' : 'ospf';
}

/** Families of which the node says whether there is a default route. */
export function toldDefaults({ defaultRoutes }: Pick<NodeState, 'defaultRoutes'>): readonly string[] {
  if (defaultRoutes === undefined) return [];
  const unknown = defaultRoutes.filter(({ hops }) => hops.length === 0).map(({ prefix }) => prefix);
  return DEFAULT_PREFIXES.filter((prefix) => !unknown.includes(prefix));
}

type Needs = {
  readonly told: (prefix: string) => string;
  readonly settled: (daemon: string) => string;
  readonly spoken: (protocol: string) => string;
};

/**
 * `needs`: the conditions under which it is known, a daemon has read its configuration, and a protocol has a neighbour: what goes with the last of
 * these is a change of neighbours.
 */
export function defaultRows(
  { defaultRoutes = [], daemons = [] }: Pick<NodeState, 'defaultRoutes' | 'daemons'>,
  needs: Needs,
): readonly SettingRow[] {
  return defaultRoutes
    .filter((route) => route.hops.length > 0 && !isByHand(route))
    .map((route) => {
      const maker = daemonOf(route);
      const makers = ['zebra', ...(maker === undefined ? [] : [maker])];
      const there = makers.filter((name) => daemons.some((daemon) => daemon.name === name));
      const spoken = SPOKEN.has(route.protocol)
        ? [needs.spoken(route.protocol === 'ospf' ? spokenName(route.prefix) : route.protocol)]
        : [];
      return {
        ...({ kind: 'default-route', subject: route.prefix } as const),
        value: defaultWords(route),
        needs: [needs.told(route.prefix), ...there.map(needs.settled), ...spoken],
      };
    });
}

/** `ospf via 198.18.2.0 eth1, 198.18.3.0 eth2`. */
export function defaultWords({ protocol, hops }: Pick<DefaultRoute, 'protocol' | 'hops'>): string {
  const words = hops.map(({ nextHop, ifname }) => [nextHop, ifname].filter((word) => word !== undefined).join(' '));
  return `${protocol === '' ? 'unknown' : protocol} via ${words.sort().join(', ')}`;
}

/** The route that such words stand for; undefined where they were cut. */
export function parseDefault(prefix: string, text: string): DefaultRoute | undefined {
  const [, protocol, list] = /^(\S+) via (.+)$/.exec(text) ?? [];
  if (protocol === undefined || list === undefined) return undefined;
  const hops = list.split(', ').map((hop) => {
    const words = hop.split(' ');
    const nextHop = words.find((word) => parsePrefix(word) !== undefined);
    const ifname = words.find((word) => word !== nextHop);
    return { ...(nextHop === undefined ? {} : { nextHop }), ...(ifname === undefined ? {} : { ifname }) };
  });
  return { prefix, protocol, hops };
}
