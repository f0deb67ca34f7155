// Cases from a seed: which network, what is injected where, what is asked, and the truth. The same seed makes the same cases. Pure.
import type { Network } from '../../simulations/generate/network.ts';
import { seededRandom } from '../../simulations/generate/random.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { FAULTS } from '../../simulations/lab/faults/catalogue.ts';
import type { LabShape, Location, Random, Truth } from '../../simulations/lab/faults/fault.ts';
import type { Injection } from '../../simulations/lab/scenario.ts';
import { type Circumstance, withCircumstance } from './circumstances.ts';
import { healthyControl } from './healthy.ts';
import { PATH_LOSS, type Question, questionFor, wellForAWhile } from './questions.ts';
import { nodesOf } from './resources.ts';

export const CASE_KINDS = ['healthy', 'single', 'several', 'over'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

export type Case = {
  /** `abilene-s7-003`: size, seed, number. */
  readonly id: string;
  readonly size: string;
  readonly timers: 'fast' | 'default';
  readonly kind: CaseKind;
  /** Ids of the catalogue, or the kind of healthy control. */
  readonly what: readonly string[];
  readonly inject: readonly Injection[];
  readonly settleMs: number;
  readonly ask: Question;
  readonly truth: Truth;
  /** What is not well with an agent, beside whatever is wrong with the network. */
  readonly circumstance?: Circumstance;
  /** Routers on the path that is asked about, where cost is measured. */
  readonly hops?: number;
};

export type CasesInit = {
  readonly seed: number;
  readonly count: number;
  readonly sizes: readonly string[];
  /** Only these entries of the catalogue. */
  readonly faults?: readonly string[];
  readonly asking: 'mixed' | 'general' | 'loss';
  /** Only these kinds of case, one after the other. */
  readonly kinds?: readonly CaseKind[];
  /** In every case the agent of one node, never the one that is asked, does not answer, or lies. */
  readonly agents?: 'silent' | 'lying';
};

type FaultInjection = Extract<Injection, { where: 'fault' }>;

/** Of five cases one is healthy and one has several faults; of ten one is over; of ten one has default timers. */
const SHARES: readonly CaseKind[] = [
  ...['healthy', 'single', 'several', 'single', 'over'],
  ...['single', 'healthy', 'single', 'several', 'single'],
] as CaseKind[];
const SETTLE_MS = 4_000;
/** Share of the healthy networks that are asked about the past, once agents have watched for all of the time that is asked about. */
const PAST_SHARE = 0.25;
const PAST_SETTLE_MS = 45_000;
/** What cannot be repaired after a while and still be seen to have been there, or needs longer than a case takes. */
const NOT_OVER = new Set(['link_flap', 'load', 'filter_at_work', 'high_latency', 'link_capacity_bottleneck']);
const OVER_SECONDS = [5, 10, 30];
const TRIES = 50;
const PLACE_TRIES = 5;

/** In an order that needs few labs: by size, then timers. */
export function generateCases(init: CasesInit): Case[] {
  const cases = Array.from({ length: init.count }, (_, index) => generateCase(init, index));
  const rank = (entry: Case) => init.sizes.indexOf(entry.size) * 2 + (entry.timers === 'default' ? 1 : 0);
  return cases.sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id));
}

/** Ids of the catalogue that are faults. */
export function faultsToDraw(only?: readonly string[]): string[] {
  return [...FAULTS.values()]
    .filter((fault) => fault.truth !== undefined && fault.place !== undefined)
    .map((fault) => fault.id)
    .filter((id) => only === undefined || only.includes(id))
    .sort();
}

function generateCase(init: CasesInit, index: number): Case {
  const entry = faultCase(init, index);
  if (init.agents === undefined) return entry;
  return withCircumstance(entry, init.agents, seededRandom(init.seed * 100_003 + index + 50_000));
}

function faultCase(init: CasesInit, index: number): Case {
  const random = seededRandom(init.seed * 100_003 + index);
  const size = init.sizes[index % init.sizes.length]!;
  const network = networkOf(size);
  const lab = shapeOf(network);
  const round = Math.floor(index / init.sizes.length);
  const shares = init.kinds ?? SHARES;
  const share = shares[round % shares.length]!;
  // A question about one path covers one fault that is there now.
  const kind = init.asking === 'loss' && share !== 'healthy' ? 'single' : share;
  const base = {
    id: `${size}-s${init.seed}-${String(index + 1).padStart(3, '0')}`,
    size,
    timers: hasDefaultTimers(init.seed, index % init.sizes.length, round) ? ('default' as const) : ('fast' as const),
    kind,
    settleMs: SETTLE_MS,
  };
  if (kind === 'healthy') {
    const control = healthyControl(network, random);
    const asksPast = init.asking === 'mixed' && random.next() < PAST_SHARE;
    const ask = asksPast
      ? wellForAWhile(network, random)
      : questionFor({ network, random, faults: [], asking: init.asking, over: false });
    const settleMs = asksPast ? PAST_SETTLE_MS : SETTLE_MS;
    return {
      ...base,
      settleMs,
      what: [control.what],
      inject: control.inject,
      ask,
      truth: { pairs: [], locations: [] },
    };
  }
  const faults = drawFaults(init, {
    network,
    lab,
    random,
    turn: turnOf(round, shares),
    over: kind === 'over',
    count: kind === 'several' ? 2 : 1,
  });
  const lastsMs = kind === 'over' ? random.pick(OVER_SECONDS) * 1_000 : undefined;
  const inject = faults.map((fault) => (lastsMs === undefined ? fault : { ...fault, lastsMs }));
  const ask = questionFor({ network, random, faults, asking: init.asking, over: kind === 'over' });
  return { ...base, what: faults.map((fault) => fault.fault), inject, ask, truth: truthOf(faults, lab) };
}

