// Probes of a question about a path → facts: along all of it, and over each of its segments.
import type { JsonObject } from '#base/json.ts';
import { texts } from '#measure/decode/readers.ts';
import { readingsOf } from '#measure/measurement.ts';
import { fullSize, packetBytes } from '#measure/path/full-size.ts';
import { networkReach } from '#measure/path/network-reach.ts';
import { fullSizeAgain, pathProbes } from '#measure/path/path-measurement.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import { nodeKey, nodeResource } from '#model/names.ts';
import { purposeOf } from '#model/purpose.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact, ProbeLoss } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { type IsFor, WINDOW, whyMissing } from './exchange.ts';
import { fullSizeFacts, missingFullSize } from './full-size.ts';
import { bothWays, countsOf, lossFacts, proberFacts } from './probe-counts.ts';
import type { ProbePackets } from './wire.ts';

export type PathProbe = {
  readonly from: string;
  readonly to: string;
  readonly result: ProbeResult;
  readonly source: string;
  /** Addresses that were asked for. */
  readonly probe: NonNullable<ProbeLoss['probe']>;
  /** Source ports in turn; plain probes over one link, when more than one. */
  readonly flows: number;
  /** Of each probe, IP header included, where they were of full size. */
  readonly fullBytes?: number;
  /** Of full size, in a second look. */
  readonly again?: true;
};

/** Small ones and those of full size. */
const PATH_PROBES = {
  kinds: [...pathProbes.kinds, ...fullSize.kinds, ...fullSizeAgain.kinds],
  read: pathProbes.read,
};

/**
 * Where a probe went, and how many there had to be, is read from the request that we signed, never from the answer: a node that
 * sent another number than asked has measured something else.
 */
export function readPathProbes(path: readonly string[], evidence: readonly Evidence[]): readonly PathProbe[] {
  return readingsOf(PATH_PROBES, evidence).flatMap(({ purpose, node: from, value: result, args, source }) => {
    const [tail, asked] = [args['Tail'], args['Count']];
    const to = typeof tail === 'string' ? path.find((node) => nodeKey(node) === nodeKey(tail)) : undefined;
    if (to === undefined || result.sent === 0 || !path.includes(from)) return [];
    if (asked !== undefined && result.sent !== asked) return [];
    const isAgain = purpose.kind === 'path-full-again';
    const full = isAgain || purpose.kind === 'path-full' ? { fullBytes: packetBytes(args) } : {};
    return [
      {
        from,
        to,
        result,
        source,
        probe: addressesOf(args),
        flows: Number(args['flows'] ?? 1),
        ...full,
        ...(isAgain ? { again: true } : {}),
      },
    ];
  });
}

function addressesOf({ source, destination, segments }: JsonObject): PathProbe['probe'] {
  return {
    ...(typeof source === 'string' ? { source } : {}),
    ...(typeof destination === 'string' ? { destination } : {}),
    segments: texts(segments),
  };
}

/** True for probes along all of a path of several segments. */
function isWhole(path: readonly string[], { from, to, flows }: PathProbe): boolean {
  return path.length > 2 && flows === 1 && from === path[0] && to === path.at(-1);
}

export function pathProbeFacts(path: readonly string[], run: PathProbe): readonly Fact[] {
  const { from, to, result, probe, flows, source, fullBytes } = run;
  if (fullBytes !== undefined) return fullSizeFacts({ ...run, fullBytes });
  const about = { scope: isWhole(path, run) ? 'path' : 'segment', probe, ...(flows > 1 ? { flows } : {}) } as const;
  const subject = `path/${from}>${to}` as const;
  const { rttMs } = result;
  return [
    ...lossFacts([run], about, [source]),
    ...(rttMs === null
      ? []
      : [{ subject, predicate: 'round-trip' as const, value: { from, to, ...rttMs }, source: [source] }]),
    // What came back twice along all of a path says of no link that it did so.
    ...proberFacts(countsOf(run), [source]).filter(
      ({ predicate }) => predicate !== 'returned-probes' || !isWhole(path, run),
    ),
  ];
}

