// Probes over links of the scope → facts: how many were lost each way, how long they took, and how trains came through.
import { linkProbes } from '#measure/links/link-probes.ts';
import { loops } from '#measure/links/loops.ts';
import { readingsOf } from '#measure/measurement.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import type { Evidence } from '#model/evidence.ts';
import { FRAME_BYTES, HEADER_BYTES } from '#model/links/probe-bytes.ts';
import { type LinkEnd, linkResource } from '#model/names.ts';
import type { Round } from '#model/purpose.ts';
import type { ProbeResult } from '#model/router/router-port.ts';
import type { Fact } from '../engine/facts.ts';
import { otherEnd, ownEnd, type World, type WorldLink } from '../network/world.ts';
import { WINDOW } from './exchange.ts';
import { bothWays, countsOf, lossFacts, proberFacts } from './probe-counts.ts';
import { passageOf } from './train-passage.ts';
import type { ProbePackets } from './wire.ts';

/** All probes of one link, run by `from`. */
export type LinkProbe = {
  readonly link: WorldLink;
  readonly from: string;
  readonly to: string;
  readonly result: ProbeResult;
  readonly large: boolean;
  /** Of small probes of the same priority as all others. */
  readonly round?: Round;
  readonly payloadBytes: number;
  readonly flows: number;
  readonly source: string;
};

/** Which link a probe crossed is read from the addresses of the request that we signed. */
export function readLinkProbes(world: World, evidence: readonly Evidence[]): readonly LinkProbe[] {
  const probes = [...readingsOf(linkProbes, evidence), ...readingsOf(dscpProbes, evidence)];
  return probes.flatMap(({ purpose, node, value: result, args, source: id }): readonly LinkProbe[] => {
    if (result.sent === 0) return [];
    const way = { from: node, source: args['source'], destination: args['destination'] };
    const named = purpose.kind === 'link-train' ? linkResource(purpose.from, purpose.to) : undefined;
    const link = world.links.find((each) =>
      each.link.addresses === undefined ? each.key === named : isBetweenItsAddresses(each, way),
    );
    if (link === undefined || !isOverLink(world, link, way)) return [];
    const to = link.from.node === node ? link.to.node : link.from.node;
    const large = purpose.kind === 'link-train';
    const [payloadBytes, flows] = [Number(args['payloadBytes'] ?? 0), Number(args['flows'] ?? 1)];
    const small = purpose.kind === 'link-probe' ? { round: purpose.round } : {};
    return [{ link, from: node, to, result, large, ...small, payloadBytes, flows, source: id }];
  });
}

type Way = { readonly from: string; readonly source: unknown; readonly destination: unknown };

function isBetweenItsAddresses({ link: { addresses } }: WorldLink, { source, destination }: Way): boolean {
  return (
    (addresses?.from === source && addresses?.to === destination) ||
    (addresses?.to === source && addresses?.from === destination)
  );
}

/** Between other addresses than the link's own: both nodes' only routes to them lead over it. */
export function isOverLink(world: World, link: WorldLink, way: Way): boolean {
  if (link.link.addresses !== undefined) return true;
  const { from, source, destination } = way;
  const leads = (end: LinkEnd, address: unknown) => {
    const answer = world.lookups.get(end.node)?.get(String(address));
    const { kind, ifname, ifnames = [], segments = [] } = answer ?? {};
    return kind === 'unicast' && ifname === end.ifname && ifnames.length <= 1 && segments.length === 0;
  };
  const [near, far] = [ownEnd(link, from), otherEnd(link, from)];
  return leads(near, destination) && leads(far, source);
}

/** Of the extended round, which is judged by itself. */
export function isLong({ round }: LinkProbe): boolean {
  return round === 'extended';
}

/** Small probes of the first two rounds, link by link; then the trains. */
export function linkProbeFacts(links: readonly WorldLink[], probes: readonly LinkProbe[]): readonly Fact[] {
  return [
    ...links.flatMap(({ key }) => {
      const small = probes.filter(
        ({ link, round }) => link.key === key && (round === 'first' || round === 'confirmation'),
      );
      const byProber = [...Map.groupBy(small, ({ from }) => from).values()];
      return [...byProber.flatMap(ofProber), ...roundTrips(small)];
    }),
    ...probes.filter(({ large }) => large).map(largeFact),
  ];
}

/** Each end's probes of a link stay apart: one of the two ends may lie. Its rounds are added up: they lie in one window. */
function ofProber(probes: readonly LinkProbe[]): readonly Fact[] {
  const runs = probes as readonly [LinkProbe, ...LinkProbe[]];
  const source = probes.map((probe) => probe.source);
  const flows = Math.max(...probes.map((probe) => probe.flows));
  const about = { scope: 'segment', ...(flows > 1 ? { flows } : {}), link: runs[0].link.key } as const;
  const again = probes.find(({ round }) => round === 'confirmation');
  return [...lossFacts(runs, about, source, again), ...proberFacts(countsOf(...runs), source, runs[0].link.key)];
}

/** The least of all rounds of both ends: noise only ever adds. */
function roundTrips(probes: readonly LinkProbe[]): readonly Fact[] {
  const [best] = probes.flatMap(({ result: { rttMs } }) => rttMs ?? []).sort((one, other) => one.min - other.min);
  const [first] = probes;
  if (best === undefined || first === undefined) return [];
  const { from, to } = first;
  const source = probes.map((probe) => probe.source);
  return [{ subject: `path/${from}>${to}`, predicate: 'round-trip', value: { from, to, ...best }, source }];
}

function largeFact({ link, from, to, result, payloadBytes, source }: LinkProbe): Fact {
  const { sent, received, train } = result;
  const packetBytes = payloadBytes + HEADER_BYTES + FRAME_BYTES;
  const there = train && passageOf(train.reachedUs, { packetBytes, packets: sent, sentUs: train.sentUs });
  // Reflections are sent as the probes arrive; their sending times are not recorded.
  const back = train && passageOf(train.returnedUs, { packetBytes, packets: sent, sentUs: [] });
  const value = {
    ...{ link: link.key, from, to, sent, received, bytes: sent * packetBytes },
    ...(there === undefined ? {} : { there }),
    ...(back === undefined ? {} : { back }),
  };
  return { subject: link.key, predicate: 'large-probes', value, source: [source], window: WINDOW };
}

/** Where a loop led is what it was planned for. */
export function loopFacts(evidence: readonly Evidence[]): readonly Fact[] {
  return readingsOf(loops, evidence).flatMap(({ purpose: { visits }, node, value: { rttMs }, source }) => {
    if (visits.at(-1) !== node || rttMs === undefined || rttMs === null) return [];
    const value = { visits, min: rttMs.min };
    const subject = `path/${visits.join('>')}` as const;
    return [{ subject, predicate: 'loop' as const, value, source: [source], window: WINDOW }];
  });
}

/** Probe packets over one link that left it at `from`. */
export function linkPacketsOver(key: string, probes: readonly LinkProbe[], from: string): readonly ProbePackets[] {
  return probes
    .filter((probe) => probe.link.key === key && !isLong(probe))
    .map((probe) => {
      const { out, back } = bothWays(countsOf(probe));
      const { sent, lost } = probe.from === from ? out : back;
      return { probesSent: sent, probesArrived: sent - lost, probesPerhaps: 0 };
    });
}