/** One in ten of each network; which one is drawn by itself, so that every kind of case can have it. */
function hasDefaultTimers(seed: number, place: number, round: number): boolean {
  const ten = Math.floor(round / 10);
  const drawn = seededRandom(seed * 100_003 + 90_000 + ten * 100 + place);
  return round % 10 === Math.floor(drawn.next() * 10);
}

type Draw = {
  readonly network: Network;
  readonly lab: LabShape;
  readonly random: Random;
  /** How many cases with faults this network had before. */
  readonly turn: number;
  readonly over: boolean;
  readonly count: number;
};

/** The first fault goes round what the network has a place for, so that few cases see many kinds; others are drawn, at places of their own. */
function drawFaults(init: CasesInit, draw: Draw): FaultInjection[] {
  const { network, lab, random, turn, over, count } = draw;
  const loss = init.asking === 'loss' && init.faults === undefined ? [...PATH_LOSS] : init.faults;
  const shuffled = shuffle(
    faultsToDraw(loss).filter((id) => hasPlace(id, network)),
    seededRandom(init.seed),
  );
  const ids = shuffled.filter((id) => !over || !NOT_OVER.has(id));
  const drawn: FaultInjection[] = [];
  for (let attempt = 0; drawn.length < count && attempt < TRIES * count; attempt++) {
    const id = drawn.length === 0 ? shuffled[(turn + attempt) % shuffled.length]! : random.pick(ids);
    if (!ids.includes(id) || drawn.some((other) => other.fault === id)) continue;
    const injection = placed(id, network, random);
    if (injection === undefined) continue;
    const taken = new Set(drawn.flatMap((other) => placesOf(other, lab)));
    if (placesOf(injection, lab).some((place) => taken.has(place))) continue;
    drawn.push(injection);
  }
  if (drawn.length < count) throw new RangeError(`expected ${count} faults that fit ${network.name}`);
  return drawn;
}

/** Cases with faults among the first `round` of one network. */
function turnOf(round: number, shares: readonly CaseKind[]): number {
  const faulty = (rounds: number) => shares.slice(0, rounds).filter((kind) => kind !== 'healthy').length;
  return Math.floor(round / shares.length) * faulty(shares.length) + faulty(round % shares.length);
}

/** Some faults have a place only at some of a network's nodes. */
function hasPlace(id: string, network: Network): boolean {
  return Array.from({ length: PLACE_TRIES }, (_, seed) => seed + 1).some(
    (seed) => FAULTS.get(id)!.place?.(network, seededRandom(seed)) !== undefined,
  );
}

function placed(id: string, network: Network, random: Random): FaultInjection | undefined {
  const fault = FAULTS.get(id)!;
  const place = fault.place?.(network, random);
  if (place === undefined) return undefined;
  return { where: 'fault', fault: id, parameters: fault.parameters.parse(place) as Record<string, unknown> };
}

/** Nodes that an injection is about: two faults of one case share none. */
function placesOf(injection: FaultInjection, lab: LabShape): string[] {
  const truth = FAULTS.get(injection.fault)!.truth!(injection.parameters, lab);
  return truth.pairs.flatMap(({ resource }) => nodesOf(resource));
}

function truthOf(faults: readonly FaultInjection[], lab: LabShape): Truth {
  const truths = faults.map((fault) => FAULTS.get(fault.fault)!.truth!(fault.parameters, lab));
  return {
    pairs: truths.flatMap((truth) => truth.pairs),
    locations: truths.length === 1 ? truths[0]!.locations : ([] as Location[]),
  };
}

/** What faults need of a lab, before there is one. */
function shapeOf(network: Network): LabShape {
  const cable = (a: { node: string; ifname: string }, b: { node: string; ifname: string }) => ({
    ...{ namespace: '', portA: '', portB: '', mtu: 0 },
    a,
    b,
  });
  return {
    nodes: [],
    cables: [
      ...network.links.map(({ a, b }) => cable(a, b)),
      ...network.hosts.map((host) =>
        cable({ node: host.router, ifname: host.ifname }, { node: host.host, ifname: 'eth1' }),
      ),
    ],
  };
}

function shuffle<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, key: random.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ value }) => value);
}
