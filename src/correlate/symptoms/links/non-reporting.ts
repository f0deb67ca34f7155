// Loss at the links of a router whose agent gives no state, as its neighbours' probes through it show: each crosses one link towards it and one
// from it, and one direction of one link, or both, must explain every loss and be in no run that lost nothing. At least two runs must show it, in the
// first round and in the second; a loss that fits several directions is reported without naming one. The router itself, which forwarded all of them, is not accused.

import type { NonReportingLink } from '#model/links/non-reporting-links.ts';
import { interfaceResource, type LinkEnd, linkResource, nodeKey, type ResourceId } from '#model/names.ts';
import { type Fact, type FactWith, factsOf } from '../../engine/facts.ts';
import { isLoss, LEAST_PROBES, percentOf } from '../../engine/loss-symptom.ts';
import { defineSymptom, type Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { World } from '../../network/world.ts';
import { type DamageDetail, damageSymptom } from '../wrong-checksums.ts';

/** One direction of one link of the router that gives no state. */
export type PlacedLoss = {
  /** The router whose agent gives no state. */
  readonly router: string;
  /** The neighbour's end of the link. */
  readonly node: string;
  readonly ifname: string;
  /** True: lost on the way to the router. */
  readonly towards: boolean;
  readonly sent: number;
  readonly lost: number;
  readonly lossPercent: number;
  /** The interface that sends and the link, where the router's own port is known. */
  readonly sender?: ResourceId;
  readonly link?: ResourceId;
  /** The router's own port on the link, where it is known. */
  readonly port?: string;
  /** Nodes that the lost probes were for. */
  readonly receivers: readonly string[];
};

/** Lost through the router, on no link in particular. */
type UnplacedLoss = { readonly router: string };

export const nonReportingSymptom = defineSymptom<PlacedLoss | UnplacedLoss>('silent-link');

export function placedLosses(file: { readonly symptoms: readonly Symptom[] }): readonly Symptom<PlacedLoss>[] {
  return nonReportingSymptom.of(file).filter((symptom): symptom is Symptom<PlacedLoss> => 'towards' in symptom.detail);
}

/** Wrong checksums at nodes that the lost probes were for. */
export function damageAround(
  file: { readonly symptoms: readonly Symptom[] },
  { detail }: Symptom<PlacedLoss>,
): readonly Symptom<DamageDetail>[] {
  return damageSymptom.of(file).filter(({ nodes: [at = ''] }) => detail.receivers.includes(at));
}

type Run = FactWith<'non-reporting-transit'>;
/** One direction of one link. */
type Way = { readonly link: NonReportingLink; readonly towards: boolean };

/** A carrier that changed so lately loses packets by itself. */
const QUIET_MS = 60_000;

export function nonReportingSymptoms(world: World, facts: readonly Fact[]): readonly Symptom[] {
  const runs = factsOf({ facts }, 'non-reporting-transit');
  const groups = Map.groupBy(runs, ({ value }) => value.from.router);
  return [...groups.values()].flatMap((group) => symptomsAt(world, facts, group));
}

function symptomsAt(world: World, facts: readonly Fact[], runs: readonly Run[]): readonly Symptom[] {
  const [first, second] = [false, true].map((again) => runs.filter(({ value }) => value.again === again));
  const lossy = runs.filter(isLossy);
  if (!first!.some(isLossy) || (second!.length > 0 && !second!.some(isLossy))) return [];
  const [found, again] = [explanation(first!), explanation(second!)];
  const isSure = found !== undefined && again !== undefined && sameWays(found, again);
  if (!isSure || found.some((way) => !isQuiet(world, way.link.near)) || lossy.some((run) => isOverrun(facts, run)))
    return [undecided(lossy)];
  return found.map((way) => told(world, way, lossy));
}

function isLossy({ value: { sent, lost } }: Run): boolean {
  return isLoss(sent, lost);
}

function isClean({ value: { sent, lost } }: Run): boolean {
  return lost === 0 && sent >= LEAST_PROBES;
}

function waysOf({ value: { from, to } }: Run): readonly Way[] {
  return [
    { link: from, towards: true },
    { link: to, towards: false },
  ];
}

function nameOf({ link: { near }, towards }: Way): string {
  return `${near.node} ${near.ifname} ${towards}`;
}

/** One direction that is in every lossy run, or both of one link, and in no run that lost nothing. */
function explanation(runs: readonly Run[]): readonly Way[] | undefined {
  const lossy = runs.filter(isLossy);
  const cleared = new Set(runs.filter(isClean).flatMap((run) => waysOf(run).map(nameOf)));
  const all = [...new Map(lossy.flatMap(waysOf).map((way) => [nameOf(way), way])).values()];
  const suspects = all.filter((way) => !cleared.has(nameOf(way)));
  const isIn = (way: Way, run: Run) => waysOf(run).some((each) => nameOf(each) === nameOf(way));
  const alone = suspects.filter((way) => lossy.every((run) => isIn(way, run)));
  if (alone.length > 0) return alone.length === 1 && lossy.length >= 2 ? alone : undefined;
  const [one, other] = suspects;
  const isPair = suspects.length === 2 && sameEnd(one!.link, other!.link);
  const isWhole = lossy.length >= 3 && lossy.every((run) => suspects.some((way) => isIn(way, run)));
  return isPair && isWhole ? suspects : undefined;
}

function sameEnd({ near: one }: NonReportingLink, { near: other }: NonReportingLink): boolean {
  return one.node === other.node && one.ifname === other.ifname;
}

function sameWays(one: readonly Way[], other: readonly Way[]): boolean {
  const names = (ways: readonly Way[]) => ways.map(nameOf).sort().join();
  return names(one) === names(other);
}

/** Sockets of the node that the probes were for dropped some: it had no time for them. */
function isOverrun(facts: readonly Fact[], { value: { to } }: Run): boolean {
  return facts.some(
    (fact) =>
      fact.predicate === 'node-errors' && fact.value.node === to.near.node && /RcvbufErrors$/.test(fact.value.counter),
  );
}

function isQuiet(world: World, { node, ifname }: LinkEnd): boolean {
  return (world.views.get(node)?.state.history?.events ?? []).every(
    (event) => event.kind !== 'carrier' || event.subject !== ifname || event.agoMs > QUIET_MS,
  );
}

function undecided(lossy: readonly Run[]): Symptom {
  const [first] = lossy;
  const { from } = first!.value;
  const ways = lossy.map(
    ({ value }) => `${nodeRef(value.from.near.node)} → ${nodeRef(value.to.near.node)}: ${value.lost} of ${value.sent}`,
  );
  return nonReportingSymptom.raise({
    ...{ id: `silent-link:${from.router}`, subject: interfaceResource(from.near) },
    text: `probes through ${from.router}, which gives no state, were lost (${ways.join(', ')}), and the evidence does not show where`,
    source: lossy.flatMap(({ source }) => source),
    nodes: [...new Set(lossy.flatMap(({ value }) => [value.from.near.node, value.to.near.node]))],
    detail: { router: from.router },
  });
}

function told(world: World, way: Way, lossy: readonly Run[]): Symptom {
  const { link, towards } = way;
  const mine = lossy.filter((run) => waysOf(run).some((each) => nameOf(each) === nameOf(way)));
  const total = (pick: 'sent' | 'lost') => mine.reduce((sum, { value }) => sum + value[pick], 0);
  const [sent, lost] = [total('sent'), total('lost')];
  const router = world.nodes.find((node) => nodeKey(node) === link.router) ?? link.router;
  const far = link.port === undefined ? undefined : { node: router, ifname: link.port };
  const sender = towards ? link.near : far;
  const subject = interfaceResource(sender ?? link.near);
  const place = `${nodeRef(link.near.node)} ${link.near.ifname} ${towards ? '→' : '←'} ${nodeRef(router)}`;
  return nonReportingSymptom.raise({
    ...{ id: `silent-link:${link.near.node}:${link.near.ifname} ${towards}`, subject },
    text: `${place}: ${lost} of ${sent} probes that crossed it were lost, none of those that crossed only the other links of ${nodeRef(router)}, whose agent gives no state`,
    source: mine.flatMap(({ source }) => source),
    nodes: [link.near.node],
    detail: {
      ...{ node: link.near.node, ifname: link.near.ifname, router, towards, sent, lost },
      lossPercent: percentOf(lost, sent),
      ...(sender === undefined ? {} : { sender: subject }),
      ...(far === undefined ? {} : { link: linkResource(link.near, far), port: far.ifname }),
      receivers: [...new Set(mine.map(({ value }) => value.to.near.node))],
    },
  });
}
