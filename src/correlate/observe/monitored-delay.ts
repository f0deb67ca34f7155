// Links that held packets back for a while and do so no longer, as facts, by the least round trips of the nodes' own rounds of probes. Which
// direction was slow is not known. Nothing is said where a node itself may have been slow: another link of each end must
// have been quick at the same time.
import type { MonitoredDelay } from '../engine/facts.ts';
import type { World } from '../network/world.ts';
import { SLOW_TIMES, UNCONFIRMED_MS } from './delay-onset.ts';
import { type Round, type Watch, watchesOf } from './monitor-rounds.ts';

/** Rounds in a row. */
const LEAST_ROUNDS = 3;

/** With the age of its end. */
export type DelayInRounds = MonitoredDelay & { readonly agoMs: number };

export function monitoredDelays(world: World): readonly DelayInRounds[] {
  const { sinceMs } = world;
  if (sinceMs === undefined) return [];
  const watches = watchesOf(world);
  return watches.flatMap((watch) => {
    const usual = usualOf(watch.rounds);
    const slow = longestSlow(
      watch.rounds.filter(({ agoMs }) => agoMs <= sinceMs),
      usual,
    );
    if (slow.length < LEAST_ROUNDS || !endsWereQuick(watches, watch, slow)) return [];
    return [
      {
        link: watch.link,
        ends: [watch.prober, watch.far],
        roundTripMs: hundredths(Math.min(...slow.map(({ rttMs }) => rttMs))),
        usualMs: hundredths(usual),
        agoMs: slow.at(-1)!.agoMs,
      },
    ];
  });
}

/** The quicker quarter of the rounds. */
function usualOf(rounds: readonly Round[]): number {
  const trips = rounds.filter((round) => round.usable && round.rttMs > 0).map(({ rttMs }) => rttMs);
  return trips.sort((one, other) => one - other)[Math.floor(trips.length / 4)] ?? Number.POSITIVE_INFINITY;
}

function isSlow({ usable, rttMs }: Round, usual: number): boolean {
  return usable && rttMs >= usual + UNCONFIRMED_MS && rttMs >= usual * SLOW_TIMES;
}

function longestSlow(rounds: readonly Round[], usual: number): readonly Round[] {
  let [best, run]: [Round[], Round[]] = [[], []];
  for (const round of rounds) {
    run = isSlow(round, usual) ? [...run, round] : [];
    if (run.length > best.length) best = run;
  }
  return best;
}

function endsWereQuick(watches: readonly Watch[], mine: Watch, slow: readonly Round[]): boolean {
  const [fromMs, toMs] = [slow[0]!.agoMs, slow.at(-1)!.agoMs];
  return [mine.prober.node, mine.far.node].every((node) =>
    watches.some((watch) => {
      if (watch.link.key === mine.link.key || (watch.prober.node !== node && watch.far.node !== node)) return false;
      const usual = usualOf(watch.rounds);
      const then = watch.rounds.filter(({ agoMs }) => agoMs <= fromMs && agoMs >= toMs);
      return then.length >= LEAST_ROUNDS - 1 && then.every((round) => round.usable && !isSlow(round, usual));
    }),
  );
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}
