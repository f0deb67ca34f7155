// mtu_mismatch: the two ends of a link have different MTUs, or both a smaller one than they had, or are expected to have. The end that
// differs from what other interfaces have is named; where that does not decide, the smaller one. Two ends that agree, and always did,
// contradict nothing, however small they are: that is a remark. Compared before any theory about protocols, because padded hellos no
// longer pass.
import { interfaceResource, type LinkEnd } from '#model/names.ts';
import type { NodeState } from '#model/router/router-port.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { defineCause, type Explanation, type Share } from '../../engine/fault-definition.ts';
import type { LossSymptom } from '../../engine/loss-symptom.ts';
import { shareOf } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { seenOtherwise, settingsBefore } from '../../network/remembered.ts';
import { interfaceOf, linkOn, type WorldLink } from '../../network/world.ts';
import { filteredSymptoms } from '../../packet-filter/protocol-drops.ts';
import { brokenLink } from '../../symptoms/consequences.ts';
import { type MtuDetail, mtuSymptom } from '../../symptoms/links/mtu.ts';

/** `was`: the MTU that memory or an expectation has of the end. */
type Detail = { readonly what: string; readonly mtu: number; readonly usual?: number; readonly was?: number };

export const mtuMismatch = defineCause<Detail>({
  id: 'mtu_mismatch',
  resource: 'interface',
  accuses: true,
  labels: { nika: 'mtu_mismatch', netOpsBench: 'mtu_mismatch' },
  summary: 'an interface has another MTU than the other end of its link, or both ends have a smaller one than they had',
  exact: 'the MTU of the other end, or the one that both had, in the kernel',
  explain: (file, losses) => mtuSymptom.of(file).flatMap((symptom) => mismatches(file, losses, symptom)),
  remedy: ({ mtu, usual, was }, file, resource) => {
    const [, node = '', ...name] = resource.split('/');
    const end = { node, ifname: name.join('/') };
    const wanted =
      was ?? usual ?? Math.max(...linkOn(file.world, end).flatMap((link) => endsOf(file, link).map((e) => e.mtu)));
    return {
      node,
      summary: `give ${nodeRef(node)} ${end.ifname} the MTU ${was === undefined ? 'of the other end' : 'that it had'}`,
      command: `ip link set ${end.ifname} mtu ${wanted}`,
      change: { live: [{ kind: 'link-mtu', ifname: end.ifname, mtu: wanted, now: mtu }] },
    };
  },
});

type End = { readonly end: LinkEnd; readonly mtu: number };

function endsOf({ world }: CaseFile, { from, to }: { readonly from: LinkEnd; readonly to: LinkEnd }): readonly End[] {
  return [from, to].map((end) => ({ end, mtu: interfaceOf(world, end)?.mtu ?? 0 }));
}

function mismatches(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: Symptom<MtuDetail>,
): readonly Explanation<Detail>[] {
  const { link, detail } = symptom;
  if (link === undefined || detail.large === true) return [];
  const ends = endsOf(file, link);
  if (ends[0]!.mtu === ends[1]!.mtu) return smallerAtBothEnds(file, losses, symptom, ends);
  const usual = usualMtu(file, link.key);
  const odd = oddEnds(ends, usual);
  const known = usual !== undefined && odd.some(({ mtu }) => mtu !== usual);
  return odd.map(({ end, mtu }) => ({
    resource: interfaceResource(end),
    // Between two sizes that no other interface has, only their difference is certain.
    confidence: known ? 'certain' : 'likely',
    score: 3.5,
    explains: [shareOf(symptom), ...consequencesOf(file, losses, link)],
    evidence: symptom.source,
    together: symptom.id,
    detail: { what: symptom.text, mtu, ...(usual === undefined ? {} : { usual }) },
  }));
}

/** Too small for what hosts send, at both ends alike: a fault where one of them had more, or is expected to. */
function smallerAtBothEnds(
  file: CaseFile,
  losses: readonly LossSymptom[],
  symptom: Symptom<MtuDetail>,
  ends: readonly End[],
): readonly Explanation<Detail>[] {
  const { link, detail, source, text: what, id } = symptom;
  const had = ends.map(({ end, mtu }) => ({ end, mtu, was: largerBefore(file, end) }));
  const smaller = had.some(({ was }) => was !== undefined)
    ? had.filter(({ was }) => was !== undefined)
    : detail.expected === true
      ? had.map((each) => ({ ...each, was: detail.others }))
      : [];
  const [{ end: first, mtu }] = had as [(typeof had)[number]];
  if (smaller.length === 0)
    return [
      {
        ...{ resource: interfaceResource(first), evidence: source, explains: [shareOf(symptom)] },
        ...{
          detail: { what, mtu },
          remark: `${what}: the two ends agree, and always did as far as the agents remember`,
        },
      },
    ];
  return smaller.map((each) => ({
    resource: interfaceResource(each.end),
    score: 3.5,
    explains: [shareOf(symptom), ...consequencesOf(file, losses, link!)],
    evidence: source,
    together: id,
    detail: { what, mtu: each.mtu, ...(each.was === undefined ? {} : { was: each.was }) },
  }));
}

/** The latest larger MTU that memory has of an end. */
function largerBefore({ world }: CaseFile, { node, ifname }: LinkEnd): number | undefined {
  const mtuOf = (state: NodeState) => state.inventory.interfaces.find(({ name }) => name === ifname)?.mtu;
  const now = interfaceOf(world, { node, ifname })?.mtu ?? 0;
  const remembered = settingsBefore(world, node, 'mtu', ifname).map(Number);
  return [...remembered, ...seenOtherwise(world, node, mtuOf)].find((mtu) => mtu > now);
}

/** Sessions whose packets a filter drops meanwhile are not lost for their size. */
function consequencesOf(file: CaseFile, losses: readonly LossSymptom[], link: WorldLink): readonly Share[] {
  const filtered = filteredSymptoms(file);
  const small = new Set(losses.filter(isOfSmallProbes).map(({ id }) => id));
  return brokenLink(file, losses, link).filter(({ symptom: id }) => !filtered.has(id) && !small.has(id));
}

/** The runs of many flows over one link are of small probes: a size may end them all, as below the least one of IPv6, but loses no part of them. */
function isOfSmallProbes({ fact }: LossSymptom): boolean {
  const { flows, lost, sent } = fact.value;
  return flows !== undefined && lost < sent;
}

function oddEnds(ends: readonly End[], usual: number | undefined): readonly End[] {
  const odd = ends.filter(({ mtu }) => mtu !== usual);
  return odd.length === 1 ? odd : [[...ends].sort((one, other) => one.mtu - other.mtu)[0]!];
}

/** What most other link ends have; undefined where two sizes are as common. */
function usualMtu(file: CaseFile, except: string): number | undefined {
  const counts = new Map<number, number>();
  for (const link of file.world.links) {
    if (link.key === except) continue;
    for (const end of [link.from, link.to]) {
      const mtu = interfaceOf(file.world, end)?.mtu;
      if (mtu !== undefined) counts.set(mtu, (counts.get(mtu) ?? 0) + 1);
    }
  }
  const [first, second] = [...counts].sort((one, other) => other[1] - one[1]);
  return first?.[1] === second?.[1] ? undefined : first?.[0];
}
