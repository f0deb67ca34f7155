// A router with ten links that lives through days: its state a minute, its monitors' rounds, and now and then an operator who changes a setting.
// Everything comes from a seed; nothing is measured here.
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { LinkMonitor, WatchRound } from '#model/router/link-monitor.ts';
import type { FilterRule, InterfaceState, NodeState } from '#model/router/router-port.ts';

export const LINKS = 10;
const PEERS = 12;
const PREFIXES = 10;
const STATIC_ROUTES = 30;
const RULES = 60;
const MINUTE_MS = 60_000;
const ROUND_MS = 2_000;
const DAEMONS = ['zebra', 'isisd', 'ospfd', 'bgpd', 'bfdd', 'staticd'];

export type SimulatedRouter = {
  /** One minute later. True when a setting was changed in it. */
  step(): boolean;
  state(): NodeState;
  links(): readonly LinkMonitor[];
  events(): readonly HistoryEvent[];
};

type Random = () => number;

export function createRouter(random: Random, changesADay: number): SimulatedRouter {
  const ports = Array.from({ length: LINKS }, (_, index) => portOf(index));
  const metrics = ports.map(() => 10);
  const routes = Array.from({ length: STATIC_ROUTES }, (_, index) => `203.0.${index}.0/24`);
  const rules = Array.from({ length: RULES }, (_, index) => ruleOf(index));
  const announced = Array.from({ length: PREFIXES }, () => true);
  const remoteAs = Array.from({ length: PEERS }, (_, index) => 65_001 + index);
  let [minute, startedMs] = [0, 0];
  let events: HistoryEvent[] = [];
  const pick = (count: number) => Math.floor(random() * count);
  const changes: readonly (() => void)[] = [
    () => Object.assign(ports[pick(LINKS)]!, { mtu: random() < 0.5 ? 1_500 : 9_000 }),
    () => metrics.splice(pick(LINKS), 1, 10 * (1 + pick(100))),
    () => routes.splice(pick(routes.length), 1, `203.0.113.${4 * pick(64)}/30`),
    () => rules.splice(pick(rules.length), 1, ruleOf(RULES + pick(100_000))),
    () => announced.splice(pick(PREFIXES), 1, random() < 0.5),
    () => remoteAs.splice(pick(PEERS), 1, 65_001 + pick(100)),
  ];
  return {
    step() {
      minute += 1;
      for (const port of ports) count(port, random);
      const flapping = random() < 0.01 ? pick(LINKS) : undefined;
      events =
        flapping === undefined
          ? []
          : [
              { agoMs: 30_000, kind: 'carrier', subject: `eth${flapping}`, up: false, changes: 1 },
              { agoMs: 28_000, kind: 'carrier', subject: `eth${flapping}`, up: true, changes: 1 },
            ];
      // FRR is upgraded or restarted about once in two days.
      if (random() < 1 / 2_880) startedMs = minute * MINUTE_MS;
      const isChanged = random() < changesADay / 1_440;
      if (isChanged) changes[pick(changes.length)]!();
      return isChanged;
    },
    state: () => ({
      inventory: {
        ...{ node: 'r1', driver: 'linux-frr', sids: [], loopbacks: ['2001:db8::1'] },
        system: { kernel: '6.12.0', routing: 'FRRouting 10.2', hostname: 'r1' },
        interfaces: ports.map((port) => ({ ...port, counters: { ...port.counters } })),
      },
      neighbours: ports.map(({ name }, index) => ({
        ...{ ifname: name, chassisId: `02:00:00:00:00:${index + 10}`, portId: 'eth1' },
        ...{ systemName: `r${index + 2}`, unknownTlvs: [] },
      })),
      adjacencies: ports.map(({ name }, index) => ({
        ...{ protocol: 'isis', ifname: name, systemId: `0000.0000.00${index + 10}`, level: 2, state: 'up' },
      })),
      filters: [...rules],
      nodeCounters: {},
      countersReadMs: minute * MINUTE_MS,
      missing: [],
      daemons: DAEMONS.map((name) => ({ name, alive: true, upMs: minute * MINUTE_MS - startedMs + 100_000 })),
      isis: {
        ...{ systemId: '0000.0000.0001', areas: ['49.0001'], level: '2', areaPassword: 'none' },
        circuits: ports.map(({ name }, index) => ({
          ...{ ifname: name, level: '2', network: 'point-to-point', passive: false, password: 'md5' },
          ...{ ipv4: true, ipv6: true, metric: metrics[index]! },
        })),
      },
      staticRoutes: routes.map((prefix) => ({
        ...{ prefix, kind: 'unicast', protocol: 'static', nextHop: '198.18.0.1', ifname: 'eth0' },
      })),
      bgp: bgpOf(remoteAs, announced),
    }),
    links: () => ports.map(({ name }) => ({ ifname: name, far: ['2001:db8::2'], rounds: roundsOf(random) })),
    events: () => events,
  };
}

