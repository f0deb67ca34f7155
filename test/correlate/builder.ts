// A small synthetic network: routers in a row, packets counted where a real router counts them, states read a little apart.
// What is injected is told to nobody but the test; the evidence looks like that of a real exchange.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { callFor } from '#measure/call.ts';
import type { Outcome, Phase } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';

export type Filter = {
  readonly node: string;
  readonly acl: string;
  readonly hook: 'egress' | 'ingress' | 'forward' | 'input' | 'postrouting';
  readonly ifname?: string;
  /** Share of the probes that it drops: of the whole path's, or of every probe. */
  readonly drops?: { readonly share: number; readonly only?: 'path'; readonly towards: string };
  /** Other packets that it drops in the window: its job. */
  readonly job?: number;
  /** Counter before the window. */
  readonly old?: number;
  readonly counterless?: boolean;
  /** It demands a rate as well, which its node cannot say. */
  readonly limits?: true;
  /** What the rule demands of a packet; its node does not say without it. */
  readonly matches?: readonly FilterMatch[];
  readonly family?: string;
  /** Not a filter at all but a queue inside the node: it drops, and no state shows it. */
  readonly hidden?: boolean;
};

export type Scene = {
  readonly nodes: readonly string[];
  readonly seed: number;
  /** `pe1>p2` → share of packets that the wire loses in that direction. */
  readonly loss?: Readonly<Record<string, number>>;
  /** Background packets a second in every direction. */
  readonly load?: number;
  /** Longest time that a state takes to be read. */
  readonly skewMs?: number;
  readonly filters?: readonly Filter[];
  readonly probeCount?: number;
  /** Changes a finished state: a lie, an old counter, a missing part. */
  readonly touch?: (state: NodeState, node: string, phase: Phase) => JsonValue;
  /** Changes a probe's result. */
  readonly touchProbe?: (result: JsonObject, from: string, to: string) => JsonValue;
  /** Extra movement of node counters in the window. */
  readonly nodeCounters?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Calls whose answers never came, by call id. */
  readonly unanswered?: readonly string[];
  /** Nodes without a clock reading in their state. */
  readonly clockless?: boolean;
};

export type Exchange = {
  readonly intent: Intent;
  readonly evidence: readonly Evidence[];
  readonly outcomes: readonly Outcome[];
  readonly nodeNames: readonly string[];
};

const PROBE_MS = 1_250;
/** Interface names: `eth0` towards the node before, `eth1` towards the node after. */
export const BACK = 'eth0';
export const ON = 'eth1';

export function exchange(scene: Scene): Exchange {
  const random = generator(scene.seed);
  const world = worldOf(scene, random);
  const probes = runProbes(scene, world, random);
  for (const way of world.ways) otherTraffic(way, scene, world, random);
  const outcomes: Outcome[] = [];
  const evidence: Evidence[] = [];
  const answered = (purpose: PlannedPurpose, node: string, elapsedMs: number, body: JsonValue, args: JsonObject) => {
    const { id, phase, evidence: kind } = callFor(node, purpose, {}, 0);
    const silent = scene.unanswered?.includes(id) ?? false;
    outcomes.push({
      callId: id,
      purpose,
      node,
      phase,
      name: kind,
      status: silent ? 'timed-out' : 'answered',
      elapsedMs,
      ...(silent ? { reason: 'no answer' } : {}),
    });
    if (!silent) evidence.push(evidenceOf(id, purpose, node, kind, phase, body, args));
  };
  for (const phase of ['before', 'after'] as const) {
    for (const node of scene.nodes) {
      const state = stateOf(scene, world, node, phase);
      const readMs = phase === 'before' ? world.readBefore.get(node)! : world.readAfter.get(node)! - world.afterStart;
      const body = (scene.touch?.(state, node, phase) ?? state) as JsonValue;
      answered({ kind: 'state', when: phase }, node, readMs + 1, body, {});
    }
  }
  for (const probe of probes) {
    const body = scene.touchProbe?.(probe.result, probe.from, probe.to) ?? probe.result;
    const args = argumentsOf(scene, probe.from, probe.to);
    answered({ kind: 'path-probe', from: probe.from, to: probe.to }, probe.from, PROBE_MS, body, args);
  }
  return { intent: intentFor(scene.nodes), evidence, outcomes, nodeNames: scene.nodes };
}

