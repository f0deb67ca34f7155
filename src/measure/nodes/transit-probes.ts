// Probes from one neighbour to another through a node whose rules overwrite checksums. Only where such rules are: what they did is read from
// what arrived and from the rules' counters. A rule that says so and does nothing is no fault. Pure.

import type { PlannedCall } from '#model/call.ts';
import type { Link } from '#model/links/links.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import { spoilsChecksums } from '#model/router/filter-rewrites.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { endsFrom, type Side, scopeLinks } from '../scope-links.ts';
import type { States } from '../states.ts';

const CROSSING_PROBES = 250;
/** Ways through one node that are tried. */
const CROSSINGS = 2;

export const transitProbes = defineMeasurement({
  kinds: ['transit-probe'],
  rounds: { first: ({ states }) => planTransitProbes(states) },
  read: decodeProbeResult,
});

export function planTransitProbes(states: States): readonly PlannedCall[] {
  const links = scopeLinks(states).filter(({ addresses }) => addresses?.from.includes(':') === true);
  return [...states].flatMap(([node, { filters }]) => (filters.some(spoilsChecksums) ? crossings(node, links) : []));
}

/** From one neighbour to the far side of another's link, which the node itself has: there and back it forwards them. */
function crossings(node: string, links: readonly Link[]): readonly PlannedCall[] {
  const around = links
    .filter(({ from, to }) => from.node === node || to.node === node)
    .map((link) => endsFrom(link, node)[1]);
  return around
    .flatMap((source, index) =>
      around
        .slice(index + 1)
        .filter((target) => target.end.node !== source.end.node)
        .map((target) =>
          probe({ kind: 'transit-probe', from: source.end.node, through: node, to: target.end }, source, target, node),
        ),
    )
    .slice(0, CROSSINGS);
}

function probe(purpose: PlannedPurpose, source: Side, target: Side, through: string): PlannedCall {
  return probeCall(
    purpose,
    [source.end.node, target.end.node],
    { count: CROSSING_PROBES },
    { 'SID List': [through], destination: target.address, source: source.address, segments: [] },
  );
}
