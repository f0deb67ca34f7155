// TCP connection requests and echoes over links → facts: of each link and class how many were answered at the first look and at the second, and
// what both ends' counters say of the extended one. An address that answered none tells nothing: a policy may deny the class.
import { linkClasses } from '#measure/links/link-classes.ts';
import { readingsOf } from '#measure/measurement.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { ResourceId } from '#model/names.ts';
import { purposeOf, type Round } from '#model/purpose.ts';
import type { ReachTraffic } from '#model/router/router-port.ts';
import type { Fact } from '../engine/facts.ts';
import { directionsOf, linkOn, otherEnd, ownerOf, type World, type WorldLink } from '../network/world.ts';
import { WINDOW } from './exchange.ts';
import { EXTENDED_WINDOW, type ExtendedReading, extendedReadings } from './extended-measurement.ts';
import { compareWire, type ProbePackets } from './wire.ts';

type Row = {
  readonly link: WorldLink;
  readonly from: string;
  readonly destination: string;
  readonly traffic: ReachTraffic;
  readonly round: Round;
  readonly sent: number;
  readonly received: number;
  readonly source: string;
};

export function classFacts(
  world: World,
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
  distrust: (link: WorldLink) => string | undefined,
): readonly Fact[] {
  const rows = rowsOf(world, evidence);
  const groups = Map.groupBy(rows, ({ link, traffic }) => `${link.key} ${traffic}`);
  const readings = rows.some(({ round }) => round === 'extended') ? extendedReadings(evidence, outcomes) : new Map();
  const probeMs = longestMs(outcomes);
  const echoed = heardIn(rows.filter(({ traffic }) => traffic === 'icmp'));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const mine: readonly [Row, ...Row[]] = [first, ...others];
    // What answers small echoes is asked for large ones, and loses all of them where the link does.
    const heard = first.traffic === 'large-icmp' ? echoed.union(heardIn(mine)) : heardIn(mine);
    return [classFact(mine, heard), ...extendedOf(mine, heard, readings, probeMs, distrust)];
  });
}

function rowsOf(world: World, evidence: readonly Evidence[]): readonly Row[] {
  return readingsOf(linkClasses, evidence).flatMap(({ purpose: { traffic, round }, node, value, source }) =>
    value.flatMap(({ destination, sent, received, traffic: told }): readonly Row[] => {
      const owner = ownerOf(world, destination);
      const links = owner === undefined ? [] : linkOn(world, owner);
      const link = links.find((each) => otherEnd(each, owner!.node).node === node);
      // An agent that does not know the class sent something else.
      if (told !== traffic || link === undefined || sent === 0) return [];
      return [{ link, from: node, destination, traffic, round, sent, received, source }];
    }),
  );
}

/** Addresses that answered in some round: one that never answers a class tells nothing, a policy may deny it. */
function heardIn(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ destination, received }) => (received > 0 ? [destination] : [])));
}

function countsOf(rows: readonly Row[]) {
  const sum = (pick: (row: Row) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return { sent: sum(({ sent }) => sent), lost: sum(({ sent, received }) => sent - received) };
}

function classFact(rows: readonly [Row, ...Row[]], answering: ReadonlySet<string>): Fact {
  const [{ link, traffic }] = rows;
  const heard = rows.filter(({ destination }) => answering.has(destination));
  const again = heard.filter(({ round }) => round !== 'first');
  const silent = [...new Set(rows.map(({ destination }) => destination))].filter((each) => !answering.has(each));
  return {
    subject: link.key,
    predicate: 'link-class',
    value: {
      ...{ link: link.key, traffic, ...countsOf(heard.filter(({ round }) => round === 'first')), silent },
      ...(again.length === 0 ? {} : { again: countsOf(again) }),
    },
    source: [...new Set(rows.map(({ source }) => source))],
    window: WINDOW,
  };
}

/** Requests of the second look that were answered: each crossed the link once each way. Where the others were lost is not known. */
export function classPacketsOver(
  world: World,
  evidence: readonly Evidence[],
  key: ResourceId,
): readonly ProbePackets[] {
  return rowsOf(world, evidence)
    .filter(({ link, round }) => link.key === key && round === 'confirmation')
    .map(({ received }) => ({ probesSent: received, probesArrived: received, probesPerhaps: 0 }));
}

/** Each round trip crosses each direction once: which one lost it, the counters of both ends tell. */
function extendedOf(
  rows: readonly [Row, ...Row[]],
  answering: ReadonlySet<string>,
  readings: ReadonlyMap<string, ExtendedReading>,
  probeMs: number,
  distrust: (link: WorldLink) => string | undefined,
): readonly Fact[] {
  const [{ link, traffic }] = rows;
  const long = rows.filter(({ round, destination }) => round === 'extended' && answering.has(destination));
  const why = distrust(link);
  return directionsOf(link).flatMap((way): readonly Fact[] => {
    const [sender, receiver] = [readings.get(way.from.node), readings.get(way.to.node)];
    if (long.length === 0 || sender === undefined || receiver === undefined) return [];
    const [out, back] = [way.from, way.to].map(({ node }) => countsOf(long.filter(({ from }) => from === node)));
    const answered = back!.sent - back!.lost;
    const wire = compareWire({
      ...{ ...way, sender, receiver, probeMs, probesPerhaps: 0 },
      probesSent: out!.sent + answered,
      probesArrived: out!.sent - out!.lost + answered,
      ...(why === undefined ? {} : { distrust: why }),
    });
    const source = [...long.map((row) => row.source), ...sender.sources, ...receiver.sources];
    return [
      {
        ...{ subject: link.key, predicate: 'link-class-wire', source: [...new Set(source)], window: EXTENDED_WINDOW },
        value: { link: link.key, traffic, ...countsOf(long), wire },
      },
    ];
  });
}

function longestMs(outcomes: readonly Outcome[]): number {
  const long = outcomes.filter((call) => purposeOf(call, 'link-classes')?.round === 'extended');
  return Math.max(1, ...long.map(({ elapsedMs }) => elapsedMs));
}