/** One for each two addresses; what the second look saw is among it, and beside it. */
export function networkReachFacts(path: readonly string[], evidence: readonly Evidence[]): readonly Fact[] {
  const rows = readingsOf(networkReach, evidence).flatMap(({ purpose: { sender, round }, node, value, source }) =>
    value.map((result) => ({ ...result, node, sender, round, source })),
  );
  const groups = Map.groupBy(rows, ({ node, sender, destination }) => `${node} ${sender} ${destination}`);
  return [...groups.values()].flatMap((mine): readonly Fact[] => {
    const { node: from, sender, destination } = mine[0]!;
    const to = from === path[0] ? path.at(-1) : path[0];
    const counts = (all: typeof mine) => ({
      sent: all.reduce((sum, { sent }) => sum + sent, 0),
      received: all.reduce((sum, { received }) => sum + received, 0),
    });
    const again = mine.filter(({ round }) => round === 'confirmation');
    if (to === undefined) return [];
    const value = { from, to, sender, destination, ...counts(mine), ...(again.length > 0 && { again: counts(again) }) };
    const source = [...new Set(mine.map((row) => row.source))];
    return [{ subject: `path/${from}>${to}`, predicate: 'network-reach', value, source, window: WINDOW }];
  });
}

/** Probe packets over a hop of the path inside the window: those of the hop, and those of the whole path and their reflections, which may have. */
export function pathPacketsOver(
  path: readonly string[],
  probes: readonly PathProbe[],
  from: string,
  to: string,
): readonly ProbePackets[] {
  const forward = path.indexOf(from) < path.indexOf(to);
  return probes.flatMap((probe) => {
    const { reflected } = countsOf(probe);
    const { out, back } = bothWays(countsOf(probe));
    const counted = ({ sent, lost }: typeof out) => [
      { probesSent: sent, probesArrived: sent - lost, probesPerhaps: 0 },
    ];
    if (probe.from === from && probe.to === to) return counted(out);
    if (probe.from === to && probe.to === from) return counted(back);
    if (!isWhole(path, probe)) return [];
    return forward
      ? [{ probesSent: 0, probesArrived: 0, probesPerhaps: 0, probesRouted: reflected }]
      : [{ probesSent: 0, probesArrived: 0, probesPerhaps: back.sent }];
  });
}

/** Probes that a path needs and that cannot be used. */
export function missingPathProbes(
  path: readonly string[],
  probes: readonly PathProbe[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
): readonly Fact[] {
  const pairs = path.slice(1).map((to, index) => [path[index]!, to] as const);
  const wanted = path.length > 2 ? [[path[0]!, path.at(-1)!] as const, ...pairs] : pairs;
  const small = probes.filter(({ fullBytes }) => fullBytes === undefined);
  const lacking = wanted
    .filter(([from, to]) => !small.some((probe) => probe.from === from && probe.to === to))
    .map(([from, to]): Fact => {
      const isFor: IsFor = (call) => {
        const probe = purposeOf(call, 'path-probe');
        return probe?.from === from && probe.to === to;
      };
      const why = otherCount(evidence, isFor) ?? whyMissing(outcomes, isFor);
      const value = { node: from, what: `probe to ${nodeRef(to)}`, why };
      return { subject: nodeResource(from), predicate: 'missing', value, source: [] };
    });
  return [...lacking, ...missingFullSize(probes, outcomes)];
}

function otherCount(evidence: readonly Evidence[], isFor: IsFor): string | undefined {
  const [probe] = readingsOf(pathProbes, evidence).filter(isFor);
  if (probe === undefined || probe.value.sent === probe.args['Count']) return undefined;
  return `asked to send ${String(probe.args['Count'])}, it says it sent ${probe.value.sent}`;
}
