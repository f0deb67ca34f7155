// What beside the lost probes themselves tells of packets of some lengths over a link: filters and limiters of what is addressed to the nodes at its ends,
// which may have taken them, and the counters of both ends, which the link's own loss would show in. Probes and their reflections are addressed to the
// nodes: that both ends lost theirs in one direction is said as well by a node that drops what it receives.
import { type Fact, type FactWith, type FilterHits, factsOf } from '../../engine/facts.ts';
import type { World, WorldLink } from '../../network/world.ts';
import { lackingPackets, wiresOver } from '../../observe/wire.ts';
import { limitersAtItsEnds, takenAtTheirEnds } from '../../packet-filter/own-traffic.ts';
import { attemptsOver } from './class-loss.ts';

type LengthLinkRun = FactWith<'link-lengths'>['value'];
type Ends = Pick<WorldLink, 'from' | 'to'>;

/** Of the lost packets the counters of a direction must lack so many, and those of the other direction must not show more coming than so many. */
const LEAST_SHOWN = 0.75;
const MOST_GAINED = 0.25;

/**
 * Rules at the ends whose counters account for what was lost, where the counters of both directions say that the link lost none of it; or where they do
 * not show it, and what was lost is no range of lengths: a limiter takes what comes too fast, however long it is.
 */
export function filtersThatTookLengths(world: World, facts: readonly Fact[], link: WorldLink): readonly FilterHits[] {
  const { sent, lost } = sumOver(facts, link);
  if (lost === 0 || isShown(facts, link, lost) || (!isSound(facts, link, lost) && isRange(facts, link))) return [];
  const attempts = attemptsOver(world, { link: link.key, sent }).map((attempt) => ({ attempt, lost }));
  return [...new Set(attempts.flatMap((each) => takenAtTheirEnds(world, facts, [each]).get(each) ?? []))];
}

/** Limiters at the ends that tell no count, where the counters of both directions say that the link did not lose what was lost. */
export function limitersBesideLengths(world: World, facts: readonly Fact[], link: WorldLink): readonly FilterHits[] {
  const { lost } = sumOver(facts, link);
  return lost > 0 && isSound(facts, link, lost) ? limitersAt(world, facts, link) : [];
}

/**
 * The counters of this direction lack what the probes lost: for certain, or as they are, where neither the other direction's show that one end was read
 * earlier, nor a limiter at an end may have taken it. Where the counters cannot be compared, no limiter may.
 */
export function isOfDirection(
  { world, facts }: { readonly world: World; readonly facts: readonly Fact[] },
  link: WorldLink,
  way: Ends,
  lost: number,
): boolean {
  const wires = wiresOver({ facts }, way).filter(({ value }) => value.comparable);
  if (wires.length > 0 && !isLacking(facts, way, lost)) return false;
  if (wires.length > 0 && wires.every(({ value }) => value.lostAtLeast > 0)) return true;
  return (wires.length === 0 || isQuiet(facts, way, lost)) && limitersAt(world, facts, link).length === 0;
}

function limitersAt(world: World, facts: readonly Fact[], link: WorldLink): readonly FilterHits[] {
  const attempts = attemptsOver(world, { link: link.key, sent: sumOver(facts, link).sent });
  return [...new Set(attempts.flatMap((attempt) => limitersAtItsEnds(world, facts, attempt)))];
}

/** Of the lengths between the shortest and the longest that were lost, a run lost a larger share. */
const LEAST_DENSITY = 0.5;

/** What takes some packets whatever their lengths, as a gap in time does, spares others between them. */
export function losesMost(
  { tested, lost }: Pick<LengthLinkRun, 'tested' | 'lost'>,
  least: number,
  most: number,
): boolean {
  const within = (lengths: readonly number[]) => lengths.filter((each) => each >= least && each <= most).length;
  return within(lost) > within(tested) * LEAST_DENSITY;
}

/** So few that were lost near each other in the second look are no range. */
const FEW = 4;

/** In the second look, which has lengths around the lost ones alone, where there was one. */
function isRange(facts: readonly Fact[], { key }: WorldLink): boolean {
  const all = factsOf({ facts }, 'link-lengths').filter(({ value }) => value.link === key);
  const again = all.filter(({ value }) => value.round === 'confirmation');
  const runs = again.length > 0 ? again : all;
  const lost = runs.flatMap(({ value }) => value.lost);
  if (isOfAllLengths(all.filter(({ value }) => value.round === 'first').map(({ value }) => value))) return false;
  return lost.length > FEW && runs.every(({ value }) => losesMost(value, Math.min(...lost), Math.max(...lost)));
}

/** Of the shortest and the longest probes of the first look, so many on either side are at its ends. */
const ENDS = 3;

/** Some of the shortest, some of the longest and some between were lost, and others of them arrived: that is no matter of lengths. */
function isOfAllLengths(runs: readonly LengthLinkRun[]): boolean {
  return (
    runs.length > 0 &&
    runs.every(({ tested, lost }) => {
      const [short, long] = [tested.slice(0, ENDS), tested.slice(-ENDS)];
      const between = tested.slice(ENDS, -ENDS);
      const isSome = (lengths: readonly number[]) => lengths.some((each) => lost.includes(each));
      return [short, between, long].every(isSome) && between.some((each) => !lost.includes(each));
    })
  );
}

function isShown(facts: readonly Fact[], link: WorldLink, lost: number): boolean {
  return waysOf(link).some((way) => isLacking(facts, way, lost) && isQuiet(facts, way, lost));
}

function isLacking(facts: readonly Fact[], way: Ends, lost: number): boolean {
  const wires = wiresOver({ facts }, way).filter(({ value }) => value.comparable);
  return wires.length > 0 && wires.every(({ value }) => lackingPackets(value) >= lost * LEAST_SHOWN);
}

/** Of an end that is read late more seems to come from it, and less to go to it. */
function isQuiet(facts: readonly Fact[], { from, to }: Ends, lost: number): boolean {
  const back = wiresOver({ facts }, { from: to, to: from }).filter(({ value }) => value.comparable);
  return back.length > 0 && back.every(({ value }) => value.rxPackets - value.txPackets <= lost * MOST_GAINED);
}

/** No more than half of what was lost is lacking, both directions together, and nothing for certain. */
function isSound(facts: readonly Fact[], link: WorldLink, lost: number): boolean {
  const ways = waysOf(link).map((way) => wiresOver({ facts }, way).map(({ value }) => value));
  const lacking = ways.flat().reduce((sum, wire) => sum + Math.max(0, wire.txPackets - wire.rxPackets), 0);
  const isUnhurt = (wires: (typeof ways)[number]) =>
    wires.length > 0 && wires.every((wire) => wire.comparable && wire.lostAtLeast === 0);
  return ways.every(isUnhurt) && lacking * 2 < lost;
}

function waysOf({ from, to }: Ends): readonly Ends[] {
  return [
    { from, to },
    { from: to, to: from },
  ];
}

/** Of all looks. */
function sumOver(facts: readonly Fact[], { key }: WorldLink): { readonly sent: number; readonly lost: number } {
  const runs = factsOf({ facts }, 'link-lengths').filter(({ value }) => value.link === key);
  const sum = (which: 'tested' | 'lost') => runs.reduce((total, { value }) => total + value[which].length, 0);
  return { sent: sum('tested'), lost: sum('lost') };
}