type Port = Omit<InterfaceState, 'mtu' | 'counters'> & { mtu: number; counters: InterfaceState['counters'] };

function portOf(index: number): Port {
  const zero = '0';
  return {
    ...{
      name: `eth${index}`,
      kind: 'physical',
      adminUp: true,
      operUp: true,
      mtu: 9_000,
      carrierChanges: 1,
      offloads: [],
    },
    addresses: [`198.18.${index}.0/31`, `2001:db8:${index}::/127`],
    counters: {
      ...{ rxPackets: zero, txPackets: zero, rxBytes: zero, txBytes: zero },
      ...{ rxErrors: zero, txErrors: zero, rxDropped: zero, txDropped: zero },
    },
  };
}

/** A minute of a port of 10 Gbit/s that is used to a third, with an error now and then. */
function count(port: Port, random: Random): void {
  const add = (text: string, most: number) => `${Number(text) + Math.floor(random() * most)}`;
  const { counters: was } = port;
  port.counters = {
    ...was,
    ...{ rxPackets: add(was.rxPackets, 5e7), txPackets: add(was.txPackets, 5e7) },
    ...{ rxBytes: add(was.rxBytes, 5e10), txBytes: add(was.txBytes, 5e10) },
    ...{ rxErrors: add(was.rxErrors, 1.05), rxDropped: add(was.rxDropped, 1.2) },
  };
}

function roundsOf(random: Random): readonly WatchRound[] {
  return Array.from({ length: 36 }, (_, index) => {
    const lost = random() < 0.01 ? 1 : 0;
    const leastRttUs = 200 + Math.floor(random() * 300);
    return [(36 - index) * ROUND_MS, 20, 20 - lost, 20 - lost, 20, 20, 20, leastRttUs, 0] as const;
  });
}

function ruleOf(index: number): FilterRule {
  const digest = index.toString(16).padStart(16, 'a');
  return {
    ...{ family: 'inet', table: 'edge', chain: 'forward', path: ['forward'], hook: 'forward', handle: index },
    ...{ ruleSha256: digest, verdict: 'drop', outInterfaces: [], inInterfaces: ['eth0'] },
    matches: [
      { field: 'protocol', values: ['tcp'] },
      { field: 'destination-port', values: [`${index % 65_536}`] },
    ],
  };
}

function bgpOf(remoteAs: readonly number[], announced: readonly boolean[]): NonNullable<NodeState['bgp']> {
  const peers = remoteAs.map((_, index) => `198.19.0.${index}`);
  return {
    ...{ asn: 65_000, networks: [], redistribute: [] },
    sessions: peers.map((peer, index) => ({
      ...{ peer, remoteAs: remoteAs[index]!, localAs: 65_000, state: 'Established', shutdown: false, password: true },
      ...{ established: 1, dropped: 0, upMs: 1e9, families: ['ipv4', 'ipv6'] as const },
      policies: ['route-map FROM-PEER in', 'route-map TO-PEER out'],
    })),
    ownPrefixes: announced.map((isTold, index) => ({
      ...{ prefix: `192.0.2.${index}/32`, originated: true, advertisedTo: isTold ? peers : [] },
    })),
  };
}
