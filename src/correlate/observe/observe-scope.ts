// Evidence of a question without a path → facts: the same facts as along a path, on every link of the scope.
import { linkProbes as linkProbeMeasurement } from '#measure/links/link-probes.ts';
import { loops } from '#measure/links/loops.ts';
import { readingsOf } from '#measure/measurement.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { FRAME_BYTES, HEADER_BYTES } from '#model/links/probe-bytes.ts';
import { type LinkEnd, nodeResource } from '#model/names.ts';
import type { Purpose, Round } from '#model/purpose.ts';
import type { NodeState, ProbeResult } from '#model/router/router-port.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { mark } from '../network/node-ref.ts';
import { linkFact } from '../network/topology.ts';
import { interfaceOf, linksAt, type World, type WorldLink } from '../network/world.ts';
import { type LongProbes, longLookFacts } from './extended-measurement.ts';
import { handshakeFacts } from './handshakes.ts';
import { filterFacts, nodeErrorFacts } from './observe-node.ts';
import { silentFacts } from './observe-non-reporting.ts';
import { elapsed, type IsFor, isStateOf, linkFactOf, probePhaseMs, WINDOW, whyMissing } from './observe-path.ts';
import { srv6Facts } from './observe-srv6.ts';
import { crossingFacts } from './observe-transit.ts';
import { latelyFacts } from './recent-filter-drops.ts';
import { passageOf } from './train-passage.ts';
import { compareWire, type Reading } from './wire.ts';

/** All probes of one link, run by `from`. */
type LinkProbe = {
  readonly link: WorldLink;
  readonly from: string;
  readonly to: string;
  readonly result: ProbeResult;
  readonly large: boolean;
  /** Of small probes of the same priority as all others. */
  readonly round?: Round;
  readonly payloadBytes: number;
  readonly flows: number;
  readonly source: string;
};

export function scopeFacts(world: World, evidence: readonly Evidence[], outcomes: readonly Outcome[]): readonly Fact[] {
  const probes = linkProbes(world, evidence);
  const readings = statesRead(world, outcomes);
  const latest = new Map([...world.views].map(([node, view]) => [node, view.state]));
  return [
    ...missingFacts(world, probes, outcomes),
    ...world.links.flatMap((link) => {
      const small = probes.filter((probe) => probe.link.key === link.key && isOfSweep(probe));
      return [...proberWords(small).flatMap(lossFacts), ...roundTrips(small)];
    }),
    ...probes.filter((probe) => probe.large).map(largeFact),
    ...loopFacts(evidence),
    ...srv6Facts(evidence),
    ...crossingFacts(evidence),
    ...silentFacts(world, evidence),
    ...world.links.map((link) =>
      linkFactOf(linkFact(link.link, latest), (node) => world.views.get(node)?.sources ?? []),
    ),
    ...world.links.flatMap((link) => wireFacts(world, link, probes, readings, outcomes)),
    ...longLookFacts(probes.filter(isLong).map(longProbes), evidence, outcomes, (key) =>
      distrustOf(world.links.find((link) => link.key === key)!, latest),
    ),
    ...handshakeFacts(world, evidence),
    ...[...readings].flatMap(([node, reading]) => {
      const sources = world.views.get(node)?.sources ?? [];
      return [
        ...filterFacts(node, reading.before, reading.after, sources),
        ...latelyFacts(node, reading.before, reading.after, sources),
        ...nodeErrorFacts(node, reading.before, reading.after, sources),
      ];
    }),
  ];
}

/** Which link a probe crossed is read from the addresses of the request that we signed. */
function linkProbes(world: World, evidence: readonly Evidence[]): readonly LinkProbe[] {
  const probes = [...readingsOf(linkProbeMeasurement, evidence), ...readingsOf(dscpProbes, evidence)];
  return probes.flatMap(({ purpose, node, value: result, args, source: id }): readonly LinkProbe[] => {
    if (result.sent === 0) return [];
    const [source, destination] = [args['source'], args['destination']];
    const link = world.links.find(
      ({ link: { addresses } }) =>
        (addresses?.from === source && addresses?.to === destination) ||
        (addresses?.to === source && addresses?.from === destination),
    );
    if (link === undefined) return [];
    const to = link.from.node === node ? link.to.node : link.from.node;
    const large = purpose.kind === 'link-train';
    const [payloadBytes, flows] = [Number(args['payloadBytes'] ?? 0), Number(args['flows'] ?? 1)];
    const small = purpose.kind === 'link-probe' ? { round: purpose.round } : {};
    return [{ link, from: node, to, result, large, ...small, payloadBytes, flows, source: id }];
  });
}

function isOfSweep({ round }: LinkProbe): boolean {
  return round === 'first' || round === 'confirmation';
}

/** Of the longer look, which is judged by itself. */
function isLong({ round }: LinkProbe): boolean {
  return round === 'extended';
}

/** What each end's own probes say of one link, apart: one of the two may lie. */
function proberWords(probes: readonly LinkProbe[]): readonly (readonly LinkProbe[])[] {
  return [...new Set(probes.map((probe) => probe.from))].map((from) => probes.filter((probe) => probe.from === from));
}

