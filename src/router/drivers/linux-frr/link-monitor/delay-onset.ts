// Whether round trips over a link have risen and stayed so, by its standing probes, and by how much each way has. No clock is subtracted
// from another's to say how long a packet took: the same difference is read just before and just after, and only its change is reported.
// Pure: time is an argument.

import type { LinkRise, WatchCounts, WatchWays } from '#model/router/link-monitor.ts';
import { ROUTER_LIMITS } from '../../../limits.ts';

type Taken = { readonly atMs: number; readonly counts: WatchCounts; readonly ways?: WatchWays };
/** As it is kept: `atMs` when the first slow round ended. */
export type Rise = Omit<LinkRise, 'ifname' | 'far' | 'agoMs'> & { readonly atMs: number };

/** Beyond the quickest round by this much, and this many times. */
const RISE_US = 10_000;
const RISE_TIMES = 4;
/** Rounds that must have been quick just before, and slow since. */
const QUICK_ROUNDS = 3;
const SLOW_ROUNDS = 2;
/** Rounds between those before and those after, the one in which it rose among them: beyond, the clocks may have drifted too far. */
const LONGEST_SPAN_MS = ROUTER_LIMITS.monitorRoundMs * (QUICK_ROUNDS + SLOW_ROUNDS + 2);

/** `rounds` oldest first; `known`: what they said before, when older ones were among them. */
export function riseOf(rounds: readonly Taken[], known?: Rise): Rise | undefined {
  const usable = rounds.filter(({ counts }) => tripOf(counts) > 0 && counts[7] === 0);
  const now = riseWithin(usable);
  if (now !== undefined || known === undefined) return now;
  return usable.filter(({ atMs }) => atMs >= known.atMs).every(isSlowFor(known.quickUs)) ? known : undefined;
}

function riseWithin(usable: readonly Taken[]): Rise | undefined {
  const least = Math.min(...usable.map(({ counts }) => tripOf(counts)));
  const isSlow = isSlowFor(least);
  const isQuick = (round: Taken) => !isSlow(round);
  const riseAt = usable.findLastIndex(isQuick) + 1;
  const since = usable.slice(riseAt);
  const before = usable.slice(Math.max(0, riseAt - QUICK_ROUNDS), riseAt);
  if (since.length < SLOW_ROUNDS || before.length < QUICK_ROUNDS || !before.every(isQuick)) return undefined;
  const ways = waysBetween(before, since.slice(0, SLOW_ROUNDS));
  return {
    atMs: since[0]!.atMs,
    quickUs: Math.max(...before.map(({ counts }) => tripOf(counts))),
    slowUs: Math.min(...since.map(({ counts }) => tripOf(counts))),
    slowRounds: since.length,
    ...(ways === undefined ? {} : { ways }),
  };
}

function isSlowFor(quickUs: number): (round: Taken) => boolean {
  const slowUs = Math.max(quickUs + RISE_US, quickUs * RISE_TIMES);
  return ({ counts }) => tripOf(counts) >= slowUs;
}

function waysBetween(before: readonly Taken[], since: readonly Taken[]): Rise['ways'] {
  const spanMs = Math.round(since.at(-1)!.atMs - before[0]!.atMs + ROUTER_LIMITS.monitorRoundMs);
  const [was, is] = [before, since].map((rounds) => rounds.flatMap(({ ways }) => (ways === undefined ? [] : [ways])));
  const sessions = new Set([...was!, ...is!].map(([, , session]) => session));
  // In another session the reflector counts from another beginning.
  if (was!.length < before.length || is!.length < since.length || sessions.size !== 1) return undefined;
  if (spanMs > LONGEST_SPAN_MS) return undefined;
  const change = (way: 0 | 1) => leastOf(is!, way) - leastOf(was!, way);
  return { outUs: change(0), backUs: change(1), spanMs };
}

function leastOf(ways: readonly WatchWays[], way: 0 | 1): number {
  return Math.min(...ways.map((each) => each[way]));
}

function tripOf(counts: WatchCounts): number {
  return counts[6];
}
