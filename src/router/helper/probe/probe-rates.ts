// How much all probe runs of this node may send together: several callers, each within the bounds of one run, must not add up to
// a flood (TS-22). Refuses at once what does not fit beside the runs under way.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { ProbeAmount, ProbeCost } from '#model/links/probe-cost.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type ProbeRates = {
  /** Throws `node/helper-busy`; else gives back what was taken when the returned function is called, of a burst no sooner than in a second. */
  take(cost: ProbeCost): () => void;
};

const SECOND_MS = 1_000;

type Running = ProbeAmount & { untilMs: number };

export function createProbeRates(clock: Pick<Clock, 'monotonicMs'>): ProbeRates {
  const running = new Set<Running>();
  return {
    take({ perSecond, isBurst }) {
      const startedMs = clock.monotonicMs();
      for (const each of running) if (each.untilMs <= startedMs) running.delete(each);
      const all = [...running, perSecond];
      const packets = Math.round(sum(all.map((each) => each.packets)));
      const bytes = Math.round(sum(all.map((each) => each.bytes)));
      if (packets > HELPER_LIMITS.probePacketsPerSecondOfNode || bytes > HELPER_LIMITS.probeBytesPerSecondOfNode) {
        throw new ParleyError(
          'node/helper-busy',
          `expected at most ${HELPER_LIMITS.probePacketsPerSecondOfNode} probes and ${HELPER_LIMITS.probeBytesPerSecondOfNode} bytes a second over all runs, got ${packets} and ${bytes}`,
        );
      }
      const run: Running = { ...perSecond, untilMs: Number.POSITIVE_INFINITY };
      running.add(run);
      return () => {
        run.untilMs = isBurst === true ? startedMs + SECOND_MS : clock.monotonicMs();
      };
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
