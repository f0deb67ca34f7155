// Probes of lengths all over the range that a link carries: what takes packets of some lengths alone spares small ones and those of full size. A few
// over each link, from one end; around those that were lost some more, from both ends. Reflections are as long. So slow that a narrow link carries
// them: what a full queue takes would be our doing. Plans nothing over a link that is down. Pure.
import type { PlannedCall } from '#model/call.ts';
import { isAlongPath } from '#model/intent.ts';
import { isSameLink, type Link } from '#model/links/links.ts';
import type { PurposeOf } from '#model/purpose.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import type { LostLengths } from '../doubts.ts';
import { type LengthRange, lengthRange, lengthRun, lengthsIn } from '../lengths.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { LINGER_MS, probeCall } from '../probe-call.ts';
import { scopeLinks } from '../scope-links.ts';
import { interfaceOf, type Mute, type States } from '../states.ts';
import { type Ends, proberFirst } from './link-runs.ts';
import { addressesOver } from './link-way.ts';

export const linkLengths = defineMeasurement({
  kinds: ['length-probe'],
  about: 'every',
  rounds: {
    first: ({ intent, nodes, states, relays }) =>
      planLinkLengths(states, relays, isAlongPath(intent) ? hopsOf(nodes) : undefined),
    confirmation: ({ states }, { lengths = [], slow }) =>
      [
        ...lengths,
        ...slow
          .filter((link) => !lengths.some((each) => isSameLink(each.link, link)))
          .flatMap((link) => slowAgain(link, states)),
      ]
        .slice(0, MEASURE_LIMITS.lengthLinks)
        .flatMap((doubt) => lengthsAgain(doubt, states)),
  },
  read: decodeProbeResult,
});

type IsHop = (link: Link) => boolean;

/** Of a path only what joins neighbours on it. */
function hopsOf(nodes: readonly string[]): IsHop {
  const places = new Map(nodes.map((node, place) => [node, place]));
  return ({ from, to }) => Math.abs((places.get(from.node) ?? NaN) - (places.get(to.node) ?? NaN)) === 1;
}

export function planLinkLengths(states: States, mute: Mute, isHop: IsHop = () => true): readonly PlannedCall[] {
  const links = scopeLinks(states);
  return links.filter(isHop).flatMap((link) => {
    const ends = proberFirst(link, links, mute);
    const way = wayOver(link, ends, states);
    const range = way && lengthRange(mtuOf(link, states), way);
    if (way === undefined || range === undefined) return [];
    return [lengthsOver(ends, way, range, { round: 'first', phase: 0, ends: 1 })];
  });
}

/** From both ends at once: one of the two may lie, and the lengths of the two are between each other's. */
function lengthsAgain({ link, ...range }: LostLengths, states: States): readonly PlannedCall[] {
  const ways: readonly Ends[] = [
    [link.from, link.to],
    [link.to, link.from],
  ];
  return ways.flatMap((ends, index) => {
    const way = wayOver(link, ends, states);
    if (way === undefined) return [];
    return [lengthsOver(ends, way, range, { round: 'confirmation', phase: index / 2, ends: 2 })];
  });
}

/** Whose round trip no small probes measured: over a link of IPv4 alone or without addresses of its own. */
function slowAgain(link: Link, states: States): readonly LostLengths[] {
  if (link.addresses?.from.includes(':') === true) return [];
  const way = wayOver(link, [link.from, link.to], states);
  const range = way && lengthRange(mtuOf(link, states), way);
  return range === undefined ? [] : [{ link, ...range }];
}

type Run = { readonly phase: number; readonly ends: 1 | 2 } & Pick<PurposeOf<'length-probe'>, 'round'>;

function lengthsOver([from, to]: Ends, way: Way, range: LengthRange, { round, phase, ends }: Run): PlannedCall {
  const eachPayloadBytes = lengthsIn(range, phase);
  const run = lengthRun(eachPayloadBytes, way, ends);
  const purpose = { kind: 'length-probe', from, to, round } as const;
  const call = probeCall(purpose, [from.node, to.node], run, { ...way, eachPayloadBytes });
  // A node that is busy with its other probes starts late, as with classes of traffic.
  return { ...call, timeoutMs: run.count * run.intervalMs + LINGER_MS + MEASURE_LIMITS.measureCallMs };
}

type Way = NonNullable<ReturnType<typeof wayOver>>;

function wayOver(link: Link, ends: Ends, states: States) {
  const { from, to } = link;
  const addresses = addressesOver(link, states);
  if (addresses === undefined || ![from, to].every((end) => interfaceOf(states, end)?.operUp === true))
    return undefined;
  const forward = ends[0].node === from.node && ends[0].ifname === from.ifname;
  const [source, destination] = forward ? [addresses.from, addresses.to] : [addresses.to, addresses.from];
  return { destination, source, segments: [], flows: 1 };
}

function mtuOf({ from, to }: Link, states: States): number {
  return Math.min(...[from, to].map((end) => interfaceOf(states, end)?.mtu ?? 0));
}
