// Probes of many lengths → facts: of each run over a link or along a path, which lengths it tested and which of them were lost. A run of which nothing
// came back tells nothing of lengths, unless the reflector counted what came to it, and one that a reflector's rate cut short does not either.

import type { JsonObject } from '#base/json.ts';
import { headerBytes } from '#measure/lengths.ts';
import { linkLengths } from '#measure/links/link-lengths.ts';
import { type Reading, readingsOf } from '#measure/measurement.ts';
import { pathLengths } from '#measure/path/full-size.ts';
import type { Evidence } from '#model/evidence.ts';
import { linkResource, type ResourceId } from '#model/names.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact, LengthRun } from '../engine/facts.ts';
import type { World } from '../network/world.ts';
import { WINDOW } from './exchange.ts';
import { isOverLink } from './link-probes.ts';
import { bothWays, countsOf } from './probe-counts.ts';
import type { ProbePackets } from './wire.ts';

export function lengthFacts(world: World, evidence: readonly Evidence[]): readonly Fact[] {
  return [
    ...overLinks(world, evidence).map(({ key, value, source }): Fact => {
      return { subject: key, predicate: 'link-lengths', value, source: [source], window: WINDOW };
    }),
    ...readingsOf(pathLengths, evidence).flatMap(({ purpose: { from, to }, node, value, args, source }) => {
      const run = node === from ? runOf({ from, to }, value, args) : undefined;
      if (run === undefined) return [];
      const fact: Fact = {
        subject: `path/${from}>${to}`,
        predicate: 'path-lengths',
        value: { from, to, ...run },
        source: [source],
      };
      return [{ ...fact, window: WINDOW }];
    }),
  ];
}

/** Round trips over links that no small probes crossed: the least of all rounds of both ends. */
export function lengthTrips(
  world: World,
  evidence: readonly Evidence[],
  probed: ReadonlySet<ResourceId>,
): readonly Fact[] {
  const runs = overLinks(world, evidence).filter(({ key, rttMs }) => !probed.has(key) && rttMs !== null);
  return [...Map.groupBy(runs, ({ key }) => key).values()].map((mine): Fact => {
    const [best] = mine.toSorted((one, other) => one.rttMs!.min - other.rttMs!.min);
    const { from, to } = best!.ends;
    const value = { from: from.node, to: to.node, ...best!.rttMs!, alone: true as const };
    return {
      subject: `path/${from.node}>${to.node}`,
      predicate: 'round-trip',
      value,
      source: mine.map(({ source }) => source),
    };
  });
}

/** Probes of many lengths that crossed this link this way, of both ends. */
export function lengthPacketsOver(
  world: World,
  evidence: readonly Evidence[],
  key: ResourceId,
  from: string,
): readonly ProbePackets[] {
  return overLinks(world, evidence)
    .filter((run) => run.key === key)
    .flatMap(({ value: { measuredBy, out, back } }) => {
      const { sent, lost } = measuredBy === from ? out : back;
      return [{ probesSent: sent, probesArrived: sent - lost, probesPerhaps: 0 }];
    });
}

function overLinks(world: World, evidence: readonly Evidence[]) {
  return readingsOf(linkLengths, evidence).flatMap(({ purpose, node, value: result, args, source }) => {
    const { from, to, round } = purpose;
    const link = world.links.find(({ key }) => key === linkResource(from, to));
    const run = node === from.node ? runOf({ from: node, to: to.node }, result, args) : undefined;
    const way = { from: from.node, source: args['source'], destination: args['destination'] };
    if (link === undefined || run === undefined || !isOverLink(world, link, way)) return [];
    const { rttMs } = result;
    return [{ key: link.key, source, ends: link, rttMs, value: { link: link.key, round, ...run } }];
  });
}

/** Lengths with all headers; undefined where the answer does not tell them, or contradicts itself. */
function runOf(
  ends: { readonly from: string; readonly to: string },
  result: ProbeResult,
  args: Reading<'path-lengths', ProbeResult>['args'],
): LengthRun | undefined {
  const { sent, received, lostPayloadBytes: lost, untestedPayloadBytes: untested = [] } = result;
  const asked = payloadsIn(args);
  const isSilent = received === 0 && (result.reflected ?? 0) === 0;
  if (lost === undefined || isSilent || asked.length !== sent || sent !== args['Count']) return undefined;
  const tested = without(asked, untested);
  const isTold = lost.length + received === tested.length && without(tested, lost).length === received;
  if (!isTold || (result.reflectorRefused ?? 0) > untested.length) return undefined;
  const { out, back } = bothWays(countsOf({ ...ends, result }));
  const headers = headerBytes(args);
  const whole = (lengths: readonly number[]) => lengths.map((each) => each + headers).sort((one, other) => one - other);
  return { measuredBy: ends.from, headerBytes: headers, tested: whole(tested), lost: whole(lost), out, back };
}

function payloadsIn({ eachPayloadBytes }: JsonObject): readonly number[] {
  return Array.isArray(eachPayloadBytes) ? eachPayloadBytes.map(Number) : [];
}

/** Each of `some` takes one out: lengths may be there twice. */
function without(all: readonly number[], some: readonly number[]): readonly number[] {
  const left = [...all];
  for (const each of some) {
    const index = left.indexOf(each);
    if (index >= 0) left.splice(index, 1);
  }
  return left;
}
