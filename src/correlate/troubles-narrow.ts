// Links that pass far fewer bytes a second than the others: trains of large probes come out of them one packet after the other. Judged
// by what most trains of one direction show and against the other links; who sent too slowly to tell is not counted. Refuses
// to call a link narrow that passes more than a train of this length can measure.
import type { Fact, FactWith, Passage } from './facts.ts';
import type { Trouble } from './trouble.ts';
import { linkLabel, linkTrouble } from './troubles-link.ts';
import { LEAST_OTHER_LINKS, lowerMedianOf, usualOf } from './usual.ts';
import type { World, WorldLink } from './world.ts';

/** A train that is held up for less says nothing: a busy machine does as much. */
const HELD_MS = 2.5;
/** Held up so many times as long as over most other links. */
const HELD_TIMES = 4;
/** Fast Ethernet, and what is faster, is no bottleneck that 64 kB can tell from a busy machine. */
const MOST_MEGABITS = 75;
/** With one other link only a rate counts that so many trains agree on, this share of them within so much of the median. */
const STEADY_TRAINS = 4;
const STEADY_SHARE = 0.75;
const STEADY_TIMES = 1.5;

type Train = FactWith<'large-probes'>;

/** Links most of whose trains, of one direction at least, were held up while those over the others were not. */
export function narrowLinks(world: World, facts: readonly Fact[]): readonly Trouble[] {
  const ways = waysOf(facts);
  return world.links.flatMap((link) => {
    const others = usualHeld(ways.filter((way) => way.link !== link.key));
    const alone = others.length === 1;
    const usual = alone ? others[0] : usualOf(others);
    if (usual === undefined) return [];
    const mine = ways.filter((way) => way.link === link.key);
    if (alone && !isOneRate(mine.flatMap(({ passages }) => passages))) return [];
    const narrow = mine.filter((way) => isHeldUp(way) && heldOf(way) >= usual * HELD_TIMES);
    return narrow.length === 0 ? [] : [narrowTrouble(world, link, narrow, { usual, others: others.length })];
  });
}

function narrowTrouble(
  world: World,
  link: WorldLink,
  narrow: readonly Way[],
  than: { readonly usual: number; readonly others: number },
): Trouble {
  const held = Math.min(...narrow.map(heldOf));
  const megabits = megabitsOf(narrow);
  const text = `${linkLabel(link)}: packets of a train come out one by one, at about ${megabits} Mbit/s, held up for ${round(held)} ms and for ${round(than.usual)} ms on other links`;
  const detail = {
    heldMs: round(held),
    othersMs: round(than.usual),
    others: than.others,
    trains: narrow.reduce((sum, { passages }) => sum + passages.length, 0),
    megabits,
    narrowFrom: narrow.map(({ from }) => from),
  };
  const trouble = linkTrouble(world, link, 'narrow', text, detail);
  return { ...trouble, source: [...trouble.source, ...narrow.flatMap(({ source }) => source)] };
}

/** Links that look narrow and that nothing can be held against: whether they are meant to carry no more is not known. */
export function unjudgedRates(world: World, facts: readonly Fact[]): readonly string[] {
  const ways = waysOf(facts);
  if (new Set(ways.map(({ link }) => link)).size > LEAST_OTHER_LINKS) return [];
  const judged = narrowLinks(world, facts).map(({ subject }) => subject);
  return world.links.flatMap((link) => {
    const narrow = ways.filter((way) => way.link === link.key && isHeldUp(way));
    if (narrow.length === 0 || judged.includes(link.key)) return [];
    return [
      `${linkLabel(link)}: trains of large probes come through at about ${megabitsOf(narrow)} Mbit/s, and there are too few other links to say whether that is little`,
    ];
  });
}

/**
 * Links a first train over which was held up, on its way there or back, whatever the others' were, and some others to hold them
 * against: a single train over each may have met a busy moment, and the usual is as much in doubt as the suspects.
 */
export function doubtfulTrains(facts: readonly Fact[]): {
  readonly suspects: ReadonlyMap<string, Passage>;
  readonly others: readonly string[];
} {
  const trains = facts.filter(isTrain);
  const worst = new Map<string, Passage>();
  for (const { value } of trains)
    for (const passage of [value.there, value.back])
      if (passage !== undefined && passage.heldMs >= (worst.get(value.link)?.heldMs ?? 0))
        worst.set(value.link, passage);
  const byHeld = [...worst].sort(([, one], [, other]) => other.heldMs - one.heldMs);
  const suspects = new Map(byHeld.filter(([, passage]) => looksNarrow(passage)));
  const others = byHeld.map(([key]) => key).filter((key) => !suspects.has(key));
  return { suspects, others: suspects.size === 0 ? [] : others.slice(-LEAST_OTHER_LINKS - 1) };
}

/** All that is known of one direction of a link: how the trains came through that were sent closely enough to tell. */
type Way = {
  readonly link: string;
  readonly from: string;
  readonly passages: readonly Passage[];
  readonly source: readonly string[];
};

function waysOf(facts: readonly Fact[]): readonly Way[] {
  const ways = Map.groupBy(facts.filter(isTrain), ({ value }) => `${value.link} ${value.from}`);
  return [...ways.values()].flatMap((trains) => {
    const { link, from } = trains[0]!.value;
    // One that was sent slowly and arrived quickly all the same tells as much as any.
    const told = trains.filter(({ value: { there } }) => there !== undefined && !(there.loose && looksNarrow(there)));
    const passages = told.flatMap(({ value: { there } }) => there ?? []);
    return passages.length === 0 ? [] : [{ link, from, passages, source: told.flatMap(({ source }) => source) }];
  });
}

function isTrain(fact: Fact): fact is Train {
  return fact.predicate === 'large-probes';
}

function looksNarrow({ heldMs, megabits }: Passage): boolean {
  return heldMs >= HELD_MS && megabits <= MOST_MEGABITS;
}

/** More than half of them: a pause can hold up one, and hide another. */
function isHeldUp({ passages }: Way): boolean {
  return passages.filter(looksNarrow).length > passages.length / 2;
}

function heldOf({ passages }: Way): number {
  return lowerMedianOf(passages.map(({ heldMs }) => heldMs)) ?? 0;
}

/** The better direction of each link. */
function usualHeld(ways: readonly Way[]): readonly number[] {
  return [...Map.groupBy(ways, ({ link }) => link).values()].map((both) => Math.min(...both.map(heldOf)));
}

/** Trains some time apart agree on how long it takes: that is a rate, and no busy moment. */
function isOneRate(passages: readonly Passage[]): boolean {
  const held = passages.map(({ heldMs }) => heldMs);
  const middle = lowerMedianOf(held) ?? 0;
  const near = held.filter((ms) => ms <= middle * STEADY_TIMES && ms * STEADY_TIMES >= middle).length;
  return held.length >= STEADY_TRAINS && near >= held.length * STEADY_SHARE;
}

function megabitsOf(ways: readonly Way[]): number {
  return round(lowerMedianOf(ways.flatMap(({ passages }) => passages.map(({ megabits }) => megabits))) ?? 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
