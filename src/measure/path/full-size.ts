// Probes of full size along a path: as large as the smallest MTU that the ends of its links say, headers included, there and back, as their reflections
// are as large. Few and far apart, so that they fill no queue: what they lose, their size lost. Where some were lost, echoes as long as its MTU over
// each hop, beside small ones and probes of both its ends, say which, and in which direction. Pure.
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import { type Link, linksBetween, type NamedState } from '#model/links/links.ts';
import { callFor } from '../call.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { decodeReach } from '../decode/decode-measurements.ts';
import { headerBytes, lengthRange, lengthRun, lengthsIn } from '../lengths.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { classesOver } from '../links/link-classes.ts';
import { farAddress } from '../links/link-echoes.ts';
import type { Ends } from '../links/link-runs.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { interfaceOf, type States } from '../states.ts';

/** A share of 5 % spares all of them, and their reflections, in one case of 130; they take as long as the small ones. */
const FULL_PROBES = 48;
const FULL_INTERVAL_MS = 20;
/** Smaller ones are no other than the small ones (RFC 791 §3.2: every link carries 68 octets). */
const LEAST_PAYLOAD_BYTES = 128;

export const fullSize = defineMeasurement({
  kinds: ['path-full'],
  about: 'path',
  // Planned with the small ones, which they follow (path-plan.ts).
  rounds: {},
  read: decodeProbeResult,
});

export const pathLengths = defineMeasurement({
  kinds: ['path-lengths'],
  about: 'path',
  // As those of full size.
  rounds: {},
  read: decodeProbeResult,
});

/** From both ends of each hop, as one of the two may lie; their reflector counts tell in which direction they were lost. */
export const hopFullSize = defineMeasurement({
  kinds: ['hop-full'],
  about: 'path',
  rounds: {
    confirmation: ({ states }, { classes }) =>
      classes
        .filter(({ traffic }) => traffic === 'large-icmp')
        .slice(0, MEASURE_LIMITS.pathClasses / 2)
        .flatMap(({ link }) => [...overHop([link.from, link.to], states), ...overHop([link.to, link.from], states)]),
  },
  read: decodeProbeResult,
});

function overHop(ends: Ends, states: States): readonly PlannedCall[] {
  const [from, to] = ends;
  const mtu = Math.min(...ends.map((end) => interfaceOf(states, end)?.mtu ?? 0));
  return ([4, 6] as const).flatMap((family) => {
    const [destination] = farAddress(ends, states, family);
    const [source] = farAddress([to, from], states, family);
    if (destination === undefined || source === undefined) return [];
    const way = { destination, source, segments: [], flows: 1 };
    const payloadBytes = Math.min(mtu - headerBytes(way), LIMITS.probePayloadBytes);
    if (payloadBytes < LEAST_PAYLOAD_BYTES) return [];
    const run = { count: FULL_PROBES, intervalMs: FULL_INTERVAL_MS, payloadBytes };
    return [probeCall({ kind: 'hop-full', from, to, family }, [from.node, to.node], run, way)];
  });
}

/** Large echoes, and small ones, over the hops of a path that lost full-size probes. */
export const pathClasses = defineMeasurement({
  kinds: ['link-classes'],
  about: 'path',
  rounds: {
    confirmation: ({ states }, { classes }) =>
      classesOver(classes.slice(0, MEASURE_LIMITS.pathClasses), states, { round: 'confirmation', run: 1 }),
  },
  read: decodeReach,
});

/** The same way as the small probes of a stretch went, `whole`; nothing where the size is not known. */
export function planFullSize(whole: PlannedCall, path: readonly NamedState[]): readonly PlannedCall[] {
  const payloadBytes = Math.min(mtusAlong(path).least - headerBytes(whole.arguments), LIMITS.probePayloadBytes);
  const [head, tail] = [path[0]!.node, path.at(-1)!.node];
  if (payloadBytes < LEAST_PAYLOAD_BYTES) return [];
  const run = { Count: FULL_PROBES, intervalMs: FULL_INTERVAL_MS, payloadBytes };
  const purpose = { kind: 'path-full', from: head, to: tail } as const;
  return [callFor(head, purpose, { ...whole.arguments, ...run }, whole.timeoutMs)];
}

/** The same probes once more, half as fast. */
export function fullSizeOnceMore(
  { node, arguments: args, timeoutMs }: PlannedCall,
  way: { readonly from: string; readonly to: string },
): PlannedCall {
  const intervalMs = FULL_INTERVAL_MS * 2;
  return callFor(node, { kind: 'path-full-again', ...way }, { ...args, intervalMs }, timeoutMs);
}

/** Of lengths between small and full size, over a path of several hops, or over one that has no addresses of its own to measure it by (links/link-lengths.ts). */
export function planPathLengths(whole: PlannedCall, path: readonly NamedState[]): readonly PlannedCall[] {
  const range = lengthRange(mtusAlong(path).least, whole.arguments);
  const names = path.map(({ node }) => node);
  const isHop = path.length === 2 && linksBetween(path[0]!, path[1]!, names).some(({ addresses }) => addresses);
  if (range === undefined || isHop) return [];
  const [head, tail] = [names[0]!, names.at(-1)!];
  const eachPayloadBytes = lengthsIn(range);
  const { count: Count, intervalMs } = lengthRun(eachPayloadBytes, whole.arguments, 1);
  const run = { Count, intervalMs, eachPayloadBytes };
  return [
    callFor(head, { kind: 'path-lengths', from: head, to: tail }, { ...whole.arguments, ...run }, whole.timeoutMs),
  ];
}

/** Of one probe that was asked for with these arguments, all its headers included. */
export function packetBytes(args: JsonObject): number {
  return Number(args['payloadBytes'] ?? 0) + headerBytes(args);
}

/**
 * What the ends of the links between neighbours on the path say: `least`, which every one of them takes, parallel ones too, and `most`, which one of
 * each hop takes. 0 where a hop has none that is known.
 */
export function mtusAlong(path: readonly NamedState[]): { readonly least: number; readonly most: number } {
  const states: States = new Map(path.map(({ node, state }) => [node, state]));
  const names = path.map(({ node }) => node);
  const hops = path.slice(1).map((to, index) => {
    const links = linksBetween(path[index]!, to, names).filter((link) => isUp(states, link));
    return links.map(({ from, to: far }) => Math.min(...[from, far].map((end) => interfaceOf(states, end)?.mtu ?? 0)));
  });
  if (hops.length === 0 || hops.some((mtus) => mtus.length === 0)) return { least: 0, most: 0 };
  return { least: Math.min(...hops.flat()), most: Math.min(...hops.map((mtus) => Math.max(...mtus))) };
}

function isUp(states: States, { from, to }: Link): boolean {
  return [from, to].every((end) => interfaceOf(states, end)?.operUp === true);
}
