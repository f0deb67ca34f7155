// Of acl_misconfig: probes that a packet filter on their path drops. Accuses only a rule that can match the probes where its hook and
// interfaces lie on their path, whose counter moved in the window by what they lost and little more, when nothing else explains
// the loss. An ACL that does its job (drops other traffic, or stands still) is normal.
import { nodeResource } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf, hopsBetween } from '../../engine/facts.ts';
import type { Explanation } from '../../engine/fault-definition.ts';
import { isLoss, type LossSymptom, underWay } from '../../engine/loss-symptom.ts';
import { explainedBySockets, isSeenByCounts, OVERRUN_SCORE, wireExplains } from '../../engine/loss-witnesses.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { isForItself, ownTrafficRemark } from '../../packet-filter/own-traffic.ts';
import { COVERED, canMatch, dropsAllOrNone, SHARP, sampledShare } from '../../packet-filter/probe-packets.ts';
import type { AclDetail } from './acl-detail.ts';

const EGRESS_HOOKS = ['egress', 'postrouting', 'output', 'forward'];
const INGRESS_HOOKS = ['ingress', 'prerouting', 'input', 'forward'];

export function explainedByAcl(file: CaseFile, losses: readonly LossSymptom[]): readonly Explanation<AclDetail>[] {
  return factsOf(file, 'filter-hits').flatMap((hits, index) =>
    // Along a path the filters of one node stay apart.
    explanationOf(file, losses, hits).map((each) => (file.path.length === 0 ? each : { ...each, key: `${index}` })),
  );
}

type Place = {
  readonly symptom: LossSymptom;
  readonly ifname: string;
  readonly direction: 'egress' | 'ingress';
  /** Probes that were lost and had come to this place. */
  readonly lost: number;
  readonly sent: number;
  /** The rule is the sender’s own, and the sender was refused what it did not send. */
  readonly own: boolean;
};

function explanationOf(
  file: CaseFile,
  losses: readonly LossSymptom[],
  hits: FactWith<'filter-hits'>,
): readonly Explanation<AclDetail>[] {
  const dropped = hits.value.packets;
  if (dropped === undefined) return [];
  const onTheWay = losses.flatMap((symptom) => placeOf(file, hits, symptom) ?? []);
  if (onTheWay.length === 0) return [];
  const free = onTheWay.filter((place) => !explainedByWire(file, losses, place));
  // What a policer of a node takes of probes is all that is lost there, also of those that its counter was not read after.
  const own =
    dropped > 0 &&
    free.length > 0 &&
    isForItself(file.world, hits.value) &&
    free.every((each) => isAtItsEnd(file, hits, each));
  const covered = free.length === 0 ? onTheWay : own ? free : coveredBy(dropped, free);
  // Where sockets explain the loss as well, the evidence does not decide: equal scores leave both as candidates.
  const rivalled = (own ? [] : covered).filter(({ symptom }) => explainedBySockets(file, symptom));
  const places = rivalled.length > 0 ? rivalled : covered;
  const lost = covered.reduce((sum, place) => sum + place.lost, 0);
  const sharp = lost > 0 && dropped <= lost * SHARP;
  const certain = sharp && hits.value.matchesRest !== true;
  const place = places[0] ?? free[0]!;
  const withheld = whyWithheld({
    file,
    hits,
    free,
    places: covered,
    sharp: sharp || (own && !dropsAllOrNone(hits.value)),
  });
  return [
    {
      resource: nodeResource(hits.value.node),
      confidence: certain ? 'certain' : 'likely',
      score: rivalled.length > 0 ? OVERRUN_SCORE : sharp ? 2 : 1,
      explains: places.map(({ symptom, lost: share }) => ({ symptom: symptom.id, lost: share, spread: 0 })),
      evidence: [...new Set([...places.flatMap(({ symptom }) => symptom.fact.source), ...hits.source])],
      detail: {
        node: hits.value.node,
        interface: place.ifname,
        direction: place.direction,
        acl: hits.value.acl,
        hook: hits.value.hook,
        droppedPackets: dropped,
        probesLost: lost,
      },
      ...(withheld === undefined ? {} : { withheld }),
      ...(own ? { remark: ownTrafficRemark(hits.value), remarkReason: 'method' as const } : {}),
    },
  ];
}

