// Links that hold packets back. Judged against the other links of the same network, by the best of all measurements: noise only ever
// adds. A link that is as long one way as the other is a remark, unless its nodes' own probes saw it become so.
import type { Remark } from '#model/finding.ts';
import { isBetween } from '#model/links/links.ts';
import { type Fact, type FactWith, factsOf } from '../../engine/facts.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { usualOf } from '../../network/baseline-values.ts';
import type { World, WorldLink } from '../../network/world.ts';
import { type Risen, risenOn, SLOW_TIMES, UNCONFIRMED_MS } from '../../observe/delay-onset.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type SlowLinkDetail = {
  readonly roundTripMs: number;
  /** Of other links; where there are too few of them, of this one before. */
  readonly othersMs: number;
  /** Measurements that saw it; absent: as many as are needed. */
  readonly looks?: number;
  /** Nodes whose packets over the link are held back; empty or absent when that is not known. */
  readonly slowFrom?: readonly string[];
  /** It was quick before. */
  readonly rose?: true;
  readonly roseSecondsAgo?: number;
  /** No loop of probes can cross it, and the standing probes do not tell which way rose. */
  readonly wayUnknown?: true;
};

export const slowLinkSymptom = defineSymptom<SlowLinkDetail>('slow');

/** A round trip beyond its siblings' by this much, and SLOW_TIMES as long, is slow; the same holds against a baseline (docs/operations/comparing.md). */
export const SLOW_MS = 5;
/** The slow direction takes this many times as long as the other. */
const ONE_WAY_TIMES = 3;
/** Share of the delay that a loop must show before its direction is called slow. */
const SHARE_OF_DELAY = 0.25;

type SlowLink = {
  readonly link: WorldLink;
  readonly trip: FactWith<'round-trip'>;
  /** Of other links; where there are too few of them, of this one before it rose. */
  readonly usual: number;
  readonly siblings: boolean;
  /** What the link's own standing probes saw of its beginning. */
  readonly risen: Risen | undefined;
};

export function slowLinks(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const slow = tripsThatAreSlow(world, facts);
  return slow.flatMap(({ link, trip, usual, siblings, risen }) => {
    const { min } = trip.value;
    const others = slow.filter((each) => each.link !== link);
    // A loop that crosses another slow link says nothing of this one.
    const loops = factsOf({ facts }, 'loop').filter(
      ({ value: { visits } }) =>
        crossing(visits, link) !== undefined && !others.some((each) => crossing(visits, each.link) !== undefined),
    );
    const slowFrom = slowWays(link, loops, min - usual);
    if (slowFrom === undefined) return [];
    // As slow one way as the other: a long link looks like that, but one that was not long a moment ago.
    const isAlike = slowFrom.length === 2 || (slowFrom.length === 0 && !isSteady(trip, usual));
    if (risen === undefined && (isAlike || trip.value.alone === true)) return [];
    const beside = siblings ? `, ${round(usual)} ms on other links` : '';
    const text = `${linkLabel(link)}: round trip ${round(min)} ms at least${beside}`;
    const looks = new Set(slow.flatMap((each) => (each.link === link ? each.trip.source : []))).size;
    const measured = { roundTripMs: round(min), othersMs: round(usual), looks };
    // One direction that loops show is known; what they do not show, the rise may.
    const detail = slowFrom.length === 1 ? { slowFrom: [...slowFrom] } : { slowFrom: [], ...risen?.detail };
    const isUnknown = trip.value.alone === true && (detail.slowFrom ?? []).length === 0;
    const since = slowFrom.length === 1 ? '' : (risen?.text ?? '');
    const source = [...trip.source, ...loops.flatMap((loop) => loop.source)];
    return [
      linkSymptom(slowLinkSymptom, world, link, {
        text: text + since,
        detail: { ...measured, ...detail, ...(isUnknown ? { wayUnknown: true as const } : {}) },
        source,
      }),
    ];
  });
}

function isSteady({ value: { min, avg } }: FactWith<'round-trip'>, usual: number): boolean {
  return min - usual >= UNCONFIRMED_MS && avg - min <= min - usual;
}

