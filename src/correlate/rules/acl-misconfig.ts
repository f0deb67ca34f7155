// acl_misconfig: a packet filter on the path drops the probes. Accuses only when the rule's counter moved in the window by
// at least what the probes lost, its hook and interfaces lie on the way, and the wire does not explain the loss. An ACL that
// does its job (drops other traffic, or stands still) is normal.
import { nodeResource } from '#model/names.ts';
import { type CaseFile, type FactWith, factsOf, hopsBetween } from '../facts.ts';
import { mark } from '../spelling.ts';
import type { Symptom } from '../symptoms.ts';
import { wireExplains } from './packet-loss.ts';
import type { Proposal, Rule } from './rule.ts';

/** Of the probes that a rule is said to drop, its counter must show this share (stray losses may come on top). */
const COVERED = 0.9;
/** A counter that moved by at most this much more than the probes lost has dropped little else. */
const SHARP = 1.3;

const EGRESS_HOOKS = ['egress', 'postrouting', 'output', 'forward'];
const INGRESS_HOOKS = ['ingress', 'prerouting', 'input', 'forward'];

export const aclMisconfig: Rule = {
  fault: 'acl_misconfig',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: 'acl_misconfig',
  summary:
    'a packet filter rule on the path drops traffic that the path should carry; the resource is the filtering node',
  propose: (file, symptoms) => factsOf(file, 'filter-hits').flatMap((hits) => proposalFor(file, symptoms, hits)),
};

type Place = { readonly symptom: Symptom; readonly ifname: string; readonly direction: 'egress' | 'ingress' };

function proposalFor(file: CaseFile, symptoms: readonly Symptom[], hits: FactWith<'filter-hits'>): readonly Proposal[] {
  const dropped = hits.value.packets;
  if (dropped === undefined) return [];
  const onTheWay = symptoms.flatMap((symptom) => placeOf(file, hits, symptom) ?? []);
  if (onTheWay.length === 0) return [];
  const free = onTheWay.filter(({ symptom }) => !explainedByWire(file, symptoms, symptom));
  const places = free.length === 0 ? onTheWay : coveredBy(dropped, free);
  const lost = places.reduce((sum, { symptom }) => sum + symptom.fact.value.lost, 0);
  const sharp = lost > 0 && dropped <= lost * SHARP;
  const place = places[0] ?? free[0]!;
  const withheld = whyWithheld({ file, hits, free, places, sharp });
  return [
    {
      fault: 'acl_misconfig',
      resource: nodeResource(hits.value.node),
      confidence: sharp ? 'certain' : 'likely',
      score: sharp ? 2 : 1,
      explains: places.map(({ symptom }) => ({ symptom: symptom.id, lost: symptom.fact.value.lost, spread: 0 })),
      evidence: [...new Set([...places.flatMap(({ symptom }) => symptom.fact.source), ...hits.source])],
      against: [],
      details: {
        interface: place.ifname,
        direction: place.direction,
        acl: hits.value.acl,
        hook: hits.value.hook,
        droppedPackets: dropped,
        probesLost: lost,
      },
      remedy: {
        node: hits.value.node,
        summary: `review ${hits.value.acl} on ${mark(hits.value.node)} ${place.ifname} (${place.direction}): it dropped ${dropped} packets while the probes ran`,
      },
      ...(withheld === undefined ? {} : { withheld }),
    },
  ];
}

/** Where the probes of a symptom pass the rule: leaving its node, or entering it. */
function placeOf(file: CaseFile, hits: FactWith<'filter-hits'>, symptom: Symptom): Place | undefined {
  const { from, to, directionKnown } = symptom.fact.value;
  const hops = [...hopsBetween(file.path, from, to), ...(directionKnown ? [] : hopsBetween(file.path, to, from))];
  const { node, hook, inInterfaces, outInterfaces } = hits.value;
  for (const [sender, receiver] of hops) {
    const ends = factsOf(file, 'link').flatMap(({ value: { from: one, to: other } }) => {
      if (one.node === sender && other.node === receiver) return [{ out: one.ifname, in: other.ifname }];
      return one.node === receiver && other.node === sender ? [{ out: other.ifname, in: one.ifname }] : [];
    });
    for (const end of ends) {
      const leaves = node === sender && EGRESS_HOOKS.includes(hook) && matches(outInterfaces, end.out);
      if (leaves && (inInterfaces.length === 0 || outInterfaces.length > 0))
        return { symptom, ifname: end.out, direction: 'egress' };
      const enters = node === receiver && INGRESS_HOOKS.includes(hook) && matches(inInterfaces, end.in);
      if (enters && outInterfaces.length === 0) return { symptom, ifname: end.in, direction: 'ingress' };
    }
  }
  return undefined;
}

function matches(named: readonly string[], ifname: string): boolean {
  return named.length === 0 || named.includes(ifname);
}

/** The symptoms that the counter can account for: all of them, else the largest that fit. */
function coveredBy(dropped: number, places: readonly Place[]): readonly Place[] {
  const largestFirst = [...places].sort((one, other) => other.symptom.fact.value.lost - one.symptom.fact.value.lost);
  let left = dropped;
  return largestFirst.filter(({ symptom }) => {
    const wanted = symptom.fact.value.lost * COVERED;
    if (wanted > left) return false;
    left -= symptom.fact.value.lost;
    return true;
  });
}

/** True when the counters of a link on the symptom's way, supported by that segment's own probes, account for it. */
function explainedByWire(file: CaseFile, symptoms: readonly Symptom[], symptom: Symptom): boolean {
  const { from, to, sent, lost } = symptom.fact.value;
  let expected = 0;
  for (const [sender, receiver] of hopsBetween(file.path, from, to)) {
    const segment = symptoms.find(
      ({ fact }) => fact.value.scope === 'segment' && fact.value.from === sender && fact.value.to === receiver,
    );
    const wires = factsOf(file, 'wire').filter(({ value }) => value.from.node === sender && value.to.node === receiver);
    if (segment === undefined || !wires.some((wire) => wireExplains(wire, segment))) continue;
    expected += (segment.fact.value.lost / segment.fact.value.sent) * sent;
  }
  return expected > 0 && lost - expected <= Math.max(3, 4 * Math.sqrt(lost + expected));
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
  const unknown = places.some(({ symptom }) =>
    hopsBetween(file.path, symptom.fact.value.from, symptom.fact.value.to).some(
      ([sender, receiver]) =>
        !factsOf(file, 'wire').some(
          ({ value }) => value.comparable && value.from.node === sender && value.to.node === receiver,
        ),
    ),
  );
  return unknown && !sharp
    ? 'the counters of the wire are missing, so the wire may explain the loss as well'
    : undefined;
}