function argumentsOf(scene: Scene, from: string, to: string): JsonObject {
  const [start, end] = [scene.nodes.indexOf(from), scene.nodes.indexOf(to)];
  const mids = scene.nodes.slice(start + 1, end).map((_, index) => `fd00:5a:${start + index + 2}::e`);
  return {
    Local: from,
    Tail: to,
    'SID List': scene.nodes.slice(start + 1, end + 1),
    Count: scene.probeCount ?? 1_000,
    source: `fd00:0:0:${start + 1}::1`,
    destination: `fd00:0:0:${end + 1}::1`,
    segments: [...mids, `fd00:5a:${end + 1}::d6`],
  };
}

export function intentFor(nodes: readonly string[]): Intent {
  const path = nodes.map((node) => ({
    as: node.replace(/^([a-z]+)(\d+)$/, (_, name: string, digits) => `${name.toUpperCase()}-${digits}`),
    key: nodeKey(node),
  }));
  return { kind: 'path-loss', text: 'packet loss', path, encapsulation: 'srv6' };
}

type Way = { readonly from: string; readonly to: string; tx: number; rx: number; readonly loss: number };
type World = {
  readonly ways: readonly Way[];
  readonly readBefore: ReadonlyMap<string, number>;
  readonly readAfter: ReadonlyMap<string, number>;
  readonly afterStart: number;
  readonly hits: Map<Filter, number>;
};

function worldOf(scene: Scene, random: () => number): World {
  const skewMs = scene.skewMs ?? 10;
  const afterStart = skewMs + PROBE_MS + 10;
  const moments = (start: number) => new Map(scene.nodes.map((node) => [node, start + 1 + random() * skewMs]));
  const ways = scene.nodes.slice(1).flatMap((to, index) => {
    const from = scene.nodes[index]!;
    const wayOf = (one: string, other: string): Way => ({
      from: one,
      to: other,
      tx: 0,
      rx: 0,
      loss: scene.loss?.[`${one}>${other}`] ?? 0,
    });
    return [wayOf(from, to), wayOf(to, from)];
  });
  return { ways, readBefore: moments(0), readAfter: moments(afterStart), afterStart, hits: new Map() };
}

function runProbes(scene: Scene, world: World, random: () => number) {
  const pairs = scene.nodes.slice(1).map((to, index) => [scene.nodes[index]!, to] as const);
  const wanted = scene.nodes.length > 2 ? [[scene.nodes[0]!, scene.nodes.at(-1)!] as const, ...pairs] : pairs;
  return wanted.map(([from, to], order) => {
    const kind = order === 0 && scene.nodes.length > 2 ? 'path' : 'segment';
    const sent = scene.probeCount ?? 1_000;
    const out = wayBetween(scene.nodes, from, to);
    const reflected = times(sent, () => cross(out, kind, scene, world, random));
    const received = times(reflected, () => cross([...out].reverse(), kind, scene, world, random));
    const rttMs = received > 0 ? { min: 0.1, avg: 0.2, max: 0.9 } : null;
    const result: JsonObject = {
      sent,
      ...(received > 0 ? { reflected } : {}),
      received,
      duplicates: 0,
      rttMs,
      sendErrors: 0,
    };
    return { from, to, result };
  });
}

