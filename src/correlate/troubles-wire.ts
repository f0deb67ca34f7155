// Troubles of what a link does to packets that it delivers: it holds them back, or passes too few of them a second. Judged
// against the other links of the same network, by the best of all looks: noise only ever adds.
import type { Fact, FactWith } from './facts.ts';
import type { Trouble } from './trouble.ts';
import { linkLabel, linkTrouble } from './troubles-link.ts';
import type { World, WorldLink } from './world.ts';

/** A round trip beyond its siblings' by this much, and this many times, is slow. */
const SLOW_MS = 5;
const SLOW_TIMES = 4;
/** A train that comes back later than it was sent by this much, and than the siblings' this many times, met a narrow link. */
const STRETCH_MS = 12;
const STRETCH_TIMES = 4;
/** Packets of a train that must have come back: two have a time between them. */
const LEAST_RECEIVED = 2;
/** One other link alone is no measure. */
export const LEAST_OTHER_LINKS = 2;
/** With one other link only a rate counts that so many trains agree on, this share of them within so much of the least. */
const STEADY_TRAINS = 4;
const STEADY_SHARE = 0.75;
const STEADY_TIMES = 1.5;
/** Where no loop confirms a delay, the nodes themselves may be busy: it must be far, and steadier than it is long. */
const UNCONFIRMED_MS = 15;
/** The slow direction takes this many times as long as the other. */
const ONE_WAY_TIMES = 3;
/** Share of the delay that a loop must show before its direction is called slow. */
const SHARE_OF_DELAY = 0.25;

export function wireTroubles(world: World, facts: readonly Fact[]): readonly Trouble[] {
  return [...slowLinks(world, facts), ...narrowLinks(world, facts)];
}

type SlowLink = { readonly link: WorldLink; readonly trip: FactWith<'round-trip'>; readonly usual: number };

function slowLinks(world: World, facts: readonly Fact[]): readonly Trouble[] {
  const slow = tripsThatAreSlow(world, facts);
  return slow.flatMap(({ link, trip, usual }) => {
    const { min } = trip.value;
    const others = slow.filter((each) => each.link !== link);
    // A loop that crosses another slow link says nothing of this one.
    const loops = facts.filter(
      (fact): fact is FactWith<'loop'> =>
        fact.predicate === 'loop' &&
        crossing(fact.value.visits, link) !== undefined &&
        !others.some((each) => crossing(fact.value.visits, each.link) !== undefined),
    );
    const slowFrom = slowWays(link, loops, min - usual);
    if (slowFrom === undefined || (slowFrom.length === 0 && !isSteady(trip, usual))) return [];
    // As slow one way as the other: a long link looks like that.
    if (slowFrom.length === 2) return [];
    const text = `${linkLabel(link)}: round trip ${round(min)} ms at least, ${round(usual)} ms on other links`;
    const looks = new Set(trip.source).size;
    const detail = { roundTripMs: round(min), othersMs: round(usual), slowFrom: [...slowFrom], looks };
    const trouble = linkTrouble(world, link, 'slow', text, detail);
    return [{ ...trouble, source: [...trouble.source, ...trip.source, ...loops.flatMap((loop) => loop.source)] }];
  });
}

function isSteady({ value: { min, avg } }: FactWith<'round-trip'>, usual: number): boolean {
  return min - usual >= UNCONFIRMED_MS && avg - min <= min - usual;
}

function tripsThatAreSlow(world: World, facts: readonly Fact[]): readonly SlowLink[] {
  const trips = facts.filter((fact): fact is FactWith<'round-trip'> => fact.predicate === 'round-trip');
  return trips.flatMap((trip) => {
    const others = trips.filter((each) => each !== trip).map((each) => each.value.min);
    const { min, from, to } = trip.value;
    const usual = usualOf(others);
    if (usual === undefined || min < usual + SLOW_MS || min < usual * SLOW_TIMES) return [];
    // Where every link's round trips differ by more than this one's delay, the nodes are busy and nothing is known.
    const spread = usualOf(trips.filter((each) => each !== trip).map((each) => each.value.avg - each.value.min)) ?? 0;
    if (min - usual < spread) return [];
    const link = world.links.find((each) => joins(each, from, to));
    return link === undefined ? [] : [{ link, trip, usual }];
  });
}

/** Nodes whose packets over the link are held back; none when no loop tells. Undefined: loops crossed it both ways and were quick. */
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

