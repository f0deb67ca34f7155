// How much all probe runs of this node may send together: several callers, each within the bounds of one run, must not add up to
// a flood (TS-22). Refuses at once what does not fit beside the runs under way.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { costOfProbe, costOfReach, type ProbeCost } from '#model/links/probe-cost.ts';
import type { ProbeRequest, ReachRequest } from '#model/router/router-port.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type ProbeRates = {
  /** Throws `node/helper-busy`; else gives back what was taken when the returned function is called. */
  take(request: ProbeRequest): () => void;
  /** The same of probes to many addresses, which are sent as fast as they may. */
  takeReach(request: Pick<ReachRequest, 'destinations' | 'count'>): () => void;
};

/** A train is over long before the second that it is counted for. */
const SECOND_MS = 1_000;

export function createProbeRates(clock: Clock): ProbeRates {
  const running = new Set<ProbeCost>();
  const add = (rate: ProbeCost): (() => void) => {
    const all = [...running, rate];
    const packets = Math.round(sum(all.map((each) => each.packets)));
    const bytes = Math.round(sum(all.map((each) => each.bytes)));
    if (packets > HELPER_LIMITS.probePacketsPerSecondOfNode || bytes > HELPER_LIMITS.probeBytesPerSecondOfNode) {
      throw new ParleyError(
        'node/helper-busy',
        `expected at most ${HELPER_LIMITS.probePacketsPerSecondOfNode} probes and ${HELPER_LIMITS.probeBytesPerSecondOfNode} bytes a second over all runs, got ${packets} and ${bytes}`,
      );
    }
    running.add(rate);
    return () => void running.delete(rate);
  };
  return {
    take(request) {
      const release = add(rateOf(request));
      return request.train === true ? () => void clock.sleep(SECOND_MS).then(release) : release;
    },
    takeReach: (request) => add(inOneSecond(costOfReach(request), HELPER_LIMITS.reachPacketsPerSecond)),
  };
}

/** As asked for: a train is all of its packets, whatever its interval. */
function rateOf(request: ProbeRequest): ProbeCost {
  return request.train === true
    ? costOfProbe(request)
    : inOneSecond(costOfProbe(request), SECOND_MS / request.intervalMs);
}

function inOneSecond({ packets, bytes }: ProbeCost, mostPackets: number): ProbeCost {
  const share = Math.min(1, mostPackets / packets);
  return { packets: packets * share, bytes: bytes * share };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