/** Probes that begin or end at the node of the rule: plain ones, and those of one link. What follows a segment list may be under way there. */
function isAtItsEnd({ path }: CaseFile, { value: { node } }: FactWith<'filter-hits'>, { symptom }: Place): boolean {
  const { from, to, probe } = symptom.fact.value;
  return (node === from || node === to) && (path.length === 0 || probe?.segments.length === 0);
}

/** Where the probes of a symptom pass the rule and can match it: leaving its node, or entering it. */
function placeOf(file: CaseFile, hits: FactWith<'filter-hits'>, symptom: LossSymptom): Place | undefined {
  const { from, to, directionKnown } = symptom.fact.value;
  const ways = [{ from, to }, ...(directionKnown ? [] : [{ from: to, to: from }])];
  for (const way of ways) {
    for (const [sender, receiver] of hopsBetween(file.path, way.from, way.to)) {
      for (const end of endsOf(file, sender, receiver)) {
        const place = meetingAt(hits, symptom, way, { sender, receiver, ...end });
        if (place !== undefined) return place;
      }
    }
  }
  return undefined;
}

/** Interfaces of every link by which packets go from one node to the next. */
function endsOf(
  file: CaseFile,
  sender: string,
  receiver: string,
): readonly { readonly out: string; readonly in: string }[] {
  return factsOf(file, 'link').flatMap(({ value: { from: one, to: other } }) => {
    if (one.node === sender && other.node === receiver) return [{ out: one.ifname, in: other.ifname }];
    return one.node === receiver && other.node === sender ? [{ out: other.ifname, in: one.ifname }] : [];
  });
}

type Hop = { readonly sender: string; readonly receiver: string; readonly out: string; readonly in: string };

function meetingAt(
  hits: FactWith<'filter-hits'>,
  symptom: LossSymptom,
  way: { readonly from: string; readonly to: string },
  hop: Hop,
): Place | undefined {
  const { node, hook, inInterfaces, outInterfaces } = hits.value;
  const probe = symptom.fact.value;
  const leaves =
    node === hop.sender &&
    EGRESS_HOOKS.includes(hook) &&
    matches(outInterfaces, hop.out) &&
    (inInterfaces.length === 0 || outInterfaces.length > 0);
  const enters =
    node === hop.receiver &&
    INGRESS_HOOKS.includes(hook) &&
    matches(inInterfaces, hop.in) &&
    outInterfaces.length === 0;
  for (const direction of ['egress', 'ingress'] as const) {
    const leaving = direction === 'egress';
    const ifname = leaving ? hop.out : hop.in;
    if (!(leaving ? leaves : enters) || !canMatch(hits.value, probe, { ...way, ifname, leaving })) continue;
    // Only the sender's own filters can have refused what it never sent.
    const own = leaving && node === probe.measuredBy && way.from === node && probe.refusedByFilter;
    const { sent, lost } = own ? probe : underWay(probe);
    const some = lost < sent && dropsAllOrNone(hits.value);
    return !isLoss(sent, lost) || some ? undefined : { symptom, ifname, direction, sent, lost, own };
  }
  return undefined;
}

function matches(named: readonly string[], ifname: string): boolean {
  return named.length === 0 || named.includes(ifname);
}

/** The losses that the counter can account for: all of them, else the largest that fit. */
function coveredBy(dropped: number, places: readonly Place[]): readonly Place[] {
  const largestFirst = [...places].sort((one, other) => other.lost - one.lost);
  let left = dropped;
  return largestFirst.filter(({ lost }) => {
    if (lost * COVERED > left) return false;
    left -= lost;
    return true;
  });
}

