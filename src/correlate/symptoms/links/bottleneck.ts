// Links that pass far fewer bytes a second than the others: trains of large probes come out of them one packet after the other. Judged
// by what most trains of both ends show of one direction, and against the other links; a train that was sent too slowly is not counted.
// Refuses to call a link narrow on the report of one agent, or one that passes more than a train of this length can measure.
import type { Fact, FactWith, Passage } from '../../engine/facts.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { LEAST_OTHER_LINKS, lowerMedianOf, usualOf } from '../../network/baseline-values.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World, WorldLink } from '../../network/world.ts';
import { linkLabel, linkSymptom } from './on-link.ts';

export type BottleneckDetail = {
  readonly heldMs: number;
  readonly othersMs: number;
  /** Other links to hold it against. */
  readonly others: number;
  /** Of both ends together, over one direction. */
  readonly trains: number;
  readonly megabits: number;
  readonly narrowFrom: readonly string[];
};

export const bottleneckSymptom = defineSymptom<BottleneckDetail>('narrow');

/** A train that is held up for less shows nothing: a busy machine does as much. */
const HELD_MS = 2.5;
/** Held up so many times as long as over most other links. */
const HELD_TIMES = 4;
/** Fast Ethernet, and what is faster, is no bottleneck that 64 kB can tell from a busy machine. */
const MOST_MEGABITS = 75;
/** Links whose trains are repeated, those that were held up for longest: their ends have other probes to send at that time. */
const MOST_SUSPECTS = 6;
/** With one other link only a rate counts that so many trains agree on, this share of them within so much of the median. */
const STEADY_TRAINS = 4;
const STEADY_SHARE = 0.75;
const STEADY_TIMES = 1.5;

type Train = FactWith<'large-probes'>;

/** Links most of whose trains of either end, over one direction at least, were held up while those over the others were not. */
export function narrowLinks(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const ways = waysOf(facts);
  return world.links.flatMap((link) => {
    const others = usualHeld(ways.filter((way) => way.link !== link.key));
    const alone = others.length === 1;
    const usual = alone ? others[0] : usualOf(others);
    if (usual === undefined) return [];
    const narrow = ways.filter((way) => way.link === link.key && isAgreed(way) && heldOf(way) >= usual * HELD_TIMES);
    if (alone && !isOneRate(narrow.flatMap(({ passages }) => passages))) return [];
    return narrow.length === 0 ? [] : [narrowSymptom(world, link, narrow, { usual, others: others.length })];
  });
}

function narrowSymptom(
  world: World,
  link: WorldLink,
  narrow: readonly Way[],
  than: { readonly usual: number; readonly others: number },
): Symptom {
  const held = Math.min(...narrow.map(heldOf));
  const megabits = megabitsOf(narrow);
  const text = `${linkLabel(link)}: packets of a train come out one by one, at about ${megabits} Mbit/s, held up for ${round(held)} ms and for ${round(than.usual)} ms on other links`;
  const detail = {
    heldMs: round(held),
    othersMs: round(than.usual),
    others: than.others,
    trains: Math.max(...narrow.map(({ own, its }) => own.length + its.length)),
    megabits,
    narrowFrom: narrow.map(({ from }) => from),
  };
  return linkSymptom(bottleneckSymptom, world, link, { text, detail, source: narrow.flatMap(({ source }) => source) });
}

/** Links that look narrow and cannot be judged: there is no link to compare them with, or no agent at the other end to confirm it. */
export function unjudgedRates(world: World, facts: readonly Fact[]): readonly string[] {
  const ways = waysOf(facts);
  const isAlone = new Set(ways.map(({ link }) => link)).size <= LEAST_OTHER_LINKS;
  const judged = narrowLinks(world, facts).map(({ subject }) => subject);
  return world.links.flatMap((link) => {
    const mine = ways.filter((way) => way.link === link.key);
    if (judged.includes(link.key)) return [];
    const agreed = mine.filter(isAgreed);
    if (isAlone && agreed.length > 0)
      return [
        `${linkLabel(link)}: trains of large probes come through at about ${megabitsOf(agreed)} Mbit/s, and there are too few other links to say whether that is little`,
      ];
    return mine.filter(isOneWord).map((way) => {
      const others = nodeRef(way.from === link.from.node ? link.to.node : link.from.node);
      return `${linkLabel(link)}: trains of large probes from ${nodeRef(way.from)} come through at about ${megabitsOf([way])} Mbit/s, and none from ${others} says so as well`;
    });
  });
}

