// Losses that are over, as facts, by the nodes' own rounds of probes: packets lost in a direction, or damaged where the receiver's checksum
// counters rose with them. A loss counts against what is usual on that link and on the others at the same time: on a starved machine many
// links lose at once, and then nothing is said.
import type { LinkEnd } from '#model/names.ts';
import type { MonitoredLoss } from '../engine/facts.ts';
import type { World } from '../network/world.ts';
import { damageAt, type Round, type Watch, watchesOf } from './monitor-rounds.ts';

/** With the age of its end. */
export type LossInRounds = MonitoredLoss & { readonly agoMs: number };

/** Fewer lost probes in a direction may be strays. */
const LEAST_LOST = 4;
/** Packets that the receiver noticed as damaged; then one lost probe shows over which link they came. */
const LEAST_DAMAGED = 2;
/** Rounds in which they must have been lost. */
const LEAST_ROUNDS = 2;
const LEAST_SHARE = 0.01;
/** Beyond this it is no loss but an outage, and other rules' business. */
const MOST_SHARE = 0.9;
/** What a window gives up for every probe that was not lost. */
const PATIENCE = 0.004;
/** Share of what the other direction loses: less of it is noise beside a loss, or a reflection that was counted late. */
const OTHER_WAY_SHARE = 0.25;
/** Share of the loss in its window that may be usual outside it. */
const USUAL_SHARE = 0.25;
/** So many lost probes of one IP family alone are no wire's doing. */
const ONE_FAMILY = 8;
/** Another link loses as well when it loses this many, and this share of what the suspect loses. */
const SIBLING_LOST = 2;
const SIBLING_SHARE = 0.15;
/** Share of the other links that may lose as well. */
const SIBLINGS_LOSING = 0.25;
/** Two nodes' ages of one moment may differ by a round and a sample. */
const SLACK_MS = 4_000;

type Way = 'lostOut' | 'lostBack';
type Window = {
  readonly fromAgoMs: number;
  readonly toAgoMs: number;
  readonly sent: number;
  /** With the one after them: the reflector's count of the last losses is heard with the first reflection after them. */
  readonly rounds: readonly Round[];
};

export function monitoredLosses(world: World): readonly LossInRounds[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  const watches = watchesOf(world);
  return watches.flatMap((watch) => {
    const window = worstWindow(watch, sinceMs);
    if (window === undefined || othersLoseToo(watches, watch, window)) return [];
    return (['lostOut', 'lostBack'] as const).flatMap((way) => judged(world, watches, watch, window, way) ?? []);
  });
}

/** Links whose probes lost nothing at all. */
export function lossless(world: World): readonly string[] {
  const sinceMs = world.sinceMs ?? 0;
  return watchesOf(world)
    .filter(({ rounds }) => sum(rounds, (round) => (round.agoMs <= sinceMs ? lostOf(round) : 0)) === 0)
    .map(({ link }) => link.key);
}

/** The contiguous rounds that lost most for their length. */
function worstWindow({ rounds }: Watch, sinceMs: number): Window | undefined {
  const usable = rounds.filter((round) => round.usable && round.agoMs <= sinceMs);
  let [start, score, best] = [0, 0, 0];
  let span: readonly [number, number] | undefined;
  for (const [index, round] of usable.entries()) {
    if (score <= 0) [start, score] = [index, 0];
    score += lostOf(round) - PATIENCE * round.sent;
    if (score > best) [best, span] = [score, [start, index]];
  }
  if (span === undefined) return undefined;
  const [first, last] = span;
  return {
    fromAgoMs: usable[first]!.agoMs,
    toAgoMs: usable[last]!.agoMs,
    sent: sum(usable.slice(first, last + 1), (round) => round.sent),
    rounds: usable.slice(first, last + 2),
  };
}

function lostOf({ lostOut, lostBack }: Round): number {
  return lostOut + lostBack;
}

function sum(rounds: readonly Round[], pick: (round: Round) => number): number {
  return rounds.reduce((total, round) => total + pick(round), 0);
}

