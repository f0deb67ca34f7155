// Probes of full size → facts: along all of a path, and over each of its hops as both ends measured them. What a node refused to send itself is no
// loss of the path.

import { readingsOf } from '#measure/measurement.ts';
import { hopFullSize, packetBytes } from '#measure/path/full-size.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { linkResource, nodeResource, type ResourceId } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { directionsOf, type World } from '../network/world.ts';
import { type IsFor, WINDOW, whyMissing } from './exchange.ts';
import { bothWays, countsOf } from './probe-counts.ts';
import type { ProbePackets } from './wire.ts';

type Run = { readonly from: string; readonly to: string; readonly result: ProbeResult; readonly source: string };

/** One for each direction; one alone where nothing came back. */
export function fullSizeFacts(run: Run & { readonly fullBytes: number; readonly again?: true }): readonly Fact[] {
  const { from, source, fullBytes: packetBytes } = run;
  const { ways, directionKnown } = waysOf(run);
  return ways.map((way) => ({
    ...{
      subject: `path/${way.from}>${way.to}` as const,
      predicate: run.again ? ('full-size-again' as const) : ('full-size' as const),
    },
    ...{ value: { measuredBy: from, packetBytes, directionKnown, ...way }, source: [source], window: WINDOW },
  }));
}

export function hopFullFacts(world: World, evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(hopFullSize, evidence).flatMap(({ purpose, node, value: result, args, source }) => {
    const link = world.links.find(({ key }) => key === linkResource(purpose.from, purpose.to));
    if (link === undefined || node !== purpose.from.node || result.sent === 0 || result.sent !== args['Count'])
      return [];
    const { ways, directionKnown } = waysOf({ from: node, to: purpose.to.node, result });
    const common = { measuredBy: node, packetBytes: packetBytes(args), directionKnown, family: purpose.family };
    return ways.map((way): Fact => {
      const ends = directionsOf(link).find((each) => each.from.node === way.from)!;
      const value = { ...common, link: link.key, ...ends, sent: way.sent, lost: way.lost };
      return { subject: link.key, predicate: 'hop-full', value, source: [source], window: WINDOW };
    });
  });
}

/** Of probes over this link, of both ends, those that crossed it this way. */
export function hopPacketsOver(
  world: World,
  evidence: readonly Evidence[],
  key: ResourceId,
  from: string,
): readonly ProbePackets[] {
  return hopFullFacts(world, evidence).flatMap(({ predicate, value }) => {
    if (predicate !== 'hop-full' || value.link !== key || value.from.node !== from || !value.directionKnown) return [];
    return [{ probesSent: value.sent, probesArrived: value.sent - value.lost, probesPerhaps: 0 }];
  });
}

function waysOf(run: Pick<Run, 'from' | 'to' | 'result'>) {
  const { from, to } = run;
  const counts = countsOf(run);
  const { out, back } = bothWays(counts);
  const directionKnown = counts.reflected > 0;
  return { directionKnown, ways: [{ from, to, ...out }, ...(directionKnown ? [{ from: to, to: from, ...back }] : [])] };
}

type Measured = { readonly from: string; readonly to: string; readonly fullBytes?: number; readonly again?: true };

/** Probes along a path that were planned, and cannot be used. */
export function missingFullSize(probes: readonly Measured[], outcomes: readonly Outcome[]): readonly Fact[] {
  return outcomes.flatMap((outcome): readonly Fact[] => {
    const asked = purposeOf(outcome, 'path-full');
    if (asked === undefined) return [];
    const isDone = ({ from, to, fullBytes, again }: Measured) =>
      fullBytes !== undefined && again === undefined && from === asked.from && to === asked.to;
    if (probes.some(isDone)) return [];
    const isFor: IsFor = (call) => purposeOf(call, 'path-full')?.to === asked.to && call.node === asked.from;
    const why = whyMissing(outcomes, isFor);
    const value = { node: asked.from, what: `full-size probes to ${nodeRef(asked.to)}`, why };
    return [{ subject: nodeResource(asked.from), predicate: 'missing', value, source: [] }];
  });
}