/** True when the counters of a link on the symptom's way, supported by that segment's own probes, account for it. */
function explainedByWire(file: CaseFile, losses: readonly LossSymptom[], { symptom, sent, lost }: Place): boolean {
  const { from, to } = symptom.fact.value;
  let expected = 0;
  for (const [sender, receiver] of hopsBetween(file.path, from, to)) {
    const isOver = ({ fact }: LossSymptom) =>
      fact.value.scope === 'segment' && fact.value.from === sender && fact.value.to === receiver;
    // Of several runs over one link each is judged by its own numbers.
    const segment = isOver(symptom) ? symptom : losses.find(isOver);
    const wires = wiresOf(file, sender, receiver);
    const explains = (wire: FactWith<'wire'>) =>
      segment !== undefined && wireExplains(wire, segment) && isSeenByCounts(file, wire, segment);
    if (segment === undefined || !wires.some(explains)) continue;
    const measured = underWay(segment.fact.value);
    expected += (measured.lost / measured.sent) * sent;
  }
  return expected > 0 && lost - expected <= Math.max(3, 4 * Math.sqrt(lost + expected));
}

function wiresOf(file: CaseFile, sender: string, receiver: string): readonly FactWith<'wire'>[] {
  return factsOf(file, 'wire').filter(({ value }) => value.from.node === sender && value.to.node === receiver);
}

type Case = {
  readonly file: CaseFile;
  readonly hits: FactWith<'filter-hits'>;
  readonly free: readonly Place[];
  readonly places: readonly Place[];
  readonly sharp: boolean;
};

function whyWithheld({ file, hits, free, places, sharp }: Case): string | undefined {
  const dropped = hits.value.packets;
  if (free.length === 0)
    return `the wire explains the loss; ${dropped} packets dropped by ${hits.value.acl} are other traffic`;
  if (places.length === 0) return `its counter moved by ${dropped}, less than the probes lost`;
  if (places.length < free.length)
    return `its counter moved by ${dropped}, too little for all that was lost on its way`;
  return sharp ? undefined : whyBlunt(file, hits, places);
}

/** A counter that moved by far more than the probes lost accuses only a rule that says which share of such packets it drops. */
function whyBlunt(file: CaseFile, { value }: FactWith<'filter-hits'>, places: readonly Place[]): string | undefined {
  // Of what its node was refused to send, a rule that takes all such packets took all, whatever else it took.
  const share = sampledShare(value) ?? (places.every(({ own }) => own) && dropsAllOrNone(value) ? 1 : undefined);
  const much = `${value.acl} on ${nodeRef(value.node)} dropped ${value.packets} packets, far more than the probes lost`;
  if (share === undefined) return `${much}: what it drops may be other traffic`;
  const likely = places.every(({ sent, lost }) => Math.abs(lost - share * sent) <= 3 + 4 * Math.sqrt(share * sent));
  if (!likely) return `${much}, and drops another share of such packets`;
  const rival = places.some((place) => explainedBySockets(file, place.symptom) || wireMayExplain(file, place));
  return rival ? `${much}, and the wire or the receiver’s sockets may explain the loss as well` : undefined;
}

/**
 * True when the counters of the way show half of the loss, in whatever else they show, or cannot be compared. What the sender’s own
 * filters refused never came to a wire.
 */
function wireMayExplain(file: CaseFile, { symptom, lost, own }: Place): boolean {
  const { from, to } = symptom.fact.value;
  if (own && underWay(symptom.fact.value).lost <= lost * (1 - COVERED)) return false;
  return hopsBetween(file.path, from, to).some(([sender, receiver]) => {
    const wires = wiresOf(file, sender, receiver);
    return wires.every(({ value }) => !value.comparable) || wires.some(({ value }) => value.estimate >= lost / 2);
  });
}