/** Links that hold up trains by all reports about one direction, whatever other links do: megabits a second that they pass. */
export function heldUpRates(facts: readonly Fact[]): ReadonlyMap<string, number> {
  const held = Map.groupBy(waysOf(facts).filter(isHeldUp), ({ link }) => link);
  return new Map([...held].map(([link, ways]) => [link, megabitsOf(ways)]));
}

/**
 * Links a first train over which was held up, on its way there or back, whatever the others' were, the worst first, and some others
 * to hold them against: a single train over each may have met a busy moment, and the usual is as much in doubt as the suspects.
 */
export function doubtfulTrains(facts: readonly Fact[]): {
  readonly suspects: ReadonlyMap<string, Passage>;
  readonly others: readonly string[];
} {
  const trains = facts.filter(isTrain);
  const worst = new Map<string, Passage>();
  for (const { value } of trains)
    for (const passage of [value.there, value.back])
      if (passage !== undefined && isWorse(passage, worst.get(value.link))) worst.set(value.link, passage);
  const byHeld = [...worst].sort(([, one], [, other]) => other.heldMs - one.heldMs);
  const suspects = new Map(byHeld.filter(([, passage]) => looksNarrow(passage)).slice(0, MOST_SUSPECTS));
  const others = byHeld.filter(([, passage]) => !looksNarrow(passage)).map(([key]) => key);
  return { suspects, others: suspects.size === 0 ? [] : others.slice(-LEAST_OTHER_LINKS - 1) };
}

/** All that is known of one direction of a link: one of the two ends that report about it may lie. */
type Way = {
  readonly link: string;
  readonly from: string;
  /** Trains of its own end, on their way there. */
  readonly own: readonly Passage[];
  /** Trains of the other end, on their way back. */
  readonly its: readonly Passage[];
  /** Of both those that no other direction held up. */
  readonly passages: readonly Passage[];
  readonly source: readonly string[];
};

function waysOf(facts: readonly Fact[]): readonly Way[] {
  const trains = facts.filter(isTrain);
  const ways = new Map(
    trains.flatMap(({ value: { link, from, to } }) => [from, to].map((end) => [`${link} ${end}`, { link, from: end }])),
  );
  return [...ways.values()].flatMap(({ link, from }) => {
    const mine = trains.filter(({ value }) => value.link === link);
    const [sent, returned] = [
      mine.filter(({ value }) => value.from === from && told(value).length > 0),
      mine.filter(({ value }) => value.to === from && value.back !== undefined),
    ];
    const own = sent.flatMap(({ value }) => told(value));
    const its = returned.flatMap(({ value: { back } }) => back ?? []);
    const passages = [...own, ...returned.flatMap(({ value }) => toldBack(value))];
    const source = [...sent, ...returned].flatMap((each) => each.source);
    return passages.length === 0 ? [] : [{ link, from, own, its, passages, source }];
  });
}

/** A train that was sent slowly and still arrived quickly shows as much as any other. */
function told({ there }: Train['value']): readonly Passage[] {
  return there === undefined || (there.loose && looksNarrow(there)) ? [] : [there];
}

/** A train that was held up on its way there comes back as it arrived: at what rate it could have come back is unknown. */
function toldBack({ there, back }: Train['value']): readonly Passage[] {
  return there === undefined || back === undefined || looksNarrow(there) ? [] : [back];
}

function isTrain(fact: Fact): fact is Train {
  return fact.predicate === 'large-probes';
}

function looksNarrow({ heldMs, mostMegabits }: Passage): boolean {
  return heldMs >= HELD_MS && mostMegabits <= MOST_MEGABITS;
}

/** One that looks narrow is worse than any that does not, however long that was held up: pauses hold up what is fast. */
function isWorse(one: Passage, other: Passage | undefined): boolean {
  if (other === undefined) return true;
  const [mine, its] = [looksNarrow(one), looksNarrow(other)];
  return mine === its ? one.heldMs > other.heldMs : mine;
}

/** By all reports about it. */
function isHeldUp({ own, its }: Way): boolean {
  return [own, its].every((word) => word.length === 0 || areHeldUp(word));
}

/** By what either end's trains say of it. */
function isAgreed(way: Way): boolean {
  return isHeldUp(way) && way.own.length > 0 && way.its.length > 0;
}

/** The other end's trains say nothing, neither this nor the contrary; a single train may have met a busy moment. */
function isOneWord(way: Way): boolean {
  return isHeldUp(way) && way.its.length === 0 && way.own.length > 1;
}

/** More than half of them: a pause can hold up one, and hide another. */
function areHeldUp(passages: readonly Passage[]): boolean {
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
