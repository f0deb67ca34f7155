// Probes from one neighbour of a node to another, through it: where probes from end to end were lost and none over a single link, they tell which
// node lost them as it forwarded them. Plans nothing where a link is in doubt, or rules of the node spoil checksums (transit-probes.ts). Pure.
import type { PlannedCall } from '#model/call.ts';
import { spoilsChecksums } from '#model/router/filter-rewrites.ts';
import { decodeProbeResult } from '../decode/decode.ts';
import type { Doubts } from '../doubts.ts';
import { MEASURE_LIMITS } from '../limits.ts';
import { defineMeasurement } from '../measurement.ts';
import { probeCall } from '../probe-call.ts';
import { withoutRoutes } from '../scope.ts';
import { endsFrom, type Side, scopeLinks } from '../scope-links.ts';
import { interfaceOf, type Mute, type States } from '../states.ts';

const PROBES = 200;
/** Ways through one node. */
const WAYS = 3;

export const bisectingTransit = defineMeasurement({
  kinds: ['bisecting-transit'],
  rounds: { confirmation: (scope, doubts) => planBisectingTransit(scope.states, doubts, withoutRoutes(scope)) },
  read: decodeProbeResult,
});

export function planBisectingTransit(
  states: States,
  { through, lossy, dead, echoesLost }: Pick<Doubts, 'through' | 'lossy' | 'dead' | 'echoesLost'>,
  mute: Mute,
): readonly PlannedCall[] {
  if (lossy.length + dead.length + echoesLost.length > 0) return [];
  return through
    .filter((node) => states.get(node)?.filters.some(spoilsChecksums) === false)
    .slice(0, MEASURE_LIMITS.bisectedNodes)
    .flatMap((node) => waysThrough(node, states, mute));
}

/** Pairs of neighbours, each with its address on the link to the node; a neighbour that is asked through another probes nothing. */
function waysThrough(node: string, states: States, mute: Mute): readonly PlannedCall[] {
  const around = scopeLinks(states)
    .filter(({ addresses }) => addresses?.from.includes(':') === true)
    .filter(({ from, to }) => (from.node === node) !== (to.node === node))
    .filter(({ from, to }) => [from, to].every((end) => interfaceOf(states, end)?.operUp === true))
    .map((link) => endsFrom(link, node)[1]);
  return around
    .flatMap((source, index) =>
      around
        .slice(index + 1)
        .filter((target) => target.end.node !== source.end.node && !mute.has(source.end.node))
        .map((target) => across(source, node, target)),
    )
    .slice(0, WAYS);
}

function across(source: Side, through: string, target: Side): PlannedCall {
  return probeCall(
    { kind: 'bisecting-transit', from: source.end, through, to: target.end, round: 'confirmation' },
    [source.end.node, target.end.node],
    { count: PROBES },
    { 'SID List': [through], destination: target.address, source: source.address, segments: [] },
  );
}