function cross(
  nodes: readonly string[],
  kind: 'path' | 'segment',
  scene: Scene,
  world: World,
  random: () => number,
): boolean {
  return nodes.slice(1).every((to, index) => {
    const way = world.ways.find((entry) => entry.from === nodes[index] && entry.to === to)!;
    if (filtered(way, 'leaving', kind, scene, world, random)) return false;
    way.tx++;
    if (random() < way.loss) return false;
    way.rx++;
    return !filtered(way, 'entering', kind, scene, world, random);
  });
}

function filtered(
  way: Way,
  side: 'leaving' | 'entering',
  kind: string,
  scene: Scene,
  world: World,
  random: () => number,
): boolean {
  const filter = scene.filters?.find(
    ({ node, hook, drops, ifname }) =>
      drops !== undefined &&
      drops.towards === way.to &&
      (drops.only === undefined || drops.only === kind) &&
      (ifname === undefined || ifname === portOf(scene, way, side)) &&
      (side === 'leaving'
        ? node === way.from && (hook === 'egress' || hook === 'forward')
        : node === way.to && (hook === 'ingress' || hook === 'input')),
  );
  if (filter === undefined || random() >= filter.drops!.share) return false;
  world.hits.set(filter, (world.hits.get(filter) ?? 0) + 1);
  return true;
}

/** The interface by which packets of this way leave their sender, or enter their receiver. */
function portOf(scene: Scene, way: Way, side: 'leaving' | 'entering'): string {
  const onward = scene.nodes.indexOf(way.from) < scene.nodes.indexOf(way.to);
  return onward === (side === 'leaving') ? ON : BACK;
}

/** Background load and the exchange's own packets: counted at each end only while that end's window is open. */
function otherTraffic(way: Way, scene: Scene, world: World, random: () => number): void {
  const [a0, a1] = [world.readBefore.get(way.from)!, world.readAfter.get(way.from)!];
  const [b0, b1] = [world.readBefore.get(way.to)!, world.readAfter.get(way.to)!];
  const edges = [0, a0, b0, a1, b1, world.afterStart + (scene.skewMs ?? 10) + 5].sort((one, other) => one - other);
  for (let index = 1; index < edges.length; index++) {
    const [start, end] = [edges[index - 1]!, edges[index]!];
    const session = end <= world.afterStart - PROBE_MS || start >= world.afterStart ? Math.floor(random() * 3) : 0;
    const packets = around(((end - start) * (scene.load ?? 0)) / 1000, random) + session;
    const lost = around(packets * way.loss, random);
    if (start >= a0 && end <= a1) way.tx += packets;
    if (start >= b0 && end <= b1) way.rx += packets - Math.min(packets, lost);
  }
}

function stateOf(scene: Scene, world: World, node: string, phase: 'before' | 'after'): NodeState {
  const place = scene.nodes.indexOf(node);
  const ends = [
    { name: BACK, peer: scene.nodes[place - 1], link: place - 1, host: 1 },
    { name: ON, peer: scene.nodes[place + 1], link: place, host: 0 },
  ].filter((end) => end.peer !== undefined);
  const readMs = phase === 'before' ? world.readBefore.get(node)! : world.readAfter.get(node)!;
  const filters = (scene.filters ?? []).filter((filter) => filter.node === node && filter.hidden !== true);
  return {
    inventory: {
      node,
      driver: 'embedded',
      system: { kernel: '', routing: '', hostname: node },
      interfaces: ends.map((end) =>
        interfaceOf(end.name, `fd00:${end.link + 1}::${end.host}/127`, world, node, end.peer!, phase),
      ),
      sids: [
        { sid: `fd00:5a:${place + 1}::e`, behavior: 'End' },
        { sid: `fd00:5a:${place + 1}::d6`, behavior: 'End.DT6' },
      ],
      loopbacks: [`198.18.255.${place + 1}`, `fd00:0:0:${place + 1}::1/128`],
    },
    neighbours: ends.map((end) => ({
      ifname: end.name,
      chassisId: `chassis-${end.peer}`,
      portId: end.name === ON ? BACK : ON,
      systemName: end.peer!,
      unknownTlvs: [],
    })),
    adjacencies: ends.map((end) => ({
      protocol: 'isis',
      ifname: end.name,
      systemId: `0000.0000.000${scene.nodes.indexOf(end.peer!) + 1}`,
      hostname: end.peer!,
      level: 2,
      state: 'up',
    })),
    filters: filters.map((filter, index) => ruleOf(filter, index, world, phase)),
    nodeCounters: nodeCountersOf(scene, node, phase),
    ...(scene.clockless ? {} : { countersReadMs: 1e6 * (place + 1) + readMs }),
    missing: [],
  };
}