function judged(
  world: World,
  watches: readonly Watch[],
  watch: Watch,
  window: Window,
  way: Way,
): LossInRounds | undefined {
  const [from, to] = way === 'lostOut' ? [watch.prober, watch.far] : [watch.far, watch.prober];
  const lost = sum(window.rounds, (round) => round[way]);
  const { sent } = window;
  const share = lost / Math.max(1, sent);
  const isNoise = lost < 1 || lost < OTHER_WAY_SHARE * (sum(window.rounds, lostOf) - lost);
  if (isNoise || share < LEAST_SHARE || share > MOST_SHARE || isUsual(watch, window, way, share)) return undefined;
  const damaged = damagedIn(world, to.node, window);
  const isDamage =
    damaged >= Math.max(LEAST_DAMAGED, lost / 2) && (lost >= LEAST_LOST || isOnlyWay(watches, watch, window, to));
  if (!isDamage && (lost < LEAST_LOST || !isWholeWire(watch, window))) return undefined;
  return {
    ...{ link: watch.link, from, to, sent, lost, share, agoMs: window.toAgoMs },
    ...(isDamage ? { damaged } : {}),
    seconds: Math.round((window.fromAgoMs - window.toAgoMs) / 1_000) + 2,
  };
}

/** No other link lost anything towards this node, so what it noticed as damaged came over this one. */
function isOnlyWay(watches: readonly Watch[], mine: Watch, window: Window, to: LinkEnd): boolean {
  return watches.every((watch) => {
    if (watch === mine || (watch.prober.node !== to.node && watch.far.node !== to.node)) return true;
    const way = watch.far.node === to.node ? 'lostOut' : 'lostBack';
    return sum(during(watch, window), (round) => Math.max(0, round[way])) === 0;
  });
}

/** The link loses about as much all the time: nothing began and nothing ended. */
function isUsual({ rounds }: Watch, window: Window, way: Way, share: number): boolean {
  const outside = rounds.filter((round) => round.usable && !window.rounds.includes(round));
  const usual =
    sum(outside, (round) => round[way]) /
    Math.max(
      1,
      sum(outside, (round) => round.sent),
    );
  return usual > share * USUAL_SHARE;
}

/** A wire loses packets of both families, here and there; a filter or a wrong neighbour entry those of one, and a hiccup all at once. */
function isWholeWire({ bothFamilies }: Watch, { rounds }: Window): boolean {
  const lost = sum(rounds, lostOf);
  const lost4 = sum(rounds, (round) => round.lost4);
  const oneSided = bothFamilies && lost >= ONE_FAMILY && (lost4 <= 0 || lost4 >= lost);
  return !oneSided && rounds.filter((round) => lostOf(round) > 0).length >= LEAST_ROUNDS;
}

/** What the node noticed in this time beyond what it notices usually. */
function damagedIn(world: World, node: string, { fromAgoMs, toAgoMs }: Window): number {
  const inside = damageAt(world, node, fromAgoMs + SLACK_MS, toAgoMs - SLACK_MS) ?? 0;
  const all = damageAt(world, node, Number.POSITIVE_INFINITY, 0) ?? 0;
  return all - inside > inside ? 0 : inside;
}

/** Many links at once, or all others of a node: the machine, or the node, is starved. */
function othersLoseToo(watches: readonly Watch[], mine: Watch, window: Window): boolean {
  const share =
    sum(window.rounds, lostOf) /
    Math.max(
      1,
      sum(window.rounds, (round) => round.sent),
    );
  const others = watches.filter((watch) => watch.link.key !== mine.link.key);
  const losing = others.filter((watch) => {
    const rounds = during(watch, window);
    const lost = sum(rounds, (round) => (round.usable ? lostOf(round) : 0));
    const dark = rounds.some((round) => !round.usable);
    return dark || (lost >= SIBLING_LOST && lost >= sum(rounds, (round) => round.sent) * share * SIBLING_SHARE);
  });
  const nodes = [mine.prober.node, mine.far.node];
  const starved = nodes.some((node) => {
    const there = others.filter(({ prober, far }) => prober.node === node || far.node === node);
    return there.length > 0 && there.every((watch) => losing.includes(watch));
  });
  return starved || losing.length > others.length * SIBLINGS_LOSING;
}

function during({ rounds }: Watch, { fromAgoMs, toAgoMs }: Window): readonly Round[] {
  return rounds.filter(({ agoMs }) => agoMs <= fromAgoMs + SLACK_MS && agoMs >= toAgoMs - SLACK_MS);
}
