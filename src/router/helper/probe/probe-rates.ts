// How much all probe runs of this node may send together: several callers, each within the bounds of one run, must not add up to
// a flood (TS-22). Refuses at once what does not fit beside the runs under way.
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { HEADER_BYTES } from '#model/links/probe-bytes.ts';
import { PROBE_MESSAGE_BYTES } from '#model/router/probe-schema.ts';
import type { ProbeRequest } from '#model/router/router-port.ts';
import { HELPER_LIMITS } from '../limits.ts';

export type ProbeRates = {
  /** Throws `node/helper-busy`; else gives back what was taken when the returned function is called. */
  take(request: ProbeRequest): () => void;
};

/** A train is over long before the second that it is counted for. */
const SECOND_MS = 1_000;

export function createProbeRates(clock: Clock): ProbeRates {
  const running = new Set<ProbeRate>();
  return {
    take(request) {
      const rate = rateOf(request);
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
      const release = () => void running.delete(rate);
      return request.train === true ? () => void clock.sleep(SECOND_MS).then(release) : release;
    },
  };
}

type ProbeRate = { readonly packets: number; readonly bytes: number };

/**
 * In a second, as asked for: a train is all of its packets, whatever its interval. A packet with a list of SIDs travels from one to the next:
 * its bytes count for each of them.
 */
function rateOf({ count, intervalMs, payloadBytes, segments, train }: ProbeRequest): ProbeRate {
  const packets = train === true ? count : Math.min(count, SECOND_MS / intervalMs);
  const routingBytes = segments.length === 0 ? 0 : 48 + 16 * segments.length;
  const legs = Math.max(1, segments.length);
  return {
    packets,
    bytes: packets * legs * (Math.max(payloadBytes, PROBE_MESSAGE_BYTES) + HEADER_BYTES + routingBytes),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