function interfaceOf(name: string, address: string, world: World, node: string, peer: string, phase: string) {
  const out = world.ways.find((way) => way.from === node && way.to === peer)!;
  const back = world.ways.find((way) => way.from === peer && way.to === node)!;
  const moved = phase === 'after' ? 1 : 0;
  const count = (packets: number) => String(18_000_000_000n + BigInt(packets * moved));
  const old = String(4_000_000);
  return {
    name,
    kind: 'physical' as const,
    adminUp: true,
    operUp: true,
    mtu: 9000,
    addresses: [address, 'fe80::1/64'],
    carrierChanges: 42,
    offloads: [],
    counters: {
      rxPackets: count(back.rx),
      txPackets: count(out.tx),
      rxBytes: '0',
      txBytes: '0',
      rxErrors: old,
      txErrors: old,
      rxDropped: old,
      txDropped: old,
    },
  };
}

function ruleOf(filter: Filter, index: number, world: World, phase: string): NodeState['filters'][number] {
  const packets = (filter.old ?? 0) + (phase === 'after' ? (world.hits.get(filter) ?? 0) + (filter.job ?? 0) : 0);
  const inside = filter.hook === 'ingress' || filter.hook === 'input';
  const named = filter.ifname === undefined ? [] : [filter.ifname];
  return {
    family: filter.family ?? 'netdev',
    table: 'filter',
    chain: filter.acl,
    path: ['base', filter.acl],
    hook: filter.hook,
    handle: index + 4,
    verdict: 'drop',
    outInterfaces: inside ? [] : named,
    inInterfaces: inside ? named : [],
    ...(filter.counterless ? {} : { packets: String(packets), bytes: '0' }),
    acl: filter.acl,
    ...(filter.matches === undefined ? {} : { matches: filter.matches, matchesRest: filter.limits === true }),
  };
}

function nodeCountersOf(scene: Scene, node: string, phase: string): Record<string, string> {
  const moved = scene.nodeCounters?.[node] ?? {};
  const names = ['Ip6InDiscards', 'Udp6InErrors', 'Udp6RcvbufErrors'];
  return Object.fromEntries(names.map((name) => [name, String(9_000 + (phase === 'after' ? (moved[name] ?? 0) : 0))]));
}

function evidenceOf(
  id: string,
  purpose: PlannedPurpose,
  node: string,
  kind: Evidence['kind'],
  phase: Phase,
  body: JsonValue,
  args: JsonObject,
): Evidence {
  const request = { method: 'tools/call', params: { name: kind, arguments: args } };
  return {
    id,
    purpose,
    node,
    kind,
    phase,
    request,
    body,
    envelope: { payloadType: 'parley/result/v1', payload: '', signature: '' },
    chain: [],
  };
}

function wayBetween(nodes: readonly string[], from: string, to: string): readonly string[] {
  return nodes.slice(nodes.indexOf(from), nodes.indexOf(to) + 1);
}

function times(count: number, arrives: () => boolean): number {
  let arrived = 0;
  for (let index = 0; index < count; index++) if (arrives()) arrived++;
  return arrived;
}

/** A whole number around `mean`, as bursty traffic scatters. */
function around(mean: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(0, Math.round(mean + Math.sqrt(3 * mean) * normal));
}

/** mulberry32: the same seed, the same exchange. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
