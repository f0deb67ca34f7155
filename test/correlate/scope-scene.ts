// A small network for questions without a path: three routers in a row with a host behind each end, all of it well. What a test
// changes in it is told to nobody but the test.
import type { JsonValue } from '#base/json.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { callFor } from '#measure/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { HostPort, ServiceProbeResult } from '#model/router/hosts.ts';
import type { FilterRule, InterfaceState, NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { NO_TRAFFIC } from '../fakes/no-traffic.ts';

export const HOST1 = { address: '198.19.1.10', mac: '02:00:00:00:01:10' };
export const HOST3 = { address: '198.19.3.10', mac: '02:00:00:00:03:10' };

/** What a test may change. */
export type Scene = {
  readonly states?: Readonly<Record<string, (state: NodeState, phase: 'before' | 'after') => NodeState>>;
  readonly hosts?: Readonly<Record<string, readonly HostPort[]>>;
  readonly census?: Readonly<Record<string, readonly HostPort[]>>;
  readonly serviceProbes?: Readonly<Record<string, readonly ServiceProbeResult[]>>;
  /** Tries in which a real answer was wanted, by the router of the host; and those from an address of a port with hosts. */
  readonly whole?: Readonly<Record<string, readonly ServiceProbeResult[]>>;
  readonly used?: Readonly<Record<string, readonly ServiceProbeResult[]>>;
  readonly lookups?: Readonly<Record<string, readonly RouteAnswer[]>>;
  /** First looks and second looks. */
  readonly dhcp?: Readonly<Record<string, readonly DhcpAnswer[]>>;
  readonly dhcpAgain?: Readonly<Record<string, readonly DhcpAnswer[]>>;
  /** Further answers of nodes. */
  readonly more?: readonly {
    readonly node: string;
    readonly purpose: PlannedPurpose;
    readonly body: unknown;
    readonly args?: JsonValue;
  }[];
};

function port(name: string, mac: string, ...addresses: readonly string[]): InterfaceState {
  const kind = name === 'lo' ? 'loopback' : 'physical';
  return {
    name,
    kind,
    adminUp: true,
    operUp: true,
    mtu: 1_500,
    mac,
    addresses,
    carrierChanges: 0,
    offloads: [],
    counters: NO_TRAFFIC,
  };
}

/** `r1 – r2 – r3`; r1 and r3 have a host each, a locator, and steer to each other. */
export function stateOf(number: 1 | 2 | 3): NodeState {
  const mac = (last: number) => `02:00:00:00:0${number}:0${last}`;
  const links = [
    ...(number > 1 ? [port('eth1', mac(1), `198.18.${number - 1}.1/31`, `fd00:1:${number - 1}::1/127`)] : []),
    ...(number < 3 ? [port('eth2', mac(2), `198.18.${number}.0/31`, `fd00:1:${number}::/127`)] : []),
  ];
  const lan = number === 2 ? [] : [port('eth3', mac(3), `198.19.${number}.1/24`, `fd00:c:${number}::1/64`)];
  const other = number === 1 ? 3 : 1;
  const host = number === 1 ? HOST1 : HOST3;
  return {
    inventory: {
      node: `r${number}`,
      driver: 'linux-frr',
      system: { kernel: '', routing: '', hostname: `r${number}` },
      interfaces: [port('lo', '', `198.19.255.${number}/32`, `fd00:0:0:${number}::1/128`), ...links, ...lan],
      sids: [
        { sid: `fd00:5a:${number}::e`, behavior: 'End' },
        { sid: `fd00:5a:${number}::d6`, behavior: 'End.DT6' },
      ],
      loopbacks: [`fd00:0:0:${number}::1`, `198.19.255.${number}`],
    },
    neighbours: [
      ...(number > 1
        ? [
            {
              ifname: 'eth1',
              chassisId: `c${number - 1}`,
              portId: 'eth2',
              systemName: `r${number - 1}`,
              unknownTlvs: [],
            },
          ]
        : []),
      ...(number < 3
        ? [
            {
              ifname: 'eth2',
              chassisId: `c${number + 1}`,
              portId: 'eth1',
              systemName: `r${number + 1}`,
              unknownTlvs: [],
            },
          ]
        : []),
    ],
    adjacencies: [],
    filters: [],
    filtersInOrder: true,
    nodeCounters: {},
    staticRoutes: [
      { prefix: `fd00:5a:${number}::/48`, kind: 'blackhole', protocol: '196' },
      ...(number === 2
        ? []
        : [
            {
              prefix: `fd00:c:${other}::/64`,
              kind: 'unicast' as const,
              protocol: 'boot',
              segments: [`fd00:5a:${other}::d6`],
            },
          ]),
    ],
    daemons: [{ name: 'zebra', alive: true }],
    history: {
      spanMs: 60_000,
      events: [],
      lastHeard: [],
      hosts: number === 2 ? [] : [{ ifname: 'eth3', ...host }],
    },
    past: [],
    descriptions: number === 2 ? {} : { eth3: `h${number} eth1` },
    missing: [],
  };
}

/** Where a node forwards: along the row. */
function lookupsOf(number: number): readonly RouteAnswer[] {
  return [1, 2, 3]
    .filter((other) => other !== number)
    .flatMap((other) => {
      const ifname = other < number ? 'eth1' : 'eth2';
      const lan = other === 2 ? [] : [`198.19.${other}.1`, ...(number === 2 ? [] : [`fd00:c:${other}::1`])];
      const addresses = [`198.19.255.${other}`, `fd00:0:0:${other}::1`, `fd00:5a:${other}::d6`, ...lan];
      return addresses.map(
        (destination): RouteAnswer => ({
          destination,
          kind: 'unicast',
          ifname,
          protocol: 'isis',
          ...(destination.startsWith('fd00:c:') ? { segments: [`fd00:5a:${other}::d6`] } : {}),
        }),
      );
    });
}

/** What the two hosts answer when they are well. */
export function wellOn(node: 'r1' | 'r3', change: Partial<HostPort> = {}): HostPort {
  const host = node === 'r1' ? HOST1 : HOST3;
  return {
    ifname: 'eth3',
    source: node === 'r1' ? '198.19.255.1' : '198.19.255.3',
    answers: [{ address: host.address, macs: [host.mac] }],
    echoed: [host.address],
    asks: [],
    ...change,
  };
}

export function sceneOf(scene: Scene = {}): DiagnoseInput {
  const evidence: Evidence[] = [];
  const add = (node: string, purpose: PlannedPurpose, body: unknown, args: JsonValue = {}) => {
    const { id, evidence: kind, phase } = callFor(node, purpose, {}, 0);
    const request = { method: 'tools/call', params: { arguments: args } };
    evidence.push({ id, purpose, node, kind, phase, request, body } as unknown as Evidence);
  };
  for (const number of [1, 2, 3] as const) {
    const node = `r${number}`;
    for (const phase of ['before', 'after'] as const) {
      const state = stateOf(number);
      add(node, { kind: 'state', when: phase }, scene.states?.[node]?.(state, phase) ?? state);
    }
    const changed = scene.lookups?.[node] ?? [];
    const kept = lookupsOf(number).filter((answer) => !changed.some((each) => each.destination === answer.destination));
    add(node, { kind: 'lookups', part: 1, round: 'first' }, { answers: [...kept, ...changed] });
    const seen = scene.hosts?.[node] ?? (node === 'r1' || node === 'r3' ? [wellOn(node)] : []);
    if (seen.length > 0) add(node, { kind: 'host-scan', aim: 'known' }, { ports: seen }, asked(seen));
    const census = scene.census?.[node];
    if (census !== undefined) add(node, { kind: 'host-scan', aim: 'confirmation' }, { ports: census }, asked(census));
    const serviceProbes = scene.serviceProbes?.[node];
    for (const [round, looks] of [
      ['first', scene.dhcp?.[node]],
      ['confirmation', scene.dhcpAgain?.[node]],
    ] as const)
      if (looks !== undefined) add(node, { kind: 'dhcp', round }, { answers: looks });
    if (serviceProbes !== undefined)
      add(node, { kind: 'service-probe', reason: 'filters', round: 'first' }, { results: serviceProbes });
    const [whole, used] = [scene.whole?.[node], scene.used?.[node]];
    if (whole !== undefined)
      add(node, { kind: 'service-probe', reason: 'seen', round: 'first' }, { results: whole }, { whole: true });
    if (used !== undefined)
      add(
        node,
        { kind: 'service-probe', reason: 'used', round: 'first' },
        { results: used },
        { whole: true, source: `198.19.${number}.1` },
      );
  }
  for (const { node, purpose, body, args } of scene.more ?? []) add(node, purpose, body, args);
  const outcomes = evidence.map(({ id, purpose, node, phase }) => ({
    callId: id,
    purpose,
    node,
    phase,
    name: '',
    status: 'answered' as const,
    elapsedMs: 10,
  }));
  return {
    intent: { kind: 'fault', text: 'What is wrong?', path: [], encapsulation: 'ip' },
    nodeNames: ['r1', 'r2', 'r3'],
    evidence,
    outcomes,
  };
}

/** The requests asked for whoever answered, and for everybody that a host asked for. */
function asked(ports: readonly HostPort[]): JsonValue {
  return {
    ports: ports.map(({ ifname, answers, asks }) => ({
      ifname,
      addresses: [...answers.map(({ address }) => address), ...asks.map(({ target }) => target)],
    })),
  };
}

/** `fault resource` of every finding. */
export function named(scene: Scene): readonly string[] {
  return diagnose(sceneOf(scene)).findings.map(({ fault, resource }) => `${fault} ${resource}`);
}

/** Reasons of an undecided verdict that are about a kind of symptom. */
export function symptomdBy(scene: Scene, words: RegExp): readonly string[] {
  return diagnose(sceneOf(scene)).verdict.reasons.filter((reason) => words.test(reason));
}

/** A dropping rule that took packets in the window. */
export function dropping(matches: FilterRule['matches'], hook = 'forward', packets = 12) {
  return (state: NodeState, phase: 'before' | 'after'): NodeState => ({
    ...state,
    filters: [
      {
        family: 'inet',
        table: 'filter',
        chain: hook,
        path: [hook],
        hook,
        handle: 4,
        verdict: 'drop',
        outInterfaces: [],
        inInterfaces: [],
        packets: String(phase === 'before' ? 5 : 5 + packets),
        matches: matches ?? [],
        matchesRest: false,
      },
    ],
  });
}
