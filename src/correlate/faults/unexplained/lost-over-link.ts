// A link over which probes are lost for no known reason: both ends' own probes were lost in the same direction, in the confirmation round
// as well, and packets of another kind die with them (echoes, a session, a drop counter of one end). What one end alone reports, or what
// an ordinary reason may explain, names no place.
import { type LinkEnd, linkResource } from '#model/names.ts';
import { type CaseFile, factsOf, type NodeErrors, type ProbeLoss } from '../../engine/facts.ts';
import { isLoss, type LossSymptom, percentOf, underWay } from '../../engine/loss-symptom.ts';
import { lossShareOf, shareOf } from '../../engine/proposal.ts';
import { unconfirmed } from '../../engine/second-witness.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { directionsOf, ownerOf, type WorldLink } from '../../network/world.ts';
import { wiresOver } from '../../observe/wire.ts';
import { isLossy } from '../../symptoms/unanswered-echoes.ts';
import { differingState } from './differing-state.ts';
import { hasOrdinaryReason } from './ordinary-reasons.ts';
import type { UnexplainedPlace } from './place.ts';

/** Less may be a busy machine that had no time for its packets. */
const LEAST_SHARE = 0.02;
/** So large a share costs sessions their keepalives. */
const SESSION_SHARE = 0.05;
/** Of the lost probes a counter must show this share. */
const COUNTED_SHARE = 0.5;
/** More links than these at once are first a suspicion against the measurement. */
const MOST_LINKS = 3;

type Way = { readonly from: LinkEnd; readonly to: LinkEnd };
type LossyWay = Way & { readonly losses: readonly LossSymptom[]; readonly also: readonly string[] };

export function lostOverLinks(file: CaseFile, losses: readonly LossSymptom[]): readonly UnexplainedPlace[] {
  const found = file.world.links.flatMap((link) => {
    const ways = lossyWays(file, link, losses);
    return ways.length === 0 ? [] : [{ link, ways }];
  });
  return found.length > MOST_LINKS ? [] : found.map(({ link, ways }) => placeOf(file, link, ways));
}

function lossyWays(file: CaseFile, link: WorldLink, losses: readonly LossSymptom[]): readonly LossyWay[] {
  const here = losses.filter(({ fact: { value } }) => value.link === link.key);
  if (here.length === 0 || !link.link.pointToPoint || link.link.doubts.length > 0) return [];
  return directionsOf(link).flatMap((way): readonly LossyWay[] => {
    const mine = here.filter(({ fact: { value } }) => runsOver(value, way));
    if (!isConfirmed(file, mine, way) || hasOrdinaryReason(file, link, way, mine)) return [];
    const also = othersLost(file, link, way, mine);
    return also.length === 0 ? [] : [{ ...way, losses: mine, also }];
  });
}

function runsOver(value: ProbeLoss, { from, to }: Way): boolean {
  return value.directionKnown && value.from === from.node && value.to === to.node;
}

/** Each end's probes lost a fair share at the same time in the confirmation round, and in the extended measurement where there was one. */
function isConfirmed(file: CaseFile, losses: readonly LossSymptom[], { from, to }: Way): boolean {
  const ways = { from: from.node, to: to.node };
  const again = losses.flatMap(({ fact: { value } }) =>
    value.again !== undefined && isFair(value.again) ? [value.measuredBy] : [],
  );
  const looks = factsOf(file, 'extended-measurement').filter(
    ({ value }) => losses.some(({ fact }) => fact.value.link === value.link) && value.from.node === from.node,
  );
  return (
    [from, to].every(({ node }) => again.includes(node)) &&
    losses.every((symptom) => unconfirmed(file, symptom, ways) === undefined) &&
    looks.every(({ value }) => value.counts.every(isFair))
  );
}

function isFair({ sent, lost }: { readonly sent: number; readonly lost: number }): boolean {
  return isLoss(sent, lost) && lost >= sent * LEAST_SHARE;
}

/** What else dies on the same way, in words: probes alone are no traffic of users. */
function othersLost(file: CaseFile, link: WorldLink, way: Way, losses: readonly LossSymptom[]): readonly string[] {
  return [
    ...echoesLost(file, way),
    ...sessionsOver(file, link, losses).map(({ text }) => text),
    ...counted(file, way, losses).map(errorWords),
  ];
}