/** The looks of one end at one link are added up: they lie in one window. */
function lossFacts(probes: readonly LinkProbe[]): readonly Fact[] {
  const [first] = probes;
  if (first === undefined) return [];
  const total = totalOf(probes);
  const source = probes.map((probe) => probe.source);
  const flows = Math.max(...probes.map((probe) => probe.flows));
  const common = {
    ...({ scope: 'segment', measuredBy: first.from, unanswered: total.refused } as const),
    ...(flows > 1 ? { flows } : {}),
    refusedByFilter: isRefusedByFilter(probes),
    link: first.link.key,
  };
  const ways = lossByWay(first, total, probes.find(({ round }) => round === 'confirmation')?.result);
  return [
    ...ways.map(
      (way): Fact => ({
        subject: `path/${way.from}>${way.to}`,
        predicate: 'probe-loss',
        value: { ...common, ...way },
        source,
        window: WINDOW,
      }),
    ),
    ...proberFacts(first, total, source),
  ];
}

type Total = ReturnType<typeof totalOf>;

function totalOf(probes: readonly LinkProbe[]) {
  const total = { sent: 0, reflected: 0, received: 0, refused: 0, errors: 0, late: 0 };
  for (const { result } of probes) {
    total.sent += result.sent;
    total.reflected += result.reflected ?? 0;
    total.received += result.received;
    total.refused += result.reflectorRefused ?? 0;
    total.errors += result.sendErrors;
    total.late += result.late ?? 0;
  }
  return total;
}

function isRefusedByFilter(probes: readonly LinkProbe[]): boolean {
  const reasons = probes.flatMap(({ result }) => result.sendErrorReason ?? []);
  return reasons.every((reason) => /EPERM|EACCES|not permitted/i.test(reason));
}

type WayLoss = Pick<ProbeLoss, 'from' | 'to' | 'sent' | 'lost' | 'refused' | 'directionKnown' | 'again'>;

/** Which way the probes were lost; where nothing came back at all only that they were. */
function lossByWay(
  { from, to }: LinkProbe,
  { sent, errors: refused, reflected, received, refused: unanswered }: Total,
  again: ProbeResult | undefined,
): readonly WayLoss[] {
  if (reflected === 0) return [{ from, to, sent, lost: sent, refused, directionKnown: refused === sent }];
  // Probes that the reflector did not answer because of its own limit are no loss of the network.
  const answered = reflected - unanswered;
  const second = again === undefined ? undefined : bothWays(again);
  const out = { from, to, sent, lost: sent - reflected, refused };
  const back = { from: to, to: from, sent: answered, lost: Math.max(0, answered - received), refused: 0 };
  return [
    { ...out, directionKnown: true, ...secondLook(second?.out) },
    { ...back, directionKnown: true, ...secondLook(second?.back) },
  ];
}

/** What the prober's own side did to its probes. */
function proberFacts({ from, to }: LinkProbe, { sent, late, errors }: Total, source: readonly string[]) {
  const facts: Fact[] = [];
  const subject = `path/${from}>${to}`;
  if (late > 0) facts.push({ subject, predicate: 'late-probes', value: { from, to, late, sent }, source });
  if (errors > 0) facts.push({ subject, predicate: 'send-errors', value: { from, to, packets: errors }, source });
  return facts;
}

type Counts = { readonly sent: number; readonly lost: number };

function bothWays({ sent, reflected = 0, reflectorRefused = 0, received, sendErrors }: ProbeResult) {
  const answered = reflected - reflectorRefused;
  return {
    out: { sent: sent - sendErrors, lost: sent - sendErrors - reflected },
    back: { sent: answered, lost: Math.max(0, answered - received) },
  };
}

function secondLook(again: Counts | undefined): { readonly again?: Counts } {
  return again === undefined ? {} : { again };
}

/** The least of all looks of both ends: noise only ever adds. */
function roundTrips(probes: readonly LinkProbe[]): readonly Fact[] {
  const [best] = probes.flatMap(({ result: { rttMs } }) => rttMs ?? []).sort((one, other) => one.min - other.min);
  const [first] = probes;
  if (best === undefined || first === undefined) return [];
  const { from, to } = first;
  const source = probes.map((probe) => probe.source);
  return [{ subject: `path/${from}>${to}`, predicate: 'round-trip', value: { from, to, ...best }, source }];
}

/** Where a loop led is what it was planned for. */
function loopFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(loops, evidence).flatMap(({ purpose: { visits }, node, value: { rttMs }, source }) => {
    if (visits.at(-1) !== node || rttMs === undefined || rttMs === null) return [];
    const value = { visits, min: rttMs.min };
    const subject = `path/${visits.join('>')}` as const;
    return [{ subject, predicate: 'loop' as const, value, source: [source], window: WINDOW }];
  });
}

