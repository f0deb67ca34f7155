// Probes over one link between two nodes of the scope: many small ones of several flows, and trains of large ones. Who probes and who reflects.
// Plans nothing over a link that is down, no small ones over one without addresses of its own, and over one of IPv4 alone in the longer look only. Pure.
import { LIMITS } from '#base/limits.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import { HEADER_BYTES } from '#model/links/probe-bytes.ts';
import type { LinkEnd } from '#model/names.ts';
import type { PlannedPurpose, Round } from '#model/purpose.ts';
import { LINGER_MS, PAYLOAD_BYTES, probeCall } from '../probe-call.ts';
import { interfaceOf, type Mute, NO_NODE, type States } from '../states.ts';
import { addressesOver } from './link-way.ts';

/** Enough to see 3 % on a link nearly always (0.97^200 = 0.2 %); a link that lost any is looked at again with many more. */
const SWEEP_PROBES = 200;
/**
 * Of all links together, in the first look: in a large network each link gets fewer, and not fewer than these (0.97^120 = 3 %). The counters of both ends
 * see the same loss, and so do standing probes, 20 a second, where the link has them. A proof needs 100 answered probes each way, and a reflector at its
 * limit leaves some unanswered (LEAST_PROBES in correlate).
 */
const ALL_SWEEPS_PROBES = 6_400;
const LEAST_SWEEP_PROBES = 120;
const SWEEP_INTERVAL_MS = 2;
/** What a node of many links, which are all probed at once, sends of small probes in a second, but for what runs at the slowest pace. */
const SWEEP_PER_SECOND = 2_000;
const SLOWEST_INTERVAL_MS = 16;
/** All the small runs of a scope end in this time, as far as the calls of one question may run at once. */
const SWEEPS_MS = 3_000;
/** A train that waits in the queue of a narrow link needs longer than the small probes beside it: as long as 1 Mbit/s takes for both. */
const TRAIN_LINGER_MS = 900;

/** Who probes, and who reflects. */
export type Ends = readonly [LinkEnd, LinkEnd];

export function bothEnds(link: Link, links: readonly Link[]): readonly [Ends, Ends] {
  const [from, to] = proberFirst(link, links);
  return [
    [from, to],
    [to, from],
  ];
}

/** The end that can be asked probes; of two the one with fewer links, so that no node of a star does all the work. */
export function proberFirst(link: Link, links: readonly Link[], mute: Mute = NO_NODE): Ends {
  if (mute.has(link.from.node) !== mute.has(link.to.node))
    return mute.has(link.from.node) ? [link.to, link.from] : [link.from, link.to];
  return degree(link.from.node, links) <= degree(link.to.node, links) ? [link.from, link.to] : [link.to, link.from];
}

function degree(node: string, links: readonly Link[]): number {
  return links.filter((each) => each.from.node === node || each.to.node === node).length;
}

/**
 * Probes over one of `links`, all of which are probed at once, and the time between two of them: so long that a node of many links sends no more than
 * SWEEP_PER_SECOND, so short that the runs over all links end in SWEEPS_MS, and never longer than SLOWEST_INTERVAL_MS.
 */
export function sweepRun({ from, to }: Link, links: readonly Link[]): Pick<Run, 'count' | 'intervalMs'> {
  const busiest = Math.max(degree(from.node, links), degree(to.node, links));
  const count = Math.min(SWEEP_PROBES, Math.max(LEAST_SWEEP_PROBES, Math.floor(ALL_SWEEPS_PROBES / links.length)));
  const longestMs = Math.floor((SWEEPS_MS * LIMITS.fanoutConcurrency) / (links.length * count));
  const gentleMs = Math.ceil((busiest * 1_000 * SWEEP_PROBES) / (SWEEP_PER_SECOND * count));
  return { count, intervalMs: Math.max(SWEEP_INTERVAL_MS, Math.min(gentleMs, longestMs, SLOWEST_INTERVAL_MS)) };
}

export function firstProbes(states: States, links: readonly Link[], mute: Mute): readonly PlannedCall[] {
  const small = (link: Link, run: Run) => smallOver(link, states, proberFirst(link, links, mute), run, 'first');
  const probed = links.filter((link) => small(link, SMALL) !== undefined);
  return links
    .flatMap((link) => [
      probed.includes(link) ? small(link, { ...SMALL, ...sweepRun(link, probed) }) : undefined,
      trainOver(link, states, proberFirst(link, links, mute), 1),
    ])
    .filter((each) => each !== undefined);
}

export type Run = {
  readonly count: number;
  readonly intervalMs: number;
  readonly payloadBytes: number;
  readonly flows: number;
  readonly lingerMs?: number;
  /** Back to back, timed by the kernels. */
  readonly train?: true;
};

/** Each probe is of the next flow: a fault may hit some and spare the others. */
export const SMALL: Run = {
  count: SWEEP_PROBES,
  intervalMs: SWEEP_INTERVAL_MS,
  payloadBytes: PAYLOAD_BYTES,
  flows: LIMITS.probeFlows,
};

/**
 * A short train of large probes shows a link that carries less than its ends say: less of a packet, or fewer of them a second.
 * One train is less than a web page, and no load. IPv6 and UDP stay below the MTU.
 */
export function trainOver(link: Link, states: States, ends: Ends, train: number): PlannedCall | undefined {
  const mtu = Math.min(...[link.from, link.to].map((end) => interfaceOf(states, end)?.mtu ?? 0));
  const payloadBytes = Math.min(mtu - HEADER_BYTES, LIMITS.probePayloadBytes);
  if (payloadBytes <= PAYLOAD_BYTES) return undefined;
  const count = Math.floor(LIMITS.probeTrainBytes / payloadBytes);
  const run = { count, intervalMs: 1, payloadBytes, flows: 1, lingerMs: TRAIN_LINGER_MS };
  const purpose: PlannedPurpose = { kind: 'link-train', from: ends[0], to: ends[1], train };
  return probeOf(purpose, link, states, ends, { ...run, train: true });
}

/** Small probes of many flows. */
export function smallOver(link: Link, states: States, ends: Ends, run: Run, round: Round): PlannedCall | undefined {
  return probeOf({ kind: 'link-probe', from: ends[0], to: ends[1], round }, link, states, ends, run);
}

/**
 * The first two rounds measure links of IPv4 alone from end to end (end-to-end.ts), with small packets; a train of large ones and a longer look are
 * over the link itself.
 */
function isMeasured(purpose: PlannedPurpose, address: string, isPair: boolean): boolean {
  if (address.includes(':')) return true;
  // On a segment of many nodes all trains would come at one moment.
  return (purpose.kind === 'link-train' && isPair) || (purpose.kind === 'link-probe' && purpose.round === 'extended');
}

function probeOf(
  purpose: PlannedPurpose,
  link: Link,
  states: States,
  [from, to]: Ends,
  { count, intervalMs, payloadBytes, flows, lingerMs = LINGER_MS, train }: Run,
): PlannedCall | undefined {
  const addresses = train === undefined ? link.addresses : addressesOver(link, states);
  if (addresses === undefined || !isMeasured(purpose, addresses.from, link.pointToPoint)) return undefined;
  const up = [link.from, link.to].every((end) => interfaceOf(states, end)?.operUp === true);
  if (!up) return undefined;
  const forward = from === link.from;
  const [source, destination] = forward ? [addresses.from, addresses.to] : [addresses.to, addresses.from];
  return probeCall(
    purpose,
    [from.node, to.node],
    { count, intervalMs, payloadBytes, lingerMs },
    { destination, source, segments: [], flows, ...(train === undefined ? {} : { train }) },
  );
}