/** Echoes between the two ends' addresses on the link, in the second look as well. */
function echoesLost({ world }: CaseFile, { from, to }: Way): readonly string[] {
  return world.reach
    .filter((row) => {
      const owner = ownerOf(world, row.destination);
      const isOver = [
        [from, to],
        [to, from],
      ].some(([near, far]) => row.from === near!.node && owner?.node === far!.node && owner.ifname === far!.ifname);
      return (
        isOver &&
        row.again !== undefined &&
        isLossy(row) &&
        isFair({ sent: row.again.sent, lost: row.again.sent - row.again.received })
      );
    })
    .map(
      ({ from: prober, destination, again }) =>
        `${nodeRef(prober)} → ${destination}: ${again!.sent - again!.received} of ${again!.sent} echoes lost`,
    );
}

/** Protocols that are down over the link, where so many packets are lost that it may be for that. */
function sessionsOver(file: CaseFile, { key }: WorldLink, losses: readonly LossSymptom[]): readonly Symptom[] {
  const share = Math.max(
    ...losses.map(({ fact }) => underWay(fact.value).lost / Math.max(1, underWay(fact.value).sent)),
  );
  if (share < SESSION_SHARE) return [];
  return file.symptoms.filter(({ kind, link }) => ['isis', 'ospf', 'bgp', 'bfd'].includes(kind) && link?.key === key);
}

/** Drop counters of the two ends that show as many packets, and that no other node's moved with. */
function counted(file: CaseFile, { from, to }: Way, losses: readonly LossSymptom[]): readonly NodeErrors[] {
  const lost = Math.max(...losses.map(({ fact }) => fact.value.lost));
  const all = factsOf(file, 'node-errors').map(({ value }) => value);
  return all.filter(
    ({ node, counter, packets }) =>
      DROPPED.test(counter) &&
      [from.node, to.node].includes(node) &&
      packets >= lost * COUNTED_SHARE &&
      all.every((each) => each.counter !== counter || each.node === node),
  );
}

/** IP layers that threw packets away as they came in or before they left; not sockets, checksums or routes. */
const DROPPED = /^(?:Ip6?|IpExt)(?:InHdrErrors|InDiscards|OutDiscards|InTruncatedPkts|InUnknownProtos)$/;

function errorWords({ node, counter, packets }: NodeErrors): string {
  return `${counter} of ${nodeRef(node)} rose by ${packets}`;
}

function placeOf(file: CaseFile, link: WorldLink, ways: readonly LossyWay[]): UnexplainedPlace {
  const losses = ways.flatMap((way) => way.losses);
  const sessions = sessionsOver(file, link, losses);
  const { from, to } = ways[0]!;
  return {
    resource: linkResource(link.from, link.to),
    explains: [...losses.map(lossShareOf), ...sessions.map(shareOf)],
    evidence: [...new Set([...losses.flatMap(({ fact }) => fact.source), ...sessions.flatMap(({ source }) => source)])],
    detail: {
      node: from.node,
      where: `between ${nodeRef(from.node)} ${from.ifname} and ${nodeRef(to.node)} ${to.ifname}`,
      packets: 'UDP over IPv6, of many flows',
      lost: ways.flatMap((way) => way.losses.map(({ fact }) => lossWords(fact.value))),
      also: [...new Set(ways.flatMap(({ also }) => also))],
      counters: ways.flatMap((way) => counterWords(file, way)),
      differs: differingState(file, [link.from, link.to]),
    },
  };
}

function lossWords(value: ProbeLoss): string {
  const { from, to, measuredBy } = value;
  const { sent, lost } = underWay(value);
  return `${nodeRef(from)} → ${nodeRef(to)}: ${lost} of ${sent} (${percentOf(lost, sent)} %), counted by ${nodeRef(measuredBy)}`;
}

/** The sender and the receiver: that both ends count the same frames says that they were lost after, or before, the counters of the ports. */
function counterWords(file: CaseFile, { from, to }: Way): readonly string[] {
  return wiresOver(file, { from, to }).map(
    ({ value }) =>
      `${nodeRef(from.node)} ${from.ifname} sent ${value.txPackets} packets, ${nodeRef(to.node)} ${to.ifname} received ${value.rxPackets}`,
  );
}