function largeFact({ link, from, to, result, payloadBytes, source }: LinkProbe): Fact {
  const { sent, received, train } = result;
  const packetBytes = payloadBytes + HEADER_BYTES + FRAME_BYTES;
  const there = train && passageOf(train.reachedUs, { packetBytes, packets: sent, sentUs: train.sentUs });
  // What comes back was sent as it arrived: how close together, nobody noted.
  const back = train && passageOf(train.returnedUs, { packetBytes, packets: sent, sentUs: [] });
  const value = {
    ...{ link: link.key, from, to, sent, received, bytes: sent * packetBytes },
    ...(there === undefined ? {} : { there }),
    ...(back === undefined ? {} : { back }),
  };
  return { subject: link.key, predicate: 'large-probes', value, source: [source], window: WINDOW };
}

function statesRead(world: World, outcomes: readonly Outcome[]): ReadonlyMap<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const [node, { before, after, sources }] of world.views) {
    if (before === undefined || after === undefined) continue;
    const [beforeMs, afterMs] = [elapsed(outcomes, sources[0]!), elapsed(outcomes, sources[1]!)];
    readings.set(node, { before, after, beforeMs, afterMs });
  }
  return readings;
}

function wireFacts(
  world: World,
  link: WorldLink,
  probes: readonly LinkProbe[],
  readings: ReadonlyMap<string, Reading>,
  outcomes: readonly Outcome[],
): readonly Fact[] {
  const why = distrustOf(link, new Map([...world.views].map(([node, view]) => [node, view.state])));
  return [
    { from: link.from, to: link.to },
    { from: link.to, to: link.from },
  ].flatMap((way): readonly Fact[] => {
    const [sender, receiver] = [readings.get(way.from.node), readings.get(way.to.node)];
    if (sender === undefined || receiver === undefined) return [];
    const packets = { probesSent: 0, probesArrived: 0, probesPerhaps: 0 };
    for (const probe of probes) {
      if (probe.link.key !== link.key || isLong(probe)) continue;
      const { sent, received, reflected = 0 } = probe.result;
      packets.probesSent += probe.from === way.from.node ? sent : reflected;
      packets.probesArrived += probe.from === way.from.node ? reflected : received;
    }
    const value = compareWire({
      ...way,
      sender,
      receiver,
      ...packets,
      probeMs: probePhaseMs(outcomes),
      ...(why === undefined ? {} : { distrust: why }),
    });
    const source = [
      ...(world.views.get(way.from.node)?.sources ?? []),
      ...(world.views.get(way.to.node)?.sources ?? []),
    ];
    return [
      { subject: `interface/${way.from.node}/${way.from.ifname}`, predicate: 'wire', value, source, window: WINDOW },
    ];
  });
}

/** Why the counters of the two ends say nothing of what passes between them. */
function distrustOf({ link }: WorldLink, latest: ReadonlyMap<string, NodeState>): string | undefined {
  const { confirmed, symptoms, shared } = linkFact(link, latest);
  return confirmed ? undefined : (shared ?? symptoms[0] ?? 'the link is not confirmed from both ends');
}

function longProbes({ link, from, result, source }: LinkProbe): LongProbes {
  const { sent, sendErrors, reflected = 0, reflectorRefused = 0, received } = result;
  return { link, from, sent: sent - sendErrors, reflected, answered: reflected - reflectorRefused, received, source };
}

function missingFacts(world: World, probes: readonly LinkProbe[], outcomes: readonly Outcome[]): readonly Fact[] {
  const missing = (node: string, what: string, isFor: IsFor): Fact => ({
    subject: nodeResource(node),
    predicate: 'missing',
    value: { node, what, why: whyMissing(outcomes, isFor) },
    source: [],
  });
  const states = world.nodes.flatMap((node) => {
    const view = world.views.get(node);
    if (view?.before === undefined) return [missing(node, 'state before the probes', isStateOf(node, 'before'))];
    return view.after === undefined ? [missing(node, 'state after the probes', isStateOf(node, 'after'))] : [];
  });
  const unprobed = world.links.filter(
    (link) =>
      link.link.addresses?.from.includes(':') === true &&
      [link.from, link.to].every((end) => interfaceOf(world, end)?.operUp === true) &&
      !probes.some((probe) => probe.link.key === link.key),
  );
  const parts = [...world.views.values()].flatMap(({ node, state }) =>
    state.missing.map(
      ({ part, reason }): Fact => ({
        subject: nodeResource(node),
        predicate: 'missing',
        value: { node, what: part, why: reason },
        source: [],
      }),
    ),
  );
  const alone = [...world.views.keys()].filter((node) => world.views.size > 1 && linksAt(world, node).length === 0);
  return [
    ...states,
    ...unprobed.map((link) =>
      missing(link.from.node, `probe to ${mark(link.to.node)} over ${link.from.ifname}`, ({ purpose }) =>
        startsAt(link.from, purpose),
      ),
    ),
    ...parts,
    ...alone.map((node) => missing(node, 'link to anybody that is known', () => false)),
  ];
}

/** Small or large probes over a link, from this end of it. */
function startsAt({ node, ifname }: LinkEnd, purpose: Purpose): boolean {
  const isOver = purpose.kind === 'link-probe' || purpose.kind === 'link-train';
  return isOver && purpose.from.node === node && purpose.from.ifname === ifname;
}
