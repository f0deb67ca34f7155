// Lengths of packets between small and full size: which ones a few probes are to have, and how far apart they are sent. Pure.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { HEADER_BYTES, OUTER_BYTES, SID_BYTES } from '#model/links/probe-bytes.ts';

/** Of one run. No two neighbours are further apart than 6 % of the range. */
const LENGTH_PROBES = 24;
/** Longer packets, on a link that takes them, get some beside: most of what users send is no longer than an Ethernet frame of 1,500 octets. */
const USUAL_PAYLOAD_BYTES = 1_472;
const JUMBO_PROBES = 8;
/** Smaller ones are no other than the small probes. */
const LEAST_PAYLOAD_BYTES = 80;
/** A range that is shorter has no middle. */
const LEAST_RANGE_BYTES = 128;
/** The part of a turn after which each next length comes: all of them are spread evenly, however many there are. */
const GOLDEN = 0.618_033_988_75;
/** Over one link and in one direction, reflections apart: what the slowest lines carry beside their users' traffic. */
const BITS_PER_MS = 200;
/** A link of jumbo frames is no slow line. */
const LONGEST_RUN_MS = 1_000;
/** IPv4 and UDP (RFC 791 §3.1, RFC 768). */
const IPV4_UDP_BYTES = 28;

/** Of payloads, both included. */
export type LengthRange = { readonly least: number; readonly most: number };

/** Of all payloads that packets of at most `packetBytes` hold this way; undefined where there is nothing between small and full size. */
export function lengthRange(packetBytes: number, way: JsonObject): LengthRange | undefined {
  const most = Math.min(packetBytes - headerBytes(way), LIMITS.probePayloadBytes);
  return most - LEAST_PAYLOAD_BYTES < LEAST_RANGE_BYTES ? undefined : { least: LEAST_PAYLOAD_BYTES, most };
}

/** `phase`: from 0 to 1, another one gives other lengths between the same ends. */
export function lengthsIn({ least, most }: LengthRange, phase = 0): readonly number[] {
  const usual = least < USUAL_PAYLOAD_BYTES ? Math.min(most, USUAL_PAYLOAD_BYTES) : most;
  return [
    ...spread({ least, most: usual }, LENGTH_PROBES, phase),
    ...(most === usual ? [] : spread({ least: usual, most }, JUMBO_PROBES, phase)),
  ];
}

function spread({ least, most }: LengthRange, probes: number, phase: number): readonly number[] {
  return Array.from({ length: probes }, (_, index) =>
    Math.round(least + ((index * GOLDEN + phase) % 1) * (most - least)),
  );
}

/** From the longest that passed below all that were lost to the shortest above; undefined where none was lost. */
export function rangeAround(tested: readonly number[], lost: readonly number[]): LengthRange | undefined {
  if (lost.length === 0) return undefined;
  const [low, high] = [Math.min(...lost), Math.max(...lost)];
  return {
    least: Math.max(...tested.filter((each) => each < low), Math.min(...tested)),
    most: Math.min(...tested.filter((each) => each > high), Math.max(...tested)),
  };
}

/** `ends`: so many send at once over the same link, and each answers the other's. */
export function lengthRun(lengths: readonly number[], way: JsonObject, ends: 1 | 2) {
  const bytes = lengths.reduce((sum, each) => sum + each + headerBytes(way), 0) / lengths.length;
  const slowMs = (bytes * 8) / BITS_PER_MS;
  const isJumbo = Math.max(...lengths) > USUAL_PAYLOAD_BYTES;
  const intervalMs = Math.ceil(ends * (isJumbo ? Math.min(slowMs, LONGEST_RUN_MS / lengths.length) : slowMs));
  return { count: lengths.length, intervalMs };
}

/** All that is around the payload of a probe with these arguments. */
export function headerBytes({ destination, segments }: JsonObject): number {
  const sids = Array.isArray(segments) ? segments.length : 0;
  const own = String(destination).includes(':') ? HEADER_BYTES : IPV4_UDP_BYTES;
  return own + (sids === 0 ? 0 : OUTER_BYTES + SID_BYTES * sids);
}
