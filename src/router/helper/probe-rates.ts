// How much all probe runs of this node may send together: several callers, each within the bounds of one run, must not add up to
// a flood (TS-22). Refuses at once what does not fit beside the runs under way.
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import type { ProbeRequest } from '#model/router-port.ts';

export type ProbeRates = {
  /** Throws `node/helper-busy`; else gives back what was taken when the returned function is called. */
  take(request: ProbeRequest): () => void;
};

const IPV6_UDP_BYTES = 48;

export function createProbeRates(): ProbeRates {
  const running = new Set<ProbeRate>();
  return {
    take(request) {
      const rate = rateOf(request);
      const all = [...running, rate];
      const packets = Math.round(sum(all.map((each) => each.packets)));
      const bytes = Math.round(sum(all.map((each) => each.bytes)));
      if (packets > LIMITS.probePacketsPerSecondOfNode || bytes > LIMITS.probeBytesPerSecondOfNode) {
        throw new ParleyError(
          'node/helper-busy',
          `expected at most ${LIMITS.probePacketsPerSecondOfNode} probes and ${LIMITS.probeBytesPerSecondOfNode} bytes a second over all runs, came ${packets} and ${bytes}`,
        );
      }
      running.add(rate);
      return () => void running.delete(rate);
    },
  };
}

type ProbeRate = { readonly packets: number; readonly bytes: number };

/** In a second, as asked for: a short train is no more than its packets, however quickly they go. */
function rateOf({ count, intervalMs, payloadBytes, segments }: ProbeRequest): ProbeRate {
  const packets = Math.min(count, 1_000 / intervalMs);
  const routingBytes = segments.length === 0 ? 0 : 48 + 16 * segments.length;
  return { packets, bytes: packets * (payloadBytes + IPV6_UDP_BYTES + routingBytes) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