function tripsThatAreSlow(world: World, facts: readonly Fact[]): readonly SlowLink[] {
  const trips = factsOf({ facts }, 'round-trip');
  return trips.flatMap((trip) => {
    const others = trips.filter((each) => each !== trip).map((each) => each.value.min);
    const { min, from, to } = trip.value;
    const link = world.links.find((each) => isBetween(each, from, to));
    const siblings = usualOf(others);
    const risen = link === undefined ? undefined : risenOn(world, link, min, siblings);
    const usual = siblings ?? risen?.quickMs;
    if (usual === undefined || min < usual + SLOW_MS || min < usual * SLOW_TIMES) return [];
    // Where every link's round trips differ by more than this one's delay, the nodes are busy and nothing is known.
    const spread = usualOf(trips.filter((each) => each !== trip).map((each) => each.value.avg - each.value.min)) ?? 0;
    if (min - usual < spread && risen === undefined) return [];
    return link === undefined ? [] : [{ link, trip, usual, siblings: siblings !== undefined, risen }];
  });
}

/** Nodes whose packets over the link are held back; none when no loop decides it. Undefined: loops crossed it both ways and were quick. */
function slowWays(link: WorldLink, loops: readonly FactWith<'loop'>[], delayMs: number): readonly string[] | undefined {
  const least = (node: string) =>
    Math.min(...loops.filter(({ value }) => crossing(value.visits, link) === node).map(({ value }) => value.min));
  const ways = [link.from.node, link.to.node].map((node) => ({ node, min: least(node) }));
  // Both loops together show the whole delay, else it was that of a busy node and not of the link.
  const whole = ways.reduce((sum, { min }) => sum + min, 0);
  if (!Number.isFinite(whole)) return [];
  if (whole < delayMs * (1 - SHARE_OF_DELAY)) return undefined;
  const [quick] = ways.map(({ min }) => min).sort((one, other) => one - other);
  const slow = ways.filter(({ min }) => min >= delayMs * SHARE_OF_DELAY);
  if (slow.length === 2 && quick! < delayMs * SHARE_OF_DELAY) return [];
  // One direction is slow only far beyond the other: two different lengths of fibre do not differ so.
  const [fast, late] = ways.map(({ min }) => min).sort((one, other) => one - other);
  return late! >= fast! * ONE_WAY_TIMES
    ? slow.filter(({ min }) => min === late).map(({ node }) => node)
    : slow.map(({ node }) => node);
}

/** Links that are slow both ways alike, or of which it is not known which way they are slow, in words: a long link is no fault. */
export function longLinks(world: World, facts: readonly Fact[]): readonly Remark[] {
  const slow = tripsThatAreSlow(world, facts);
  return slow.flatMap(({ link, trip, usual, risen }) => {
    if (risen !== undefined) return [];
    const loops = factsOf({ facts }, 'loop').filter(({ value }) => crossing(value.visits, link) !== undefined);
    const isAlone = trip.value.alone === true;
    if (!isAlone && slowWays(link, loops, trip.value.min - usual)?.length !== 2) return [];
    const ways = isAlone ? '' : ', as long one way as the other';
    return [
      {
        ...{ kind: 'high_latency', why: 'no-change', resource: link.key, evidence: [...trip.source].sort() },
        text: `${linkLabel(link)}: round trip ${round(trip.value.min)} ms at least, ${round(usual)} ms on other links${ways}: a long link, unless it was shorter before`,
      },
    ];
  });
}

/**
 * Of such links those that standing probes may have begun to cross just now: these go between link-local addresses, which nothing resolves where no protocol
 * runs over IPv6. Whether they became long while the agents were there, their nodes cannot remember.
 */
export function unwatchedLongLinks(world: World, facts: readonly Fact[]): readonly string[] {
  return tripsThatAreSlow(world, facts).flatMap(({ link, trip, usual, risen }) => {
    const isWatched = [link.from, link.to].some(({ node, ifname: port }) => {
      const { bgp, ospf6 = [] } = world.views.get(node)?.state ?? {};
      return (
        bgp?.sessions.some(({ peer }) => peer === port) === true ||
        ospf6.some(({ ifname, neighbours }) => ifname === port && neighbours.length > 0)
      );
    });
    if (risen !== undefined || trip.value.alone !== true || isWatched) return [];
    return [
      `${linkLabel(link)}: round trip ${round(trip.value.min)} ms at least, ${round(usual)} ms on other links; whether it was shorter before is not known`,
    ];
  });
}

/** The node from which a loop crosses the link; undefined when it does not. */
function crossing(visits: readonly string[], { from, to }: WorldLink): string | undefined {
  const way = [visits.at(-1), ...visits];
  for (const [index, node] of way.entries()) {
    if (node === from.node && way[index + 1] === to.node) return from.node;
    if (node === to.node && way[index + 1] === from.node) return to.node;
  }
  return undefined;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