/** Links that are slow both ways alike, in words: nobody is asked to mend a long link. */
export function longLinks(world: World, facts: readonly Fact[]): readonly string[] {
  const slow = tripsThatAreSlow(world, facts);
  return slow.flatMap(({ link, trip, usual }) => {
    const loops = facts.filter(
      (fact): fact is FactWith<'loop'> => fact.predicate === 'loop' && crossing(fact.value.visits, link) !== undefined,
    );
    if (slowWays(link, loops, trip.value.min - usual)?.length !== 2) return [];
    return [
      `${linkLabel(link)}: round trip ${round(trip.value.min)} ms at least, ${round(usual)} ms on other links, as long one way as the other: a long link, unless it was shorter before`,
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

function isTrain(fact: Fact): fact is FactWith<'large-probes'> {
  return fact.predicate === 'large-probes';
}

/** The least by which a train over each link came back longer than it was sent. */
function stretchesOf(facts: readonly Fact[]): ReadonlyMap<string, number> {
  return new Map([...allStretches(facts)].map(([key, all]) => [key, Math.min(...all)]));
}

/** By how much each train over each link came back longer than it was sent; of trains that came back in part only where none is whole. */
function allStretches(facts: readonly Fact[]): ReadonlyMap<string, readonly number[]> {
  const [whole, partial] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const { value } of facts.filter(isTrain)) {
    if (value.sentMs === undefined || value.receivedMs === undefined || value.received < LEAST_RECEIVED) continue;
    const isWhole = value.received >= value.sent / 2;
    // Of a queue that overflowed only the rest comes back: by its rate, all would have taken so much longer.
    const tookMs = isWhole ? value.receivedMs : (value.receivedMs * (value.sent - 1)) / (value.received - 1);
    const into = isWhole ? whole : partial;
    into.set(value.link, [...(into.get(value.link) ?? []), Math.max(0, tookMs - value.sentMs)]);
  }
  return new Map([...partial, ...whole]);
}

/** Trains from both ends, some time apart, agree on how long it takes: that is a rate, and no busy moment. */
function isOneRate(stretches: readonly number[]): boolean {
  const least = Math.min(...stretches);
  const near = stretches.filter((stretch) => stretch <= least * STEADY_TIMES).length;
  return stretches.length >= STEADY_TRAINS && near >= stretches.length * STEADY_SHARE;
}

/**
 * Links whose first train came back stretched, whatever the others' did, and some others to hold them against: a single train over
 * each may have met a busy moment, and the usual is as much in doubt as the suspects.
 */
export function doubtfulTrains(facts: readonly Fact[]): {
  readonly suspects: readonly string[];
  readonly others: readonly string[];
} {
  const byStretch = [...stretchesOf(facts)].sort(([, one], [, other]) => other - one);
  const suspects = byStretch.filter(([, stretch]) => stretch >= STRETCH_MS).map(([key]) => key);
  const others = byStretch.map(([key]) => key).filter((key) => !suspects.includes(key));
  return suspects.length === 0 ? { suspects, others: [] } : { suspects, others: others.slice(-LEAST_OTHER_LINKS - 1) };
}

/** Links whose every train came back stretched, while the others' did not; beside one other alone, when they agree on a rate as well. */
function narrowLinks(world: World, facts: readonly Fact[]): readonly Trouble[] {
  const trains = facts.filter(isTrain);
  const stretches = stretchesOf(facts);
  return world.links.flatMap((link) => {
    const mine = stretches.get(link.key);
    const others = [...stretches].filter(([key]) => key !== link.key).map(([, stretch]) => stretch);
    const alone = others.length === 1 && isOneRate(allStretches(facts).get(link.key) ?? []);
    const usual = alone ? others[0] : usualOf(others);
    if (mine === undefined || usual === undefined) return [];
    if (mine < STRETCH_MS || mine < usual * STRETCH_TIMES) return [];
    const own = trains.filter(({ value }) => value.link === link.key);
    const megabits = megabitsOf(own);
    const text = `${linkLabel(link)}: a train of ${own[0]!.value.bytes} bytes comes back stretched by ${round(mine)} ms at least, by ${round(usual)} ms on other links`;
    const detail = {
      stretchMs: round(mine),
      othersMs: round(usual),
      others: others.length,
      trains: own.length,
      megabits,
    };
    const trouble = linkTrouble(world, link, 'narrow', text, detail);
    return [{ ...trouble, source: [...trouble.source, ...own.flatMap((train) => train.source)] }];
  });
}

/** Links that look narrow and that nothing can be held against: whether they are meant to carry no more is not known. */
export function unjudgedRates(world: World, facts: readonly Fact[]): readonly string[] {
  const stretches = stretchesOf(facts);
  if (stretches.size > LEAST_OTHER_LINKS) return [];
  const judged = narrowLinks(world, facts).map(({ subject }) => subject);
  return world.links
    .filter(({ key }) => (stretches.get(key) ?? 0) >= STRETCH_MS && !judged.includes(key))
    .map((link) => {
      const own = facts.filter(isTrain).filter(({ value }) => value.link === link.key);
      return `${linkLabel(link)}: trains of large probes come back at about ${megabitsOf(own)} Mbit/s, and there are too few other links to say whether that is little`;
    });
}

function megabitsOf(own: readonly FactWith<'large-probes'>[]): number {
  return round((own[0]!.value.bytes * 8) / 1_000 / Math.max(1, ...own.map(({ value }) => value.receivedMs ?? 0)));
}

/** The lower median: what most links have, also when some others are as bad. */
function usualOf(values: readonly number[]): number | undefined {
  if (values.length < LEAST_OTHER_LINKS) return undefined;
  return [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}

function joins({ from, to }: WorldLink, one: string, other: string): boolean {
  return (from.node === one && to.node === other) || (from.node === other && to.node === one);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
